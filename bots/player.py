"""The interface of a built-in player, as the host drives it."""

from collections.abc import Sequence
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import msgspec

from bots.budget import Budget
from engine.board import Board


class Info(msgspec.Struct, frozen=True, omit_defaults=True):
    """A player's statistics of one move; every field is optional."""

    simulations: int | None = None
    """Descents that ended in a new rollout or a new end node."""
    nodes: int | None = None
    depth: int | None = None
    """Plies."""
    value: float | None = None
    """-1 (lost) .. 1 (won) for the side that moves."""
    proven: Literal["win", "loss", "draw"] | None = None
    """A result that the search has proven, for the side that moves."""
    distance: int | None = None
    """Plies until the proven result."""
    pv: tuple[int, ...] | None = None
    """Expected columns, the move itself first."""
    tree: int | None = None
    """Nodes held in memory after the search."""
    solved_visits: int | None = None
    """Descents that ended in a node already solved; not counted as simulations."""


class Choice(NamedTuple):
    """A player's answer to one question."""

    column: int
    info: Info | None = None


class Player(Protocol):
    """One side of one game.

    A player is built for a game and dropped after it. Under a work budget its choices depend only
    on the arguments of its constructor and the questions it was asked since.
    """

    def choose(self, moves: Sequence[int]) -> Choice:
        """A legal column for the position after `moves`, within the budget of one move."""
        ...


@runtime_checkable
class Tidy(Protocol):
    """A player whose memory wants work between its moves.

    Its columns must not depend on whether it is called: a host may leave it out.
    """

    def tidy(self) -> None:
        """Free the memory that the move just made has left behind; no move's budget pays for it."""
        ...


class PlayerFactory(Protocol):
    """Builds a player for one game."""

    def __call__(self, *, board: Board, side: int, seed: int, budget: Budget) -> Player:
        """Build the player; everything slow (compiling, loading) happens here, not in `choose`.

        Args:
            board: the board of the game.
            side: 0 moves first.
            seed: below 2**53, the same for both sides.
            budget: of one move; of a kind that the version lists.

        """
        ...
