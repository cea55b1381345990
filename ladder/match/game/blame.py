"""Judgement of late moves: a bot is to blame unless something that it cannot cause delayed it."""

from typing import NamedTuple

from ladder.match.game.control import Control, run_control
from ladder.match.process.cpu_wait import Stall

OWN_SHARE = 0.1
"""The part of the margin that a bot may take for itself and be excused for the rest: a bot that
uses its time to the end takes a little more of it where others fill the caches."""


class LateMove(NamedTuple):
    """All that is known of a late move when it is judged."""

    budget_us: int
    margin_us: int
    stall: Stall
    """The evidence that was taken at the deadline."""
    usual_us: int | None = None
    """Median processor time of the bot's earlier moves in this game, or None if it made too few."""
    alone: bool = False
    """Whether this bot alone has needed excuses in this run while others had as much reason."""

    @property
    def to_explain_us(self) -> int:
        """The delay that an excuse must explain."""
        return self.stall.elapsed_us - self.budget_us - self._own_us

    @property
    def _own_us(self) -> int:
        return int(OWN_SHARE * self.margin_us)

    @property
    def may_be_excused(self) -> bool:
        """Whether the bot waited for long enough, so that the cause of its wait matters."""
        stall = self.stall
        if stall.stolen_us >= self.to_explain_us:
            return True
        if self.alone or (
            self.usual_us is not None and self.usual_us > self.budget_us + self._own_us
        ):
            return False
        return stall.stopped_us + stall.waited_us >= self.to_explain_us

    def is_excused(self, control: Control | None = None) -> bool:
        """Judge the move.

        The wait counts as far as other programs have used the bot's processor: as measured on them
        during the move, or as found by a control after it.
        """
        contended_us = 0 if control is None else control.contended_us(self.stall.elapsed_us)
        return self.may_be_excused and self.stall.excusable_us(contended_us) >= self.to_explain_us


class Verdict(NamedTuple):
    """The judgement of a late move."""

    excused: bool
    control: Control | None = None
    """The control that was run for it; None if the evidence sufficed without."""


def judge(late: LateMove, control_s: float) -> Verdict:
    """Judge a late move of a bot whose processes have all ended.

    Args:
        late: the evidence.
        control_s: how long a control may take; one is run only if the bot waited long enough and
            its host did not take the processor away.

    """
    if not late.may_be_excused:
        return Verdict(False)
    if late.stall.stolen_us >= late.to_explain_us:
        return Verdict(True)
    control = run_control(control_s)
    return Verdict(late.is_excused(control), control)
