"""Elo and the likelihood of superiority in words."""

import pytest

from ladder.stats.elo import estimate
from reports.layout.elo import los_words


@pytest.mark.parametrize("games", [1, 10, 100, 100_000])
def test_no_shutout_gives_a_certain_chance(games: int) -> None:
    """No number of won or lost games gives 100 % or 0 %."""
    assert "100.00%" not in los_words(estimate(counts=(0, 0, games)), digits=2)
    lost = los_words(estimate(counts=(games, 0, 0)), digits=2)
    assert lost.startswith("at most ")
    assert lost != "at most 0.00%"
