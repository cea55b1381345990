"""The posterior over the commits of a history: the chance of each that it lost rating.

Hypotheses: either no commit lost rating, or one did by one of several drops. Then every commit that
contains it is weaker than the good one by the drop, and all others are equal to it. The evidence of
a commit's pairs is their likelihood ratio (`ladder.stats.drop_evidence`). The choice of the next
commit and the length of a visit do not bias the posterior, so they may depend on all results so far
(Horstein 1963; Waeber, Frazier and Henderson 2013, probabilistic bisection). The drop is unknown,
too: a large one is recognized on the first commits, which makes the later ones cheap.

Error rates: let P be the probability of a right answer, such as 0.95. The allowed error 1 - P is
split into three parts. "No commit is to blame" is answered when, with the smallest drop as the only
alternative, that alternative has a chance of at most (1 - P) / 3. A commit is blamed when, given
that one is to blame, all others together have at most (1 - P) / 3, and "none" at most 1 - P. The
last third covers the likelihood ratio, which uses the likeliest shares of results instead of the
true ones. For culprits that are equally likely in advance, an answer is then wrong with a chance of
at most 1 - P, whatever was played and whenever the search stopped. docs/results/bisections.md
compares this with simulated histories.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ladder.stats.counts import FloatArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]

MULTIPLES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""The drops of the hypotheses, in units of the smallest one."""
GREATEST_DROP = 800.0
"""Largest drop of the hypotheses in Elo; greater ones are found as quickly."""

SHARE = 1.0 / 3.0
"""The part of the allowed error for each of the two kinds of wrong answers."""


def possible_drops(max_drop: float) -> tuple[float, ...]:
    """Return the drops of the hypotheses in Elo, the smallest first."""
    return tuple(
        max_drop * times for times in MULTIPLES if times == 1.0 or max_drop * times <= GREATEST_DROP
    )


@dataclass(frozen=True, slots=True)
class Posterior:
    """Chances after all pairs, 0..1. Leading axes are separate searches."""

    blamed: FloatArray
    """Chance of each commit that it lost rating, shape (..., n)."""
    none: FloatArray
    """Chance that no commit lost rating, shape (...)."""
    none_or_least: FloatArray
    """The same if the smallest drop were the only alternative, shape (...)."""
    weaker: FloatArray
    """Chance of each commit that it is weaker than the good one, shape (..., n)."""
    drops: FloatArray
    """Chance of each drop, given that a commit lost rating, shape (..., m)."""

    def is_none_sure(self, probability: float) -> BoolArray:
        """Return whether the answer is that no commit lost rating, shape (...)."""
        return np.asarray(self.none_or_least >= 1.0 - SHARE * (1.0 - probability))

    def sure_groups(self, probability: float, groups: IntArray) -> BoolArray:
        """Return for each group of commits whether it surely contains the one to blame.

        Args:
            probability: The probability of a right answer.
            groups: The number of each commit's group, shape (n,).

        Returns:
            Shape (..., number of groups).

        """
        member = groups[:, None] == np.arange(groups.max() + 1)
        given_one = (self.blamed @ member) / np.maximum(1.0 - self.none, 1e-300)[..., None]
        sure = given_one >= 1.0 - SHARE * (1.0 - probability)
        return np.asarray(sure & (self.none <= 1.0 - probability)[..., None])


def posterior_of(holds: BoolArray, evidence: FloatArray) -> Posterior:
    """Return the posterior from the evidence of all commits.

    The prior is a third each for no drop, the smallest drop, and the greater ones together.

    Args:
        holds: Whether commit i contains commit k, itself included, shape (n, n).
        evidence: The log-likelihood ratio of each commit's pairs for each drop, shape (..., n, m);
            0 without pairs.

    """
    commits, drops = holds.shape[0], evidence.shape[-1]
    weights = np.matmul(np.swapaxes(holds, 0, 1).astype(np.float64), evidence) - math.log(commits)
    weights[..., 1:] -= math.log(max(drops - 1, 1))
    most = np.maximum(weights.max(axis=(-1, -2)), 0.0)
    each = np.exp(weights - most[..., None, None])
    likely, sizes, none = each.sum(axis=-1), each.sum(axis=-2), np.exp(-most)
    total = likely.sum(axis=-1) + none
    blamed = likely / total[..., None]
    return Posterior(
        blamed=blamed,
        none=none / total,
        none_or_least=none / (none + each[..., 0].sum(axis=-1)),
        weaker=blamed @ holds.T.astype(np.float64),
        drops=sizes / np.maximum(sizes.sum(axis=-1), 1e-300)[..., None],
    )


def most_open(weaker: FloatArray, testable: BoolArray) -> IntArray:
    """Return the first testable commit whose chance to be weaker is closest to one half.

    Shape (..., n) -> (...).
    """
    distance = np.where(testable, np.abs(weaker - 0.5), np.inf)
    return np.asarray(distance.argmin(axis=-1))
