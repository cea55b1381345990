"""The posterior over the commits of a history: the chance of each to have lost the rating.

Hypotheses: no commit lost rating; or one did, by one of several drops, and every commit that holds
it plays so much weaker than the good one, all others as strong. Pairs of a commit against the good
one speak by their likelihood ratio (`ladder.stats.drop_evidence`). Which commit is tested next,
and how long, changes no posterior, so it may depend on all that was seen (Horstein 1963; Waeber,
Frazier and Henderson 2013, probabilistic bisection). As the drop is one of the unknowns, a great
one is learnt from the first commits and makes the later ones cheap.

Error rates follow from it. Of 1 - P, where P is the stated probability, a third is allowed for each
way to be wrong. That none is to blame is said when the odds between none and the smallest drop of
interest, the hardest to see, leave a third of 1 - P to that drop. A commit is blamed when, given
that one is to blame, all others have a third of 1 - P together, and none has at most 1 - P. Such an
answer is wrong no more often than that, over culprits that are equally likely beforehand, whatever
was played and whenever the search stopped. The last third is for the ratio itself, in which shares
of results that the hypotheses leave open are the likeliest ones instead of known. docs/bisect.md
holds all of it against simulated histories.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ladder.stats.counts import FloatArray

BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]

MULTIPLES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""Drops that are thought possible, in units of the smallest drop of interest."""
GREATEST_DROP = 800.0
"""Elo; a greater drop gives itself away as quickly."""

SHARE = 1.0 / 3.0
"""The part of the chance to be wrong that each of two ways to be wrong may use."""


def possible_drops(max_drop: float) -> tuple[float, ...]:
    """The drops of the hypotheses, in Elo, from the smallest one of interest."""
    return tuple(
        max_drop * times for times in MULTIPLES if times == 1.0 or max_drop * times <= GREATEST_DROP
    )


@dataclass(frozen=True, slots=True)
class Posterior:
    """Chances after all pairs, 0..1. Leading axes, where there are any, are separate searches."""

    blamed: FloatArray
    """That a commit lost the rating, shape (..., n)."""
    none: FloatArray
    """That none did, shape (...)."""
    none_or_least: FloatArray
    """That none did, if the only other choice were the smallest drop, shape (...)."""
    weaker: FloatArray
    """That a commit plays weaker than the good one, shape (..., n)."""
    drops: FloatArray
    """That the drop is of each size, if a commit lost rating, shape (..., m)."""

    def says_none(self, probability: float) -> BoolArray:
        """Whether the answer is that no commit lost rating, shape (...)."""
        return np.asarray(self.none_or_least >= 1.0 - SHARE * (1.0 - probability))

    def sure_groups(self, probability: float, groups: IntArray) -> BoolArray:
        """Whether a group of commits holds the one to blame, shape (..., number of groups).

        Args:
            probability: of the whole answer.
            groups: the number of each commit's group, shape (n,); all of a group are blamed alike.

        """
        member = groups[:, None] == np.arange(groups.max() + 1)
        given_one = (self.blamed @ member) / np.maximum(1.0 - self.none, 1e-300)[..., None]
        sure = given_one >= 1.0 - SHARE * (1.0 - probability)
        return np.asarray(sure & (self.none <= 1.0 - probability)[..., None])


def posterior_of(holds: BoolArray, evidence: FloatArray) -> Posterior:
    """The posterior from the evidence of all commits.

    A third of the prior is for none, a third for the smallest drop, and one for greater ones.

    Args:
        holds: shape (n, n): whether commit i has commit k in its history, itself included.
        evidence: shape (..., n, m): of each commit's pairs for each drop; 0 where none were played.

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
    """The testable commit about which least is known: shape (..., n) -> (...).

    The first one of those whose chance to play weaker is nearest to one half.
    """
    distance = np.where(testable, np.abs(weaker - 0.5), np.inf)
    return np.asarray(distance.argmin(axis=-1))
