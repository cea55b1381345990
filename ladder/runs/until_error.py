"""The judge of a run that ends once the error of every bot's rating is small enough.

The ratings are those of the run's own games. Pairs of equal moves count once, because they are no
further evidence. A bot that won or lost all its games against the others has no error: it is left
out of the ratings here, and not waited for.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from db.records.bots import BotRow
from db.records.pairs import PlayedPair
from ladder.runs.decision import Judge
from ladder.stats.pool.cells import from_named_tables
from ladder.stats.pool.rating import rate_connected

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
    """Ends a run when no bot's error is above a limit."""

    needs_all = False

    def __init__(self, limit: float, bots: Sequence[BotRow]) -> None:
        """Wait until the errors of all bots of a run are at most `limit` Elo."""
        super().__init__()
        self._limit = limit
        self._names = {bot.revision.id: bot.name for bot in bots}
        self._counts: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0] * 9)
        self._pairs: Counter[str] = Counter()
        self._seen: set[tuple[str, str, int]] = set()
        self._next_fit = 0.0
        self.is_paused: Callable[[str], bool] = lambda _: False
        """Returns whether a bot is paused, so that it is not waited for."""
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
        first, second = (result.points2 for result in pair.results)
        self._counts[a, b, pair.board_class][3 * first + second] += 1
        self._pairs.update((a, b))
        if len(self._seen) >= self._next_fit:
            self._next_fit = GROWTH * len(self._seen)
            self._fit()

    def _fit(self) -> None:
        waited = [name for name in self._names.values() if not self.is_paused(name)]
        if min(self._pairs[name] for name in waited) < LEAST_PAIRS:
            return
        rows = [(*key, counts) for key, counts in self._counts.items()]
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
