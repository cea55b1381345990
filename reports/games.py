"""Stored games as a list: their ids, who played whom, and how they ended."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from rich.console import Console
from rich.text import Text

from db.records.games import GameRow, GameSummary, Proof
from engine.result import Result, Termination
from reports.layout.format import moment, values_of
from reports.layout.table import Column, fit

SCORES = {Result.WIN: "1-0", Result.LOSS: "0-1", Result.DRAW: "1/2"}
"""Results as written on score sheets: points of the first mover, then of the second."""


def games_document(games: Sequence[GameSummary]) -> dict[str, Any]:
    """Return the document of `ladder games --json`."""
    return {
        "games": [
            {
                "game": game.id,
                **values_of(game, "first", "second", "board", "result", "termination", "plies"),
                "adjudicated": adjudication_document(game.plies, game.proof),
                "run": game.run_id,
            }
            for game in games
        ]
    }


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
    console.print(fit(_columns(games), console.width).table())
    shown = f"`ladder replay {games[0].id}` shows a game"
    console.print(shown, style="dim")


def _columns(games: Sequence[GameSummary]) -> list[Column]:
    return [
        Column("game", [str(game.id) for game in games]),
        Column("first", [_name(game, game.first) for game in games], number=False),
        Column("second", [_name(game, game.second) for game in games], number=False),
        Column("result", [SCORES[game.result] for game in games]),
        Column("by", [_termination(game) for game in games], number=False, level=1),
        Column("plies", [str(game.plies) for game in games], level=2),
        Column("board", [game.board for game in games], number=False, level=3),
        Column("run", [str(game.run_id) for game in games], level=4),
        Column("started", [moment(game.started_at) for game in games], level=5),
    ]


def _name(game: GameSummary, name: str) -> Text:
    return Text(name, style="bold" if name == game.winner else "")


def _termination(game: GameSummary) -> Text:
    style = "red" if game.termination.is_forfeit else ""
    return Text(ending_words(game.termination), style=style)
