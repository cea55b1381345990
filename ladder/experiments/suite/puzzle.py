"""Puzzles, which are positions with exactly one right move, and files of puzzles (JSON Lines)."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from engine.board import MAX_SIDE, Board, parse_board
from engine.errors import EngineError
from engine.position import Position, format_moves, parse_moves
from engine.solver.solver import Solver
from engine.solver.value import Outcome
from ladder.errors import UsageError
from ladder.results.analysis.solved import Columns, best_bounds, distance_of, solve_columns
from ladder.visible import visible

SHIPPED = Path(__file__).with_name("shipped")
"""The suites that come with the program."""
CHECK_NODES = 20_000_000
"""The most nodes for checking one position."""
TABLE_MIB = 64
MOST_BYTES = 64 << 20


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
        with file.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise UsageError(f"{name} is larger than {MOST_BYTES >> 20} MiB")
        lines = list(_lines(name, content.decode("utf-8-sig")))
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
    solver: Solver | None = None
    for done, (number, puzzle) in enumerate(lines):
        check(done, len(lines))
        solver = _check(name, number, puzzle, solver)
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


def _check(name: str, number: int, puzzle: Puzzle, solver: Solver | None) -> Solver:
    """Check a puzzle with the solver; return the solver, a new one for another board."""
    position = puzzle.position
    if solver is None or solver.board != position.board:
        solver = Solver(position.board, table_mib=TABLE_MIB)
    columns = solve_columns(solver, position, CHECK_NODES)
    best, right = best_bounds(columns), right_column(columns)
    where = f"{name}, line {number}"
    if best.outcome is None:
        raise UsageError(f"{where}: the solver cannot solve this position: remove it")
    if str(best.outcome) != puzzle.value:
        raise UsageError(f"{where}: the value is {best.outcome}, not {puzzle.value}")
    if right is None:
        raise UsageError(f"{where}: more than one move, or none, keeps the {puzzle.value}")
    if right != puzzle.answer:
        raise UsageError(f"{where}: the right column is {right}, not {puzzle.answer}")
    distance = distance_of(best.low) if best.is_exact else puzzle.distance
    if distance != puzzle.distance:
        raise UsageError(f"{where}: the distance is {distance}, not {puzzle.distance}")
    return solver
