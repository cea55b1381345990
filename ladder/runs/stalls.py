"""When the machine stalls so often that a run by time means nothing any more."""

from collections import deque

from db.records.pairs import PairRecord
from ladder.errors import InvalidRun

WINDOW = 200
"""Attempts at games, finished or thrown away, over which the share of stalls is taken."""
MOST = 40
"""Attempts among them that the machine may have spoiled: a fifth."""
MOST_PAIRS = 3
"""Pairs given up in the same window, after which the run is given up."""


class Stalling:
    """Sees every pair that comes back, and ends the run when too many were spoiled.

    A window, because an hour of backups in a long run must neither hide behind the good hours
    before it nor count against those after it.
    """

    def __init__(self) -> None:
        self._spoiled: deque[bool] = deque(maxlen=WINDOW)
        self._given_up: deque[int] = deque(maxlen=MOST_PAIRS)
        """At which attempt a pair was given up."""
        self._attempts = 0

    def note(self, record: PairRecord) -> None:
        """Count a pair's attempts.

        Raises:
            InvalidRun: too many were spoiled; the message says what helps.

        """
        attempts = [True] * record.aborts + [False] * len(record.games)
        self._spoiled.extend(attempts)
        self._attempts += len(attempts)
        spoiled = sum(self._spoiled) if record.aborts else 0
        if not record.games:
            self._given_up.append(self._attempts)
        given_up = sum(self._attempts - each < WINDOW for each in self._given_up)
        if record.aborts and (spoiled >= MOST or given_up >= MOST_PAIRS):
            pairs = f", {given_up} pairs could not be played at all" if given_up else ""
            raise InvalidRun(
                f"the machine stalls: {spoiled} of the last {len(self._spoiled)} games were thrown "
                f"away because it did not let a bot run in its time{pairs}; stop other programs, "
                "lower --concurrency or raise --time"
            )
