"""Late moves on a disturbed machine: ``python -m benchmarks.excuses [--pairs 100]``.

Bots play at a few milliseconds a move on one CPU: alone, beside one and four busy programs, and
while the harness is stopped again and again. Honest ones look at the wall clock. Slow ones need 5,
20 or 100 ms more than budget and margin at every move, computing or asleep. Prints a Markdown
table: how many games honest bots lost by a timeout, how many slow bots did not lose so, and how
many pairs were played again or given up.

With ``--trees DIR DIR`` the same pairs are played by several versions of this project, by turns of
some pairs each.
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
DISTURBANCES = ("none", "one busy program", "four busy programs", "harness stopped")
HOGS = {"one busy program": 1, "four busy programs": 4}
BEYOND_MS = (5, 20, 100)
HONEST_EACH = 2
"""Pairs of honest bots between two with a slow one."""
PR_SET_PDEATHSIG = 1
BUSY = "while 1: pass"


def die_with_parent() -> None:
    """Have the kernel kill this process when its parent ends, however that happens (prctl(2))."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


@contextlib.contextmanager
def disturbance(kind: str, cpu: int, seed: int) -> Iterator[None]:
    """Disturb this process, which plays on a CPU, while the block runs."""
    hogs = [
        subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", BUSY],
            preexec_fn=lambda: (die_with_parent(), os.sched_setaffinity(0, {cpu})),
            start_new_session=True,
        )
        for _ in range(HOGS.get(kind, 0))
    ]
    stopper = os.fork() if kind == "harness stopped" else 0
    if kind == "harness stopped" and stopper == 0:
        die_with_parent()
        stop_parent(random.Random(seed))
    try:
        yield
    finally:
        if stopper:
            os.kill(stopper, signal.SIGTERM)
            os.waitpid(stopper, 0)
        for hog in hogs:
            hog.kill()
            hog.wait()


def stop_parent(draws: random.Random) -> None:
    """Stop and continue the parent until SIGTERM comes between two stops."""
    parent = os.getppid()
    asked: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: asked.append(number))
    while not asked:
        time.sleep(draws.expovariate(1 / 0.2))
        os.kill(parent, signal.SIGSTOP)
        time.sleep(draws.uniform(0.03, 0.3))
        os.kill(parent, signal.SIGCONT)
    os._exit(0)


def play(kind: str, first: int, pairs: int, options: argparse.Namespace) -> Counter[str]:
    """Play some pairs with the imported version of the project; return counts of outcomes."""
    from bots.protocol import Budget
    from db.records.launch import DEFAULT_LIMITS, Start
    from db.records.pairs import Entrant, PairPlan
    from ladder.match.game.bot_pool import BotPool
    from ladder.match.game.referee import play_pair
    from ladder.match.process.sandbox import Confinement
    from ladder.match.specs.start_command import builtin_launch, make_entrant

    budget = Budget(time_ms=options.time)

    def fake(revision: int, name: str, *words: object) -> Entrant:
        argv = (sys.executable, "-I", "-S", str(FAKE_BOT), *map(str, words))
        return Entrant(revision, name, Start(argv=argv, folder=options.folder), budget)

    found: Counter[str] = Counter()
    pool = BotPool(Confinement(limits=DEFAULT_LIMITS, sandbox=()))
    built_in = make_entrant(builtin_launch("v4"), revision=1, name="v4", budget=budget)
    clock = fake(2, "clock", "works", options.time)
    for entrant in (built_in, clock):
        pool.release(entrant.start, pool.acquire(entrant.start), renew=False)
    with disturbance(kind, options.cpu, first):
        for number in range(first, first + pairs):
            a, b, slow = built_in, clock, ""
            if number % (HONEST_EACH + 1) == 0:
                beyond = BEYOND_MS[number // (HONEST_EACH + 1) % len(BEYOND_MS)]
                mode = ("thinks", "late")[number % 2]
                late_s = (options.time + options.margin + beyond) / 1000
                b, slow = fake(3, "slow", mode, late_s), f"slow by {beyond} ms"
            plan = PairPlan(
                id=number, number=number, a=a, b=b, board="4x4", board_class="4x4", opening=(),
                seed=number, margin_ms=options.margin,
            )  # fmt: skip
            record = play_pair(plan, pool)
            found["games"] += len(record.games)
            found["delays counted by the harness"] += record.aborts
            found[f"given up{', slow bot' if slow else ''}"] += not record.games
            for game in record.games:
                is_timeout = game.termination.value == "timeout"
                b_lost = (game.result.value == "win") != game.swapped
                if slow:
                    found[f"excused: {slow}"] += not (is_timeout and b_lost)
                    found[f"games with a bot {slow}"] += 1
                    found["charged: honest"] += is_timeout and not b_lost
                elif game.termination.is_forfeit:
                    found["charged: honest"] += 1
                    if options.verbose:
                        print(kind, number, game.detail, file=sys.stderr)
    pool.close()
    return found


def main() -> None:
    """Play alternately and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--pairs", type=int, default=100, help="pairs per disturbance and tree")
    parser.add_argument("--turn", type=int, default=30, help="pairs of one tree in a row")
    parser.add_argument("--trees", nargs="+", default=[str(TREE)])
    parser.add_argument("--time", type=int, default=5, help="budget in ms")
    parser.add_argument("--margin", type=int, default=20, help="in ms")
    parser.add_argument("--cpu", type=int, default=min(os.sched_getaffinity(0)))
    parser.add_argument("--folder", default=tempfile.gettempdir())
    parser.add_argument("--verbose", action="store_true", help="print each honest bot's forfeit")
    parser.add_argument("--play", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.play:
        os.sched_setaffinity(0, {options.cpu})
        kind, first, pairs = options.play
        print(json.dumps(play(kind, int(first), int(pairs), options)))
        return
    for kind in DISTURBANCES:
        totals: dict[str, Counter[str]] = {tree: Counter() for tree in options.trees}
        for first in range(0, options.pairs, options.turn):
            for tree in options.trees:
                totals[tree] += Counter(one_turn(tree, kind, first, options))
        print_table(kind, totals)


def one_turn(tree: str, kind: str, first: int, options: argparse.Namespace) -> dict[str, int]:
    """Let one version play its turn."""
    words: Sequence[str] = [
        *(sys.executable, str(Path(__file__).resolve())),
        *("--play", kind, str(first), str(min(options.turn, options.pairs - first))),
        *(f"--{name}={getattr(options, name)}" for name in ("time", "margin", "cpu", "folder")),
        *(["--verbose"] if options.verbose else []),
    ]
    environment = {**os.environ, "PYTHONPATH": tree}
    done = subprocess.run(words, env=environment, cwd=tree, stdout=subprocess.PIPE, check=True)
    return dict(json.loads(done.stdout))


def print_table(kind: str, totals: dict[str, Counter[str]]) -> None:
    """Print the counts of one disturbance, one column per version."""
    print(f"\n| {kind} | " + " | ".join(totals) + " |")
    print("|---|" + "---|" * len(totals))
    for name in sorted(set().union(*totals.values())):
        cells = " | ".join(str(found[name]) for found in totals.values())
        print(f"| {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
