"""Simulated results with known truth, on which the statistics are tested."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ladder.stats.counts import FloatArray, IntArray, pentanomial
from ladder.stats.elo import elo_to_score
from ladder.stats.sprt import Sprt, State, bounds, llr, sprt_result


@dataclass(frozen=True)
class Gates:
    """How simulated sequential tests ended, one entry each."""

    states: NDArray[np.str_]
    """Values of `State`."""
    counts: IntArray
    """Pentanomial counts at the end, shape (gates, 5)."""

    @property
    def pairs(self) -> IntArray:
        """Pairs played, shape (gates,)."""
        return np.asarray(self.counts.sum(axis=1))


def pair_table(
    *, elo: float, advantage: float = 0.0, draws: float = 0.0, correlation: float = 0.0
) -> FloatArray:
    """Probabilities of a pair's two results, shape (3, 3) as in `counts.pentanomial`.

    `elo` is A's true strength over B and `advantage` the first mover's, both in Elo; `draws` is the
    share of draws between equals, 0..0.5; `correlation` -1..1 couples the two games: below 0 a
    board that helped A when moving first helps B when B does. Expected scores are exactly logistic
    whatever the coupling.
    """
    first = _one_game(elo_to_score(elo=elo + advantage), draws)
    second = _one_game(elo_to_score(elo=elo - advantage), draws)
    table = (1.0 - abs(correlation)) * np.outer(first, second)
    if correlation >= 0.0:
        return np.asarray(table + correlation * _comonotone(first, second))
    return np.asarray(table - correlation * _comonotone(first, second[::-1])[:, ::-1])


def _one_game(score: float, draws: float) -> FloatArray:
    drawn = 4.0 * draws * score * (1.0 - score)
    return np.array([1.0 - score - 0.5 * drawn, drawn, score - 0.5 * drawn])


def _comonotone(first: FloatArray, second: FloatArray) -> FloatArray:
    ends = np.zeros((4, 4))
    ends[1:, 1:] = np.minimum.outer(np.cumsum(first), np.cumsum(second))
    rows = ends[1:] - ends[:-1]
    return np.asarray(rows[:, 1:] - rows[:, :-1])


def gates(
    *,
    rng: np.random.Generator,
    table: FloatArray,
    test: Sprt,
    number: int,
    max_pairs: int,
) -> Gates:
    """Play `number` sequential tests on pairs drawn from a table of probabilities (3, 3).

    Every test is judged after every pair, by `sprt_result` once its ratio is near a bound.
    """
    shares = pentanomial(table=table)
    counts = np.zeros((number, 5), dtype=np.int64)
    states = np.full(number, State.CONTINUE.value, dtype="<U16")
    lower, upper = bounds(alpha=test.alpha, beta=test.beta)
    running = np.arange(number)
    for _ in range(max_pairs):
        if running.size == 0:
            break
        counts[running, rng.choice(5, size=running.size, p=shares)] += 1
        ratios = llr(counts=counts[running], test=test)
        for row in running[(ratios <= 0.8 * lower) | (ratios >= 0.8 * upper)]:
            states[row] = sprt_result(counts=counts[row], test=test).state.value
        running = np.flatnonzero(states == State.CONTINUE.value)
    return Gates(states=states, counts=counts)
