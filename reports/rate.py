"""A rating list from a file of games, as plain data and as text."""

from dataclasses import dataclass
from typing import Any

from rich.console import Console

from ladder.names import counted
from ladder.stats.own_rating import Rating
from ladder.stats.pool.rating import PoolRating
from ladder.tools.pgn_list import FileRating
from reports.layout.elo import rating_fields
from reports.layout.fields import Field, Table, plain_values
from reports.layout.format import rounded
from reports.layout.listing import print_lines, print_tables

BOUND = "only wins or only losses: the rating depends on the prior"


def rating_document(made: FileRating) -> dict[str, Any]:
    """Return the document of `ladder rate --json`."""
    rating = made.rating
    return {
        "games": made.games,
        "first_mover_advantage": rounded(float(rating.advantage[0]), 3),
        "draw_rate_equal": rating.draw_rate_equal and round(rating.draw_rate_equal, 5),
        "skipped": made.skipped,
        "players": [_document(player) for player in _players(rating)],
    }


PLAYERS = (
    Field("rank", "#", form="d"),
    Field("name", "player"),
    *rating_fields(lambda row: row.rating, digits=3),
    Field("games", "games", form="d"),
    Field("score", "score", digits=5, form=".1%"),
    Field("note"),
)
"""The columns of the list."""


@dataclass(frozen=True, slots=True)
class _Player:
    """A player of the list."""

    rank: int
    name: str
    rating: Rating
    games: int
    score: float

    @property
    def note(self) -> str | None:
        """Why the Elo is only a bound; None if it is not."""
        return None if self.rating.is_measured else BOUND


def _players(rating: PoolRating) -> list[_Player]:
    return [
        _Player(
            rank,
            rating.players[place],
            rating.rating(place),
            round(float(rating.games[place])),
            float(rating.points[place] / rating.games[place]),
        )
        for rank, place in enumerate(ranking(rating), start=1)
    ]


def print_rating(console: Console, made: FileRating) -> None:
    """Print the list below the counts of games."""
    rating = made.rating
    draws = "-" if rating.draw_rate_equal is None else f"{rating.draw_rate_equal:.1%}"
    head = (
        f"{counted(made.games, 'game')}, first mover {float(rating.advantage[0]):+z.1f} Elo, "
        f"draws between equals {draws}"
        + (f", {counted(made.skipped, 'game')} without a result left out" if made.skipped else "")
    )
    print_lines(console, [head])
    print_tables(console, [Table(PLAYERS, _players(rating))])
    if bool(rating.bounded.any()):
        print_lines(console, [f"at least, at most: ends of 95 % intervals; {BOUND}"])


def _document(player: _Player) -> dict[str, Any]:
    values = plain_values(PLAYERS, player)
    del values["rank"]
    if player.note is None:
        del values["note"]
    return values


def ranking(rating: PoolRating) -> list[int]:
    """Return the players' indices, best first."""
    return sorted(
        range(len(rating.players)), key=lambda index: (-rating.elo[index], rating.players[index])
    )
