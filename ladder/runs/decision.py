"""Judges: they end a run by a decision, on pairs in the order of their numbers."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from db.records.bots import BotRow
from db.records.pairs import PairPlan, PlayedPair
from db.records.record import Record
from ladder.stats.pool.cells import from_named_tables
from ladder.stats.pool.rating import rate_connected


class Judge:
    """Decides from the pairs of one run; this one never does, so that its settings end the run."""

    surplus: int = 0
    """Games of pairs that came when they were no longer wanted; they do not count."""
    needs_all = False
    """Whether the decision needs all bots, so that none can be paused."""

    @property
    def settings(self) -> Mapping[str, object]:
        """The settings stored with the run that are no part of its identity."""
        return {}

    @property
    def keeps_planned(self) -> bool:
        """Whether the run stays open after the decision, with its planned pairs."""
        return False

    @property
    def decided(self) -> bool:
        """Whether the judge has decided; no further pair is begun then."""
        return False

    @property
    def progress(self) -> str:
        """The progress towards the decision, in words."""
        return ""

    @property
    def games_left(self) -> float | None:
        """Estimated games until the decision; None if unknown."""
        return None

    def begin(self, paused: Mapping[str, str]) -> None:
        """Begin to judge a run.

        Args:
            paused: The bots that are paused, and why; grows while the run plays. They are not
                waited for.

        """

    def take(self, pair: PlayedPair) -> None:
        """Take the next pair in the order of numbers.

        Pairs that are no longer wanted are given, too, and must not count: which of them were
        played depends on the number of workers and on interruptions, the decision must not.
        """

    def wants(self, plan: PairPlan) -> bool:
        """Return whether a planned pair could change the decision as things stand now."""
        del plan
        return True


ENDLESS = Judge()


LEAST_PAIRS = 20
"""Fewest pairs of each bot, so that the spread of its results is known."""
GROWTH = 1.02
"""Growth of the number of pairs between two fits."""


class Errors(NamedTuple):
    """The errors of a run's ratings (95 %, in Elo)."""

    worst: float
    """The largest one; infinite while a bot has too few pairs."""
    bot: str
    without: tuple[str, ...]
    """Bots that have no error, because they won or lost all their games against the others."""


class UntilError(Judge):
    """Ends a run once the error of every bot's rating is small enough.

    The ratings are those of the run's own games. Pairs of equal moves count once, because they are
    no further evidence. A bot that won or lost all its games against the others has no error: it is
    left out of the ratings here, and not waited for.
    """

    def __init__(self, limit: float, bots: Sequence[BotRow]) -> None:
        """Wait until the errors of all bots of a run are at most `limit` Elo."""
        super().__init__()
        self._limit = limit
        self._names = {bot.revision.id: bot.name for bot in bots}
        self._records: defaultdict[tuple[str, str, str], Record] = defaultdict(Record)
        self._pairs: Counter[str] = Counter()
        self._seen: set[tuple[str, str, int]] = set()
        self._next_fit = 0.0
        self._paused: Mapping[str, str] = {}
        self.errors: Errors | None = None
        """The present errors; None before the first fit."""

    @property
    def settings(self) -> Mapping[str, object]:
        """The limit."""
        return {"until_error": self._limit}

    @property
    def decided(self) -> bool:
        """Whether all errors are small enough."""
        return self.errors is not None and self.errors.worst <= self._limit

    @property
    def progress(self) -> str:
        """The largest error."""
        if self.errors is None or not 0 < self.errors.worst < math.inf:
            return ""
        return f"error {self.errors.worst:.0f} of {self.errors.bot}, until {self._limit:g}"

    @property
    def games_left(self) -> float | None:
        """Estimated games until the end: errors shrink with the root of the number of games."""
        if self.errors is None or not 0 < self.errors.worst < math.inf:
            return None
        return 2.0 * len(self._seen) * max((self.errors.worst / self._limit) ** 2 - 1.0, 0.0)

    def begin(self, paused: Mapping[str, str]) -> None:
        """Wait for no paused bot."""
        self._paused = paused

    def take(self, pair: PlayedPair) -> None:
        """Count a pair, and fit the ratings now and then."""
        if self.decided:
            self.surplus += 2
            return
        a, b = self._names[pair.a_revision], self._names[pair.b_revision]
        key = (min(a, b), max(a, b), pair.content)
        if key in self._seen:
            return
        self._seen.add(key)
        self._records[a, b, pair.board_class] += pair.record
        self._pairs.update((a, b))
        if len(self._seen) >= self._next_fit:
            self._next_fit = GROWTH * len(self._seen)
            self._fit()

    def _fit(self) -> None:
        waited = [name for name in self._names.values() if name not in self._paused]
        if min(self._pairs[name] for name in waited) < LEAST_PAIRS:
            return
        rows = [(*key, record.grid) for key, record in self._records.items()]
        without: set[str] = set()
        while True:
            rows = [row for row in rows if without.isdisjoint(row[:2])]
            if not rows:
                return
            pool = rate_connected(cells=from_named_tables(rows))
            bounded = {name for name, place in pool.places.items() if pool.rating.bounded[place]}
            if not bounded:
                break
            without |= bounded  # their unknown strength would move the mean of all others
        found = dict(zip(pool.rating.players, pool.rating.error95.tolist(), strict=True))
        # Games do not connect a bot that is missing there yet.
        errors = {name: found.get(name, math.inf) for name in waited if name not in without}
        worst = max(errors, key=lambda name: errors[name], default="")
        self.errors = Errors(
            errors.get(worst, 0.0), worst, tuple(name for name in waited if name in without)
        )
