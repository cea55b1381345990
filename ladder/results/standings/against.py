"""One bot against each of its opponents: which share of them does it beat?"""

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from db.records.aggregate import PairTableRow
from db.records.bots import remedy_for
from db.records.runs import DivisionRow
from db.store import Store
from ladder.errors import UsageError
from ladder.results.standings.comparison import CLEAR
from ladder.results.standings.division import current_tables, retired_bots
from ladder.results.standings.notes import Note, RetiredOpponents
from ladder.results.standings.selection import WITH_GAMES
from ladder.stats.elo import EloEstimate, estimate


class Balance(StrEnum):
    """How a bot stands with an opponent by the points of their games."""

    BEATS = "beats"
    EVEN = "even"
    LOSES = "loses to"


@dataclass(frozen=True, slots=True)
class Opponent:
    """One opponent, all numbers from the side of the bot in question."""

    name: str
    wins: int
    draws: int
    losses: int
    pentanomial: tuple[int, int, int, int, int]
    """Pairs by points: 0, 1/2, 1, 3/2, 2."""
    estimate: EloEstimate
    """Of the pairs between the two alone."""

    @property
    def games(self) -> int:
        """Games between the two."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, 0..1."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def balance(self) -> Balance:
        """The side that made more points."""
        points2 = 2 * self.wins + self.draws - self.games
        return Balance.BEATS if points2 > 0 else Balance.LOSES if points2 < 0 else Balance.EVEN

    @property
    def is_clear(self) -> bool:
        """Whether chance can be left aside: 95 % on two sides."""
        los = self.estimate.sure_los
        return los is not None and max(los, 1.0 - los) >= CLEAR


@dataclass(frozen=True, slots=True)
class Against:
    """A bot and its opponents in one division."""

    label: str
    """Of the division."""
    bot: str
    opponents: Sequence[Opponent]
    """By score, the best first."""
    never_met: Sequence[str]
    """Names of bots that were asked for and have no games with it."""
    notes: Sequence[Note]

    def count(self, balance: Balance, *, clear: bool = False) -> int:
        """Opponents with which the bot stands so; with `clear` only those beyond chance."""
        return sum(one.balance is balance and (one.is_clear or not clear) for one in self.opponents)

    @property
    def share(self) -> float:
        """Opponents that the bot beats, of those that it has met, 0..1."""
        return self.count(Balance.BEATS) / len(self.opponents)


def compare_with_opponents(
    store: Store,
    division: DivisionRow,
    name: str,
    *,
    patterns: Sequence[str] = (),
    retired: bool = False,
    since: float | None = None,
) -> Against:
    """How a bot did against each opponent in the rated games of a division.

    Args:
        store: the open database.
        division: whose games.
        name: the bot.
        patterns: names or shell patterns of opponents; none: all that it has met.
        retired: whether retired opponents count though no pattern is their name.
        since: only games that began then or later (epoch seconds).

    Raises:
        UsageError: the bot has no rated games in the division, or none with such opponents.

    """
    tables, notes = current_tables(store, division, since=since)
    met: dict[str, list[PairTableRow]] = {}
    for row in tables:
        if name in (row.a_name, row.b_name):
            met.setdefault(row.b_name if row.a_name == name else row.a_name, []).append(row)
    if not met:
        there = {one for row in tables for one in (row.a_name, row.b_name)}
        raise UsageError(
            f"--against: {name!r} has no rated games in {division.label}: "
            f"{remedy_for(name, sorted(there), WITH_GAMES)}"
        )
    hidden = frozenset() if retired else retired_bots(store) - set(patterns)
    wanted = [one.name for one in store.bots.all(include_retired=True) if one.name != name]
    wanted = [one for one in wanted if one not in hidden and _matches(one, patterns)]
    opponents = [_opponent(one, name, met[one]) for one in wanted if one in met]
    if not opponents:
        raise UsageError(
            f"--against {name}: it has met none of the bots that --bots names: "
            f"`ladder report --against {name}` lists those that it has met"
        )
    left_out = sorted(set(met) & hidden)
    if left_out:
        notes.append(RetiredOpponents(left_out))
    return Against(
        label=division.label,
        bot=name,
        opponents=sorted(opponents, key=lambda one: (-one.score, one.name)),
        never_met=[one for one in wanted if one not in met] if patterns else [],
        notes=notes,
    )


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _opponent(name: str, bot: str, rows: Sequence[PairTableRow]) -> Opponent:
    wdl, penta = [0, 0, 0], [0, 0, 0, 0, 0]
    for row in rows:
        ours = row.a_name == bot
        for place, count in enumerate(row.wdl if ours else row.wdl[::-1]):
            wdl[place] += count
        for place, count in enumerate(row.pentanomial if ours else row.pentanomial[::-1]):
            penta[place] += count
    return Opponent(
        name=name,
        wins=wdl[0],
        draws=wdl[1],
        losses=wdl[2],
        pentanomial=(penta[0], penta[1], penta[2], penta[3], penta[4]),
        estimate=estimate(counts=penta),
    )
