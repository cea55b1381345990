"""The first question of any game, and the deadlines of answers."""

import msgspec

from bots.game_clock import GameClock, moves_left
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
        budget=known_budget(entrant, board),
        player=msgspec.UNSET if entrant.player is None else entrant.player,
    )


def known_budget(entrant: Entrant, board: Board) -> Budget:
    """Return the budget in the terms of the bot.

    A bot that knows no clock is given the time per move that it can take for a whole game.
    """
    clock = GameClock.of(entrant.budget)
    if clock is None or entrant.budget.clock is None or entrant.knows_clock:
        return entrant.budget
    return Budget(time_ms=clock.share_ms(moves_left(board.cells, 0)))


def ready_limit_s(entrant: Entrant) -> float:
    """Return the deadline of the answer to a new game outside of rated games.

    A built-in player may have to compile its kernels on a busy machine, and the user can stop the
    wait. A foreign bot has the time of the protocol.
    """
    return READY_S if entrant.player is None else COMPILING_S


def move_limit_us(budget: Budget, *, margin_ms: int, watchdog_s: float) -> int:
    """Return the deadline of a game's first move in microseconds."""
    return SideClock(budget, margin_ms=margin_ms, watchdog_s=watchdog_s).limit_us


class SideClock:
    """The deadlines of one side's moves in a game: time and margin, or else the watchdog."""

    __slots__ = ("_fixed_us", "_margin_us", "game")

    def __init__(self, budget: Budget, *, margin_ms: int, watchdog_s: float) -> None:
        self.game = GameClock.of(budget)
        """What the side has left; None under a work budget."""
        self._margin_us = 1000 * margin_ms
        self._fixed_us = int(watchdog_s * 1e6)

    @property
    def limit_us(self) -> int:
        """The deadline of the next move."""
        return self._fixed_us if self.game is None else self.game.left_us + self._margin_us

    def spend(self, elapsed_us: int) -> None:
        """Charge a finished move."""
        if self.game is not None:
            self.game.spend(elapsed_us)
