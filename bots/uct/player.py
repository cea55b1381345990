"""The part that all players with fast searches share: the course of a move, and its answer."""

import time
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from bots.budget import Budget
from bots.options import read_options
from bots.player import Choice, Info
from bots.simulation_budget import spend
from bots.uct.outcome import DRAWN, LOST, OPEN, WON
from bots.uct.root_choice import (
    Candidate,
    best_mean,
    best_proven,
)
from bots.uct.root_threats import (
    RootThreats,
    root_threats,
)
from bots.uct.settings import Settings
from engine.board import Board
from engine.lanes import board_words, stone_words
from engine.position import Position

MOST_SIMULATIONS_PER_MS = 3000
"""More simulations a millisecond than any machine makes; bounds the memory of a timed move."""
DESCENTS_PER_SIMULATION = 4
"""Descents per simulation asked for, after which a search with nothing new to find gives up."""
PV_PLIES = 16
OUTCOMES: dict[int, Literal["win", "draw", "loss"]] = {WON: "win", DRAWN: "draw", LOST: "loss"}

Node = TypeVar("Node")


class Statistics(NamedTuple):
    """The counts of one move's search."""

    new: int
    """Simulations of this move."""
    old: int
    """Descents into solved nodes of this move."""
    depth: int
    nodes: int


class SearchPlayer(ABC, Generic[Node]):
    """One side of one game. Its options are the fields of `Settings`.

    A subclass keeps the search's memory; `Node` is its name of a node.
    """

    def __init__(
        self, *, board: Board, side: int, seed: int, budget: Budget, **options: Any
    ) -> None:
        del side  # the moves give it
        self._board = board
        self._seed = seed
        self._budget = budget
        self._settings = self._read(options)
        self._words = board_words(board)
        # Compiles, or loads from the cache, everything that `choose` will call.
        self._allocate(64)
        self._run_every_kernel()
        self._simulations = budget.simulations or MOST_SIMULATIONS_PER_MS * (budget.time_ms or 1)
        self._allocate(self._simulations)

    def choose(self, moves: Sequence[int]) -> Choice:
        """The best column by the rules of the version."""
        started = time.perf_counter()
        self._set_position(tuple(moves))
        if exact := self._exact_answer():
            return exact
        if not self._solved():
            spend(self, self._budget, share=self._settings.clock_share, started=started)
        if not self._children(None):
            # The reused part of the tree has left no room for the root's own moves.
            self._allocate(self._simulations)
            self._begin(tuple(moves))
            self.advance(4 * self._board.columns)
        return self._answer()

    def _read(self, options: dict[str, Any]) -> Settings:
        return read_options(Settings, options)

    @abstractmethod
    def advance(self, simulations: int) -> bool:
        """Make new simulations; False when the root is solved."""

    @abstractmethod
    def _allocate(self, simulations: int) -> None:
        """Get memory for moves of `simulations` simulations and forget everything."""

    @abstractmethod
    def _begin(self, moves: tuple[int, ...]) -> None:
        """Make the position after the moves the root; `_set_position` has read it already."""

    def _exact_answer(self) -> Choice | None:
        """An exact answer without a search, where there is one."""
        return None

    @abstractmethod
    def _solved(self) -> bool:
        """Whether the root's result is proven."""

    @abstractmethod
    def _children(self, node: Node | None) -> list[tuple[Candidate, Node]]:
        """The visited children of a node, None for the root."""

    @abstractmethod
    def _statistics(self) -> Statistics:
        """The counts of this move."""

    def _run_every_kernel(self) -> None:
        """Call every kernel once, those of the step to the next move included."""
        self._set_position(())
        self.advance(3)
        self._set_position((self._children(None)[0][0].column,))
        self.advance(1)

    def _set_position(self, moves: tuple[int, ...]) -> None:
        self._position = Position.from_moves(self._board, moves)
        self._stones = stone_words(self._position)
        self._root_threats: RootThreats = root_threats(self._position)
        self._begin(moves)

    def _root_columns(self) -> int:
        """The columns to expand in a new root, as bits."""
        everything = sum(1 << column for column in self._position.legal_moves())
        if not self._settings.forced:
            return everything
        # With a win nothing else is expanded; else threats must be blocked, as far as they can.
        return self._root_threats.wins or self._root_threats.threats or everything

    def _answer(self) -> Choice:
        nodes = dict(self._children(None))
        best = self._best(list(nodes))
        proven = best.outcome if self._solved() or best.outcome == WON else OPEN
        exact = self._settings.distances or (best.outcome == WON and best.distance == 0)
        statistics = self._statistics()
        info = Info(
            simulations=statistics.new,
            solved_visits=statistics.old,
            depth=statistics.depth,
            value=2 * best.mean - 1,
            pv=self._principal_variation(best, nodes[best]),
            tree=statistics.nodes,
            proven=OUTCOMES.get(proven),
            distance=best.distance + 1 if exact and proven in (WON, LOST) else None,
        )
        return Choice(best.column, info)

    def _best(self, candidates: list[Candidate]) -> Candidate:
        """The choice of the move."""
        if self._settings.distances:
            return best_proven(candidates, self._board.columns)
        return best_mean(candidates, self._board.columns, self._root_threats.threats)

    def _principal_variation(self, best: Candidate, node: Node) -> tuple[int, ...]:
        columns = [best.column]
        while len(columns) < PV_PLIES and (children := self._children(node)):
            child, node = max(children, key=lambda pair: pair[0].visits)
            columns.append(child.column)
        return tuple(columns)
