"""Detection of runs that stall too often, and of bots that only pretend to be delayed."""

from collections import deque
from typing import NamedTuple

from db.records.pairs import Excuses, PairPlan, PairRecord
from ladder.errors import InvalidRun
from ladder.stats.special import binomial_tail

WINDOW = 200
"""Number of the latest attempts at games, finished or stalled, that count."""
MAX_STALLED = 40
"""Stalls among them at which the run is invalid, a fifth."""
MAX_GIVEN_UP = 3
"""Pairs given up among them at which the run is invalid."""
MIN_EXCUSED = 8
"""Fewest excused moves for which a bot is suspected."""
UNEXCUSED_CHANCE = 1e-4
"""p-value of the bot's share of excused moves at or below which its late moves are no longer
excused."""
SUSPECT_CHANCE = 0.01
"""p-value at or below which the bot is suspected, and more stalls are tolerated."""
SUSPECT_FACTOR = 8
"""Factor by which both limits grow while a bot is suspected."""


class _Attempt(NamedTuple):
    stalled: bool
    gave_up: bool
    """Whether the pair was given up after it."""


class _Pair(NamedTuple):
    bots: tuple[str, str]
    attempts: tuple[_Attempt, ...]
    excuses: Excuses


class Stalls:
    """The stalls among the latest attempts at games of a run, and their causes.

    Only a window of attempts counts: an hour of backups in a long run must neither hide behind the
    good hours before it nor count against those after it.

    On a machine that stalls, every bot is late in proportion to its thinking time, and so is the
    referee, which computes for a moment after each excused move as a control. A bot that is late
    much more often than its opponents and the referee is late by itself, whatever its excuse.
    Where no move can be made in time, only the controls are a comparison, for only the bot that
    begins is ever asked.
    """

    def __init__(self) -> None:
        self._pairs: deque[_Pair] = deque()
        self._attempts = 0
        self._unexcused: set[str] = set()

    def note(self, plan: PairPlan, record: PairRecord) -> list[str]:
        """Count the attempts of a pair; return bots that are now found to be late by themselves.

        Raises:
            InvalidRun: too many attempts stalled.

        """
        self._add(plan, record)
        if not record.aborts:  # the usual case; the test takes as long as storing the games
            return []
        unexcused, suspected = self._suspects()
        if unexcused:
            self._unexcused |= unexcused
            self._forget(unexcused)
            return sorted(unexcused)
        attempts = [attempt for pair in self._pairs for attempt in pair.attempts]
        stalled = sum(each.stalled for each in attempts)
        given_up = sum(each.gave_up for each in attempts)
        excess = max(stalled / MAX_STALLED, given_up / MAX_GIVEN_UP)
        if excess < (SUSPECT_FACTOR if suspected else 1):
            return []
        pairs = f", {given_up} pairs could not be played at all" if given_up else ""
        raise InvalidRun(
            f"the machine stalls: in {stalled} of the last {len(attempts)} attempts at a game it "
            f"kept a bot from running{pairs}; stop other programs, play fewer pairs at a time or "
            "allow more time per move"
        )

    def _add(self, plan: PairPlan, record: PairRecord) -> None:
        attempts = [
            _Attempt(True, number == record.aborts - 1 and not record.games)
            for number in range(record.aborts)
        ]
        attempts += [_Attempt(False, False)] * len(record.games)
        self._pairs.append(_Pair((plan.a.name, plan.b.name), tuple(attempts), record.excuses))
        self._attempts += len(attempts)
        while self._attempts - len(self._pairs[0].attempts) >= WINDOW:
            self._attempts -= len(self._pairs.popleft().attempts)

    def _forget(self, bots: set[str]) -> None:
        """Remove the pairs of bots whose late moves are no longer excused."""
        self._pairs = deque(pair for pair in self._pairs if bots.isdisjoint(pair.bots))
        self._attempts = sum(len(pair.attempts) for pair in self._pairs)

    def _suspects(self) -> tuple[set[str], bool]:
        """Return the bots that are late by themselves, and whether any bot is suspected."""
        excused: dict[str, int] = {}
        asked_us: dict[str, int] = {}
        controls = control_us = 0
        for pair in self._pairs:
            for name, count, time_us in zip(
                pair.bots, pair.excuses.moves, pair.excuses.asked_us, strict=True
            ):
                excused[name] = excused.get(name, 0) + count
                asked_us[name] = asked_us.get(name, 0) + time_us
            controls += pair.excuses.controls
            control_us += pair.excuses.control_us
        late = sum(excused.values()) + controls
        time_us = sum(asked_us.values()) + control_us
        chances = {
            name: binomial_tail(count=count, trials=late, share=asked_us[name] / time_us)
            for name, count in excused.items()
            if count >= MIN_EXCUSED and time_us and name not in self._unexcused
        }
        unexcused = {name for name, chance in chances.items() if chance <= UNEXCUSED_CHANCE}
        return unexcused, any(chance <= SUSPECT_CHANCE for chance in chances.values())
