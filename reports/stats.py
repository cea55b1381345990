"""Results of `ladder stats` and `ladder rate` as plain data and as text."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from ladder.names import counted
from ladder.stats.difference import difference_of
from ladder.stats.elo import estimate as estimate_of
from ladder.stats.own_rating import Rating
from ladder.stats.pool.rating import PoolRating
from ladder.stats.sprt import SprtResult, State
from ladder.tools.pgn_list import FileRating
from reports.layout.elo import rating_fields
from reports.layout.fields import Field, Table, plain_values
from reports.layout.format import number, rounded, values_of
from reports.layout.terminal import print_lines, print_tables

_STATES = {
    State.CONTINUE: "no decision yet",
    State.ACCEPT_H0: "H0 is accepted: the difference is elo0",
    State.ACCEPT_H1: "H1 is accepted: the difference is elo1",
}


def elo_document(counts: Sequence[int]) -> dict[str, Any]:
    """Return the document of `ladder stats elo --json`.

    `low`, `high`, `chance` and `verdict` are those of a match; the others those of fastchess.
    """
    estimate, difference = estimate_of(counts=counts), difference_of(counts)
    values = difference.values(digits=4)
    return {
        **values_of(estimate, "score", "elo", "error95", "nelo", "nelo_error95", "los"),
        "games": round(estimate.games),
        **{key: values[key] for key in ("low", "high", "verdict")},
        "chance": values["los"],
        **{key: values[key] for key in ("elo_at_least", "elo_at_most") if values[key] is not None},
    }


def elo_text(counts: Sequence[int]) -> str:
    """Return games, score, Elo, normalized Elo and chance as lines; a shutout has only a bound."""
    estimate, difference = estimate_of(counts=counts), difference_of(counts)
    lines = [
        f"games                {round(estimate.games)}",
        f"score                {number(estimate.score, '.4f')}",
        f"Elo                  {difference.words()}: {difference.word}",
        f"chance to be better  {difference.chance_words()}",
    ]
    if difference.error95 is not None:
        lines += [
            f"Elo as in fastchess  {number(estimate.elo, '+z.2f')}"
            f" ± {number(estimate.error95, '.2f')}",
            f"normalized Elo       {number(estimate.nelo, '.2f')}"
            f" ± {number(estimate.nelo_error95, '.2f')}",
        ]
    return "\n".join(lines)


def los_document(counts: Sequence[int]) -> dict[str, Any]:
    """Return the document of `ladder stats los --json`."""
    estimate = estimate_of(counts=counts)
    chance = difference_of(counts).values()["los"]
    return {"los": estimate.los, "games": round(estimate.games), "chance": chance}


def los_text(counts: Sequence[int]) -> str:
    """Return the chance to be better in a line."""
    return f"chance to be better: {difference_of(counts).chance_words()}"


def sprt_document(result: SprtResult) -> dict[str, Any]:
    """Return the document of `ladder stats sprt --json`."""
    return values_of(result, "llr", "lower", "upper", "state")


def sprt_text(result: SprtResult) -> str:
    """Return the log-likelihood ratio, its bounds and the decision in a line."""
    return (
        f"log-likelihood ratio {result.llr:.3f}, bounds {result.lower:.3f} and {result.upper:.3f}: "
        f"{_STATES[result.state]}"
    )


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
