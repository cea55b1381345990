"""Versions that only differ in speed make the same decisions."""

import pytest

from bots.catalogue import VERSIONS
from bots.protocol import Budget, Info
from engine.board import Board
from tests.bots.support import BOARDS, self_play

PAIRS = (("v4", "v5"), ("v9", "v10"))


def seen(info: Info | None) -> tuple[object, ...]:
    assert info is not None
    return (info.simulations, info.solved_visits, info.depth, info.value, info.pv, info.tree)


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS, ids=str)
@pytest.mark.parametrize(("slow", "fast"), PAIRS)
def test_equal_versions_agree_in_every_move(slow: str, fast: str, board: Board) -> None:
    """Whole games agree in every move and every statistic."""
    for seed in (1, 2):
        budget = Budget(simulations=2000 // len(BOARDS) * 5)
        games = [self_play(name, board, budget, seed) for name in (slow, fast)]
        assert [c.column for c in games[0]] == [c.column for c in games[1]]
        assert [seen(c.info) for c in games[0]] == [seen(c.info) for c in games[1]]


def test_equal_versions_are_called_equal_in_the_table() -> None:
    """The versions compared above are those that the table of players calls equal."""
    for _, fast in PAIRS:
        assert "same decisions" in VERSIONS[fast].change
