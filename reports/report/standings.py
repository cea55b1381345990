"""A rating list as JSON, Markdown and text, and its notes as sentences."""

from collections.abc import Sequence
from typing import Any, assert_never

import msgspec

from ladder.names import counted
from ladder.results.analysis.division import DivisionMistakes
from ladder.results.standings import notes as found
from ladder.results.standings.standings import (
    BotStanding,
    OtherDivision,
    Standings,
)
from reports.layout.elo import pentanomial_fields, wdl_fields
from reports.layout.fields import Field, Medium, Table, choose_fields, plain_values
from reports.layout.format import rounded, values_of
from reports.layout.terminal import Listing
from reports.report.mistakes import MISTAKES_KEY, mistakes_of_bot, rates
from reports.report.rating_columns import (
    COLUMNS,
    OVER_BUDGET,
    UNRELIABLE,
    RatingView,
    forfeit_text,
)

WORK_INSTEAD = "; where the machine is too busy for --time, count work (--simulations 1000)"
"""Advice about games under a time budget that the machine delays."""
BOTS_NAMED = 5
"""Number of bots whose forfeited games are listed."""


CHOICE = (*(field.key for field in COLUMNS if field.is_on(Medium.JSON)), MISTAKES_KEY)
"""The keys of a bot in JSON, by which columns are chosen."""


def list_fields(
    standings: Standings, wrong: DivisionMistakes | None, keys: Sequence[str] = ()
) -> Sequence[Field]:
    """Return the columns of these keys of `CHOICE` for every format; the usual ones without keys.

    Args:
        standings: the rating list.
        wrong: mistakes of the bots; None if no game was analysed.
        keys: keys of JSON.

    """
    columns = (*COLUMNS, *rates(wrong, standings.bots, are_chosen=bool(keys)))
    if not keys:
        return columns
    mistakes = Field(
        MISTAKES_KEY, only=Medium.JSON, value=lambda bot: mistakes_of_bot(wrong, bot.name)
    )
    return choose_fields((*columns, mistakes), keys)


def standings_document(
    standings: Standings, wrong: DivisionMistakes | None = None, keys: Sequence[str] = ()
) -> dict[str, Any]:
    """Return the document of `ladder report --json`.

    `wrong` has the mistakes of the bots, or is None if no game was analysed; `keys` are those of
    the columns to show.
    """
    return {
        "division": {
            "label": standings.label,
            **msgspec.structs.asdict(standings.division.conditions),
        },
        **values_of(standings, "games", "distinct_games", "pairs"),
        "first_mover_score": rounded(standings.first_mover_score, 4),
        "first_mover_elo": {
            board: rounded(elo, 1) for board, elo in standings.first_mover_elo.items()
        },
        "draw_rate": rounded(standings.draw_rate, 4),
        "unrated_games": standings.unrated_games,
        "stalled_games": standings.stalls,
        "ranked": standings.ranked,
        "bots": Table(list_fields(standings, wrong, keys), standings.bots).documents()
        if keys
        else [standing_document(bot, wrong) for bot in standings.bots],
        "pairs_table": Table(PAIRS, standings.pairs_table).documents(),
        "notes": [note_text(note) for note in standings.notes],
        "other_divisions": [
            values_of(other, "label", "games", "unrated_games")
            for other in standings.other_divisions
        ],
    }


def standing_document(bot: BotStanding, wrong: DivisionMistakes | None) -> dict[str, Any]:
    """Return a bot's row as plain data, with its mistakes if a game of it was analysed."""
    mistakes = mistakes_of_bot(wrong, bot.name)
    return plain_values(COLUMNS, bot) | ({} if mistakes is None else {"mistakes": mistakes})


def standings_listing(
    standings: Standings,
    wrong: DivisionMistakes | None = None,
    *,
    pairs: bool = False,
    keys: Sequence[str] = (),
) -> Listing:
    """Return the rating list with its notes, and with the table of pairs if `pairs`."""
    bots = standings.bots
    table = Table(list_fields(standings, wrong, keys), bots, RatingView(standings))
    tables = [table] if bots else []
    if pairs:
        met = standings.pairs_table
        tables.append(Table(PAIRS, met, caption="Every two bots that met"))
    return Listing(
        document=standings_document(standings, wrong, keys),
        csv=table.csv(),
        notes=[note_text(note) for note in standings.notes],
        headline=headline(standings),
        tables=tables,
        remarks=remarks(standings),
    )


def headline(standings: Standings) -> str:
    """Return the division and the counts of games in a line."""
    parts = [standings.label, counted(standings.games, "game")]
    if standings.first_mover_score is not None:
        parts.append(f"first mover scores {standings.first_mover_score:.1%}")
    if standings.draw_rate is not None:
        parts.append(f"draws {standings.draw_rate:.1%}")
    return ", ".join(parts)


def remarks(standings: Standings) -> list[str]:
    """Return the meanings of marks, the forfeited games, and the divisions that are not shown."""
    lines = []
    if any(bot.unreliable for bot in standings.bots):
        lines.append(f"{UNRELIABLE}: forfeits more than 2 % of its games: do not trust its rating")
    if any(bot.over_budget for bot in standings.bots):
        lines.append(f"{OVER_BUDGET}: its own time per move is over its budget on average")
    return [*lines, *_forfeit_lines(standings.bots), *unrated_lines(standings), *_others(standings)]


def _forfeit_lines(bots: Sequence[BotStanding]) -> list[str]:
    """Return the latest forfeited games of the bots with most forfeits."""
    failing = sorted((bot for bot in bots if bot.forfeit_games), key=lambda bot: -bot.all_forfeits)
    lines = []
    for bot in failing[:BOTS_NAMED]:
        named = ", ".join(f"{one.game} ({one.termination.value})" for one in bot.forfeit_games)
        lines.append(
            f"{bot.name} forfeited {counted(bot.all_forfeits, 'game')} ({forfeit_text(bot)}), "
            f"the latest {named}"
        )
    if lines:
        name = failing[0].name
        lines.append(f"`ladder games --bot {name} --lost --forfeit` lists all forfeits of {name}")
    return lines


def unrated_lines(standings: Standings) -> list[str]:
    """Return a line about the games that do not count in the list, if there are any."""
    if not standings.unrated_games:
        return []
    return [
        f"{counted(standings.unrated_games, 'game')} of matches and experiments are not in this "
        "list; `ladder runs` lists them, `ladder games --run ID` shows their games"
    ]


def _others(standings: Standings) -> list[str]:
    if not standings.other_divisions:
        return []
    named = ", ".join(map(_other, standings.other_divisions))
    return [f"other divisions: {named}; `ladder report --division NAME` shows one"]


def _other(other: OtherDivision) -> str:
    counts = [counted(other.games, "game")] if other.games or not other.unrated_games else []
    counts += [f"{other.unrated_games} unrated"] if other.unrated_games else []
    return f"{other.label} ({', '.join(counts)})"


PAIRS = (
    Field("a", "a"),
    Field("b", "b"),
    *wdl_fields(lambda line: line.record.wdl, level=0, form="d"),
    *pentanomial_fields(lambda line: line.record.pentanomial, level=1),
)
"""The columns of the table of pairs of bots, from A's side."""


def is_warning(note: found.Note) -> bool:
    """Return whether the reader must do something about a note."""
    return isinstance(note, found.NotConnected | found.RepeatedGames | found.PausedInRun)


def note_text(note: found.Note) -> str:
    """Return a note as a sentence without its full stop."""
    match note:
        case found.NoRatedGames():
            return "no rated games yet"
        case found.FormerRevisions(games):
            are = "is" if games == 1 else "are"
            return (
                f"{counted(games, 'game')} of former revisions {are} left out: their bots have "
                "changed since"
            )
        case found.NotConnected(names):
            return f"no games connect {', '.join(names)} with the other bots: no rating yet"
        case found.Shutouts(won, bounds):
            result, limit = ("won", "at least") if won else ("lost", "at most")
            named = ", ".join(f"{name} (rating {limit} {elo:.0f})" for name, elo in bounds)
            return f"bots that {result} every game: {named}, with 95 % confidence"
        case found.Misfit(chance, largest):
            does = "worse" if largest.points < largest.expected else "better"
            return (
                f"{largest.a} does {does} against {largest.b} than the list predicts "
                f"({largest.points:g} of {largest.games:g} points, {largest.expected:.1f} "
                "expected), and one rating per bot does not fit these games (p "
                f"{_chance_text(chance)}): about these two ask `ladder match {largest.a} "
                f"{largest.b}`, the other ratings hold as a mean"
            )
        case found.RepeatedGames(distinct, games):
            return (
                f"only {distinct} of {games} games are distinct, and the errors count equal pairs "
                "once: longer openings give more distinct games"
            )
        case found.DelayedMoves(moves, share, is_timed):
            which = "1 move was" if moves == 1 else f"{moves} moves were"
            return (
                f"{which} late because the host delayed the bot ({share:.1%} of the "
                "attempts at games); no bot was charged" + WORK_INSTEAD * is_timed
            )
        case found.PausedInRun(run, bots):
            named = "; ".join(
                f"{bot.name} {bot.reason} after {counted(bot.games, 'game')}" for bot in bots
            )
            return f"in run {run}, the latest, bots were paused: {named}"
        case found.RetiredLeftOut(bots):
            if bots == 1:
                return "1 retired bot is left out of the list, but its games count"
            return f"{bots} retired bots are left out of the list, but their games count"
        case found.RetiredOpponents(names):
            return f"games against retired opponents are left out: {', '.join(names)}"
        case found.PartShown(shown, ranked):
            return f"{shown} of {ranked} bots are shown; their ratings are among all bots"
    assert_never(note)


def _chance_text(chance: float) -> str:
    """Return a p-value, such as ``= 2.1%`` or ``< 0.1%``."""
    return f"= {chance:.1%}" if chance >= 0.001 else "< 0.1%"
