"""Standings as JSON, CSV and Markdown."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from engine.result import FORFEITS
from ladder.standings.standings import (
    BotStanding,
    PairStanding,
    Standings,
)
from ladder.visible import visible
from reports.format import csv_text, markdown_table, markdown_text, number, rounded


def standings_document(standings: Standings) -> dict[str, Any]:
    """What `ladder report --json` prints; docs/json.md describes every key."""
    return {
        "division": {
            "label": standings.label,
            "boards": standings.boards,
            "opening_plies": standings.opening_plies,
            "budget": dict(standings.budget),
        },
        "games": standings.games,
        "distinct_games": standings.distinct_games,
        "pairs": standings.pairs,
        "first_mover_score": rounded(standings.first_mover_score, 4),
        "first_mover_elo": {
            board: rounded(elo, 1) for board, elo in standings.first_mover_elo.items()
        },
        "draw_rate": rounded(standings.draw_rate, 4),
        "stalled_games": standings.stalled_games,
        "bots": [bot_document(bot) for bot in standings.bots],
        "pairs_table": [
            {
                "a": line.a,
                "b": line.b,
                "wins": line.wins,
                "draws": line.draws,
                "losses": line.losses,
                "pentanomial": list(line.pentanomial),
            }
            for line in standings.pairs_table
        ],
        "notes": list(standings.notes),
    }


def bot_document(bot: BotStanding) -> dict[str, Any]:
    """One bot's row as plain data."""
    return {
        "name": bot.name,
        "rank": bot.rank,
        "elo": rounded(bot.elo, 1),
        "elo_live": rounded(bot.elo_live, 1),
        "error95": rounded(bot.error95, 1),
        "elo_at_least": rounded(bot.elo_at_least, 1),
        "elo_at_most": rounded(bot.elo_at_most, 1),
        "games": bot.games,
        "wins": bot.wins,
        "draws": bot.draws,
        "losses": bot.losses,
        "score": rounded(bot.score, 4),
        "win_rate": rounded(bot.win_rate, 4),
        "forfeits": dict(bot.forfeits),
        "unreliable": bot.unreliable,
        "over_budget": bot.over_budget,
        "simulations_per_second": rounded(bot.simulations_per_second, 1),
        "mean_move_ms": rounded(bot.mean_move_ms, 3),
        "max_move_ms": rounded(bot.max_move_ms, 3),
        "reasons": dict(bot.reasons),
    }


CSV_COLUMNS = (
    "rank", "name", "elo", "error95", "elo_live", "games", "wins", "draws", "losses", "score",
    "win_rate", *(kind.value for kind in FORFEITS), "simulations_per_second", "mean_move_ms",
    "max_move_ms",
)  # fmt: skip


def standings_csv(standings: Standings) -> str:
    """The rating list as comma-separated values with a header line; empty where nothing exists."""
    documents = ({**bot_document(bot), **bot.forfeits} for bot in standings.bots)
    return csv_text(CSV_COLUMNS, ([document[key] for key in CSV_COLUMNS] for document in documents))


def standings_markdown(standings: Standings) -> str:
    """The rating list and the pair table as Markdown."""
    parts = [
        markdown_text(headline(standings)),
        markdown_table(RATING_COLUMNS, (rating_cells(bot) for bot in standings.bots)),
        markdown_table(PAIR_COLUMNS, (pair_cells(line) for line in standings.pairs_table)),
        *map(markdown_text, remarks(standings)),
    ]
    return "\n\n".join(parts) + "\n"


UNRELIABLE = "!"
OVER_BUDGET = "*"


def print_standings(console: Console, standings: Standings) -> None:
    """The rating list, the pair table and what a reader should know."""
    console.print(Text(visible(headline(standings)), style="bold"))
    console.print(rating_table(standings.bots))
    console.print(pair_table(standings.pairs_table))
    for note in remarks(standings):
        console.print(visible(note))


def headline(standings: Standings) -> str:
    """The conditions and the counts in a line."""
    parts = [standings.label, f"{standings.games} games"]
    if standings.first_mover_score is not None:
        parts.append(f"first mover scores {standings.first_mover_score:.1%}")
    if standings.draw_rate is not None:
        parts.append(f"draws {standings.draw_rate:.1%}")
    return ", ".join(parts)


def remarks(standings: Standings) -> list[str]:
    """The notes, and the meaning of the marks that the table bears."""
    lines = list(standings.notes)
    if any(bot.unreliable for bot in standings.bots):
        lines.append(f"{UNRELIABLE} forfeits more than 2 % of its games: do not trust its rating")
    if any(bot.over_budget for bot in standings.bots):
        lines.append(f"{OVER_BUDGET} takes more than its time per move in the mean")
    return lines


def marked_name(bot: BotStanding) -> str:
    """The name with the marks that its row bears."""
    marks = (UNRELIABLE if bot.unreliable else "") + (OVER_BUDGET if bot.over_budget else "")
    return f"{bot.name} {marks}" if marks else bot.name


def forfeit_text(bot: BotStanding) -> str:
    """The forfeits by kind, such as ``2 timeout, 1 crash``; a dot for none."""
    kinds = [f"{count} {kind}" for kind, count in bot.forfeits.items() if count]
    return ", ".join(kinds) or "."


RATING_COLUMNS = (
    "#", "bot", "elo", "+-95", "live", "games", "win", "draw", "loss", "win rate",
    "forfeits", "sims/s", "ms/move", "max ms",
)  # fmt: skip


def rating_cells(bot: BotStanding) -> tuple[str, ...]:
    """One row of the rating list as text, in the order of `RATING_COLUMNS`."""
    return (
        str(bot.rank),
        marked_name(bot),
        number(bot.elo),
        number(bot.error95),
        number(bot.elo_live),
        str(bot.games),
        str(bot.wins),
        str(bot.draws),
        str(bot.losses),
        f"{bot.win_rate:.1%}",
        forfeit_text(bot),
        number(bot.simulations_per_second, ",.0f"),
        number(bot.mean_move_ms, ".1f"),
        number(bot.max_move_ms, ".1f"),
    )


def rating_table(bots: Sequence[BotStanding]) -> Table:
    """The rating list, best first."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in RATING_COLUMNS:
        table.add_column(name, justify="left" if name in ("bot", "forfeits") else "right")
    for bot in bots:
        cells = [Text(visible(cell)) for cell in rating_cells(bot)]
        if bot.unreliable or bot.over_budget:
            cells[1].stylize("red")
        table.add_row(*cells)
    return table


def pair_cells(line: PairStanding) -> tuple[str, ...]:
    """One row of the pair table as text."""
    penta = " ".join(str(count) for count in line.pentanomial)
    return (line.a, line.b, str(line.wins), str(line.draws), str(line.losses), penta)


PAIR_COLUMNS = ("a", "b", "win", "draw", "loss", "pairs by points 0 1/2 1 3/2 2")


def pair_table(lines: Sequence[PairStanding]) -> Table:
    """Every two bots that met, from A's side."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for place, name in enumerate(PAIR_COLUMNS):
        table.add_column(name, justify="right" if 2 <= place <= 4 else "left")
    for line in lines:
        table.add_row(*(Text(visible(cell)) for cell in pair_cells(line)))
    return table
