"""The numbers of other tools from counts, against fastchess and fishtest."""

import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.errors import UsageError
from ladder.stats.counts import pentanomial
from ladder.stats.elo import estimate
from tests.ladder.stats.vectors import near, vectors

cells = st.integers(0, 5000)
any_counts = st.one_of(
    st.lists(cells, min_size=3, max_size=3), st.lists(cells, min_size=5, max_size=5)
).filter(any)


@pytest.mark.parametrize("vector", vectors("fc_elo").values(), ids=lambda v: v["id"])
def test_numbers_agree_with_fastchess(vector):
    """Elo, normalized Elo, errors, LOS and score agree with fastchess's own tests."""
    seen = estimate(counts=vector.get("penta") or vector["ldw"])
    got = {
        "elo": seen.elo,
        "elo_err95": seen.error95,
        "nelo": seen.nelo,
        "nelo_err95": seen.nelo_error95,
        "los_pct": 100 * seen.los,
        "score": seen.score,
    }
    for name, want in vector["expect"].items():
        assert near(got[name], want), name


@pytest.mark.parametrize("vector", vectors("ft_get_elo").values(), ids=lambda v: v["id"])
def test_shutouts_have_the_figures_of_fishtest(vector):
    """Shutouts and single games give exactly fishtest's regularised figures."""
    seen = estimate(counts=vector.get("penta") or vector["ldw"])
    assert seen.elo == pytest.approx(vector["expect"]["elo"], rel=1e-9)
    assert seen.error95 == pytest.approx(vector["expect"]["err95"], rel=1e-9)
    assert seen.los == pytest.approx(vector["expect"]["los"], rel=1e-6)


@pytest.mark.slow
@given(any_counts)
def test_every_field_is_finite(counts):
    """Whatever was counted, no field is NaN or infinite."""
    seen = estimate(counts=counts)
    assert all(math.isfinite(value) for value in asdict(seen).values())
    assert 0.0 <= seen.los <= 1.0


@pytest.mark.slow
@given(any_counts)
def test_swapping_the_players_negates_elo(counts):
    """From the opponent's side the same counts give the opposite Elo and the other LOS."""
    here, there = estimate(counts=counts), estimate(counts=counts[::-1])
    assert here.elo == pytest.approx(-there.elo, abs=1e-6)
    assert here.nelo == pytest.approx(-there.nelo, abs=1e-4)
    assert here.error95 == pytest.approx(there.error95, abs=1e-6)
    assert here.los == pytest.approx(1 - there.los, abs=1e-9)


def test_no_games_give_no_number():
    seen = estimate(counts=(0, 0, 0))
    assert seen.games == 0
    assert seen.elo is seen.error95 is seen.nelo is seen.los is None


def test_the_pentanomial_counts_are_the_diagonals_of_the_table():
    table = np.arange(9).reshape(3, 3)
    assert pentanomial(table=table).tolist() == [0, 4, 12, 12, 8]


@pytest.mark.parametrize("counts", [(1, 2), (1, 2, 3, 4), (1, -1, 0), (1, math.nan, 0), 7])
def test_what_is_not_counts_is_refused(counts):
    """Wrong shapes, negative and missing numbers raise an error for the user."""
    with pytest.raises(UsageError):
        estimate(counts=counts)
