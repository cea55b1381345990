"""Judgement of late moves: an excuse needs a delay that the bot cannot have caused.

Example: a bot had 100 ms per move and a margin of 50 ms, and was stopped after 150 ms. It may be
late by 5 ms through its own fault (`OWN_SHARE` of the margin), so an excuse must explain 45 ms. It
is excused if the host took the processor for 45 ms, or if the bot waited for 45 ms for a processor
and other programs used that processor for 45 ms.
"""

from typing import NamedTuple

from ladder.match.game.control import ControlMeasurement, measure_control
from ladder.match.process.cpu_wait import Stall

OWN_SHARE = 0.1
"""Share of the margin that the bot may use itself and still be excused for the rest: a bot that
uses up its budget needs a little more time where other programs fill the caches."""


class LateMove(NamedTuple):
    """The facts about a late move."""

    budget_us: int
    margin_us: int
    stall: Stall
    """The evidence measured at the deadline."""
    usual_us: int | None = None
    """Median processor time of the bot's earlier moves in this game, or None if it made too few or
    its time is that of the whole game."""
    alone: bool = False
    """Whether late moves of this bot are no longer excused, because it alone needs excuses."""

    @property
    def to_explain_us(self) -> int:
        """The delay that an excuse must explain."""
        return self.stall.elapsed_us - self.budget_us - self._own_us

    @property
    def _own_us(self) -> int:
        return int(OWN_SHARE * self.margin_us)

    @property
    def may_be_excused(self) -> bool:
        """Whether the delay may be long enough for an excuse, so that its cause decides."""
        stall = self.stall
        if stall.stolen_us >= self.to_explain_us:
            return True
        # A bot whose usual moves already take too long is late by itself.
        if self.alone or (
            self.usual_us is not None and self.usual_us > self.budget_us + self._own_us
        ):
            return False
        return stall.stopped_us + stall.waited_us >= self.to_explain_us

    def explains(self, control: ControlMeasurement) -> bool:
        """Return whether other programs, at the rate of a control measurement, cause such a delay.

        With the numbers above, and none of the bot's processes left, a control of 60 ms in which
        the referee waited for 30 ms explains a delay of 75 ms.
        """
        return control.contended_us(self.stall.elapsed_us) >= self.to_explain_us

    def is_excused(self, control: ControlMeasurement | None = None) -> bool:
        """Return whether the move is excused.

        A wait counts only as far as other programs used the bot's processor: measured on these
        programs during the move, or by a control measurement after it.
        """
        contended_us = 0 if control is None else control.contended_us(self.stall.elapsed_us)
        return self.may_be_excused and self.stall.excusable_us(contended_us) >= self.to_explain_us


class LateMoveVerdict(NamedTuple):
    """The verdict on a late move."""

    excused: bool
    control: ControlMeasurement | None = None
    """The control measurement that was made for it, or None if none was necessary."""


def judge_late_move(late: LateMove, control_s: float) -> LateMoveVerdict:
    """Judge a late move of a bot whose processes have all ended.

    Args:
        late: the facts.
        control_s: duration of a control measurement, which is made only if the bot waited long
            enough and the host did not take its processor away.

    """
    if not late.may_be_excused:
        return LateMoveVerdict(False)
    if late.stall.stolen_us >= late.to_explain_us:
        return LateMoveVerdict(True)
    control = measure_control(control_s)
    return LateMoveVerdict(late.is_excused(control), control)
