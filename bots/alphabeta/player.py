"""The players ab1 to ab5: search depths and the statistics of a move."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from bots.alphabeta import search as kernel
from bots.alphabeta.versions import Settings
from bots.budget import Budget
from bots.move_budget import NodeBudget
from bots.options import read_options
from bots.player import Choice, Info, TimedPlayer
from engine.arrays import board_words, stone_words
from engine.board import Board
from engine.position import Position

HALF_WON = 50
"""Static value that is reported as 0.5."""


class SearchResult(NamedTuple):
    """The result of a search."""

    column: int
    score: int
    depth: int
    """Search depth in plies."""
    line: tuple[int, ...]
    is_complete: bool
    """Whether all root moves were searched to this depth."""
    is_exact: bool
    """Whether the score is the game's true result, without any static value."""

    @property
    def is_over(self) -> bool:
        """Whether a deeper search cannot change the result."""
        return self.is_exact or abs(self.score) > kernel.WIN // 2


class AlphaBetaPlayer(TimedPlayer):
    """One side of one game. Its options are the fields of `Settings`."""

    def __init__(
        self, *, board: Board, side: int, seed: int, budget: Budget, **options: Any
    ) -> None:
        del side, seed  # the moves determine the side, and there are no random choices
        self._board = board
        self._budget = budget
        self._settings = read_options(Settings, options)
        names = kernel.AlphaBetaParameters._fields
        self._parameters = kernel.AlphaBetaParameters(
            *(getattr(self._settings, name) for name in names)
        )
        self._words = board_words(board)
        self._stack = kernel.new_stack()
        columns: Iterable[int] = range(board.columns)
        self._distance = {column: abs(2 * column - board.columns + 1) for column in columns}
        if self._settings.central:
            columns = sorted(columns, key=lambda column: self._distance[column])
        self._order = tuple(columns)
        # Compile or load everything that `choose` calls.
        self._begin(Position(board), NodeBudget(Budget(depth=2), share=1, started=0))
        self._run(2, self._order)
        self._limit = self._settings.depth

    def choose(self, moves: Sequence[int]) -> Choice:
        """Return the best column of the deepest search that the budget allows."""
        started = self.now()
        share = self._settings.clock_share
        position = Position.from_moves(self._board, moves)
        self._begin(position, NodeBudget(self._budget, share=share, started=started, now=self.now))
        found = self._deepen()
        if found is None or (found.is_over and found.score <= 0 and not self._all_tried):
            # If the central columns do not win, all columns are searched.
            self._tries = set(position.legal_moves())
            found = self._deepen() or found or self._answer_at_once()
        return Choice(found.column, self._info(found))

    def _begin(self, position: Position, node_budget: NodeBudget) -> None:
        self._position = position
        self._node_budget = node_budget
        self._empty = self._board.cells - position.ply
        self._probed: tuple[int, ...] | None = None
        legal = set(position.legal_moves())
        self._tries = legal
        if position.ply < 2 * self._settings.central:
            # Within a third of the board around its middle line.
            near = {column for column in legal if 3 * self._distance[column] <= self._board.columns}
            self._tries = near or legal

    @property
    def _all_tried(self) -> bool:
        return len(self._tries) == len(self._position.legal_moves())

    def _deepen(self) -> SearchResult | None:
        """Return the result of the deepest finished search, None if no search finished."""
        if self._budget.depth is not None:
            return self._search(self._budget.depth)
        if self._settings.adaptive:
            return self._adapt_depth()
        best = None
        # Shallow searches are cheap and provide a result if the budget ends early.
        for depth in range(1, min(self._settings.depth, self._empty) + 1):
            found = self._search(depth)
            if found is None:
                break
            best = found
            if best.is_over:
                break
        return best

    def _adapt_depth(self) -> SearchResult | None:
        """Search to the depth of the last move, and adapt that depth to the cost.

        If a search ends within half of the budget, a deeper one follows. If half of the budget is
        spent during a search, the depth is reduced by one: the result is the one already found at
        that depth, or that of a search within half of the rest, and so on.
        """
        self._limit = max(1, min(self._limit, self._empty))
        best = None
        part = 0.5
        while True:
            found = self._search(self._limit, part)
            if found is None:
                if best is not None or self._limit == 1:
                    self._limit = max(1, self._limit - 1)
                    break
                self._limit -= 1
                part = (1 + part) / 2
                continue
            best = found
            if best.is_over or self._node_budget.is_past(part):
                break
            self._limit += 1
        return best

    def _search(self, depth: int, part: float = 1.0) -> SearchResult | None:
        """Search all moves to a depth; return None if that part of the budget was not enough."""
        depth = min(depth, self._empty)
        order = self._order
        if self._settings.probe and depth > self._settings.probe:
            if self._probed is None:
                self._probed = self._probe(part)
            order = self._probed or order
        return self._run(depth, order, part)

    def _probe(self, part: float) -> tuple[int, ...] | None:
        """Return the root's moves ordered by a shallow search."""
        if self._run(self._settings.probe, self._order, part, separate=True) is None:
            return None
        scores = self._stack.scores
        return tuple(sorted(self._order, key=lambda column: -int(scores[column])))

    def _run(
        self, depth: int, order: Sequence[int], part: float = 1.0, *, separate: bool = False
    ) -> SearchResult | None:
        self._set_up(depth, order, separate)
        visited = 0
        while grant := self._node_budget.grant(part):
            done = self._advance(visited + grant)
            nodes = int(self._stack.counters[kernel.NODES])
            self._node_budget.record(nodes - visited)
            if done:
                return self._result(depth)
            if nodes == visited:
                return None
            visited = nodes
        return None

    def _set_up(self, depth: int, order: Sequence[int], separate: bool) -> None:
        memory = self._stack
        memory.stones[:2] = stone_words(self._position)
        counters = memory.counters
        counters[:] = 0
        counters[kernel.ENTERING] = 1
        counters[kernel.DEPTH] = depth
        counters[kernel.EMPTY] = self._empty
        counters[kernel.SEPARATE] = separate
        memory.scores[:] = -kernel.INFINITY
        root = memory.frames[0]
        root[:] = 0
        root[kernel.ALPHA], root[kernel.BETA] = -kernel.INFINITY, kernel.INFINITY
        root[kernel.ORDER] = pack_columns(order)
        root[kernel.TRIES] = sum(1 << column for column in self._tries)

    def _advance(self, limit: int) -> bool:
        return kernel.search(
            self._words, self._stack, pack_columns(self._order), self._parameters, limit
        )

    def _result(self, depth: int) -> SearchResult:
        root = self._stack.frames[0]
        score = int(root[kernel.BEST])
        line = tuple(int(column) for column in self._stack.lines[0, : root[kernel.LENGTH]])
        exact = not self._stack.counters[kernel.STATIC]
        return SearchResult(int(root[kernel.MOVE]), score, depth, line, self._all_tried, exact)

    def _answer_at_once(self) -> SearchResult:
        """Return a win, a block or the first column if the budget allows no search at all."""
        self._set_up(min(2, self._empty), self._order, separate=False)
        if self._advance(kernel.STEP_NODES):
            return self._result(1)
        column = int(self._stack.frames[0, kernel.TRIED])
        return SearchResult(column, 0, 0, (column,), is_complete=False, is_exact=False)

    def _info(self, found: SearchResult) -> Info:
        score = found.score
        proven: Literal["win", "loss", "draw"] | None = None
        distance = None
        if abs(score) > kernel.WIN // 2:
            distance = kernel.WIN - abs(score)
            value = 1.0 if score > 0 else -1.0
            # A winning move wins whatever the other moves are worth.
            proven = "win" if score > 0 else "loss" if found.is_complete else None
        else:
            value = score / (abs(score) + HALF_WON)
            if found.is_complete and found.is_exact and not score:
                proven = "draw"
        return Info(
            nodes=self._node_budget.visited,
            depth=found.depth,
            value=value,
            proven=proven,
            distance=distance if proven else None,
            pv=found.line,
        )


def pack_columns(columns: Sequence[int]) -> int:
    """Pack columns into an integer: four bits each, the first one lowest, then `search.LAST`."""
    result = kernel.LAST
    for column in reversed(columns):
        result = result << 4 | column
    return result
