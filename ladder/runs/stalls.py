"""When a run stalls so often that its games by time mean nothing: is it the machine, or one bot?"""

from collections import deque
from typing import NamedTuple

from db.records.pairs import Excuses, PairPlan, PairRecord
from ladder.errors import InvalidRun
from ladder.stats.special import binomial_tail

WINDOW = 200
"""Attempts at games, finished or stalled, over which the share of stalls is taken."""
MOST = 40
"""Stalls among them after which somebody is to blame: a fifth."""
MOST_PAIRS = 3
"""Pairs given up in the same window, after which somebody is to blame."""
LEAST = 8
"""Excused moves below which no bot is suspected."""
ALONE = 1e-4
"""A bot is charged from now on when chance gives it so many of the excuses at most so often."""
SUSPECT = 0.01
"""While chance would do so at most so often, the run is not given up yet."""
PATIENCE = 8
"""How many times as many stalls a run survives while one bot is suspected."""


class _Attempt(NamedTuple):
    stalled: bool
    gave_up: bool
    """Whether the pair was given up with it."""


class _Pair(NamedTuple):
    bots: tuple[str, str]
    attempts: tuple[_Attempt, ...]
    excuses: Excuses


class Stalls:
    """The stalls of a run's last attempts at games, and who they belong to.

    A window, because an hour of backups in a long run must neither hide behind the good hours
    before it nor count against those after it.

    Every bot is late on a machine that stalls, in proportion to the time for which it thinks; and
    so is the referee, which computes for a moment after each excused move. A bot that is late much
    more often than all of these in the same games is late by itself, whatever its excuse.
    """

    def __init__(self) -> None:
        self._pairs: deque[_Pair] = deque()
        self._attempts = 0
        self._named: set[str] = set()

    def note(self, plan: PairPlan, record: PairRecord) -> list[str]:
        """Count a pair's attempts.

        Args:
            plan: of the pair.
            record: of it.

        Returns:
            The bots that alone need excuses, whose late moves should be charged from now on; each
            is returned once, and mostly there are none.

        Raises:
            InvalidRun: too many attempts of all bots were stalled; the message says what helps.

        """
        self._add(plan, record)
        if not record.aborts:  # as nearly always; counting takes as long as storing the games
            return []
        alone, suspected = self._suspects()
        if alone:
            self._named |= alone
            self._forget(alone)
            return sorted(alone)
        attempts = [attempt for pair in self._pairs for attempt in pair.attempts]
        stalled = sum(each.stalled for each in attempts)
        given_up = sum(each.gave_up for each in attempts)
        excess = max(stalled / MOST, given_up / MOST_PAIRS)
        if excess < (PATIENCE if suspected else 1):
            return []
        pairs = f", {given_up} pairs could not be played at all" if given_up else ""
        raise InvalidRun(
            f"the machine stalls: at {stalled} of the last {len(attempts)} attempts at a "
            f"game it did not let a bot run in its time{pairs}; stop other programs, lower "
            "--concurrency or raise --time"
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
        """Leave out the stalls of bots that are charged from now on."""
        self._pairs = deque(pair for pair in self._pairs if bots.isdisjoint(pair.bots))
        self._attempts = sum(len(pair.attempts) for pair in self._pairs)

    def _suspects(self) -> tuple[set[str], bool]:
        """Return the bots that alone need excuses, and whether another one may turn out to."""
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
            if count >= LEAST and time_us and name not in self._named
        }
        alone = {name for name, chance in chances.items() if chance <= ALONE}
        return alone, any(chance <= SUSPECT for chance in chances.values())
