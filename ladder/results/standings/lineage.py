"""The gain of each version over the bot that it is based on."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from db.records.bots import BotRow
from db.store import Store
from ladder.results.standings.standings import BotStanding, Standings
from ladder.stats.difference import Difference
from ladder.stats.pool.rating import Pool


@dataclass(frozen=True, slots=True)
class Step:
    """The difference between a bot's list rating and that of the bot that it is based on."""

    bot: str
    based_on: str
    change: str
    """The idea that distinguishes the bot, as registered."""
    difference: Difference
    """The bot over its predecessor, from all games of the pool."""
    games: int
    """Number of the bot's games in the pool."""

    def is_lost(self, threshold: float) -> bool:
        """Return whether the interval lies wholly below `-threshold` Elo."""
        return self.difference.high is not None and self.difference.high < -threshold

    def is_undecided(self, threshold: float) -> bool:
        """Return whether the interval contains `-threshold` Elo."""
        low = self.difference.low
        return (low is None or low < -threshold) and not self.is_lost(threshold)


def find_steps(
    pool: Pool | None, bots: Mapping[str, BotRow], names: Collection[str] | None = None
) -> tuple[Step, ...]:
    """Return the steps of rated bots with a rated predecessor, in the order of registration.

    An unrated predecessor is skipped in favour of its own predecessor.

    Args:
        pool: the rated bots; None without games.
        bots: all registered bots by name, including retired ones.
        names: the bots whose steps are wanted; None for all.

    """
    if pool is None:
        return ()
    place = pool.places
    steps = []
    for name, bot in sorted(bots.items(), key=lambda item: item[1].id):
        before = _rated_ancestor(bot, bots, place)
        if name not in place or before is None or (names is not None and name not in names):
            continue
        gap = pool.rating.difference(a=place[name], b=place[before])
        games = int(pool.rating.games[place[name]])
        if gap.elo is not None:  # None if both won, or both lost, everything
            steps.append(Step(name, before, bot.change, gap, games))
    return tuple(steps)


@dataclass(frozen=True, slots=True)
class Regressions:
    """The steps of a division that lost rating or may have, worst first."""

    lost: Sequence[Step]
    """Steps whose interval lies below the threshold."""
    undecided: Sequence[Step]
    """Steps whose interval contains the threshold."""


def find_regressions(
    bots: Mapping[str, BotRow], standings: Standings, threshold: float
) -> Regressions:
    """Return the steps of listed bots that lost more than `threshold` Elo, and undecided ones."""
    found = find_steps(standings.pool, bots, {bot.name for bot in standings.bots})
    steps = sorted(found, key=lambda step: step.difference.elo or 0.0)
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
    step: Step | None
    """What it gained over its nearest rated predecessor; None without one."""


def line_of(store: Store, name: str, standings: Standings) -> list[LineVersion]:
    """Return the versions of a bot along `based_on`, the first one first.

    Behind the bot come its successors; of several with one predecessor the newest. The name of a
    bot that is stored by its commits, such as ``mybot``, means the newest of them.

    Raises:
        UnknownRow: there is no such bot.

    """
    bots = {bot.name: bot for bot in store.bots.all(include_retired=True)}
    commits = [bot for bot in bots.values() if bot.name.rpartition("@")[0] == name]
    playing = [bot for bot in commits if bot.revision.launch.origin and bot.retired_at is None]
    newest_commit = max(playing, key=lambda bot: bot.id, default=None)
    line = [bots.get(name) or newest_commit or store.bots.get(name)]
    while (before := bots.get(line[0].based_on or "")) and before not in line:
        line.insert(0, before)
    newest = {bot.based_on: bot for bot in sorted(bots.values(), key=lambda bot: bot.id)}
    while (after := newest.get(line[-1].name)) and after not in line:
        line.append(after)
    listed = {bot.name: bot for bot in standings.bots}
    steps = {
        step.bot: step for step in find_steps(standings.pool, bots, {row.name for row in line})
    }
    return [LineVersion(row, listed.get(row.name), steps.get(row.name)) for row in line]


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
