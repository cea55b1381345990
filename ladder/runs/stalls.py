"""When a run stalls so often that its games by time mean nothing: is it the machine, or one bot?"""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from db.records.pairs import PairPlan, PairRecord
from ladder.errors import InvalidRun

WINDOW = 200
"""Attempts at games, finished or stalled, over which the share of stalls is taken."""
MOST = 40
"""Stalls among them after which somebody is to blame: a fifth."""
MOST_PAIRS = 3
"""Pairs given up in the same window, after which somebody is to blame."""
ENOUGH = 10
"""Attempts without a bot that show how the machine is without it."""
CLEAN = 0.05
"""The share of stalls of a machine that has nothing to do with the others."""
PATIENCE = 8
"""How many times as much is borne while too little was played without the suspects."""


class _Attempt(NamedTuple):
    bots: frozenset[str]
    stalled: bool
    gave_up: bool
    """Whether the pair was given up with it."""


class Stalls:
    """The stalls of a run's last attempts at games, and who they belong to.

    A window, because an hour of backups in a long run must neither hide behind the good hours
    before it nor count against those after it.
    """

    def __init__(self, bots: int, *, indispensable: frozenset[str] = frozenset()) -> None:
        """Nothing has stalled yet.

        Args:
            bots: how many bots the run has.
            indispensable: the bots without any one of which no pair of the run can be played.

        """
        self._bots = bots
        self._indispensable = indispensable
        self._attempts: deque[_Attempt] = deque(maxlen=WINDOW)

    def note(self, plan: PairPlan, record: PairRecord) -> list[str]:
        """Count a pair's attempts.

        Args:
            plan: of the pair.
            record: of it.

        Returns:
            The bots whose pairs stall while the others' do not, which should be paused; mostly
            none.

        Raises:
            InvalidRun: too many attempts of all bots were stalled; the message says what helps.

        """
        pair = frozenset((plan.a.name, plan.b.name))
        for number in range(record.aborts):
            last = number == record.aborts - 1
            self._attempts.append(_Attempt(pair, stalled=True, gave_up=last and not record.games))
        self._attempts.extend([_Attempt(pair, False, False)] * len(record.games))
        if not record.aborts:  # as nearly always; counting takes as long as storing the games
            return []
        stalled, given_up = _stalls_of(self._attempts)
        excess = max(stalled / MOST, given_up / MOST_PAIRS)
        if excess < 1:
            return []
        suspects, others = self._suspects()
        if suspects and len(others) >= ENOUGH:
            self._attempts = deque(others, maxlen=WINDOW)
            return sorted(suspects)
        if suspects and excess < PATIENCE:
            return []
        pairs = f", {given_up} pairs could not be played at all" if given_up else ""
        raise InvalidRun(
            f"the machine stalls: at {stalled} of the last {len(self._attempts)} attempts at a "
            f"game it did not let a bot run in its time{pairs}; stop other programs, lower "
            "--concurrency or raise --time"
        )

    def _suspects(self) -> tuple[set[str], list[_Attempt]]:
        """The bots without which hardly anything stalls, and the attempts without them.

        An eighth of the bots at most, one at least, and none that is indispensable: more could be
        picked so that the rest looks good on any machine. Else there are none, and it is the
        machine.
        """
        suspects: set[str] = set()
        most = max(1, self._bots // 8) if self._bots > 2 else 0
        others = list(self._attempts)
        while _stalls_of(others)[0] > CLEAN * len(others):
            names = set().union(*(attempt.bots for attempt in others)) - self._indispensable
            if len(suspects) == most or not names:
                return set(), others
            rests = {name: [each for each in others if name not in each.bots] for name in names}
            worst = min(sorted(rests), key=lambda name: _share_and_number(rests[name]))
            suspects.add(worst)
            others = rests[worst]
        return suspects, others


def _stalls_of(attempts: Iterable[_Attempt]) -> tuple[int, int]:
    """How many attempts stalled, and at how many of them a pair was given up."""
    listed = list(attempts)
    return sum(each.stalled for each in listed), sum(each.gave_up for each in listed)


def _share_and_number(attempts: Sequence[_Attempt]) -> tuple[float, int]:
    """The share of stalls in some attempts, and their number."""
    stalled, _ = _stalls_of(attempts)
    return stalled / max(1, len(attempts)), stalled
