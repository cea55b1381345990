"""The interface between the host and a built-in player."""

import time
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import msgspec

from bots.budget import Budget, RemainingTime
from engine.board import Board


class Info(msgspec.Struct, frozen=True, omit_defaults=True):
    """Statistics of one move; all fields are optional."""

    simulations: int | None = None
    """Number of descents that ended in a new rollout or a new end of the game."""
    nodes: int | None = None
    depth: int | None = None
    """Depth in plies."""
    value: float | None = None
    """Value for the side to move, -1 (lost) to 1 (won)."""
    proven: Literal["win", "loss", "draw"] | None = None
    """Result that the search has proven, for the side to move."""
    distance: int | None = None
    """Plies to the proven end of the game."""
    pv: tuple[int, ...] | None = None
    """Principal variation as columns, from this move on."""
    tree: int | None = None
    """Number of nodes in memory after the search."""
    solved_visits: int | None = None
    """Number of descents that ended in a solved node, which do not count as simulations."""


PROVEN: dict[int, Literal["win", "draw", "loss"]] = {1: "win", 0: "draw", -1: "loss"}


def exact_info(column: int, outcome: int, distance: int | None, left: int) -> Info:
    """Return the statistics of an exact answer: 1, 0 or -1, with `left` plies to a full board."""
    return Info(
        depth=distance or left,
        value=float(outcome),
        proven=PROVEN[outcome],
        distance=distance,
        pv=(column,),
    )


class Choice(NamedTuple):
    """The move that a player chooses, with its statistics."""

    column: int
    info: Info | None = None


class Player(Protocol):
    """One side of one game.

    A player is built for one game. Under a work budget its choices depend only on the constructor's
    arguments and the moves requested since.
    """

    def choose(self, moves: Sequence[int]) -> Choice:
        """Choose a legal column for the position after `moves`, within the budget of one move."""
        ...


class TimedPlayer:
    """The base of players whose moves take time. Hosts call `set_clock` before each timed move."""

    _budget: Budget
    now: Callable[[], float] = time.perf_counter
    """The time in seconds, by which moves end."""

    def set_clock(self, clock: RemainingTime, ply: int) -> None:
        """Set the budget of the next move from the remaining time: here to a fair part of it."""
        del ply
        self._budget = Budget(time_ms=clock.move_ms)


@runtime_checkable
class Tidy(Protocol):
    """A player that does maintenance of its memory between moves.

    The choices must not depend on it, because a host need not call it.
    """

    def tidy(self) -> None:
        """Free memory after a move, outside of any move's budget."""
        ...


class PlayerFactory(Protocol):
    """A callable that builds a player for one game."""

    def __call__(self, *, board: Board, side: int, seed: int, budget: Budget) -> Player:
        """Build the player, including everything slow (compiling, loading).

        Args:
            board: the game's board.
            side: 0 moves first.
            seed: the game's seed below 2**53, the same for both sides.
            budget: the budget of one move, of a kind that the version lists.

        """
        ...
