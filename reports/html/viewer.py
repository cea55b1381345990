"""Games for the replay viewer; all cells are computed here, as the script knows no rules."""

from collections.abc import Sequence
from typing import Any

from db.records.games import GameRow, Thought
from engine.board import parse_board
from engine.position import Position, parse_moves
from ladder.match.process.failures import remove_stderr
from ladder.results.analysis.division import GameTruth
from ladder.results.analysis.verdict import best_bounds
from reports.layout.format import values_of
from reports.replay import cause_words, truth_summary

TEXT_LIMIT = 4000
"""Characters of a bot's text that a page shows."""


def viewer_game(game: GameRow, reason: str = "", truth: GameTruth | None = None) -> dict[str, Any]:
    """Return a game for the viewer.

    ``cells`` has the row and column of every stone in order, with row 0 at the bottom; ``line``
    the winning cells; ``thoughts`` a list per move after the opening: milliseconds, value for the
    mover (-1..1), simulations, nodes, depth in plies, proof, and the cells of the expected line,
    each null if unknown. ``left`` has the milliseconds of the mover's clock after each of these
    moves; it is empty without a clock. ``truth`` has the true value of every column before each of
    these moves, as far as known, and ``values`` that of the position for the first player (1, 0,
    -1); ``estimates`` has a player's values where it is unknown. ``turning`` is the ply, from 0, of
    the turning point, which ``summary`` describes.

    Args:
        game: the game with its thoughts.
        reason: why a file has the game, such as ``upset``.
        truth: the result of its analysis; None if it was not analysed.

    """
    board = parse_board(game.board)
    position = Position(board)
    cells, thoughts = [], []
    for ply, column in enumerate(game.moves, start=1):
        cells.append([position.landing_row(column), column])
        position = position.play(column)
        place = ply - 1 - game.opening_plies
        if 0 <= place < len(game.thoughts):
            thoughts.append(_thought(game.thoughts[place], position))
    thoughts += [_thought(thought, None) for thought in game.thoughts[len(thoughts) :]]
    return {
        **values_of(game, "id", "first", "second", "board"),
        "rows": board.rows,
        "columns": board.columns,
        "forbidden": board.forbidden,
        "opening": game.opening_plies,
        "cells": cells,
        "line": sorted(position.winning_cells()),
        "result": game.result.value,
        "termination": game.termination.noun,
        "detail": cause_words(game)[:TEXT_LIMIT],
        "offender": game.offender,
        "started": game.started_at,
        "reason": reason,
        "thoughts": thoughts,
        "left": [round(left_us / 1000, 2) for left_us in game.left_us],
        **_truth_of(game, truth),
    }


def _truth_of(game: GameRow, truth: GameTruth | None) -> dict[str, Any]:
    """Return the result of a game's analysis; all empty if it was not analysed."""
    if truth is None:
        return {"truth": [], "values": [], "estimates": [], "turning": None, "summary": ""}
    turning = truth.turning_point
    values, estimates = [], []
    for place, columns in enumerate(truth.columns):
        sign = -1 if (game.opening_plies + place) % 2 else 1
        outcome, estimate = best_bounds(columns).outcome, truth.estimate(place)
        values.append(None if outcome is None else sign * outcome)
        estimates.append(None if estimate is None else round(sign * estimate, 3))
    return {
        "truth": truth.words,
        "values": values,
        "estimates": estimates,
        "turning": None if turning is None else game.opening_plies + turning,
        "summary": truth_summary(game, truth),
    }


def _thought(thought: Thought, after: Position | None) -> list[Any]:
    """Return the thought of a move; `after` is the position after it, None for an illegal move."""
    value = None if thought.value is None else round(thought.value, 3)
    return [
        round(thought.time_us / 1000, 2),
        value,
        thought.simulations,
        thought.nodes,
        thought.depth,
        thought.claim,
        [] if after is None else _expected(after, thought.line),
    ]


def _expected(position: Position, line: str) -> list[list[int | None]]:
    """Return the cells of the legal beginning of an expected line."""
    cells = []
    for column in parse_moves(line):
        if position.is_over or not position.can_play(column):
            break
        cells.append([position.landing_row(column), column])
        position = position.play(column)
    return cells


def failures(games: Sequence[GameRow]) -> list[GameRow]:
    """Return the forfeits among games."""
    return [game for game in games if game.offender is not None]


def failure_texts(game: GameRow, *, is_whole: bool = True) -> dict[str, Any]:
    """Return the cause of a forfeit, and if `is_whole` the bot's last output and messages."""
    output = game.last_output if is_whole else None
    cause = game.detail[:TEXT_LIMIT]
    return {
        "bot": game.second if game.offender else game.first,
        "cause": (cause if output is None else remove_stderr(cause)) or "no cause is stored",
        "stderr": "" if output is None else output.stderr[:TEXT_LIMIT],
        "messages": [] if output is None else output.messages,
    }
