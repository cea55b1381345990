"""Tactics that the versions must find."""

import pytest

from bots.catalogue import VERSIONS
from bots.protocol import Budget
from tests.bots.puzzles import puzzles
from tests.bots.support import newest_first, player

UCT = [name for name, version in VERSIONS.items() if version.family == "uct"]
FIRST = {"win in one": "v2", "cell under a threat": "v4", "block in one": "v8"}
"""The first version that solves every puzzle of a theme."""


@pytest.mark.slow
@pytest.mark.parametrize("name", newest_first(UCT[UCT.index("v2") :]))
def test_versions_solve_every_puzzle(name: str) -> None:
    """Ten simulations a column are enough to win at once, to block, and not to play under one."""
    for theme in (theme for theme, first in FIRST.items() if UCT.index(first) <= UCT.index(name)):
        for position, solutions in puzzles(theme, 60):
            budget = Budget(simulations=10 * position.board.columns)
            choice = player(name, position.board, position.to_move, budget).choose(position.moves)
            assert choice.info is not None
            proven = choice.info.proven, choice.info.distance
            assert choice.column in solutions or proven[0] == "win", position.notation()
            assert theme != "win in one" or proven == ("win", 1)
