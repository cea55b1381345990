"""Puzzles, which are positions with exactly one right move, and files of puzzles (JSON Lines)."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from engine.board import Board, parse_board
from engine.errors import EngineError
from engine.layout import LANE, MAX_SIDE
from engine.position import Position, connects_four, format_moves, geometry, parse_moves
from engine.solver.value import Outcome
from ladder.errors import UsageError
from ladder.results.analysis.game import Solvers
from ladder.results.analysis.verdict import Columns, best_bounds, distance_of, solve_columns
from ladder.visible import visible

if TYPE_CHECKING:
    from engine.solver.solver import Solver

SHIPPED = Path(__file__).with_name("shipped")
"""The suites that come with the program."""
CHECK_NODES = 20_000_000
"""The most nodes for checking one position."""
TABLE_MIB = 64


class Puzzle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A position in which one move keeps the result and all others lose it."""

    board: str
    moves: str
    """The columns that lead to the position."""
    answer: Annotated[int, Meta(ge=0, lt=MAX_SIDE)]
    """The right column."""
    value: Literal["win", "draw"]
    """The value of the position for the side to move."""
    distance: Annotated[int, Meta(gt=0, le=MAX_SIDE**2)] | None
    """Plies to the end under best play, including the answer; null for a draw."""
    theme: Annotated[str, Meta(min_length=1, max_length=40, pattern=r"\A[a-z0-9 _-]+\Z")]

    @property
    def position(self) -> Position:
        """The position.

        Raises:
            EngineError: the board or the moves are invalid.

        """
        return Position.from_moves(parse_board(self.board), parse_moves(self.moves))


@dataclass(frozen=True, slots=True)
class Suite:
    """Checked puzzles under a name."""

    name: str
    puzzles: tuple[Puzzle, ...]

    @property
    def content_hash(self) -> str:
        """32 hex digits of the hash of the puzzles in their order."""
        return hashlib.sha256(text_of(self.puzzles).encode()).hexdigest()[:32]

    @property
    def themes(self) -> tuple[str, ...]:
        """The distinct themes in alphabetical order."""
        return tuple(sorted({puzzle.theme for puzzle in self.puzzles}))


def text_of(puzzles: Sequence[Puzzle]) -> str:
    """Return puzzles as the text of a file."""
    return "".join(msgspec.json.encode(puzzle).decode() + "\n" for puzzle in puzzles)


def puzzle_of(position: Position, columns: Columns, theme: str) -> Puzzle:
    """Return the puzzle of a position that has one right column."""
    best = best_bounds(columns)
    right = right_column(columns)
    outcome = best.outcome
    if right is None or outcome not in (Outcome.WIN, Outcome.DRAW):
        raise ValueError(f"{position.notation()} does not have exactly one right move")
    return Puzzle(
        board=str(position.board),
        moves=format_moves(position.moves),
        answer=right,
        value="win" if outcome is Outcome.WIN else "draw",
        distance=distance_of(best.low) if best.is_exact else None,
        theme=theme,
    )


def right_column(columns: Columns) -> int | None:
    """Return the only column that keeps the value.

    None if unknown, if several do, or if only one move is legal.
    """
    outcome = best_bounds(columns).outcome
    if outcome is None:
        return None
    legal = [index for index, column in enumerate(columns) if column is not None]
    keeping = []
    for index in legal:
        known = columns[index]
        if known is not None and known.outcome is outcome:
            keeping.append(index)
        elif known is not None and known.outcome is None and known.high >= int(outcome):
            return None
    return keeping[0] if len(keeping) == 1 < len(legal) else None


def read_suite(word: str, check: Callable[[int, int], None] = lambda *_: None) -> Suite:
    """Read a suite from a file or from those of the program, and check each answer.

    Args:
        word: A file, or the name of a suite such as ``standard``.
        check: Called with the number of checked positions and of all positions.

    Raises:
        UsageError: the file is missing, or a line is not a puzzle or has a wrong answer.

    """
    file = Path(word)
    if not file.exists() and (SHIPPED / f"{word}.jsonl").exists():
        file = SHIPPED / f"{word}.jsonl"
    name = visible(word)
    try:
        lines = list(_lines(name, file.read_text(encoding="utf-8-sig")))
    except OSError as error:
        known = ", ".join(sorted(repr(path.stem) for path in SHIPPED.glob("*.jsonl")))
        raise UsageError(
            f"{name} cannot be read: {error.strerror}: name a file, or one of the suites that "
            f"come with the program ({known or 'none'})"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{name} is not a text file: write one JSON object per line") from error
    if not lines:
        raise UsageError(f"{name} has no position: make some with `ladder suite make`")
    solvers = Solvers(TABLE_MIB)
    for done, (number, puzzle) in enumerate(lines):
        check(done, len(lines))
        _check(name, number, puzzle, solvers)
    return Suite(file.stem, tuple(puzzle for _, puzzle in lines))


def _lines(name: str, text: str) -> Iterator[tuple[int, Puzzle]]:
    seen: dict[tuple[Board, tuple[int, int]], int] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            puzzle = msgspec.json.decode(line, type=Puzzle)
            position = puzzle.position
        except (msgspec.DecodeError, msgspec.ValidationError, EngineError) as error:
            raise UsageError(f"{name}, line {number}: {visible(str(error))}") from error
        if position.is_over:
            raise UsageError(f"{name}, line {number}: the game is over after these moves")
        if not position.can_play(puzzle.answer):
            raise UsageError(f"{name}, line {number}: column {puzzle.answer} cannot be played")
        former = seen.setdefault((position.board, position.stones), number)
        if former != number:
            raise UsageError(f"{name}, line {number}: it repeats the position of line {former}")
        yield number, puzzle


def _check(name: str, number: int, puzzle: Puzzle, solvers: Solvers) -> None:
    """Check a puzzle with the solver."""
    position = puzzle.position
    columns = solve_columns(solvers.on(position.board), position, CHECK_NODES)
    best, right = best_bounds(columns), right_column(columns)
    distance = distance_of(best.low) if best.is_exact else puzzle.distance
    if best.outcome is None:
        raise UsageError(f"{name}, line {number}: the solver cannot solve the position: remove it")
    for what, true, stored in (
        ("value", str(best.outcome), puzzle.value),
        ("only right column", right, puzzle.answer),
        ("distance", distance, puzzle.distance),
    ):
        if true != stored:
            found = "missing" if true is None else true
            raise UsageError(f"{name}, line {number}: the {what} is {found}, not {stored}")


SHORT_WIN = 9
"""Most plies of a short win."""
SHORT_LOSS = 10
"""Most plies within which every other move than an only defence loses."""
FEW_CELLS = 16
"""Most empty cells of an endgame."""
LINE_NODES = 400_000
"""Most solver nodes for each position on the line to a win."""

WIN, DEFENCE, TRAP, ZUGZWANG, ENDGAME = (
    "win in n", "only defence", "trap", "zugzwang", "endgame",
)  # fmt: skip
THEMES = (WIN, DEFENCE, TRAP, ZUGZWANG, ENDGAME)


def theme_of(solver: "Solver", position: Position, columns: Columns) -> str | None:
    """Return the theme of a position with one right column; None if it fits none.

    - ``zugzwang``: best play ends because the loser must play below a winning cell.
    - ``win in n``: a win in at most nine plies.
    - ``trap``: a playable cell lies right below one that wins for the opponent, and playing there
      is wrong.
    - ``only defence``: every other move loses within ten plies.
    - ``endgame``: at most 16 empty cells.

    A win in one move, or a block of one, has no theme.
    """
    best, right = best_bounds(columns), right_column(columns)
    if right is None:
        return None
    distance = distance_of(best.low) if best.is_exact else None
    if best.outcome is Outcome.WIN and distance is None:
        return None  # a win of unknown length
    if distance == 1 or _winning_cells(position, 1 - position.to_move) & _playable(position):
        return None
    if distance is not None and distance > SHORT_WIN and _ends_in_zugzwang(solver, position):
        return ZUGZWANG
    if distance is not None and distance <= SHORT_WIN:
        return WIN
    if _has_trap(position, right):
        return TRAP
    others = [column for place, column in enumerate(columns) if column and place != right]
    if all(column.is_exact and _loses_soon(column.low) for column in others):
        return DEFENCE
    return ENDGAME if position.board.cells - position.ply <= FEW_CELLS else None


def _loses_soon(number: int) -> bool:
    return number < 0 and (distance_of(number) or 0) <= SHORT_LOSS


def _playable(position: Position) -> int:
    """Return the cells on which the next stone can land, as bits in lanes."""
    cells = 0
    for column in position.legal_moves():
        row = position.landing_row(column)
        cells |= 0 if row is None else 1 << (LANE * column + row)
    return cells


def _winning_cells(position: Position, side: int) -> int:
    """Return the empty cells with which a side would connect four, as bits in lanes."""
    masks, stones = geometry(position.board), position.stones
    empty = masks.cells & ~(stones[0] | stones[1] | masks.forbidden)
    found = 0
    while empty:
        cell = empty & -empty
        empty ^= cell
        if connects_four(stones[side] | cell):
            found |= cell
    return found


def _has_trap(position: Position, right: int) -> bool:
    """Return whether the opponent wins on top of a stone in a wrong column."""
    below = (_winning_cells(position, 1 - position.to_move) >> 1) & _playable(position)
    return bool(below & ~geometry(position.board).lanes[right])


def _ends_in_zugzwang(solver: "Solver", position: Position) -> bool:
    """Return whether best play ends on a cell that the loser had to open."""
    winner = position.to_move
    last: int | None = None
    while True:
        columns = solve_columns(solver, position, LINE_NODES)
        best = best_bounds(columns)
        if not best.is_exact:
            return False
        column = next(place for place, known in enumerate(columns) if known == best)
        after = position.play(column)
        if after.winner is not None:
            return after.winner == winner and column == last
        if after.is_over:
            return False
        if position.to_move != winner:
            # A loser who blocks a win plays there for another reason than zugzwang.
            blocked = _winning_cells(position, winner) & _playable(position)
            last = None if blocked else column
        position = after
