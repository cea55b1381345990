"""A rating list from a file of games, as plain data and as text."""

from types import SimpleNamespace
from typing import Any

from rich.console import Console

from ladder.names import counted
from ladder.results.standings.pgn_list import FileRating
from ladder.stats.pool.rating import PoolRating
from reports.layout.fields import Field, columns_of
from reports.layout.format import rounded
from reports.layout.listing import Titled, print_lines, print_tables

BOUND = "only wins or only losses: the rating depends on the prior"


def rating_document(made: FileRating) -> dict[str, Any]:
    """Return the document of `ladder rate --json`."""
    rating = made.rating
    return {
        "games": made.games,
        "first_mover_advantage": rounded(float(rating.advantage[0]), 3),
        "draw_rate_equal": rating.draw_rate_equal and round(rating.draw_rate_equal, 5),
        "skipped": made.skipped,
        "players": [_player(rating, index) for index in ranking(rating)],
    }


def _player(rating: PoolRating, index: int) -> dict[str, Any]:
    games = float(rating.games[index])
    document: dict[str, Any] = {
        "name": rating.players[index],
        "elo": rounded(float(rating.elo[index]), 3),
        "error95": rounded(float(rating.error95[index]), 3),
        "games": round(games),
        "score": round(float(rating.points[index]) / games, 5),
        "elo_at_least": rounded(rating.at_least[index], 3),
        "elo_at_most": rounded(rating.at_most[index], 3),
    }
    if rating.bounded[index]:
        document["note"] = BOUND
    return document


PLAYERS = (
    Field("rank", "#", form="d"),
    Field("name", "player"),
    Field("elo", "elo", form=".1f"),
    Field("error95", "±95", form=".1f"),
    Field("games", "games", form="d"),
    Field("score", "score", form=".1%"),
    Field(head="", text=lambda row, _: _bound(row)),
)
"""The columns of the list, of a row as `SimpleNamespace`."""


def print_rating(console: Console, made: FileRating) -> None:
    """Print the list below the counts of games."""
    rating = made.rating
    draws = "-" if rating.draw_rate_equal is None else f"{rating.draw_rate_equal:.1%}"
    head = (
        f"{counted(made.games, 'game')}, first mover {float(rating.advantage[0]):+z.1f} Elo, "
        f"draws between equals {draws}"
        + (f", {counted(made.skipped, 'game')} without a result left out" if made.skipped else "")
    )
    rows = [
        SimpleNamespace(rank=rank, **_player(rating, index))
        for rank, index in enumerate(ranking(rating), start=1)
    ]
    print_lines(console, [head])
    print_tables(console, [Titled("", columns_of(PLAYERS, rows))])
    if bool(rating.bounded.any()):
        print_lines(console, [f"at least, at most: bounds at 95 % confidence; {BOUND}"])


def _bound(row: Any) -> str:
    if row.elo_at_least is not None:
        return f"at least {row.elo_at_least:z.1f}"
    return "" if row.elo_at_most is None else f"at most {row.elo_at_most:z.1f}"


def ranking(rating: PoolRating) -> list[int]:
    """Return the players' indices, best first."""
    return sorted(
        range(len(rating.players)), key=lambda index: (-rating.elo[index], rating.players[index])
    )
