"""What one bot process costs the harness: ``python benchmarks/process_roundtrip.py [--pin]``.

Prints microseconds per question and answer with a bot that does nothing, the harness's own share,
milliseconds from start to the answer to hello, and milliseconds for a kill. With ``--pin`` all of
it runs on one processor, as one pair per processor would.
"""

import os
import statistics
import sys
import time
from pathlib import Path

from bots.protocol import Budget, Hello, MoveAsk, NewGame
from db.records.launch import DEFAULT_LIMITS, Start
from ladder.errors import BotTimeout
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.confinement import Confinement

NULL_BOT = """
import os
answers = {
    b'{"type":"hello"': b'{"type":"hello","name":"null"}\\n',
    b'{"type":"new_ga': b'{"type":"ready"}\\n',
    b'{"type":"move",': b'{"type":"move","column":3}\\n',
}
while line := os.read(0, 65536):
    if answer := answers.get(line[:15]):
        os.write(1, answer)
    else:
        break
"""
NULL = Start(argv=(sys.executable, "-I", "-S", "-c", NULL_BOT), folder=str(Path.cwd()))
HANGING = Start(
    argv=(sys.executable, "-I", "-S", str(Path("tests/fake_bots/bot.py").absolute()), "spins"),
    folder=str(Path.cwd()),
)
NEW_GAME = NewGame(game="g", rows=6, columns=7, side=0, seed=1, budget=Budget(time_ms=100))
UNCONFINED = Confinement(limits=DEFAULT_LIMITS, sandbox=())
QUESTIONS = 50_000
STARTS = 40


def line(name: str, samples: list[float], unit: str) -> None:
    """Print one row."""
    ordered = sorted(samples)
    print(
        f"{name:<44} median {statistics.median(ordered):8.2f}"
        f"   p99 {ordered[int(len(ordered) * 0.99)]:8.2f}   max {ordered[-1]:8.2f} {unit}"
    )


def main() -> None:
    """Measure and print."""
    if "--pin" in sys.argv:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    starts, kills, violent, late = [], [], [], []
    for _ in range(STARTS):
        begun = time.perf_counter()
        bot = BotProcess.start(NULL, UNCONFINED)
        bot.ask(Hello(), timeout_s=30)
        starts.append((time.perf_counter() - begun) * 1e3)
        begun = time.perf_counter()
        bot.kill()
        kills.append((time.perf_counter() - begun) * 1e3)
    for _ in range(STARTS):
        bot = BotProcess.start(HANGING, UNCONFINED)
        bot.ask(Hello(), timeout_s=30)
        bot.ask(NEW_GAME, timeout_s=30)
        bot.send(MoveAsk(ply=0, moves=()))
        begun = time.perf_counter()
        bot.kill()
        violent.append((time.perf_counter() - begun) * 1e3)
    for _ in range(STARTS):
        bot = BotProcess.start(HANGING, UNCONFINED)
        bot.ask(Hello(), timeout_s=30)
        bot.ask(NEW_GAME, timeout_s=30)
        begun = time.perf_counter()
        try:
            bot.ask(MoveAsk(ply=0, moves=()), timeout_s=0.05, watch_runqueue=True)
        except BotTimeout:
            late.append((time.perf_counter() - begun) * 1e3 - 50)
    with BotProcess.start(NULL, UNCONFINED) as bot:
        bot.ask(Hello(), timeout_s=30)
        question = MoveAsk(ply=8, moves=(3, 3, 4, 2, 1, 5, 3, 0))
        for watched in (False, True):
            trips, own = [], time.process_time()
            for _ in range(QUESTIONS if not watched else QUESTIONS // 10):
                begun = time.perf_counter_ns()
                bot.ask(question, timeout_s=1, watch_runqueue=watched)
                trips.append((time.perf_counter_ns() - begun) / 1e3)
            own = (time.process_time() - own) / len(trips) * 1e6
            name = "question and answer" + ", run queue watched" * watched
            line(name, trips, "us")
            print(f"{'  of which processor time of the harness':<44} mean   {own:8.2f} us")
    line("start to the answer to hello", starts, "ms")
    line("kill of an idle bot", kills, "ms")
    line("kill of a busy bot", violent, "ms")
    line("missed deadline of a busy bot to all gone", late, "ms")


if __name__ == "__main__":
    main()
