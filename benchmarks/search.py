"""How fast the searches are: `python benchmarks/search.py [PLAYER...] [--board B] [--json]`.

Prints simulations per second from the empty board at two tree sizes, the best of several
repetitions on one thread.
"""

import argparse
import json
import time

from bots.catalogue import VERSIONS, build
from bots.protocol import Budget
from engine.board import Board, parse_board


def speed(name: str, board: Board, simulations: int, repeat: int) -> float:
    """Return the simulations per second of the best of several searches."""
    times = []
    for seed in range(repeat):
        budget = Budget(simulations=simulations)
        bot = build(name, board=board, side=0, seed=seed, budget=budget)
        started = time.perf_counter()
        bot.choose(())
        times.append(time.perf_counter() - started)
    return simulations / min(times)


def main() -> None:
    """Measure and print."""
    everyone = [name for name, row in VERSIONS.items() if "simulations" in row.budgets]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("players", nargs="*", default=everyone)
    parser.add_argument("--board", default="11x11@5,5")
    parser.add_argument("--simulations", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="one object instead of a table")
    options = parser.parse_args()
    board = parse_board(options.board)
    found = {}
    if not options.json:
        print(f"{board}, empty, simulations a second, best of {options.repeat}")
        print("player   " + "".join(f"{size:>14,}" for size in options.simulations))
    for name in options.players:
        rates = [speed(name, board, size, options.repeat) for size in options.simulations]
        found[name] = dict(zip(map(str, options.simulations), map(round, rates), strict=True))
        if not options.json:
            print(f"{name:9}" + "".join(f"{rate:>14,.0f}" for rate in rates), flush=True)
    if options.json:
        print(json.dumps({"board": str(board), "simulations_per_second": found}))


if __name__ == "__main__":
    main()
