"""The base of all players with fast searches: the steps of a move and its result."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, Literal, NamedTuple, TypeVar

from bots.budget import Budget
from bots.move_budget import spend
from bots.player import Choice, Info, TimedPlayer
from bots.uct.nodes import DRAWN, LOST, OPEN, WON
from bots.uct.root import Candidate, RootThreats, best_mean, best_proven, root_threats
from bots.uct.settings import SearchSettings
from engine.arrays import board_words, stone_words
from engine.board import Board
from engine.position import Position

DESCENTS_PER_SIMULATION = 4
"""Descents per requested simulation after which a search without new nodes stops."""
PV_PLIES = 16
OUTCOMES: dict[int, Literal["win", "draw", "loss"]] = {WON: "win", DRAWN: "draw", LOST: "loss"}

Node = TypeVar("Node")


class Statistics(NamedTuple):
    """The counters of one move's search."""

    new: int
    """Simulations of this move."""
    old: int
    """Descents into solved nodes of this move."""
    depth: int
    nodes: int


class SearchPlayer(TimedPlayer, ABC, Generic[Node]):
    """One side of one game.

    A subclass has the settings and the search's memory; `Node` is its type of a node.
    """

    _settings: SearchSettings
    _most_simulations_per_ms = 3000
    """More simulations per millisecond than any machine makes, to size the memory of a move."""
    _forced = True
    """v8: only a win is expanded if there is one, else the blocks of threats."""
    _distances = True
    """v11: the shortest win and the longest resistance."""

    def __init__(
        self, *, board: Board, side: int, seed: int, budget: Budget, **options: Any
    ) -> None:
        del side  # the moves determine it
        self._board = board
        self._seed = seed
        self._budget = budget
        self._read(options)
        self._words = board_words(board)
        # Compile or load everything that `choose` calls.
        self._allocate(64)
        self._run_every_kernel()
        most = self._most_simulations_per_ms * (budget.time_ms or 1)
        self._simulations = budget.simulations or most
        self._allocate(self._simulations)

    def choose(self, moves: Sequence[int]) -> Choice:
        """Return the best column by the rules of the version."""
        started = self.now()
        self._set_position(tuple(moves))
        if exact := self._exact_answer(started):
            return exact
        if not self._solved():
            spend(
                self, self._budget, share=self._settings.clock_share, started=started, now=self.now
            )
        if not self._children(None):
            # The reused part of the tree has left no space for the root's moves.
            self._allocate(self._simulations)
            self._begin(tuple(moves))
            self.advance(4 * self._board.columns)
        return self._answer()

    @abstractmethod
    def _read(self, options: dict[str, Any]) -> None:
        """Read the settings, and switch the ideas off that they do not contain."""

    def advance(self, simulations: int) -> bool:
        """Make new simulations; return False if the root is solved."""
        self._search(simulations, DESCENTS_PER_SIMULATION * simulations)
        return not self._solved()

    @abstractmethod
    def _search(self, simulations: int, descents: int) -> None:
        """Make new simulations, but no more than this number of descents."""

    @abstractmethod
    def _allocate(self, simulations: int) -> None:
        """Allocate memory for moves of `simulations` simulations, without any nodes."""

    @abstractmethod
    def _begin(self, moves: tuple[int, ...]) -> None:
        """Make the position after the moves the root; `_set_position` was called before."""

    def _exact_answer(self, started: float) -> Choice | None:
        """Return an exact answer without a search, or None; the move began at `started`."""
        return None

    @abstractmethod
    def _solved(self) -> bool:
        """Return whether the root's result is proven."""

    @abstractmethod
    def _children(self, node: Node | None) -> list[tuple[Candidate, Node]]:
        """Return the visited children of a node (None means the root)."""

    @abstractmethod
    def _statistics(self) -> Statistics:
        """Return the counters of this move."""

    def _run_every_kernel(self) -> None:
        """Call every kernel once, including those that move the root."""
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
        """Return the columns to expand in a new root, as bits."""
        everything = sum(1 << column for column in self._position.legal_moves())
        if not self._forced:
            return everything
        return self._root_threats.wins or self._root_threats.threats or everything

    def _answer(self) -> Choice:
        nodes = dict(self._children(None))
        best = self._best(list(nodes))
        proven = best.outcome if self._solved() or best.outcome == WON else OPEN
        exact = self._distances or (best.outcome == WON and best.distance == 0)
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
        """Return the best candidate for the move."""
        if self._distances:
            return best_proven(candidates, self._board.columns)
        return best_mean(candidates, self._board.columns, self._root_threats.threats)

    def _principal_variation(self, best: Candidate, node: Node) -> tuple[int, ...]:
        columns = [best.column]
        while len(columns) < PV_PLIES and (children := self._children(node)):
            child, node = max(children, key=lambda pair: pair[0].visits)
            columns.append(child.column)
        return tuple(columns)
