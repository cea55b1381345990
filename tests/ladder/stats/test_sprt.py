"""The sequential probability ratio test, against fastchess and fishtest."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.errors import UsageError
from ladder.stats.counts import pentanomial
from ladder.stats.sprt import Model, Sprt, State, llr, sprt_result
from ladder.stats.sprt_estimate import (
    SIEGMUND,
    estimate_after,
    forecast_test,
)
from tests.ladder.stats.vectors import near, vectors
from tests.support.simulated_gates import (
    gates,
    pair_table,
)

rows = st.one_of(
    st.lists(st.integers(0, 2000), min_size=3, max_size=3),
    st.lists(st.integers(0, 2000), min_size=5, max_size=5),
)


@pytest.mark.parametrize("vector", vectors("fc_sprt").values(), ids=lambda v: v["id"])
def test_ratios_agree_with_fastchess_and_fishtest(vector):
    """Ratio and bounds agree with fastchess's tests, and with fishtest's exact ones to 1e-6."""
    test = Sprt(
        elo0=vector["elo0"], elo1=vector["elo1"], alpha=0.05, beta=0.05,
        model=Model(vector["model"]),
    )  # fmt: skip
    got = sprt_result(counts=vector.get("penta") or vector["ldw"], test=test)
    assert near(got.llr, vector["expect"]["llr"])
    assert got.llr == pytest.approx(vector["exact_fishtest_llr"], abs=1e-6)
    assert got.lower == pytest.approx(vector["expect"]["lower"])
    assert got.upper == pytest.approx(vector["expect"]["upper"])


@pytest.mark.slow
@given(rows, st.sampled_from([Model.LOGISTIC, Model.NORMALIZED]))
def test_any_counts_give_a_finite_ratio_and_estimate(row, model):
    """No counts make the ratio or what is estimated from it NaN or infinite."""
    test = Sprt(elo0=-20, elo1=0, model=model)
    got = sprt_result(counts=row, test=test)
    assert math.isfinite(got.llr)
    assert got.lower < 0 < got.upper
    after = estimate_after(counts=row, test=test)
    if after is not None:
        assert math.isfinite(after.elo)
        assert after.low95 <= after.elo <= after.high95
    course = forecast_test(elo=-5, counts=row, test=test)
    assert math.isfinite(course.games)


@pytest.mark.slow
@given(rows.filter(any), st.sampled_from([Model.LOGISTIC, Model.NORMALIZED]))
def test_swapping_sides_and_hypotheses_negates_the_ratio(row, model):
    """Swapping the players, with the hypotheses mirrored, changes only the sign."""
    here = llr(counts=row, test=Sprt(elo0=-20, elo1=5, model=model))
    there = llr(counts=row[::-1], test=Sprt(elo0=-5, elo1=20, model=model))
    assert float(here) == pytest.approx(-float(there), abs=1e-5)


@pytest.mark.parametrize(
    ("elo0", "elo1", "alpha"), [(5, 5, 0.05), (5, 0, 0.05), (0, 5, 0.0), (math.nan, 5, 0.05)]
)
def test_tests_with_impossible_hypotheses_or_errors_are_refused(elo0, elo1, alpha):
    """Hypotheses in the wrong order and chances out of range are errors for the user."""
    with pytest.raises(UsageError):
        Sprt(elo0=elo0, elo1=elo1, alpha=alpha)


GATES = 120


@pytest.mark.slow
@pytest.mark.parametrize("truth", [-40.0, pytest.param(0.0, marks=pytest.mark.very_slow)])
def test_wrong_verdicts_are_as_rare_as_promised(truth):
    """Of 120 simulated gates at a hypothesis at most 5 % plus three standard errors are wrong."""
    test = Sprt(elo0=-40, elo1=0)
    table = pair_table(elo=truth, advantage=40, draws=0.02, correlation=-0.4)
    played = gates(
        rng=np.random.default_rng(11), table=table, test=test, number=GATES, max_pairs=20_000
    )
    wrong = State.ACCEPT_H1 if truth == -40 else State.ACCEPT_H0
    assert np.mean(played.states == wrong.value) <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / GATES)
    assert not np.any(played.states == State.CONTINUE.value)
    theory = forecast_test(elo=truth, counts=1e6 * pentanomial(table=table), test=test)
    games = 2 * played.pairs
    assert (
        abs(games.mean() - theory.games) < 3 * games.std() / math.sqrt(GATES) + 0.05 * theory.games
    )
    ended = [estimate_after(counts=row, test=test) for row in played.counts]
    estimates = [after.elo for after in ended if after is not None]
    surer = [after.los for after in ended if after is not None]
    if truth == 0.0:  # between equals every chance to be better is as frequent as it says
        for share in (0.1, 0.5, 0.9):
            assert abs(np.mean(np.array(surer) <= share) - share) <= 3 * math.sqrt(
                share * (1 - share) / GATES
            )
    too_high = np.mean(np.array(estimates) > truth)
    assert abs(too_high - 0.5) <= 3 * math.sqrt(0.25 / GATES)


def test_the_overshoot_is_that_of_a_normal_walk():
    """Siegmund's constant is -zeta(1/2) / sqrt(2 pi), by the alternating series of zeta."""
    terms = (-1.0) ** np.arange(100_000) / np.sqrt(np.arange(1, 100_001))
    sums = np.cumsum(terms)
    alternating = (sums[-1] + sums[-2]) / 2
    zeta = alternating / (1.0 - math.sqrt(2.0))
    assert pytest.approx(-zeta / math.sqrt(2.0 * math.pi), abs=1e-4) == SIEGMUND
