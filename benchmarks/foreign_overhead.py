"""What hosting costs per move: ``python benchmarks/foreign_overhead.py [--no-pin]``.

Each host runs a bot that answers at once with the next column in turn. The microseconds are from
the harness's question to its reading of the answer, over whole games, by the clock that moves are
timed with. A program that does nothing, spoken to directly, shows what is not the host's.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bots.protocol import Budget, GameOver, Hello, MoveAsk, MoveReply, NewGame
from db.records.launch import DEFAULT_LIMITS, Start
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.confinement import Confinement
from ladder.match.process.cpus import claim_cpu
from ladder.match.specs.spec import read_spec
from ladder.match.specs.start_command import make_start

GAMES = 60
PLIES = 40
COLUMNS = 10
FILES = {
    "bot.py": f"""
class Bot:
    def new_game(self, board, side, seed, budget):
        pass
    def choose(self, moves):
        return len(moves) % {COLUMNS}
""",
    "submission.py": f"""
def agent(observation, configuration):
    return observation.step % {COLUMNS}
""",
    "strategy.cpp": """
struct Point { int x, y; };
static Point point;
extern "C" Point* getPoint(const int M, const int N, const int* top, const int* board,
                           const int lastX, const int lastY, const int noX, const int noY) {
    point.y = lastY < 0 ? 0 : (lastY + 1) % N;
    point.x = top[point.y] - 1;
    return &point;
}
extern "C" void clearPoint(Point*) {}
""",
    "program.c": """
#include <stdio.h>
int main(void) {
    int rows, columns, x, y, top[12], cell;
    scanf("%d%d%*d%*d", &rows, &columns);
    while (scanf("%d%d", &x, &y) == 2) {
        for (int i = 0; i < columns; i++) scanf("%d", top + i);
        for (int i = 0; i < rows * columns; i++) scanf("%d", &cell);
        char text[16];
        y = y < 0 ? 0 : (y + 1) % columns;
        int length = sprintf(text, "%d %d", top[y] - 1, y);
        fwrite((char[]){0, 0, 0, length}, 1, 4, stdout);
        fputs(text, stdout);
        fflush(stdout);
    }
}
""",
    "null.c": f"""
#include <stdio.h>
#include <string.h>
int main(void) {{
    static char line[65536];
    while (fgets(line, sizeof line, stdin)) {{
        if (strstr(line, "hello")) puts("{{\\"type\\":\\"hello\\",\\"name\\":\\"null\\"}}");
        if (strstr(line, "new_game")) puts("{{\\"type\\":\\"ready\\"}}");
        char *at = strstr(line, "\\"ply\\":");
        int ply = 0;
        if (at) sscanf(at + 6, "%d", &ply);
        if (at) printf("{{\\"type\\":\\"move\\",\\"column\\":%d}}\\n", ply % {COLUMNS});
        fflush(stdout);
    }}
}}
""",
}
SPECS = ("exec:./null", "python:bot.py:Bot", "kaggle:submission.py", "thu:s.so", "saiblo:./program")


def prepare(folder: Path) -> None:
    """Write and compile the bots."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    for words in (
        ("g++", "-O2", "-shared", "-fPIC", "-o", "s.so", "strategy.cpp"),
        ("gcc", "-O2", "-w", "-o", "program", "program.c"),
        ("gcc", "-O2", "-w", "-o", "null", "null.c"),
    ):
        subprocess.run(words, cwd=folder, check=True)


def times_us(start: Start) -> list[int]:
    """Return the time of every move in games that one process plays."""
    times = []
    with BotProcess.start(start, Confinement(limits=DEFAULT_LIMITS, sandbox=())) as bot:
        bot.ask(Hello(), timeout_s=30)
        for game in range(GAMES):
            new = NewGame(
                game=str(game),
                rows=9,
                columns=COLUMNS,
                side=0,
                seed=1,
                budget=Budget(time_ms=1000),
            )
            bot.ask(new, timeout_s=30)
            for ply in range(0, PLIES, 2):
                moves = tuple(column % COLUMNS for column in range(ply))
                answer = bot.ask(MoveAsk(ply, moves), timeout_s=5)
                assert isinstance(answer.reply, MoveReply)
                assert answer.reply.column == ply % COLUMNS
                times.append(answer.elapsed_us)
            bot.send(GameOver("draw", "board_full"))
    return times


def main() -> None:
    """Measure and print."""
    if "--no-pin" not in sys.argv:
        claim_cpu()  # as a worker does
    if shutil.which("g++") is None or shutil.which("gcc") is None:
        sys.exit("this benchmark compiles small bots and needs gcc and g++")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        print(f"microseconds per move over {GAMES} games of {PLIES} plies on 9x{COLUMNS}")
        for spec in SPECS:
            times = times_us(make_start(read_spec(spec, folder).launch))
            print(
                f"{spec:<22} median {statistics.median(times):7.1f}"
                f"   mean {statistics.fmean(times):7.1f}"
                f"   p99 {sorted(times)[int(len(times) * 0.99)]:7.1f}"
            )


if __name__ == "__main__":
    main()
