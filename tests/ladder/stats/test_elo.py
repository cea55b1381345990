"""Elo, its intervals and bounds from counts, against fastchess and fishtest."""

import math
from dataclasses import asdict
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import beta, binom

from ladder.errors import UsageError
from ladder.stats.counts import pentanomial
from ladder.stats.elo import elo_to_score, estimate, score_to_elo
from ladder.stats.one_sided import least_score
from tests.ladder.stats.vectors import near, vectors
from tests.support.simulated_gates import pair_table

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
    """Whatever was counted, no field is NaN or infinite and the interval holds the estimate."""
    seen = estimate(counts=counts)
    values = {**asdict(seen), "at_least": seen.at_least or 0.0, "at_most": seen.at_most or 0.0}
    assert all(math.isfinite(value) for value in values.values())
    assert 0.0 <= seen.los <= 1.0
    assert seen.low95 <= seen.elo + 1e-6
    assert seen.elo <= seen.high95 + 1e-6


@pytest.mark.slow
@given(any_counts)
def test_swapping_the_players_negates_elo(counts):
    """From the opponent's side the same counts give the opposite Elo and the other LOS."""
    here, there = estimate(counts=counts), estimate(counts=counts[::-1])
    assert here.elo == pytest.approx(-there.elo, abs=1e-6)
    assert here.nelo == pytest.approx(-there.nelo, abs=1e-4)
    assert here.error95 == pytest.approx(there.error95, abs=1e-6)
    assert here.low95 == pytest.approx(-there.high95, abs=1e-4)
    assert here.los == pytest.approx(1 - there.los, abs=1e-9)


def test_no_games_give_no_number():
    seen = estimate(counts=(0, 0, 0))
    assert seen.games == 0
    assert seen.elo is seen.error95 is seen.nelo is seen.los is None


@pytest.mark.parametrize("units", [1, 2, 10, 50, 2900])
def test_a_shutout_bounds_what_the_weakest_winner_may_be(units):
    """A player at the bound wins as many whole pairs, or games, with a chance of 5 %."""
    for won, counts in ((True, (0, 0, 0, 0, units)), (False, (units, 0, 0, 0, 0))):
        seen = estimate(counts=counts)
        bound, none = (seen.at_least, seen.at_most) if won else (seen.at_most, seen.at_least)
        assert none is None
        assert seen.is_bound
        share = elo_to_score(elo=bound if won else -bound)
        assert share**units == pytest.approx(0.05, rel=1e-6)
        assert (seen.sure_los if not won else 1 - seen.sure_los) == pytest.approx(0.5**units)
    assert estimate(counts=(0, 0, units)).at_least == estimate(counts=(0, 0, 0, 0, units)).at_least


def test_a_few_other_results_leave_a_bound_where_elo_ends():
    """Nearly only wins also give a bound, that of Clopper and Pearson."""
    seen = estimate(counts=(0, 0, 0, 3, 4000))
    assert seen.elo == pytest.approx(1199.8, abs=0.1)
    share = float(beta.ppf(0.05, 4000, 4))
    assert least_score(full=4000, rest=3) == pytest.approx(share)
    assert float(binom.cdf(3, 4003, 1 - share)) == pytest.approx(0.05)
    assert seen.at_least == pytest.approx(score_to_elo(score=share))
    assert seen.sure_los == seen.los
    assert not estimate(counts=(0, 0, 0, 1, 20)).is_bound
    assert not estimate(counts=(0, 0, 9, 0, 0)).is_bound


@cache
def bound(units):
    """Return the bound of a number of pairs that were all won."""
    return estimate(counts=(0, 0, 0, 0, units)).at_least


@pytest.mark.slow
@pytest.mark.parametrize("truth", [-100.0, 0.0, 200.0, 500.0])
def test_bounds_of_shutouts_are_rarely_wrong(truth):
    """For any dependence in a pair, a shutout's bound exceeds the truth in at most 5 % of cases."""
    for correlation in (-1.0, 0.0, 1.0):
        table = pair_table(elo=truth, advantage=80.0, draws=0.05, correlation=correlation)
        whole = float(pentanomial(table=table)[4])
        wrong = max(whole**units for units in range(1, 60) if bound(units) > truth)
        assert wrong <= 0.05


def test_the_interval_of_a_shutout_ends_where_its_likelihood_has_fallen():
    """Ten won pairs become unlikely by the known amount at the end of the interval."""
    seen = estimate(counts=(0, 0, 0, 0, 10))
    # By hand: score**10 = exp(-1.9207), against an opponent that loses pairs or wins them whole.
    assert seen.low95 == pytest.approx(score_to_elo(score=math.exp(-0.19207)), abs=1.5)


def test_the_pentanomial_counts_are_the_diagonals_of_the_table():
    table = np.arange(9).reshape(3, 3)
    assert pentanomial(table=table).tolist() == [0, 4, 12, 12, 8]


@pytest.mark.parametrize("counts", [(1, 2), (1, 2, 3, 4), (1, -1, 0), (1, math.nan, 0), 7])
def test_what_is_not_counts_is_refused(counts):
    """Wrong shapes, negative and missing numbers raise an error for the user."""
    with pytest.raises(UsageError):
        estimate(counts=counts)
