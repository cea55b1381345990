"""Stored games as a list: their ids, who played whom, and how they ended."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.text import Text

from db.records.games import GameRow, GameSummary, Proof
from engine.result import Result, Termination
from reports.layout.cells import Cell
from reports.layout.fields import Field, columns_of, plain_values
from reports.layout.format import day, moment, values_of
from reports.layout.table import fit

SCORES = {Result.WIN: "1-0", Result.LOSS: "0-1", Result.DRAW: "1/2"}
"""Results as written on score sheets: points of the first mover, then of the second."""


def games_document(games: Sequence[GameSummary]) -> dict[str, Any]:
    """Return the document of `ladder games --json`."""
    return {"games": [plain_values(FIELDS, game) for game in games]}


def adjudication_document(ply: int, proof: Proof | None) -> dict[str, Any] | None:
    """Return the proof that ended a game after a ply; None for a game that was played out."""
    return None if proof is None else {"ply": ply, **values_of(proof, "value", "distance")}


def ending_words(termination: Termination) -> str:
    """Return a termination to follow the word *by*, such as ``four in a row``."""
    return termination.noun


def cause_words(game: GameRow) -> str:
    """Return the cause of a forfeit, or the proof of an adjudicated game; empty for other games."""
    proof = game.proof
    if proof is None:
        return game.detail
    if proof.value is Result.DRAW:
        return "nobody can avoid a draw"
    return f"the win is at most {proof.distance} {'ply' if proof.distance == 1 else 'plies'} away"


def page_document(games: Sequence[GameSummary], next_id: int | None) -> dict[str, Any]:
    """Return a page of ``/api/games``; `next_id` is the ``before=`` of the next page."""
    rows = games_document(games)["games"]
    for row, game in zip(rows, games, strict=True):
        row["started_at"] = moment_iso(game.started_at)
    return {"games": rows, "next": next_id}


def moment_iso(moment: float) -> str:
    """Return a time in epoch seconds as ISO 8601 in UTC."""
    return datetime.fromtimestamp(moment, UTC).isoformat()


def print_games(console: Console, games: Sequence[GameSummary]) -> None:
    """Print a line for each game, and the command that shows one."""
    if not games:
        console.print("no game matches")
        return
    console.print(fit(columns_of(FIELDS, games), console.width).table())
    shown = f"`ladder replay {games[0].id}` shows a game"
    console.print(shown, style="dim")


def _name(game: GameSummary, name: str) -> Text:
    return Text(name, style="bold" if name == game.winner else "")


def _termination(game: GameSummary, _: object) -> Text:
    style = "red" if game.termination.is_forfeit else ""
    return Text(ending_words(game.termination), style=style)


def _termination_cell(game: GameSummary, _: object) -> Cell:
    verdict = "lost" if game.termination.is_forfeit else ""
    return Cell(ending_words(game.termination), verdict=verdict)


def _result_cell(game: GameSummary, _: object) -> Cell:
    return Cell("draw" if game.winner is None else f"{game.winner} won")


FIELDS = (
    Field(
        "game",
        value=lambda game: game.id,
        head="game",
        page="game",
        text=lambda game, _: str(game.id),
        cell=lambda game, links: Cell(str(game.id), float(game.id), href=links.game_link(game.id)),
    ),
    Field(
        "first",
        head="first",
        page="first",
        text=lambda game, _: _name(game, game.first),
        cell=lambda game, links: Cell(game.first, href=links.bot_link(game.first)),
        is_number=False,
    ),
    Field(
        "second",
        head="second",
        page="second",
        text=lambda game, _: _name(game, game.second),
        cell=lambda game, links: Cell(game.second, href=links.bot_link(game.second)),
        is_number=False,
    ),
    Field(
        "result",
        head="result",
        page="result",
        text=lambda game, _: SCORES[game.result],
        cell=_result_cell,
        is_page_number=False,
    ),
    Field(
        "termination",
        head="by",
        page="by",
        text=_termination,
        cell=_termination_cell,
        is_number=False,
        level=1,
    ),
    Field("plies", head="plies", page="plies", level=2),
    Field("board", head="board", page="board", is_number=False, level=3),
    Field("adjudicated", value=lambda game: adjudication_document(game.plies, game.proof)),
    Field(
        "run",
        value=lambda game: game.run_id,
        head="run",
        page="run",
        text=lambda game, _: str(game.run_id),
        cell=lambda game, links: links.run_cell(game.run_id),
        level=4,
    ),
    Field(
        head="started",
        page="started",
        text=lambda game, _: moment(game.started_at),
        cell=lambda game, _: Cell(day(game.started_at), game.started_at),
        is_page_number=False,
        level=5,
    ),
)
"""The columns of lists of games; pages give the module of their links."""
