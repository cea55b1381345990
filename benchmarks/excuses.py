"""Late moves under a varying load: ``python -m benchmarks.excuses [--pairs 750]``.

Bots play at a few milliseconds a move on one CPU, beside busy processes that come and go: up to
two at a time, for some tenths of a second, half of the time as long-lived programs and half of
the time as many short-lived ones. Prints a Markdown table: of honest bots, which look at the wall
clock, and of bots that are late by themselves, how many late moves were charged and excused.

With ``--trees DIR DIR`` the same pairs are played under the same load by several versions of this
project, by turns of some pairs each.
"""

import argparse
import contextlib
import ctypes
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

TREE = Path(__file__).resolve().parents[1]
FAKE_BOT = TREE / "tests" / "fake_bots" / "bot.py"
HONEST = ("v2", "v4", "random")
GUILTY = ("works 40", "hides-behind-waves")
HOGS = 4
PR_SET_PDEATHSIG = 1
BUSY = "while 1: pass"
SHORT = """
import ctypes, os
libc = ctypes.CDLL(None)
while 1:
    if os.fork() == 0:
        libc.prctl(1, 9, 0, 0, 0)  # killed with its parent, also while it is stopped
        for _ in range(300000): pass
        os._exit(0)
    os.wait()
"""


@contextlib.contextmanager
def load(cpu: int, seed: int) -> Iterator[None]:
    """Keep a CPU busy from a new process, in a way that the seed decides."""
    pid = os.fork()
    if pid == 0:
        die_with_parent()
        try:
            vary(cpu, random.Random(seed))
        finally:
            os._exit(0)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends, however that happens (prctl(2))."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def vary(cpu: int, draws: random.Random) -> None:
    """Stop and continue busy processes until SIGTERM comes."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    hogs = [
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", SHORT if number % 2 else BUSY],
            preexec_fn=lambda: (die_with_parent(), os.sched_setaffinity(0, {cpu})),
            start_new_session=True,
        )
        for number in range(HOGS)
    ]
    try:
        while True:
            kind, many = draws.choice((0, 1)), draws.choice((0, 0, 0, 0, 1, 1, 2))
            for number, hog in enumerate(hogs):
                runs = number % 2 == kind and number < 2 * many
                os.killpg(hog.pid, signal.SIGCONT if runs else signal.SIGSTOP)
            time.sleep(draws.expovariate(1 / 0.3))
    finally:
        for hog in hogs:
            os.killpg(hog.pid, signal.SIGKILL)
            hog.wait()


def play(first: int, pairs: int, options: argparse.Namespace) -> Counter[str]:
    """Play some pairs with the imported version of the project; return counts by bot."""
    from bots.protocol import Budget
    from db.records.launch import DEFAULT_LIMITS, Start
    from db.records.pairs import Entrant, PairPlan
    from ladder.match.game.bot_pool import BotPool
    from ladder.match.game.referee import play_pair
    from ladder.match.process.confinement import Confinement
    from ladder.match.specs.start_command import builtin_launch, make_entrant

    budget = Budget(time_ms=options.time)

    def entrant(revision: int, name: str) -> Entrant:
        if name in HONEST:
            return make_entrant(builtin_launch(name), revision=revision, name=name, budget=budget)
        mode, *more = name.split(" ")
        words = (sys.executable, "-I", "-S", str(FAKE_BOT), mode, *more)
        return Entrant(revision, name, Start(argv=words, folder=options.folder), budget)

    found: Counter[str] = Counter()
    pool = BotPool(Confinement(limits=DEFAULT_LIMITS, sandbox=()))
    for number in range(first, first + pairs):
        draws = random.Random(number)
        names = draws.sample(HONEST, 2)
        if number % 20 == 0:
            names[1] = GUILTY[number // 20 % len(GUILTY)]
        a, b = (entrant(revision, name) for revision, name in enumerate(names, 1))
        plan = PairPlan(
            id=number, number=number, a=a, b=b, board="5x5", board_class="5x5", opening=(),
            seed=number, margin_ms=options.margin,
        )  # fmt: skip
        record = play_pair(plan, pool)
        guilty = not {*names} <= {*HONEST}
        found["games"] += len(record.games)
        found["given up, with a guilty bot" if guilty else "given up"] += not record.games
        found["asked again, with a guilty bot" if guilty else "asked again"] += record.aborts
        for game in record.games:
            if game.termination.is_forfeit:
                lost_first = game.result.value == "loss"
                loser = names[lost_first == game.swapped]
                found[f"charged: {loser} {game.termination.value}"] += 1
                if loser in HONEST and options.verbose:
                    print(number, loser, game.detail, file=sys.stderr)
    pool.close()
    return found


def main() -> None:
    """Play alternately and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pairs", type=int, default=750)
    parser.add_argument("--first", type=int, default=0, help="number of the first pair")
    parser.add_argument("--turn", type=int, default=25, help="pairs of one tree in a row")
    parser.add_argument("--trees", nargs="+", default=[str(TREE)])
    parser.add_argument("--time", type=int, default=5, help="budget in ms")
    parser.add_argument("--margin", type=int, default=50, help="in ms")
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--verbose", action="store_true", help="print each honest bot's forfeit")
    parser.add_argument("--play", nargs=2, type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        os.sched_setaffinity(0, {options.cpu})
        print(json.dumps(play(*options.play, options)))
        return
    totals: dict[str, Counter[str]] = {tree: Counter() for tree in options.trees}
    for first in range(options.first, options.first + options.pairs, options.turn):
        for tree in options.trees:
            with load(options.cpu, first):
                totals[tree] += Counter(one_turn(tree, first, options))
        for tree, found in totals.items():
            print(tree, dict(found), file=sys.stderr, flush=True)
    print_table(totals)


def one_turn(tree: str, first: int, options: argparse.Namespace) -> dict[str, int]:
    """Let one version play its turn."""
    words: Sequence[str] = [
        *(sys.executable, str(Path(__file__).resolve())),
        *("--play", str(first), str(min(options.turn, options.first + options.pairs - first))),
        *(f"--{name}={getattr(options, name)}" for name in ("time", "margin", "cpu", "folder")),
        *(["--verbose"] if options.verbose else []),
    ]
    environment = {**os.environ, "PYTHONPATH": tree}
    done = subprocess.run(words, env=environment, cwd=tree, stdout=subprocess.PIPE, check=True)
    return dict(json.loads(done.stdout))


def print_table(totals: dict[str, Counter[str]]) -> None:
    """Print the counts, one column per version."""
    print("| | " + " | ".join(totals) + " |")
    print("|---|" + "---|" * len(totals))
    for name in sorted(set().union(*totals.values())):
        print(f"| {name} | " + " | ".join(str(found[name]) for found in totals.values()) + " |")


if __name__ == "__main__":
    main()
