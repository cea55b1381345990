import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.errors import UsageError
from ladder.ratings.bayeselo import from_probabilities, probabilities, to_elo
from ladder.ratings.counts import pentanomial, trinomial
from ladder.ratings.elo import elo_to_score, estimate, likelihood_interval, score_to_elo
from tests.ladder.ratings.vectors import near, vectors

cells = st.integers(0, 5000)
any_counts = st.one_of(
    st.lists(cells, min_size=3, max_size=3), st.lists(cells, min_size=5, max_size=5)
).filter(any)


@pytest.mark.parametrize("vector", vectors("fc_elo").values(), ids=lambda v: v["id"])
def test_stated_by_fastchess(vector):
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
def test_shutouts_as_fishtest_computes_them(vector):
    """Shutouts and single games give exactly fishtest's regularised figures."""
    seen = estimate(counts=vector.get("penta") or vector["ldw"])
    assert seen.elo == pytest.approx(vector["expect"]["elo"], rel=1e-9)
    assert seen.error95 == pytest.approx(vector["expect"]["err95"], rel=1e-9)
    assert seen.los == pytest.approx(vector["expect"]["los"], rel=1e-6)


def test_bayeselo_vector():
    """BayesElo's probabilities, its inverse and its logistic Elo agree with fishtest."""
    vector = vectors("bayeselo_proba")["bayeselo_proba_10_327"]
    loss, draw, win = probabilities(bayeselo=10, drawelo=327)
    assert (loss, draw, win) == pytest.approx(tuple(vector["expect"]["ldw_prob"]), rel=1e-12)
    assert from_probabilities(loss=loss, win=win) == pytest.approx((10, 327))
    assert to_elo(bayeselo=10, drawelo=327) == pytest.approx(vector["expect"]["logistic_elo"])


@given(any_counts)
def test_every_field_is_finite(counts):
    """Whatever was counted, no field is NaN or infinite and the interval holds the estimate."""
    seen = estimate(counts=counts)
    assert all(math.isfinite(value) for value in asdict(seen).values())
    assert 0.0 <= seen.los <= 1.0
    assert seen.low95 <= seen.elo + 1e-6
    assert seen.elo <= seen.high95 + 1e-6


@given(any_counts)
def test_swapping_the_players_negates(counts):
    """From the opponent's side the same counts give the opposite Elo and the other LOS."""
    here, there = estimate(counts=counts), estimate(counts=counts[::-1])
    assert here.elo == pytest.approx(-there.elo, abs=1e-6)
    assert here.nelo == pytest.approx(-there.nelo, abs=1e-4)
    assert here.error95 == pytest.approx(there.error95, abs=1e-6)
    assert here.low95 == pytest.approx(-there.high95, abs=1e-4)
    assert here.los == pytest.approx(1 - there.los, abs=1e-9)


def test_no_games_say_nothing():
    """Without games there is no number to give."""
    seen = estimate(counts=(0, 0, 0))
    assert seen.games == 0
    assert seen.elo is seen.error95 is seen.nelo is seen.los is None


def test_a_shutout_is_a_bound():
    """Ten won pairs are marked as a bound, and their interval says how weak it may be."""
    seen = estimate(counts=(0, 0, 0, 0, 10))
    assert seen.bounded
    # By hand: score**10 = exp(-1.9207), against an opponent that loses pairs or wins them whole.
    assert seen.low95 == pytest.approx(score_to_elo(score=math.exp(-0.19207)), abs=1.5)


def test_interval_of_even_results_is_wide():
    """Twenty drawn games do not prove that two players are equal to within an Elo."""
    low, high = likelihood_interval(counts=(0, 20, 0))
    assert high - 0.5 == pytest.approx(0.5 - low)
    assert score_to_elo(score=high) > 20.0


def test_likelihood_and_normal_intervals_agree_on_many_games():
    """On balanced counts both intervals are the same to a few per cent."""
    seen = estimate(counts=(340, 540, 630, 640, 750))
    assert seen.high95 - seen.low95 == pytest.approx(2 * seen.error95, rel=0.02)


@given(st.floats(-1000, 1000))
def test_elo_and_score_are_inverse(elo):
    """Elo to score and back is the identity within the limits."""
    assert score_to_elo(score=elo_to_score(elo=elo)) == pytest.approx(elo, abs=1e-6)


def test_pairs_from_a_table():
    """The pentanomial counts are the diagonals of the 3x3 table."""
    table = np.arange(9).reshape(3, 3)
    assert pentanomial(table=table).tolist() == [0, 4, 12, 12, 8]
    assert trinomial(wins=3, draws=2, losses=1) == (1, 2, 3)


@pytest.mark.parametrize("counts", [(1, 2), (1, 2, 3, 4), (1, -1, 0), (1, math.nan, 0), 7])
def test_what_is_not_counts_is_refused(counts):
    """Wrong shapes, negative and missing numbers raise an error for the user."""
    with pytest.raises(UsageError):
        estimate(counts=counts)
