"""Cost of a ply in the harness: ``python -m benchmarks.ply_cost [--trees DIR DIR]``.

Two null players, which answer at once, play games of 20 plies under each budget. The cost is the
processor time (user and system) of the harness alone, without that of the bots. Several versions of
this project, each with an environment in ``.venv``, play by turns. The least of many measurements
of 200 plies counts, for other programs only add to it. Prints a Markdown table of microseconds per
ply.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

SAMPLE = 5
"""Pairs of one measurement."""
TREE = Path(__file__).resolve().parents[1]
BUDGETS: dict[str, dict[str, Any]] = {
    "work": {"simulations": 1},
    "time": {"time_ms": 100},
    "clock": {"clock": {"base_ms": 60_000, "increment_ms": 0}},
    "overage": {"time_ms": 100, "overage_ms": 1000},
}


def measure(values: dict[str, Any], samples: int) -> float:
    """Play pairs with the imported version; return the least microseconds of a ply."""
    import msgspec

    from bots.protocol import Budget
    from db.records.pairs import PairPlan, PlannedPair
    from ladder.match.game.bot_pool import BotPool
    from ladder.match.game.referee import play_pair
    from ladder.match.process.sandbox import BUILT_IN_ONLY
    from ladder.registry.specs.start_command import builtin_launch, make_entrant

    budget = msgspec.convert(values, Budget)
    first, second = (
        make_entrant(builtin_launch("null"), revision=number, name=f"null-{number}", budget=budget)
        for number in (1, 2)
    )
    plan = PairPlan(PlannedPair(1, 2, "6x7", "6x7", (), seed=1), first, second)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    pool = BotPool(BUILT_IN_ONLY)

    def sample() -> float:
        before_ns = time.process_time_ns()
        played = [play_pair(plan, pool) for _ in range(SAMPLE)]
        used_ns = time.process_time_ns() - before_ns
        return used_ns / sum(len(game.moves) for pair in played for game in pair.games) / 1000

    try:
        return min(sample() for _ in range(samples))
    finally:
        pool.close()


def take_turn(tree: str, budget: str, samples: int) -> float:
    """Let one version play under a budget."""
    python = Path(tree) / ".venv" / "bin" / "python"
    done = subprocess.run(
        [
            str(python) if python.exists() else sys.executable,
            *(__file__, "--samples", str(samples), "--job", json.dumps(BUDGETS[budget])),
        ],
        env={**os.environ, "PYTHONPATH": tree},
        cwd=tree,
        stdout=subprocess.PIPE,
        check=True,
    )
    return float(done.stdout)


def main() -> None:
    """Play by turns and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--turns", type=int, default=10, help="turns of each tree")
    parser.add_argument("--samples", type=int, default=30, help="measurements in a turn")
    parser.add_argument("--trees", nargs="+", default=[str(TREE)])
    parser.add_argument("--budgets", nargs="+", default=list(BUDGETS), choices=BUDGETS)
    parser.add_argument("--job", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.job:
        print(measure(json.loads(options.job), options.samples))
        return
    trees = [str(Path(tree).resolve()) for tree in options.trees]
    print("| budget | " + " | ".join(Path(tree).name for tree in trees) + " |")
    print("|---" * (1 + len(trees)) + "|")
    for budget in options.budgets:
        turns = [[take_turn(tree, budget, options.samples) for tree in trees]
                 for _ in range(options.turns)]  # fmt: skip
        costs = (f"{min(found):.2f}" for found in zip(*turns, strict=True))
        print(f"| {budget} | {' | '.join(costs)} |", flush=True)


if __name__ == "__main__":
    main()
