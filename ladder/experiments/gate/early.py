"""The test of a gate for obvious cases, beside the sequential likelihood ratio.

The likelihood ratio between "equal" and "worse by the drop" weighs a lost pair by at most 0.06 at a
drop of 20 Elo, however plain the case: a candidate that loses every game takes 106 games. This test
bets (`ladder.stats.betting`) against both hypotheses, with a small part of beta and alpha, and
needs 20 games there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ladder.stats.betting import log_evidence_above, log_evidence_below
from ladder.stats.sprt import State


@dataclass(frozen=True, slots=True)
class EarlyDecision:
    """A decision of the test for obvious cases."""

    state: State
    log_e: float
    """Logarithm of the e-value that decided."""
    log_limit: float
    """Logarithm of the e-value that it had to reach."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyTest:
    """Two bets against one baseline: below the score of H1, and above that of H0."""

    score0: float | None
    """Score per game under H0; None if it is not known, for no such bet."""
    score1: float | None
    """Score per game under H1; None if it is not known, for no such bet."""
    pass_at: float
    """Log evidence for more than `score0` at which the candidate passes."""
    fail_at: float
    """Log evidence for less than `score1` at which it fails."""

    def decide(self, *counts: Sequence[int]) -> EarlyDecision | None:
        """Return the decision that all of the pentanomial counts support; None for none."""
        for state, score, evidence, limit in (
            (State.ACCEPT_H0, self.score1, log_evidence_below, self.fail_at),
            (State.ACCEPT_H1, self.score0, log_evidence_above, self.pass_at),
        ):
            if score is not None:
                log_e = float(evidence(counts=counts, mean=score).min())
                if log_e >= limit:
                    return EarlyDecision(state, log_e, limit)
        return None
