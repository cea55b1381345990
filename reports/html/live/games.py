"""The states of boards in play and of games against people, for their pages."""

from collections.abc import Sequence
from math import isfinite
from typing import Any

from db.records.bots import HUMAN
from db.records.games import Thought
from engine.board import Board, parse_board
from engine.errors import EngineError
from engine.position import Position
from ladder.match.game.broadcast import BoardInPlay
from ladder.results.conditions import unstored_game
from ladder.tools.play.game import InteractiveGame
from ladder.visible import visible
from reports.html.viewer import viewer_game
from reports.layout.links import bot_link
from reports.play import replay_line


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


def play_state(
    game: InteractiveGame | None,
    *,
    bot: str,
    board: Board,
    person: int,
    start: Sequence[int],
    is_free: bool,
) -> dict[str, Any]:
    """Return the board of the page, and what the person may do, as plain data.

    Args:
        game: the game; None before it begins and after it has ended.
        bot: the bot's name.
        board: the board.
        person: the person's side.
        start: the columns played before the game began.
        is_free: whether the person may act.

    """
    position = Position.from_moves(board, tuple(start)) if game is None else game.position
    thoughts = [Thought(0)] * len(start) if game is None else game.thoughts
    names = (bot, HUMAN) if person else (HUMAN, bot)
    shown = viewer_game(unstored_game(position, names, thoughts), "")
    is_mine = position.to_move == person if game is None else game.is_persons_turn
    columns = list(position.legal_moves()) if is_mine and is_free else []
    return {
        "game": shown,
        "person": person,
        "start": len(start),
        "moves": list(position.moves),
        "line": "" if game is None or game.verdict is None else replay_line(position),
        "ended": game is not None and game.verdict is not None,
        "columns": columns,
        "landings": {column: position.landing_row(column) for column in columns},
        "can_undo": game is not None
        and is_free
        and any(ply % 2 == person for ply in range(len(start), position.ply)),
    }
