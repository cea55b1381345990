"""The gain of each version over the bot that it is based on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from db.records.bots import BotRow
from db.store import Store
from ladder.results.standings.standings import BotStanding, Standings
from ladder.stats.elo import Z95, normal_cdf
from ladder.stats.pool.rating import Pool


class StepVerdict(StrEnum):
    """The side of zero on which the 95 % interval of a step lies."""

    GAINED = "gained"
    UNDECIDED = "undecided"
    LOST = "lost"


@dataclass(frozen=True, slots=True)
class Step:
    """The difference between a bot's list rating and that of the bot that it is based on."""

    bot: str
    based_on: str
    change: str
    """The idea that distinguishes the bot, as registered."""
    elo: float
    """Elo of the bot minus Elo of its predecessor, from all games of the pool."""
    error95: float
    """Half width of the difference's own 95 % interval, in Elo."""
    games: int
    """Number of the bot's games in the pool."""

    @property
    def verdict(self) -> StepVerdict:
        """GAINED or LOST if the interval excludes zero."""
        if self.elo - self.error95 > 0.0:
            return StepVerdict.GAINED
        if self.elo + self.error95 < 0.0:
            return StepVerdict.LOST
        return StepVerdict.UNDECIDED

    @property
    def los(self) -> float:
        """Chance that the bot is better than its predecessor, from 0 to 1."""
        return normal_cdf(Z95 * self.elo / self.error95)

    def is_lost(self, threshold: float) -> bool:
        """Return whether the interval lies wholly below `-threshold` Elo."""
        return self.elo + self.error95 < -threshold

    def is_undecided(self, threshold: float) -> bool:
        """Return whether the interval contains `-threshold` Elo."""
        return self.elo - self.error95 < -threshold and not self.is_lost(threshold)


def find_steps(pool: Pool | None, bots: Mapping[str, BotRow]) -> tuple[Step, ...]:
    """Return the steps of rated bots with a rated predecessor, in the order of registration.

    An unrated predecessor is skipped in favour of its own predecessor.

    Args:
        pool: the rated bots; None without games.
        bots: all registered bots by name, including retired ones.

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
    """The steps of a division that lost rating or may have, worst first."""

    lost: Sequence[Step]
    """Steps whose interval lies below the threshold."""
    undecided: Sequence[Step]
    """Steps whose interval contains the threshold."""


def find_regressions(store: Store, standings: Standings, threshold: float) -> Regressions:
    """Return the steps of a list that lost more than `threshold` Elo, and the undecided ones."""
    bots = {bot.name: bot for bot in store.bots.all(include_retired=True)}
    steps = sorted(find_steps(standings.pool, bots), key=lambda step: step.elo)
    return Regressions(
        lost=[step for step in steps if step.is_lost(threshold)],
        undecided=[step for step in steps if step.is_undecided(threshold)],
    )


@dataclass(frozen=True, slots=True)
class LineVersion:
    """A bot in the line of versions that leads to another, or on from it."""

    row: BotRow
    standing: BotStanding | None
    """Its place in the rating list; None without rated games."""


def line_of(store: Store, name: str, standings: Standings) -> list[LineVersion]:
    """Return the versions of a bot along `based_on`, the first one first.

    Behind the bot come its successors; of several with one predecessor the newest.

    Raises:
        UnknownRow: there is no such bot.

    """
    bots = {bot.name: bot for bot in store.bots.all(include_retired=True)}
    line = [bots.get(name) or store.bots.get(name)]
    while (before := bots.get(line[0].based_on or "")) and before not in line:
        line.insert(0, before)
    newest = {bot.based_on: bot for bot in sorted(bots.values(), key=lambda bot: bot.id)}
    while (after := newest.get(line[-1].name)) and after not in line:
        line.append(after)
    listed = {bot.name: bot for bot in standings.bots}
    return [LineVersion(row, listed.get(row.name)) for row in line]


def _rated_ancestor(
    bot: BotRow, bots: Mapping[str, BotRow], rated: Mapping[str, int]
) -> str | None:
    """Return the nearest rated bot along `based_on`; None without one."""
    seen = {bot.name}  # `based_on` may form a cycle
    name = bot.based_on
    while name is not None and name not in seen:
        if name in rated:
            return name
        seen.add(name)
        name = bots[name].based_on if name in bots else None
    return None
