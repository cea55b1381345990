"""The strengths of a field of players from their pairs, and who can still be the best.

All games count in every comparison: the Elo of two players that met is a noisy difference of two
strengths, and weighted least squares finds the strengths (the linear model of paired comparisons).
The leader is the strongest player. For each other player the difference d to the leader and its
variance v give the log-likelihood ratio of "the leader is worse by the indifference" to "both are
equal". Below Wald's bound (1945) the other player is out: it is not better than the leader by the
indifference. A player that is out plays no more, unless the leader changes. When all others are
out, the leader is chosen.

The ratio weighs a lost pair little, however plain the case. So bets on the pairs of a player
against the leader (`ladder.stats.evidence`) put it out, too, with a tenth of the errors, as in a
gate.

Errors: the choice is wrong only if the leader is worse than the best player by the indifference,
and their ratio passed the bound nevertheless. The chance of that is at most alpha for each of the
K - 1 players that could be such a leader. With alpha = (1 - P) / (K - 1) the sum is at most 1 - P
(Bonferroni). docs/results/selections.md compares this with simulated fields.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass

import msgspec
import numpy as np
from numpy.typing import NDArray

from db.records.run_settings import StoredField
from ladder.experiments.gate.question import check_confidence, check_elo
from ladder.stats.counts import FloatArray, unit_scores
from ladder.stats.difference import Difference, difference_of, fitted_difference
from ladder.stats.elo import SCALE, SCORE_LIMIT, elo_to_score
from ladder.stats.evidence import log_evidence_below

BoolArray = NDArray[np.bool_]

LEAST_PAIRS = 8
"""Fewest pairs of each player before a decision, so that their spread is known."""
EARLY = 0.1
"""Part of the errors that the bets may spend."""
UNIFORM = 0.05
"""Pairs added to each result of two players that met, so that no variance is 0."""


@dataclass(frozen=True, slots=True)
class Strengths:
    """Fitted strengths. Leading axes are separate fields."""

    elo: FloatArray
    """Elo with mean 0 over the field, shape (..., K)."""
    variance: FloatArray
    """Variance of each difference in Elo squared, shape (..., K, K); infinite if unknown."""

    def difference(self, index: int, other: int, counts: FloatArray) -> Difference:
        """Return a player over another, from the counts that gave the strengths.

        Without numbers if one of them has no pairs. Two that met no other bot have the difference
        of their own pairs.
        """
        variance = float(self.variance[index, other])
        if not math.isfinite(variance):
            return Difference()
        met = counts.sum(axis=-1) > 0
        if met[index].sum() == met[other].sum() == met[index, other] == 1:
            return difference_of(counts[index, other])
        gap = float(self.differences[index, other])
        stronger = (self.differences > 0.0) | np.triu(self.differences == 0.0, 1)
        seen = counts[stronger].sum(axis=0)
        return fitted_difference(
            gap=gap, deviation=math.sqrt(variance), seen=seen if gap >= 0.0 else seen[::-1]
        )

    @property
    def differences(self) -> FloatArray:
        """Elo of player i over player j, shape (..., K, K)."""
        return np.asarray(self.elo[..., :, None] - self.elo[..., None, :])


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectQuestion:
    """The numbers of a selection.

    Raises:
        UsageError: one is out of range.

    """

    indifference: float = 20.0
    """Difference in Elo below which players count as equal."""
    confidence: float = 0.95
    """Chance that the chosen player is the best within the indifference, 0..1."""
    max_games: int = 20_000
    """Games after which the selection ends without a choice."""

    def __post_init__(self) -> None:
        check_elo(self.indifference, "indifference")
        check_confidence(self.confidence)

    @classmethod
    def of(cls, asked: StoredField) -> "SelectQuestion":
        """Return the question stored with a run."""
        numbers = msgspec.structs.asdict(asked)
        del numbers["against"]
        return cls(**numbers)

    def bound(self, players: int) -> float:
        """Return the absolute LLR that decides, for a number of players."""
        share = (1.0 - EARLY) * self._share(players)
        return math.log((1.0 - share) / share)

    def early_bound(self, players: int) -> float:
        """Return the log e-value that decides, for a number of players."""
        return -math.log(EARLY * self._share(players))

    def _share(self, players: int) -> float:
        return (1.0 - self.confidence) / max(players - 1, 1)

    @property
    def games(self) -> int:
        """Most games, rounded down to whole pairs."""
        return self.max_games - self.max_games % 2

    def settings(self, baseline: str | None) -> Mapping[str, object]:
        """Return the question as settings of a run, which are no part of its identity."""
        return {"select": StoredField(against=baseline, **asdict(self))}


def strengths(counts: FloatArray) -> Strengths:
    """Return the strengths from pentanomial counts of i against j, shape (..., K, K, 5).

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
    """Return the LLR of "i is worse than j by the indifference" to "equal", (..., K, K)."""
    evidence = -indifference * (found.differences + 0.5 * indifference)
    return np.asarray(evidence / found.variance)


def leader_of(found: Strengths, pairs: FloatArray) -> NDArray[np.int64]:
    """Return the index of the strongest player that has pairs, shape (...)."""
    return np.asarray(np.where(pairs > 0, found.elo, -np.inf).argmax(axis=-1))


def contenders(counts: FloatArray, question: SelectQuestion) -> BoolArray:
    """Return which players can still be chosen: shape (..., K, K, 5) -> (..., K).

    At the end this is the leader only. Ratios count once each player has `LEAST_PAIRS` pairs.
    """
    players = counts.shape[-2]
    found = strengths(counts)
    pairs = counts.sum(axis=(-1, -2))
    leader = leader_of(found, pairs)
    of_leader = np.take_along_axis(
        ratios(found, question.indifference), leader[..., None, None], axis=-2
    )[..., 0, :]
    is_open = of_leader > -question.bound(players)
    is_open |= pairs.min(axis=-1, keepdims=True) < LEAST_PAIRS
    against = np.take_along_axis(counts, leader[..., None, None, None], axis=-2)[..., 0, :]
    better = elo_to_score(elo=question.indifference)
    is_open &= log_evidence_below(counts=against, mean=better) < question.early_bound(players)
    return np.asarray(is_open | (np.arange(players) == leader[..., None]))
