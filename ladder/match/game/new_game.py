"""The first question of any game, and the deadlines of answers."""

import msgspec

from bots.protocol import READY_S, Budget, NewGame
from db.records.pairs import Entrant
from engine.board import Board

COMPILING_S = 600.0
"""Deadline of a built-in player's answer to a new game outside of rated games, in seconds."""


def make_new_game(entrant: Entrant, board: Board, *, game: str, side: int, seed: int) -> NewGame:
    """Return the question that begins a game for one side.

    Args:
        entrant: the bot; the host of built-in players becomes its player.
        board: the board of the game.
        game: a name for the game, for the bot's own logs.
        side: 0 if the bot moves first, 1 if it moves second.
        seed: random seed of the pair, below 2**53.

    """
    return NewGame(
        game=game,
        rows=board.rows,
        columns=board.columns,
        forbidden=board.forbidden,
        side=side,
        seed=seed,
        budget=entrant.budget,
        player=msgspec.UNSET if entrant.player is None else entrant.player,
    )


def ready_limit_s(entrant: Entrant) -> float:
    """Return the deadline of the answer to a new game outside of rated games.

    A built-in player may have to compile its kernels on a busy machine, and the user can stop the
    wait. A foreign bot has the time of the protocol.
    """
    return READY_S if entrant.player is None else COMPILING_S


def move_limit_us(budget: Budget, *, margin_ms: int, watchdog_s: float) -> int:
    """Return the deadline of a move in microseconds: time and margin, or else the watchdog."""
    if budget.time_ms is None:
        return int(watchdog_s * 1e6)
    return (budget.time_ms + margin_ms) * 1000
