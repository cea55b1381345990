"""The strengths of a field of players from their pairs, and who can still be the best.

All games count in every comparison: the Elo of two players that met is a noisy difference of two
strengths, and weighted least squares finds the strengths (the linear model of paired comparisons).
The leader is the player with the greatest one. For each other player the difference d to the leader
and its variance v give the log-likelihood ratio of "the leader is worse by the indifference" to "it
is as strong". Below Wald's bound (1945) the other one is out: it is no better than the leader by as
much. Whoever is out plays no more, unless another leader comes; when all are out the leader is the
choice.

Errors: the choice is wrong only when the leader is worse than the best player by the indifference,
and their ratio passed the bound all the same: a chance of at most alpha at any time, for each of
the K - 1 players that could be such a leader. With alpha = (1 - P) / (K - 1) the sum is at most
1 - P (Bonferroni). docs/select.md holds this against simulated fields.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ladder.stats.counts import FloatArray, unit_scores
from ladder.stats.elo import SCALE, SCORE_LIMIT

BoolArray = NDArray[np.bool_]

LEAST_PAIRS = 8
"""Pairs of each player before anything is decided: fewer say nothing of their own spread."""
UNIFORM = 0.05
"""Pairs added to each result of two players that met, so that no spread is 0."""


@dataclass(frozen=True, slots=True)
class Strengths:
    """Fitted strengths. Leading axes, where there are any, are separate fields."""

    elo: FloatArray
    """Mean 0 over the field, shape (..., K)."""
    variance: FloatArray
    """Of each difference of two, in Elo squared, shape (..., K, K); infinite where unknown."""

    @property
    def differences(self) -> FloatArray:
        """Of player i over player j, shape (..., K, K)."""
        return np.asarray(self.elo[..., :, None] - self.elo[..., None, :])


@dataclass(frozen=True, slots=True)
class Contest:
    """The numbers of a choice."""

    indifference: float
    """Elo; players that differ by less are alike."""
    confidence: float
    """Chance that the chosen player is the best within the indifference, 0..1."""

    def bound(self, players: int) -> float:
        """The ratio, above 0, at which "worse" or "as strong" is decided in a field of so many."""
        share = (1.0 - self.confidence) / max(players - 1, 1)
        return math.log((1.0 - share) / share)


def strengths(counts: FloatArray) -> Strengths:
    """The strengths from pentanomial counts of i against j, shape (..., K, K, 5).

    `counts[..., j, i, :]` is `counts[..., i, j, ::-1]`; players that did not meet have zeros.
    """
    players = counts.shape[-2]
    pairs = counts.sum(axis=-1)
    met = pairs > 0.0
    filled = counts + UNIFORM
    units = filled.sum(axis=-1)
    scores = unit_scores(size=5)
    mean = np.clip((filled @ scores) / units, SCORE_LIMIT, 1.0 - SCORE_LIMIT)
    spread = (filled * (scores - mean[..., None]) ** 2).sum(axis=-1) / units
    slope = SCALE / (mean * (1.0 - mean))
    observed = SCALE * np.log(mean / (1.0 - mean))
    weights = np.where(met, pairs / (np.maximum(spread, 1e-6) * slope**2), 0.0)
    laplacian = -weights
    each = np.arange(players)
    laplacian[..., each, each] = weights.sum(axis=-1) - weights[..., each, each]
    # The all-ones matrix fixes the mean of the strengths at 0 and changes no difference.
    scale = np.maximum(weights.max(axis=(-1, -2)), 1e-12)[..., None, None]
    inverse = np.linalg.pinv(laplacian / scale + 1.0, hermitian=True) / scale
    elo = (inverse @ (weights * observed).sum(axis=-1)[..., None])[..., 0]
    own = inverse[..., each, each]
    variance = own[..., :, None] + own[..., None, :] - 2.0 * inverse
    known = pairs.sum(axis=-1) > 0
    both = known[..., :, None] & known[..., None, :]
    return Strengths(elo, np.where(both, np.maximum(variance, 1e-9), math.inf))


def ratios(found: Strengths, indifference: float) -> FloatArray:
    """Log-likelihood ratio of "i is worse than j by the indifference" to "equal", (..., K, K)."""
    evidence = -indifference * (found.differences + 0.5 * indifference)
    return np.asarray(evidence / found.variance)


def leader_of(found: Strengths, pairs: FloatArray) -> NDArray[np.int64]:
    """The place of the strongest player among those that have pairs, shape (...)."""
    return np.asarray(np.where(pairs > 0, found.elo, -np.inf).argmax(axis=-1))


def contenders(counts: FloatArray, contest: Contest) -> BoolArray:
    """The players that can still be chosen, the leader included: shape (..., K, K, 5) -> (..., K).

    Everybody, until each of them has the least number of pairs; the leader alone at the end.
    """
    players = counts.shape[-2]
    found = strengths(counts)
    pairs = counts.sum(axis=(-1, -2))
    leader = leader_of(found, pairs)
    of_leader = np.take_along_axis(
        ratios(found, contest.indifference), leader[..., None, None], axis=-2
    )[..., 0, :]
    is_open = of_leader > -contest.bound(players)
    is_open |= np.arange(players) == leader[..., None]
    too_early = pairs.min(axis=-1, keepdims=True) < LEAST_PAIRS
    return np.asarray(is_open | too_early)
