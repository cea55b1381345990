"""Simulated gates: how often a sequential test is wrong, and how long it takes.

    python benchmarks/ratings_gates.py [GATES]

Plays GATES (default 2000) simulated gates at a true difference of elo0 and as many of elo1, judged
after every pair on pentanomial counts, for logistic and for normalized Elo, seeded. Beside the
share of wrong verdicts stand the games that theory expects, and for the estimate that allows for
stopping and for the plain one how far their median is off and how often their interval holds.
"""

import math
import sys
import time

import numpy as np

from ladder.stats.choices import Model
from ladder.stats.counts import pentanomial
from ladder.stats.elo import estimate
from ladder.stats.sprt import Sprt, State
from ladder.stats.sprt_estimate import (
    estimate_after,
    forecast_test,
)
from tests.support.simulated_gates import (
    gates,
    pair_table,
)

SEED = 20240917
ADVANTAGE = 40.0
DRAWS = 0.02
CORRELATION = -0.4
MAX_PAIRS = 20_000


def main(number: int) -> None:
    """Print one line per model, bound and hypothesis."""
    print(f"{number} gates each; first move {ADVANTAGE:g} Elo, draws {DRAWS:.0%}, seed {SEED}")
    print("model       truth  wrong   limit  games  theory", end="")
    print("  after stop, held  plain, held  seconds")
    for model in (Model.LOGISTIC, Model.NORMALIZED):
        for truth in (-20.0, 0.0):
            print(line(model=model, truth=truth, number=number))


def line(*, model: Model, truth: float, number: int) -> str:
    """Print one cell of the experiment: H0 is -20 Elo, H1 is 0; `truth` is one of them."""
    start = time.perf_counter()
    rng = np.random.default_rng([SEED, 0, int(-truth)])
    test = Sprt(elo0=-20.0, elo1=0.0, model=model)
    logistic = truth if model is Model.LOGISTIC else logistic_of(nelo=truth)
    table = pair_table(elo=logistic, advantage=ADVANTAGE, draws=DRAWS, correlation=CORRELATION)
    played = gates(rng=rng, table=table, test=test, number=number, max_pairs=MAX_PAIRS)
    wrong_state = State.ACCEPT_H1 if truth == test.elo0 else State.ACCEPT_H0
    wrong = float(np.mean(played.states == wrong_state.value))
    limit = 0.05 + 3.0 * math.sqrt(0.05 * 0.95 / number)
    theory = forecast_test(elo=truth, counts=1e6 * pentanomial(table=table), test=test)
    stopped, plain = [], []
    for row in played.counts:
        after = estimate_after(counts=row, test=test)
        seen = estimate(counts=row)
        assert after is not None
        stopped.append((after.elo, after.low95 <= truth <= after.high95))
        elo, error = (
            (seen.elo, seen.error95) if model is Model.LOGISTIC else (seen.nelo, seen.nelo_error95)
        )
        assert elo is not None
        assert error is not None
        plain.append((elo, abs(elo - truth) <= error))
    return (
        f"{model.value:<11} {truth:5.0f} {wrong:6.2%} "
        f"{limit:6.2%} {2 * played.pairs.mean():6.0f} {theory.games:7.0f} "
        f"{summary(stopped, truth)} {summary(plain, truth)} {time.perf_counter() - start:8.1f}"
    )


def summary(estimates: list[tuple[float, bool]], truth: float) -> str:
    """Return the estimates' median error in Elo, and the share of intervals with the truth."""
    median = float(np.median([elo for elo, _ in estimates])) - truth
    return f"{median:+6.2f} {np.mean([held for _, held in estimates]):6.1%}"


def logistic_of(*, nelo: float) -> float:
    """Return the logistic Elo at which this benchmark's pairs have a normalized Elo."""
    low, high = -200.0, 200.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        table = pair_table(elo=middle, advantage=ADVANTAGE, draws=DRAWS, correlation=CORRELATION)
        if (estimate(counts=1e9 * pentanomial(table=table)).nelo or 0.0) < nelo:
            low = middle
        else:
            high = middle
    return 0.5 * (low + high)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
