"""Analysis of one game: solve its positions from the end backwards, judge each move."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from db.records.analysis import GameVerdict, SolvedPosition
from db.records.games import GameRow, Thought
from engine.board import Board, parse_board
from engine.position import Position
from engine.position_key import key_of
from engine.solver.value import SOLVER_VERSION
from ladder.results.analysis.verdict import (
    Columns,
    MoveVerdict,
    best_bounds,
    is_settled,
    judge_move,
    pack_columns,
    replay_positions,
    solve_columns,
    unpack_columns,
)
from ladder.search_watch import SearchWatch

if TYPE_CHECKING:
    from engine.solver.solver import Solver

TABLE_MIB = 64
"""Size of the solver's table. It is small, because positions take few nodes and boards change."""
OPEN_IN_A_ROW = 3
"""After this many open positions in a row, earlier ones get the small node limit."""
SMALL_LIMIT = 32
"""The small node limit is the full one divided by this."""
SOLVED_CELLS = 42
"""Boards with at most as many cells as the standard board are almost always solved."""
SOLVED_NODES = 1_000_000_000
"""Node limit for a position of such a board, hardly ever reached: with 38 free cells the outcomes
of all columns take 23 million nodes on average and took at most 66 million. But one column may
need most of them, and gets only its share of the limit."""
LARGE_NODES = 1_000_000
"""Node limit for a position of a larger board with at most `NEAR_CELLS` free cells."""
NEAR_CELLS = 60
FAR_NODES = 200_000
"""Node limit with more free cells, where more nodes would rarely decide the position."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The node limits of an analysis."""

    nodes: int | None = None
    """Limit for every position; None to choose it by board and free cells."""

    def on_board(self, board: Board) -> int:
        """Return the highest limit for positions of a board."""
        if self.nodes is not None:
            return self.nodes
        return SOLVED_NODES if board.cells <= SOLVED_CELLS else LARGE_NODES

    def at(self, position: Position) -> int:
        """Return the limit for a position."""
        board = position.board
        is_far = board.cells - position.ply > NEAR_CELLS
        return FAR_NODES if self.nodes is None and is_far else self.on_board(board)


class Solvers:
    """A solver for one board at a time, with an empty table for each game.

    Bounds found within a node limit depend on the table. Without clearing it, a resumed analysis
    would reach other verdicts than an uninterrupted one.
    """

    def __init__(
        self, table_mib: int = TABLE_MIB, *, on_compile: Callable[[], None] = lambda: None
    ) -> None:
        """Allocate nothing yet.

        Args:
            table_mib: the size of the table in MiB.
            on_compile: called before kernels are compiled.

        """
        self.prepare_s = 0.0
        """Processor time for loading or compiling kernels."""
        self._table_mib = table_mib
        self._on_compile = on_compile
        self._solver: Solver | None = None
        self._is_used = False

    def begin_game(self) -> None:
        """Clear the table before the next position is solved."""
        self._is_used = self._solver is not None

    def on(self, board: Board) -> "Solver":
        """Return the solver for a board."""
        if self._solver is None or self._solver.board != board:
            self._solver = None  # free its table before the next one is allocated
            from engine.solver.solver import Solver  # loads the compiler

            started = time.process_time()
            self._solver = Solver(board, table_mib=self._table_mib)
            if not self._solver.is_compiled:
                self._on_compile()
            self._solver.prepare()
            self.prepare_s += time.process_time() - started
        elif self._is_used:
            self._solver.clear()
        self._is_used = False
        return self._solver


@dataclass(slots=True)
class Analysed:
    """The verdicts on a game, and the positions that were solved for them."""

    nodes: int
    """Node limit for each position; 0 if time was short, so that the game is analysed again."""
    columns: list[Columns] = field(default_factory=list)
    """The columns before each move after the opening."""
    verdicts: list[MoveVerdict] = field(default_factory=list)
    """The verdict on each of these moves."""
    solved: list[SolvedPosition] = field(default_factory=list)
    """The newly solved positions."""
    is_complete: bool = False
    """Whether all moves were judged; if not, the analysis was stopped."""

    def verdict_on(self, game_id: int) -> GameVerdict:
        """Return the verdicts in the form in which they are stored."""
        moves = b"".join(verdict.pack() for verdict in self.verdicts)
        return GameVerdict(game_id, SOLVER_VERSION, self.nodes, moves)


@dataclass(frozen=True, slots=True)
class ReplayedGame:
    """A game with its thoughts, and the positions to solve."""

    game: GameRow
    positions: list[Position]
    """The position before each move after the opening."""
    keys: list[tuple[bytes, bool]]
    """Key of each position, and whether it is that of the mirror image."""

    @classmethod
    def of(cls, game: GameRow) -> "ReplayedGame":
        """Replay a game."""
        positions = replay_positions(game)
        return cls(game, positions, [key_of(position) for position in positions])


def analyse_game(
    replayed: ReplayedGame,
    known: Callable[[bytes], SolvedPosition | None],
    solvers: Solvers,
    effort: Effort,
    is_stopped: Callable[[], bool] = lambda: False,
    on_position: Callable[[bool], None] = lambda _: None,
    is_late: Callable[[], bool] = lambda: False,
) -> Analysed:
    """Judge the moves of a game.

    Late positions come first: they are easy, and fill the solver's table for the earlier ones. Once
    several in a row stay open, earlier ones get a small node limit, which still finds short wins.
    Positions for which the bot claims a proof always get the full limit.

    Args:
        replayed: the game.
        known: returns the stored position with a key, None if it is not stored.
        solvers: solve the other positions.
        effort: the node limits.
        is_stopped: called before and while a position is searched; True ends the analysis.
        on_position: called after each position with whether its result is known.
        is_late: called then, too; once it is true, positions are searched no further.

    """
    solvers.begin_game()
    game, positions, keys = replayed.game, replayed.positions, replayed.keys
    made = Analysed(effort.on_board(parse_board(game.board)))
    open_in_a_row = 0
    for place in reversed(range(len(positions))):
        if is_stopped():
            return made
        position, (key, is_image) = positions[place], keys[place]
        thought = game.thoughts[place] if place < len(game.thoughts) else Thought(0)
        is_full = open_in_a_row < OPEN_IN_A_ROW or thought.proven is not None
        nodes = effort.at(position)
        limit = nodes if is_full else max(1, nodes // SMALL_LIMIT)
        columns = _known_columns(known(key), limit, is_image=is_image)
        if columns is None:
            solver = solvers.on(position.board)
            watch = SearchWatch([solver], lambda: is_stopped() or is_late())
            columns = watch.wait(partial(solve_columns, solver, position, limit))
            if is_stopped():
                return made
            if is_late():
                limit, made.nodes = 1, 0
            earlier = _known_columns(known(key), limit, is_image=is_image)
            if earlier is None:
                content = pack_columns(columns, is_image=is_image)
                made.solved.append(SolvedPosition(key, SOLVER_VERSION, limit, content))
            columns = earlier or columns
        is_decided = best_bounds(columns).outcome is not None
        open_in_a_row = 0 if is_decided else open_in_a_row + 1
        on_position(is_decided)
        column = game.moves[game.opening_plies + place]
        made.columns.insert(0, columns)
        made.verdicts.insert(0, judge_move(columns, column, thought))
    made.is_complete = True
    return made


def _known_columns(found: SolvedPosition | None, nodes: int, *, is_image: bool) -> Columns | None:
    """Return the columns of a stored position, or None if it must be solved."""
    if found is None or found.solver_version != SOLVER_VERSION:
        return None
    columns = unpack_columns(found.bounds, is_image=is_image)
    return columns if found.nodes >= nodes or is_settled(columns) else None
