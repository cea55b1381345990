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
from bots.champion import CHAMPION
from bots.warm import is_warm
from db.store import Store
from ladder.errors import UsageError
from ladder.openings.draw import search_value
from ladder.results.analysis.division import GameTruth
from ladder.results.analysis.verdict import Bounds, outcome_of

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
        known: returns the stored position with a key, None if there is none.
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


SECONDS = 10.0
"""Processor time of the solver for a game: hardly ever used up, but for the first plies of the
standard board."""
SIMULATIONS = 30_000
"""Simulations of the champion for a position: some 100 ms."""


@dataclass(slots=True)
class ReviewProgress:
    """The progress of a review."""

    positions: int
    """Positions of the game after its opening."""
    solved: int = 0
    """Positions that the solver has worked on."""
    decided: int = 0
    """Positions with a known result."""
    estimated: int = 0
    """Positions that the champion has estimated."""
    is_compiling: bool = False
    """Whether kernels are compiled, some 20 seconds, once."""

    @property
    def to_estimate(self) -> int:
        """Positions without a known result, once all have been solved."""
        return self.positions - self.decided if self.solved == self.positions else 0


@dataclass(frozen=True, slots=True)
class ReviewLimits:
    """The limits of a review."""

    nodes: int | None = None
    """The solver's node limit for a position; None to choose it by board and free cells."""
    seconds: float = SECONDS
    """The solver's processor time for all positions."""


@dataclass(frozen=True, slots=True)
class Review:
    """A reviewed game."""

    analysed: Analysed
    truth: GameTruth


def review_game(
    store: Store,
    game: GameRow,
    limits: ReviewLimits,
    *,
    is_stopped: Callable[[], bool] = lambda: False,
    on_progress: Callable[[ReviewProgress], None] = lambda _: None,
) -> Review | None:
    """Solve the positions of a game, and let the champion estimate those that stay unproven.

    Positions that are stored with as many nodes are not solved again. Nothing is stored.

    Args:
        store: holds solved positions.
        game: a game with its thoughts.
        limits: the limits of the solver.
        is_stopped: called at least every second, except while kernels are compiled; True ends the
            review, which then returns None.
        on_progress: called after each position.

    Raises:
        UsageError: the game has no moves after its opening.
        EngineError: a stored move is not legal.

    """
    replayed = ReplayedGame.of(game)
    if not replayed.positions:
        raise UsageError(
            f"game {game.id} has no moves after its opening: there is nothing to analyse"
        )
    progress = ReviewProgress(len(replayed.positions))

    def on_compile() -> None:
        progress.is_compiling = True
        on_progress(progress)

    def on_position(is_decided: bool) -> None:
        progress.is_compiling = False
        progress.solved += 1
        progress.decided += is_decided
        on_progress(progress)

    stored = store.analysis.solved(key for key, _ in replayed.keys)
    solvers = Solvers(on_compile=on_compile)
    started = time.process_time()
    on_progress(progress)
    made = analyse_game(
        replayed,
        stored.get,
        solvers,
        Effort(limits.nodes),
        is_stopped,
        on_position,
        lambda: time.process_time() - started - solvers.prepare_s >= limits.seconds,
    )
    if not made.is_complete:
        return None
    progress.is_compiling = progress.to_estimate > 0 and not is_warm([CHAMPION])
    on_progress(progress)
    estimates: list[float | None] = []
    for position, columns in zip(replayed.positions, made.columns, strict=True):
        if is_stopped():
            return None
        best = best_bounds(columns)
        is_open = best.outcome is None
        estimates.append(_estimate(position, best) if is_open else None)
        progress.estimated += is_open
        progress.is_compiling = progress.is_compiling and not progress.estimated
        on_progress(progress)
    return Review(made, GameTruth(made.columns, made.verdicts, estimates))


def _estimate(position: Position, bounds: Bounds) -> float | None:
    """Return the champion's value of a position, within its proven bounds."""
    value = search_value(position, player=CHAMPION, simulations=SIMULATIONS)
    if value is None:
        return None
    return float(min(max(value, outcome_of(bounds.low)), outcome_of(bounds.high)))


def save_review(store: Store, game: GameRow, made: Analysed) -> None:
    """Store what a review has solved, and the verdicts on a stored game.

    Raises:
        DatabaseError: the database cannot be written.

    """
    if not game.id:
        store.analysis.save(made.solved)
    elif made.solved or not store.analysis.judged(game.division_id, games=[game.id]):
        store.analysis.save(made.solved, made.verdict_on(game.id))
