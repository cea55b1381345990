"""Games as the replay viewer reads them: every cell computed here, so that no rule stands twice."""

from typing import Any

from db.records.games import GameRow, Thought
from engine.board import parse_board
from engine.position import Position

TEXT_LIMIT = 4000
"""Characters of a bot's own words that a page takes."""


def viewer_game(game: GameRow, reason: str) -> dict[str, Any]:
    """One game for the viewer.

    ``cells`` holds the row and the column of every stone in order, row 0 at the bottom; ``line``
    the winning cells; ``thoughts`` one list a move after the opening: milliseconds, value for the
    mover (-1..1), simulations or nodes, depth in plies, proof; what nobody told is null.

    Args:
        game: with its thoughts.
        reason: why the game is among those shown, such as ``upset``.

    """
    board = parse_board(game.board)
    position = Position(board)
    cells = []
    for column in game.moves:
        cells.append([position.landing_row(column), column])
        position = position.play(column)
    return {
        "id": game.id,
        "first": game.first,
        "second": game.second,
        "board": game.board,
        "rows": board.rows,
        "columns": board.columns,
        "forbidden": board.forbidden,
        "opening": game.opening_plies,
        "cells": cells,
        "line": sorted(position.winning_cells()),
        "result": game.result.value,
        "termination": game.termination.value.replace("_", " "),
        "detail": game.detail[:TEXT_LIMIT],
        "offender": game.offender,
        "started": game.started_at,
        "reason": reason,
        "thoughts": [_thought(thought) for thought in game.thoughts],
    }


def _thought(thought: Thought) -> list[Any]:
    value = None if thought.value is None else round(thought.value, 3)
    return [
        round(thought.time_us / 1000, 2),
        value,
        thought.simulations,
        thought.depth,
        thought.proven,
    ]
