"""The state of a game in play, for its small board on the overview page."""

from math import isfinite
from typing import Any

from engine.board import parse_board
from engine.errors import EngineError
from engine.position import Position
from ladder.match.game.broadcast import BoardInPlay
from ladder.visible import visible
from reports.layout.links import bot_link


def board_state(game: BoardInPlay, *, shown_for_s: float) -> dict[str, Any] | None:
    """Return the state of a game as plain data, or None if its moves are not legal.

    Args:
        game: the game as broadcast.
        shown_for_s: seconds since it was sent.

    """
    try:
        board = parse_board(game.board)
        position = Position(board)
        cells = []
        for column in game.moves:
            cells.append([position.landing_row(column), column])
            position = position.play(column)
    except EngineError:
        return None
    over = game.result is not None or position.is_over
    sides = []
    for side in (0, 1):
        value, left_us = game.values[side], game.left_us[side]
        sides.append(
            {
                "name": visible(game.names[side]),
                "link": bot_link(game.names[side]),
                "value": value if value is not None and isfinite(value) else None,
                "last_ms": game.last_us[side] / 1000,
                "total_ms": game.time_us[side] / 1000,
                "budget_ms": game.time_ms[side],
                "left_ms": None if left_us is None else left_us / 1000,
            }
        )
    return {
        "worker": game.worker,
        "board": str(board),
        "rows": board.rows,
        "columns": board.columns,
        "forbidden": board.forbidden,
        "cells": cells,
        "line": sorted(position.winning_cells()) if position.is_over else [],
        "sides": sides,
        "mover": None if over else position.to_move,
        "since_ms": round(1000 * shown_for_s),
        "result": None if game.result is None else game.result.value,
        "by": "" if game.termination is None else game.termination.noun,
    }
