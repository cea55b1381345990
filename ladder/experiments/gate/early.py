"""The test of a gate for obvious cases, beside the sequential likelihood ratio.

The likelihood ratio between "equal" and "worse by the drop" weighs a lost pair by at most 0.06 at a
drop of 20 Elo, however plain the case: a candidate that loses every game takes 106 games. This test
bets (`ladder.stats.betting`) against "as strong as the baseline" and against "worse by the drop",
with a small part of beta and alpha, and needs 20 games there.
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
    """Two bets against one baseline: that the candidate is weaker, and that it is strong enough."""

    equal: float
    """Score per game of an equal candidate."""
    dropped: float | None
    """Score per game of a candidate that is worse by the drop; None if it is not known."""
    pass_at: float
    """Log evidence for more than `dropped` at which the candidate passes."""
    fail_at: float
    """Log evidence for less than `equal` at which it fails."""

    def decide(self, *counts: Sequence[int]) -> EarlyDecision | None:
        """Return the decision that all of the pentanomial counts support; None for none."""
        log_e = float(log_evidence_below(counts=counts, mean=self.equal).min())
        if log_e >= self.fail_at:
            return EarlyDecision(State.ACCEPT_H0, log_e, self.fail_at)
        if self.dropped is None:
            return None
        log_e = float(log_evidence_above(counts=counts, mean=self.dropped).min())
        return (
            EarlyDecision(State.ACCEPT_H1, log_e, self.pass_at) if log_e >= self.pass_at else None
        )
