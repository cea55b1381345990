"""The rules that pause a bot or end a run: failing bots, a stalling machine, dying workers."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence

from db.records.pairs import PairPlan, PairRecord
from ladder.errors import InvalidRun
from ladder.match.process.answers import unusable_words
from ladder.match.process.failures import to_one_line
from ladder.runs.choosers import Meeting

STARTS_BEFORE_PAUSE = 3
"""Failed starts in a row after which a bot is paused."""
DEATHS_IN_A_ROW = 5
"""Events of dying workers in a row, without a finished pair between them, at which the run is
invalid; one event may be the death of several workers."""
DEATHS_OVER_A_PAIR = 10
"""Such events while the same pair was in play at which the run is invalid."""


class RunHealth:
    """Detects in the records of a run what makes its games meaningless, and pauses failing bots."""

    def __init__(
        self,
        names: Collection[str] = (),
        meetings: Callable[[Sequence[str]], Collection[Meeting]] = lambda _: (),
        needed: Collection[str] = (),
    ) -> None:
        """Start with all bots able to play.

        Args:
            names: The bots; none if failing ones lose instead of being paused.
            meetings: Returns the meetings that are possible among some bots.
            needed: The bots without which the run cannot continue.

        """
        self._names = names
        self.paused: dict[str, str] = {}
        """Why a bot no longer plays in this run, by name."""
        self._meetings = meetings
        self._needed = needed
        self._failed_starts: Counter[str] = Counter()
        self._noted: set[int] = set()
        """Revisions whose unusable values were reported."""
        self._deaths = 0
        self._deaths_over: Counter[int] = Counter()

    def can_play(self, plan: PairPlan) -> bool:
        """Return whether neither bot of a pair is paused."""
        return self.paused.keys().isdisjoint((plan.a.name, plan.b.name))

    @property
    def playable(self) -> list[str]:
        """The bots that are not paused."""
        return [name for name in self._names if name not in self.paused]

    def check_enough(self) -> None:
        """Check that the remaining bots can play a pair of this run.

        Raises:
            InvalidRun: a needed bot is paused, or no two bots that may meet are left.

        """
        is_enough = self.paused.keys().isdisjoint(self._needed) and self._meetings(self.playable)
        if self.paused and not is_enough:
            why = ", ".join(f"{name} {reason}" for name, reason in self.paused.items())
            raise InvalidRun(f"too few bots can play: {why}")

    def observe(self, plan: PairPlan, record: PairRecord) -> Iterator[str]:
        """Yield a warning for each new problem that a pair shows.

        Raises:
            InvalidRun: too few bots can play, or the machine does not let this pair be played.

        """
        if record.games:
            self._deaths = 0
        for entrant in {entrant.revision: entrant for entrant in (plan.a, plan.b)}.values():
            unusable = record.unusable.get(entrant.revision)
            if unusable and entrant.revision not in self._noted:
                self._noted.add(entrant.revision)
                yield f"{entrant.name} {unusable_words(unusable)}"
            failures = record.failed_starts.count(entrant.revision)
            if record.games and not failures:
                self._failed_starts[entrant.name] = 0
            self._failed_starts[entrant.name] += failures
            enough = self._failed_starts[entrant.name] >= STARTS_BEFORE_PAUSE
            if enough and entrant.name in self.playable:
                self.paused[entrant.name] = "could not be started"
                details = (game.detail for game in record.games if game.detail)
                yield (
                    f"{entrant.name} could not be started {STARTS_BEFORE_PAUSE} times in a row "
                    f"and is paused: {to_one_line(next(details, ''))}"
                )
                self.check_enough()
        if not record.games:
            raise InvalidRun(
                f"the machine stalls: pair {plan.pair.number} could not be played, the last time "
                f"as {record.abort_reason}"
            )

    def note_deaths(self, plans: Sequence[PairPlan]) -> str:
        """Count workers that died at the same time, by their pairs; return a warning.

        Raises:
            InvalidRun: workers keep dying.

        """
        self._deaths += 1
        self._deaths_over.update(plan.pair.number for plan in plans)
        number, deaths = max(self._deaths_over.items(), key=lambda item: item[1])
        if self._deaths >= DEATHS_IN_A_ROW or deaths >= DEATHS_OVER_A_PAIR:
            raise InvalidRun(
                f"worker processes keep dying, {deaths} times while pair {number} was in play: the "
                "system may be out of memory (check the OOM killer); run the same command again"
            )
        return "a worker process died; it is replaced and its pair is played again"
