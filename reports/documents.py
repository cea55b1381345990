"""Standings as JSON, CSV and Markdown."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from engine.result import FORFEITS
from ladder.standings import BotStanding, Standings
from reports.tables import (
    PAIR_COLUMNS,
    RATING_COLUMNS,
    headline,
    pair_cells,
    rating_cells,
    remarks,
)


def to_json(document: object) -> str:
    """A JSON document, indented; floats that do not exist must be None already."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


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
        "first_mover_score": _rounded(standings.first_mover_score, 4),
        "first_mover_elo": {
            board: _rounded(elo, 1) for board, elo in standings.first_mover_elo.items()
        },
        "draw_rate": _rounded(standings.draw_rate, 4),
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
        "elo": _rounded(bot.elo, 1),
        "elo_live": _rounded(bot.elo_live, 1),
        "error95": _rounded(bot.error95, 1),
        "games": bot.games,
        "wins": bot.wins,
        "draws": bot.draws,
        "losses": bot.losses,
        "score": _rounded(bot.score, 4),
        "win_rate": _rounded(bot.win_rate, 4),
        "forfeits": dict(bot.forfeits),
        "unreliable": bot.unreliable,
        "over_budget": bot.over_budget,
        "simulations_per_second": _rounded(bot.simulations_per_second, 1),
        "mean_move_ms": _rounded(bot.mean_move_ms, 3),
        "max_move_ms": _rounded(bot.max_move_ms, 3),
        "reasons": dict(bot.reasons),
    }


CSV_COLUMNS = (
    "rank", "name", "elo", "error95", "elo_live", "games", "wins", "draws", "losses", "score",
    "win_rate", *(kind.value for kind in FORFEITS), "simulations_per_second", "mean_move_ms",
    "max_move_ms",
)  # fmt: skip


def standings_csv(standings: Standings) -> str:
    """The rating list as comma-separated values with a header line; empty where nothing exists."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    for bot in standings.bots:
        document = {**bot_document(bot), **bot.forfeits}
        writer.writerow(["" if document[key] is None else document[key] for key in CSV_COLUMNS])
    return output.getvalue()


def standings_markdown(standings: Standings) -> str:
    """The rating list and the pair table as Markdown."""
    parts = [
        headline(standings),
        markdown_table(RATING_COLUMNS, (rating_cells(bot) for bot in standings.bots)),
        markdown_table(PAIR_COLUMNS, (pair_cells(line) for line in standings.pairs_table)),
        *remarks(standings),
    ]
    return "\n\n".join(parts) + "\n"


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    lines = [
        "| " + " | ".join(columns) + " |",
        "|" + "---|" * len(columns),
        *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows),
    ]
    return "\n".join(lines)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)
