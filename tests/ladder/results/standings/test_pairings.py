"""Results between every two bots, from stored tables."""

import math

import pytest

from ladder.results.standings.pairings import scores_by_class, summarize_pairings
from ladder.stats.elo import Z95
from tests.ladder.results.standings.test_standings import MIXED, table


def test_the_error_of_a_pairing_comes_from_its_pairs() -> None:
    """Pairs of 0, 0, 0, 0, 1, 3/2, 3/2, 2, 2, 2 points have a mean of 1 and a variance of 0.75."""
    one, other = summarize_pairings([table("a", "b", MIXED)], None)
    assert (one.a, one.b, one.wins, one.draws, one.losses) == ("a", "b", 9, 2, 9)
    assert (other.a, other.b, other.wins, other.losses) == ("b", "a", 9, 9)
    assert one.score == other.score == 0.5
    assert one.error95 == other.error95 == pytest.approx(Z95 * math.sqrt(10 * 0.75) / 20)
    assert one.z is None


def test_scores_of_a_class_are_points_per_game() -> None:
    """Of both bots, with the games and draws behind them."""
    (thu,) = scores_by_class([table("a", "b", (6, 0, 0, 0, 0, 2, 1, 0, 1))])
    assert (thu.games, thu.draws) == (20, 2)
    assert thu.scores == {"a": 0.3, "b": 0.7}
