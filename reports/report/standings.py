"""A rating list as JSON, Markdown and text."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from ladder.names import counted
from ladder.results.analysis.division import DivisionMistakes
from ladder.results.standings.standings import (
    BotStanding,
    OtherDivision,
    PairStanding,
    Standings,
)
from ladder.visible import visible
from reports.analyze import mistakes_of_bot, rate_columns
from reports.layout.format import markdown_text, rounded, values_of
from reports.layout.table import Column, fit, to_markdown
from reports.report.notes import note_text
from reports.report.rating_columns import (
    OVER_BUDGET,
    UNRELIABLE,
    RatingView,
    standing_values,
    terminal_columns,
)

BOTS_NAMED = 5
"""Number of bots whose forfeited games are listed."""


def standings_document(
    standings: Standings, wrong: DivisionMistakes | None = None
) -> dict[str, Any]:
    """Return the document of `ladder report --json`.

    `wrong` has the mistakes of the bots, or is None if no game was analysed.
    """
    return {
        "division": {
            **values_of(standings, "label", "boards", "opening_plies", "openings", "adjudicate"),
            "budget": dict(standings.budget),
        },
        **values_of(standings, "games", "distinct_games", "pairs"),
        "first_mover_score": rounded(standings.first_mover_score, 4),
        "first_mover_elo": {
            board: rounded(elo, 1) for board, elo in standings.first_mover_elo.items()
        },
        "draw_rate": rounded(standings.draw_rate, 4),
        **values_of(standings, "unrated_games", "stalled_games", "ranked"),
        "bots": [standing_document(bot, wrong) for bot in standings.bots],
        "pairs_table": [
            values_of(line, "a", "b", "wins", "draws", "losses", "pentanomial")
            for line in standings.pairs_table
        ],
        "notes": [note_text(note) for note in standings.notes],
        "other_divisions": [
            values_of(other, "label", "games", "unrated_games")
            for other in standings.other_divisions
        ],
    }


def standing_document(bot: BotStanding, wrong: DivisionMistakes | None) -> dict[str, Any]:
    """Return a bot's row as plain data, with its mistakes if a game of it was analysed."""
    mistakes = mistakes_of_bot(wrong, bot.name)
    return standing_values(bot) | ({} if mistakes is None else {"mistakes": mistakes})


def _columns(view: RatingView, wrong: DivisionMistakes | None) -> list[Column]:
    names = [bot.name for bot in view.standings.bots]
    return [*terminal_columns(view), *rate_columns(wrong, names)]


def standings_markdown(
    standings: Standings, wrong: DivisionMistakes | None = None, *, pairs: bool = False
) -> str:
    """Return the rating list as Markdown, with the table of pairs if `pairs`."""
    parts = [markdown_text(headline(standings))]
    if standings.bots:
        parts.append(to_markdown(_columns(RatingView(standings, marks_apart=False), wrong)))
    if pairs:
        parts.append(to_markdown(pair_columns(standings.pairs_table)))
    parts += map(markdown_text, (*map(note_text, standings.notes), *remarks(standings)))
    return "\n\n".join(parts) + "\n"


def print_standings(
    console: Console,
    standings: Standings,
    wrong: DivisionMistakes | None = None,
    *,
    pairs: bool = False,
) -> None:
    """Print the table of pairs if `pairs`, the notes, and the rating list with its legend."""
    if pairs:
        console.print(fit(pair_columns(standings.pairs_table), console.width).table())
    for note in standings.notes:
        console.print(visible(note_text(note)))
    console.print(Text(visible(headline(standings)), style="bold"))
    if standings.bots:
        _print_list(standings, wrong, console)
    for line in remarks(standings):
        console.print(visible(line))


def _print_list(standings: Standings, wrong: DivisionMistakes | None, console: Console) -> None:
    fitted = fit(_columns(RatingView(standings), wrong), console.width)
    console.print(fitted.table())
    if fitted.left_out:
        hidden = ", ".join(fitted.left_out)
        console.print(f"hidden, as the terminal is too narrow: {hidden}", style="dim")


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
        lines.append(f"{OVER_BUDGET}: uses more than its time per move on average")
    return [*lines, *_forfeit_lines(standings.bots), *unrated_lines(standings), *_others(standings)]


def _forfeit_lines(bots: Sequence[BotStanding]) -> list[str]:
    """Return the latest forfeited games of the bots with most forfeits."""
    failing = sorted((bot for bot in bots if bot.forfeit_games), key=lambda bot: -bot.all_forfeits)
    lines = []
    for bot in failing[:BOTS_NAMED]:
        named = ", ".join(f"{one.game} ({one.termination.value})" for one in bot.forfeit_games)
        lines.append(
            f"{bot.name} forfeited {counted(bot.all_forfeits, 'game')}, the latest {named}"
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


def pair_columns(lines: Sequence[PairStanding]) -> list[Column]:
    """Return the table of pairs of bots, from A's side."""
    penta = [" ".join(map(str, line.pentanomial)) for line in lines]
    return [
        Column("a", [line.a for line in lines], number=False),
        Column("b", [line.b for line in lines], number=False),
        Column("win", [str(line.wins) for line in lines]),
        Column("draw", [str(line.draws) for line in lines]),
        Column("loss", [str(line.losses) for line in lines]),
        Column("pairs by points 0 1/2 1 3/2 2", penta, number=False, level=1),
    ]
