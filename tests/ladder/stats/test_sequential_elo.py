"""The live rating, which moves with each stored pair."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from db.derived.store_pair import START_ELO
from ladder.errors import UsageError
from ladder.stats.pool.rating import MEAN
from ladder.stats.sequential_elo import (
    START,
    expected_score,
    update,
)

ratings = st.floats(-5000, 5000)
points = st.sampled_from([0.0, 0.5, 1.0, 1.5, 2.0])


def test_a_new_bot_starts_at_the_mean_of_the_list():
    """The store, the live rating and the list must take the same Elo for a bot without games."""
    assert START == START_ELO == MEAN == 1000.0


def test_two_wins_between_new_equals_move_both_by_one_k():
    """Two new bots at the start rating exchange 32 Elo when one wins both games."""
    moved = update(elo_a=START, games_a=0, elo_b=START, games_b=0, points_a=2)
    assert (moved.elo_a, moved.elo_b) == (1032.0, 968.0)


def test_each_bot_moves_by_its_own_k():
    """A bot with 30 games moves half as far as a new one, by its games before the pair."""
    moved = update(elo_a=START, games_a=29, elo_b=START, games_b=30, points_a=0)
    assert (moved.elo_a, moved.elo_b) == (968.0, 1016.0)


def test_a_difference_of_400_elo_is_ten_to_one():
    """400 Elo are an expected score of ten to one."""
    assert expected_score(elo_a=1400, elo_b=1000) == pytest.approx(10 / 11)


@given(ratings, ratings, points)
def test_swapping_the_bots_swaps_the_result(a, b, score):
    """Seen from the other side a pair moves the same ratings by the same amounts."""
    here = update(elo_a=a, games_a=3, elo_b=b, games_b=99, points_a=score)
    there = update(elo_a=b, games_a=99, elo_b=a, games_b=3, points_a=2 - score)
    assert here.elo_a == pytest.approx(there.elo_b, abs=1e-9)
    assert here.elo_b == pytest.approx(there.elo_a, abs=1e-9)


def test_extreme_gaps_stay_finite():
    """However far apart two ratings are, the update is a finite number."""
    moved = update(elo_a=-1e6, games_a=0, elo_b=1e6, games_b=0, points_a=2)
    assert math.isfinite(moved.elo_a)


def test_impossible_points_are_refused():
    """A pair holds two games, so more than two points are an error."""
    with pytest.raises(UsageError, match=r"0\.\.2"):
        update(elo_a=START, games_a=0, elo_b=START, games_b=0, points_a=2.5)
