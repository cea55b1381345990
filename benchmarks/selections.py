"""Simulated choices among candidates: how often the best is chosen, and how many games that takes.

    python -m benchmarks.selections [FIELDS]

FIELDS (default 1000) seeded fields a row, of 4 or 8 candidates beside a baseline. One candidate is
better or worse than all others, their strengths are drawn around that of the baseline (a normal
spread), or all are equal. Beside the choice stands what the same candidates cost when each is gated
against the baseline on its own, and how often the best of those that passed, by their Elo, is the
best within the indifference: with the errors of one gate, and with these shared out over all.
"""

import sys
import time

import numpy as np

from ladder.experiments.select.field import SelectQuestion, contenders, leader_of, strengths
from ladder.stats.counts import FloatArray, IntArray, pentanomial
from ladder.stats.sprt import Sprt, bounds, llr
from tests.support.simulated_gates import pair_table

SEED = 20240917
INDIFFERENCE = 20.0
CONFIDENCE = 0.95
MOST_PAIRS = 100_000


def shares(elo: float) -> FloatArray:
    """Return the probabilities of a pair's five results."""
    table = pair_table(elo=elo, advantage=40, draws=0.02, correlation=-0.4)
    return np.asarray(pentanomial(table=table))


def draws_of(truth: FloatArray) -> FloatArray:
    """Return result probabilities of i against j, shape (..., K) -> (..., K, K, 5)."""
    known = np.arange(-400.0, 401.0)
    table = np.array([shares(float(elo)) for elo in known])
    difference = (truth[..., :, None] - truth[..., None, :]).clip(-400, 400)
    return np.asarray(table[np.rint(difference).astype(np.int64) + 400])


def choose(
    rng: np.random.Generator, truth: FloatArray, contest: SelectQuestion
) -> tuple[IntArray, IntArray]:
    """Play out fields in rounds of the contenders; return chosen players and pairs played."""
    fields, players = truth.shape
    ends = np.cumsum(draws_of(truth), axis=-1)
    counts = np.zeros((fields, players, players, 5))
    pairs = np.zeros(fields, dtype=np.int64)
    chosen = np.full(fields, -1)
    running = np.arange(fields)
    active = np.ones((fields, players), dtype=bool)
    upper = np.triu(np.ones((players, players), dtype=bool), 1)
    while running.size:
        meet = active[:, :, None] & active[:, None, :] & upper
        cells = (rng.random(meet.shape)[..., None] > ends[running]).sum(axis=-1).clip(0, 4)
        field, one, other = np.nonzero(meet)
        cell = cells[field, one, other]
        np.add.at(counts, (running[field], one, other, cell), 1.0)
        np.add.at(counts, (running[field], other, one, 4 - cell), 1.0)
        pairs[running] += meet.sum(axis=(1, 2))
        active = contenders(counts[running], contest)
        over = (active.sum(axis=-1) == 1) | (pairs[running] > MOST_PAIRS)
        found = strengths(counts[running[over]])
        chosen[running[over]] = leader_of(found, counts[running[over]].sum(axis=(-1, -2)))
        running, active = running[~over], active[~over]
    return chosen, pairs


def gate_each(
    rng: np.random.Generator, truth: FloatArray, error: float
) -> tuple[IntArray, IntArray]:
    """Gate each candidate against player 0; return the best that passed, and pairs played."""
    test = Sprt(elo0=-INDIFFERENCE, elo1=0.0, alpha=error, beta=error)
    lower, upper = bounds(alpha=error, beta=error)
    fields, players = truth.shape
    chances = draws_of(truth)[:, 1:, 0].reshape(-1, 5)
    counts = np.zeros((len(chances), 5), dtype=np.int64)
    ratio = np.zeros(len(counts))
    running = np.arange(len(counts))
    while running.size:
        counts[running] += rng.multinomial(4, chances[running])
        ratio[running] = llr(counts=counts[running], test=test)
        running = running[(ratio[running] > lower) & (ratio[running] < upper)]
    score = (counts @ np.linspace(0, 1, 5)) / counts.sum(axis=-1)
    score[ratio <= lower] = 0.0
    scores = np.column_stack([np.full(fields, 0.5), score.reshape(fields, players - 1)])
    pairs = counts.sum(axis=-1).reshape(fields, players - 1).sum(axis=-1)
    return np.asarray(scores.argmax(axis=-1)), np.asarray(pairs)


def main(number: int) -> None:
    """Print a row for each kind of field."""
    print(f"{number} fields a row, seed {SEED}; within {INDIFFERENCE:g} Elo with {CONFIDENCE:.0%}")
    print("candidates  field       right   games  (90 %)    gates: right   games  saved", end="")
    print("   errors shared: right   games  saved   s")
    for candidates in (4, 8):
        for name in ("one +25", "one +50", "one -50", "spread 20", "spread 40", "equal"):
            row(candidates, name, number)


def truths(rng: np.random.Generator, candidates: int, name: str, number: int) -> FloatArray:
    """Draw strengths in Elo, shape (number, K); the baseline is player 0."""
    truth = np.zeros((number, candidates + 1))
    word, _, size = name.partition(" ")
    if word == "one":
        truth[np.arange(number), 1 + rng.integers(candidates, size=number)] = float(size)
    elif word == "spread":
        truth[:, 1:] = rng.normal(0.0, float(size), (number, candidates))
    return truth


def row(candidates: int, name: str, number: int) -> None:
    """Print one cell of the experiment."""
    start = time.perf_counter()
    rng = np.random.default_rng([SEED, candidates, *name.encode()])
    truth = truths(rng, candidates, name, number)
    best = truth.max(axis=-1)

    def right(chosen: IntArray) -> float:
        got = np.take_along_axis(truth, chosen[:, None], axis=-1)[:, 0]
        return float(np.mean(got >= best - INDIFFERENCE))

    chosen, pairs = choose(
        rng, truth, SelectQuestion(indifference=INDIFFERENCE, confidence=CONFIDENCE)
    )
    games = 2 * pairs.mean()
    text = f"{candidates:10d}  {name:<10} {right(chosen):6.1%} {games:7.0f} "
    text += f"{2 * np.quantile(pairs, 0.9):7.0f}  "
    for error in (1.0 - CONFIDENCE, (1.0 - CONFIDENCE) / candidates):
        passed, cost = gate_each(rng, truth, error)
        text += f"{right(passed):14.1%} {2 * cost.mean():7.0f} {1 - games / (2 * cost.mean()):6.0%}"
    print(f"{text} {time.perf_counter() - start:5.0f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
