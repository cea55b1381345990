"""The gain of each version: the step from the bot that it is based on, along `based_on`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from db.records.bots import BotRow
from db.records.runs import DivisionRow
from db.store import Store
from ladder.results.standings.division import current_tables
from ladder.results.standings.pool import rate_tables
from ladder.stats.elo import Z95, normal_cdf
from ladder.stats.pool.rating import Pool, RatingOptions


class StepVerdict(StrEnum):
    """On which side of zero the whole 95 % interval of a step lies."""

    GAINED = "gained"
    UNDECIDED = "undecided"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Step:
    """A bot's list rating less that of the bot it is based on."""

    bot: str
    based_on: str
    change: str
    """The one idea that makes the bot differ, as it was registered."""
    elo: float
    """The bot over its predecessor in Elo, from all games of the pool."""
    error95: float
    """Half the 95 % interval of the difference itself, in Elo."""
    games: int
    """Games of the bot in the pool."""

    @property
    def verdict(self) -> StepVerdict:
        """GAINED or LOST when the interval excludes zero."""
        if self.elo - self.error95 > 0.0:
            return StepVerdict.GAINED
        if self.elo + self.error95 < 0.0:
            return StepVerdict.LOST
        return StepVerdict.UNDECIDED

    @property
    def los(self) -> float:
        """Chance that the bot is better than its predecessor, 0..1."""
        return normal_cdf(Z95 * self.elo / self.error95)

    def is_lost(self, threshold: float) -> bool:
        """Return whether the interval lies wholly below `-threshold` Elo."""
        return self.elo + self.error95 < -threshold

    def is_undecided(self, threshold: float) -> bool:
        """Return whether the interval contains `-threshold` Elo."""
        return self.elo - self.error95 < -threshold and not self.is_lost(threshold)


def find_steps(pool: Pool | None, bots: Mapping[str, BotRow]) -> tuple[Step, ...]:
    """A step for every rated bot whose predecessor is rated too, in the order of registration.

    A predecessor without games is passed over in favour of its own predecessor.

    Args:
        pool: the rated bots; None without games.
        bots: all registered bots by name, retired ones included.

    """
    if pool is None:
        return ()
    place = pool.places
    steps = []
    for name, bot in sorted(bots.items(), key=lambda item: item[1].id):
        before = _rated_ancestor(bot, bots, place)
        if name not in place or before is None:
            continue
        gap = pool.rating.difference(a=place[name], b=place[before])
        games = int(pool.rating.games[place[name]])
        steps.append(Step(name, before, bot.change, gap.elo, gap.error95, games))
    return tuple(steps)


@dataclass(frozen=True, slots=True)
class Regressions:
    """The steps of a division that lost rating, or may have, each from the worst on."""

    lost: Sequence[Step]
    """Their interval lies wholly below the threshold."""
    undecided: Sequence[Step]
    """Their interval contains the threshold."""


def find_regressions(
    store: Store,
    division: DivisionRow,
    *,
    since: float | None,
    threshold: float,
    options: RatingOptions | None = None,
) -> Regressions:
    """Return the steps of a division that lost more than `threshold` Elo, and the undecided ones.

    Args:
        store: the open database.
        division: whose rated games count.
        since: epoch seconds of the first game that counts; None for all games.
        threshold: Elo that a step may lose.
        options: of the rating list.

    """
    tables, _ = current_tables(store, division, since=since)
    bots = {bot.name: bot for bot in store.bots.all(include_retired=True)}
    steps = sorted(find_steps(rate_tables(tables, options), bots), key=lambda step: step.elo)
    return Regressions(
        lost=[step for step in steps if step.is_lost(threshold)],
        undecided=[step for step in steps if step.is_undecided(threshold)],
    )


def _rated_ancestor(
    bot: BotRow, bots: Mapping[str, BotRow], rated: Mapping[str, int]
) -> str | None:
    """The nearest rated bot along `based_on`; None where the line ends or runs in a circle."""
    seen = {bot.name}
    name = bot.based_on
    while name is not None and name not in seen:
        if name in rated:
            return name
        seen.add(name)
        name = bots[name].based_on if name in bots else None
    return None
