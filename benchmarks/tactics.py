"""Which version solves which tactics: `python -m benchmarks.tactics [PLAYER...] [--count N]`.

Prints a Markdown table: the share of puzzles solved, in percent, at two budgets of simulations.
The puzzles are those of `tests/bots/puzzles.py`, found and solved by a slow search of all moves.
"""

import argparse

from bots.catalogue import VERSIONS
from bots.protocol import Budget
from tests.bots.puzzles import THEMES, puzzles, solves
from tests.bots.support import player

BUDGETS = (1000, 10_000)


def share(name: str, theme: str, count: int, simulations: int) -> float:
    """Return the percentage of puzzles solved."""
    right = 0
    for puzzle in puzzles(theme, count):
        position = puzzle.position
        bot = player(name, position.board, position.to_move, Budget(simulations=simulations))
        right += solves(puzzle, bot.choose(position.moves))
    return 100 * right / count


def main() -> None:
    """Measure and print."""
    uct = [name for name, version in VERSIONS.items() if version.family == "uct"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("players", nargs="*", default=uct)
    parser.add_argument("--count", type=int, default=50, help="puzzles of each theme")
    options = parser.parse_args()
    columns = [f"{theme}, {budget}" for theme in THEMES for budget in BUDGETS]
    print("| player | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for name in options.players:
        shares = [
            f"{share(name, theme, options.count, budget):.0f}"
            for theme in THEMES
            for budget in BUDGETS
        ]
        print(f"| {name} | " + " | ".join(shares) + " |", flush=True)


if __name__ == "__main__":
    main()
