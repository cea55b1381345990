"""The themes of puzzles, from their positions and solved columns."""

from engine.position import LANE, Position, connects_four, geometry
from engine.solver.solver import Solver
from engine.solver.value import Outcome
from ladder.experiments.suite.puzzle import right_column
from ladder.results.analysis.solved import Columns, best_bounds, distance_of, solve_columns

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


def theme_of(solver: Solver, position: Position, columns: Columns) -> str | None:
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


def _ends_in_zugzwang(solver: Solver, position: Position) -> bool:
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
