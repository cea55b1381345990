"""The rules that end a run as invalid: failing bots, a stalling machine, dying workers."""

from collections import Counter
from collections.abc import Iterator, Sequence

from db.records.pairs import PairPlan, PairRecord
from ladder.errors import InvalidRun
from ladder.runs.roster import Roster

DEATHS_IN_A_ROW = 5
"""Events of dying workers in a row, without a finished pair between them, at which the run is
invalid; one event may be the death of several workers."""
DEATHS_OVER_A_PAIR = 10
"""Such events while the same pair was in play at which the run is invalid."""


class RunHealth:
    """Detects in the records of a run what makes its games meaningless."""

    def __init__(self, roster: Roster | None) -> None:
        """Watch a run; without a roster, failing bots lose instead of being paused."""
        self._roster = roster
        self._deaths = 0
        self._deaths_over: Counter[int] = Counter()

    def observe(self, plan: PairPlan, record: PairRecord) -> Iterator[str]:
        """Yield a warning for each new problem that a pair shows.

        Raises:
            InvalidRun: too few bots can play, or the machine does not let this pair be played.

        """
        if record.games:
            self._deaths = 0
        if self._roster is not None:
            for sentence in self._roster.note_starts(plan, record):
                yield sentence
                self._roster.check_enough()
        if not record.games:
            raise InvalidRun(
                f"the machine stalls: pair {plan.number} could not be played, the last time as "
                f"{record.abort_reason}; stop other programs, play fewer pairs at a time or allow "
                "more time per move"
            )

    def note_deaths(self, plans: Sequence[PairPlan]) -> str:
        """Count workers that died at the same time, by their pairs; return a warning.

        Raises:
            InvalidRun: workers keep dying.

        """
        self._deaths += 1
        self._deaths_over.update(plan.number for plan in plans)
        number, deaths = max(self._deaths_over.items(), key=lambda item: item[1])
        if self._deaths >= DEATHS_IN_A_ROW or deaths >= DEATHS_OVER_A_PAIR:
            raise InvalidRun(
                f"worker processes keep dying, {deaths} times while pair {number} was in play: the "
                "system may be out of memory (check the OOM killer); run the same command again"
            )
        return "a worker process died; it is replaced and its pair is played again"
