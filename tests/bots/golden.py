"""Golden games: recorded games of every version. Run this module to record them again.

Run ``python -m tests.bots.golden`` after a deliberate change of a kernel; the difference of
``golden.json`` then shows which versions changed.
"""

import json
from pathlib import Path

from bots.catalogue import VERSIONS
from bots.protocol import Budget
from engine.board import parse_board
from engine.position import format_moves
from tests.bots.support import self_play

FILE = Path(__file__).with_name("golden.json")
BOARDS = ("9x9@4,4", "6x7")
SIMULATIONS = 400
NODES = 5000
PLIES = ("alphabeta", "c4ai")
"""Families that search by depth, with a budget of nodes."""
NAMES = [
    name
    for name, version in VERSIONS.items()
    if version.family in PLIES
    or (
        "simulations" in version.budgets
        and version.family in ("uct", "mcts", "uct-rollouts", "simple")
    )
]


def play(name: str, board: str) -> str:
    """Return a version's game against itself and its last search as one line."""
    searches_plies = VERSIONS[name].family in PLIES
    budget = Budget(nodes=NODES) if searches_plies else Budget(simulations=SIMULATIONS)
    choices = self_play(name, parse_board(board), budget, seed=42)
    info = choices[-1].info
    assert info is not None
    moves = format_moves(choice.column for choice in choices)
    if searches_plies:
        return f"{moves} {sum(choice.info.nodes or 0 for choice in choices if choice.info)}"
    return f"{moves} {info.simulations} {info.tree}"


def main() -> None:
    """Record the games of all versions."""
    games = {name: {board: play(name, board) for board in BOARDS} for name in NAMES}
    FILE.write_text(json.dumps(games, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
