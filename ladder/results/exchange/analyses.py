"""The solved positions of exported games."""

from collections.abc import Iterable, Iterator, Sequence

from db.records.analysis import SolvedPosition
from db.records.exchange import GameLine, SolvedLine
from db.store import Store
from engine.board import parse_board
from engine.position import Position, parse_moves
from engine.position_key import key_of
from ladder.results.analysis.verdict import BYTES, MoveVerdict

BYTES_OF_COLUMN = 4


def with_positions(store: Store, lines: Iterable[GameLine]) -> Iterator[GameLine]:
    """Yield lines with the solved positions of their games, each position once."""
    sent: set[bytes] = set()
    for line in lines:
        if line.analysis is not None:
            keys = _keys(line)
            known = store.analysis.solved(key for key in keys if key not in sent)
            sent |= known.keys()
            line.analysis.positions = tuple(
                SolvedLine(known[key].nodes, known[key].bounds) if key in known else None
                for key in keys
            )
        yield line


def check_analysis(line: GameLine) -> None:
    """Check what an imported line says about the analysis of its game. Raises ValueError."""
    found, played = line.analysis, len(line.moves) - line.opening_plies
    if found is None:
        return
    if len(found.moves) != BYTES * played or len(found.positions) not in (0, played):
        raise ValueError("the analysis is not of this game: it has another number of moves")
    for start in range(0, len(found.moves), BYTES):
        MoveVerdict.of(found.moves[start : start + BYTES])
    size = BYTES_OF_COLUMN * parse_board(line.board).columns
    if any(len(each.bounds) != size for each in found.positions if each is not None):
        raise ValueError("the analysis is not of this game: a position has other columns")


def solved_positions(lines: Iterable[GameLine]) -> Iterator[SolvedPosition]:
    """Yield the solved positions of games."""
    for line in lines:
        if line.analysis is None or not any(line.analysis.positions):
            continue
        for key, each in zip(_keys(line), line.analysis.positions, strict=True):
            if each is not None:
                yield SolvedPosition(key, line.analysis.solver_version, each.nodes, each.bounds)


def _keys(line: GameLine) -> Sequence[bytes]:
    """Return the keys of the positions before the moves after the opening."""
    moves, keys = parse_moves(line.moves), []
    position = Position.from_moves(parse_board(line.board), moves[: line.opening_plies])
    for column in moves[line.opening_plies :]:
        keys.append(key_of(position)[0])
        position = position.play(column)
    return keys
