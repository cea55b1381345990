"""One game: its positions solved from the end backwards, each move judged."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from db.records.analysis import GameVerdict, SolvedPosition
from db.records.games import GameRow, Thought
from engine.board import Board, parse_board
from engine.position import Position
from engine.position_key import key_of
from engine.solver.value import SOLVER_VERSION
from ladder.results.analysis.solved import (
    Columns,
    best_bounds,
    is_settled,
    pack_columns,
    solve_columns,
    unpack_columns,
)
from ladder.results.analysis.verdict import judge_move

if TYPE_CHECKING:
    from engine.solver.solver import Solver

TABLE_MIB = 64
"""Of the solver's table: a position of a game takes few nodes, and boards change often."""
OPEN_IN_A_ROW = 3
"""Positions that stayed open, after which the earlier ones of the game are only glanced at."""
GLANCE = 32
"""A glance has this part of the nodes."""
SOLVED_CELLS = 42
"""Boards with at most as many cells as the standard board are solved almost without exception."""
SOLVED_NODES = 1_000_000_000
"""Nodes for a position of such a board, hardly ever used up: with 38 free cells the outcomes of all
columns take 23 million nodes in the mean and took 66 million at most, but one column may need most
of them, and its share must suffice."""
LARGE_NODES = 1_000_000
"""Nodes for a position of a larger board with at most `NEAR_CELLS` free cells."""
NEAR_CELLS = 60
FAR_NODES = 200_000
"""Nodes for one with more free cells, which more nodes would rarely decide."""


@dataclass(frozen=True, slots=True)
class Effort:
    """The most nodes for a position."""

    nodes: int | None = None
    """For every position; None: chosen by the board and the free cells."""

    def on_board(self, board: Board) -> int:
        """Return the most nodes for any position of a board."""
        if self.nodes is not None:
            return self.nodes
        return SOLVED_NODES if board.cells <= SOLVED_CELLS else LARGE_NODES

    def at(self, position: Position) -> int:
        """Return the most nodes for a position."""
        board = position.board
        is_far = board.cells - position.ply > NEAR_CELLS
        return FAR_NODES if self.nodes is None and is_far else self.on_board(board)


class Solvers:
    """The solver of one board at a time; its table holds nothing of earlier games.

    Bounds that are found with limited nodes depend on the table, so an analysis that was
    interrupted could not be resumed to the same verdicts otherwise.
    """

    def __init__(self, table_mib: int = TABLE_MIB) -> None:
        self._table_mib = table_mib
        self._solver: Solver | None = None
        self._is_used = False

    def begin_game(self) -> None:
        """Have the table cleared before the next position is solved."""
        self._is_used = self._solver is not None

    def on(self, board: Board) -> "Solver":
        """Return the solver of a board."""
        if self._solver is None or self._solver.board != board:
            self._solver = None  # its table goes before the next one comes
            from engine.solver.solver import Solver  # loads the compiler

            self._solver = Solver(board, table_mib=self._table_mib)
        elif self._is_used:
            self._solver.clear()
        self._is_used = False
        return self._solver


@dataclass(slots=True)
class Analysed:
    """The verdicts on a game, and the positions that were solved for them."""

    verdict: GameVerdict | None = None
    """None: it was stopped; the game has to be analysed again."""
    solved: list[SolvedPosition] = field(default_factory=list)
    """The positions that were solved anew."""


def replay_positions(game: GameRow) -> list[Position]:
    """The position before each move after the opening."""
    position = Position.from_moves(parse_board(game.board), game.moves[: game.opening_plies])
    found = []
    for column in game.moves[game.opening_plies :]:
        found.append(position)
        position = position.play(column)
    return found


def analyse_game(
    game: GameRow,
    known: Callable[[list[bytes]], Mapping[bytes, SolvedPosition]],
    solvers: Solvers,
    effort: Effort,
    is_stopped: Callable[[], bool] = lambda: False,
    on_position: Callable[[bool], None] = lambda _: None,
) -> Analysed:
    """Judge the moves of a game.

    Late positions come first: they are easy, and what the solver learns there serves the earlier
    ones. Once several in a row stay open, the earlier ones get fewer nodes, in which a win near at
    hand is still found; a position for which its bot claims a proof always gets all of them.

    Args:
        game: with its thoughts.
        known: gives those of some positions that were solved before, by key.
        solvers: solve the others.
        effort: the most nodes for one position.
        is_stopped: asked before each position; then nothing more is solved.
        on_position: called after each position with whether its result is known.

    """
    solvers.begin_game()
    positions = replay_positions(game)
    keys = [key_of(position) for position in positions]
    before = known([key for key, _ in keys])
    made = Analysed()
    moves: list[bytes] = []
    open_in_a_row = 0
    for place in reversed(range(len(positions))):
        if is_stopped():
            return made
        position, (key, is_image) = positions[place], keys[place]
        thought = game.thoughts[place] if place < len(game.thoughts) else Thought(0)
        full = open_in_a_row < OPEN_IN_A_ROW or thought.proven is not None
        nodes = effort.at(position)
        budget = nodes if full else max(1, nodes // GLANCE)
        columns = _known_columns(before.get(key), budget, is_image=is_image)
        if columns is None:
            columns = solve_columns(solvers.on(position.board), position, budget)
            content = pack_columns(columns, is_image=is_image)
            made.solved.append(SolvedPosition(key, SOLVER_VERSION, budget, content))
        is_decided = best_bounds(columns).outcome is not None
        open_in_a_row = 0 if is_decided else open_in_a_row + 1
        on_position(is_decided)
        column = game.moves[game.opening_plies + place]
        verdict = judge_move(columns, column, thought)
        moves.append(verdict.pack())
    most = effort.on_board(parse_board(game.board))
    made.verdict = GameVerdict(game.id, SOLVER_VERSION, most, b"".join(reversed(moves)))
    return made


def _known_columns(found: SolvedPosition | None, nodes: int, *, is_image: bool) -> Columns | None:
    """The columns of a position that was solved before; None: it must be solved."""
    if found is None or found.solver_version != SOLVER_VERSION:
        return None
    columns = unpack_columns(found.bounds, is_image=is_image)
    return columns if found.nodes >= nodes or is_settled(columns) else None
