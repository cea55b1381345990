"""One bot against each of its opponents."""

import fnmatch
from collections.abc import Sequence
from dataclasses import dataclass

from db.records.bots import remedy_for
from ladder.errors import UsageError
from ladder.results.standings.division import DivisionGames
from ladder.results.standings.head_to_head import Balance, HeadToHead, heads_to_head
from ladder.results.standings.notes import Note, RetiredOpponents
from ladder.results.standings.standings import WITH_GAMES


@dataclass(frozen=True, slots=True)
class OpponentResults:
    """A bot and its opponents in one division."""

    label: str
    """Label of the division."""
    bot: str
    opponents: Sequence[HeadToHead]
    """The bot against each, by score, best first."""
    never_met: Sequence[str]
    """Selected bots that have no games with it."""
    notes: Sequence[Note]

    def count(self, balance: Balance, *, clear: bool = False) -> int:
        """Return the number of opponents with a balance, perhaps only significant ones."""
        return sum(one.balance is balance and (one.is_clear or not clear) for one in self.opponents)

    @property
    def share(self) -> float:
        """Share of its opponents that the bot beats, from 0 to 1."""
        return self.count(Balance.BEATS) / len(self.opponents)


def compare_with_opponents(
    games: DivisionGames,
    name: str,
    *,
    patterns: Sequence[str] = (),
    retired: bool = False,
) -> OpponentResults:
    """Return a bot's results against each opponent in the rated games of a division.

    Args:
        games: the games of the division.
        name: the bot.
        patterns: names or shell patterns of opponents; empty for all that it has met.
        retired: whether to include retired opponents that are not named in `patterns`.

    Raises:
        UsageError: the bot has no rated games in the division, or none with such opponents.

    """
    lines, division = heads_to_head(games.tables), games.division
    met = {line.b: line for line in lines if line.a == name}
    met |= {line.a: line.mirrored for line in lines if line.b == name}
    if not met:
        there = {one for line in lines for one in (line.a, line.b)}
        raise UsageError(
            f"{name!r} has no rated games in {division.label}: "
            f"{remedy_for(name, sorted(there), WITH_GAMES)}",
            "against",
        )
    hidden = frozenset() if retired else games.retired - set(patterns)
    others = (one for one in games.bots if one != name and one not in hidden)
    wanted = [one for one in others if _matches(one, patterns)]
    opponents = [met[one] for one in wanted if one in met]
    if not opponents:
        raise UsageError(
            f"{name} has met none of these bots: `ladder report --against {name}` lists those that "
            "it has met",
            "bots",
        )
    left_out = sorted(set(met) & hidden)
    return OpponentResults(
        label=division.label,
        bot=name,
        opponents=sorted(opponents, key=lambda one: (-(one.record.score or 0.0), one.b)),
        never_met=[one for one in wanted if one not in met] if patterns else [],
        notes=[*games.notes, *([RetiredOpponents(left_out)] if left_out else [])],
    )


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return not patterns or any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
