"""Minimax with alpha-beta to a fixed depth, with its own stack so that it can pause anywhere.

Values are for the side to move. A won game has the value `WON` less the plies to its end, so sooner
wins are better; static values are far smaller. Immediate wins are detected before they are played:
a position in which the side to move can connect four, or faces two such cells of the opponent, has
the value that a deeper search would find.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bots.c4ai.evaluate import WeightArray, static_value
from bots.c4ai.threat_race import Cache
from engine import vector
from engine.bits import ONE
from engine.compiled import inlined, kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT, WordArray
from engine.layout import MAX_SIDE

U64 = np.uint64
Integer: TypeAlias = int | np.int64
Integers: TypeAlias = NDArray[np.int64]

WON = 1 << 40
"""Value of a game that is won now."""
DECIDED = WON - 1000
"""Absolute values from here on are proven."""
MOST_PLIES = MAX_SIDE * MAX_SIDE
FIRST_DEPTH = 5
"""First depth of iterative deepening, in plies."""

COUNT, NEXT, ALPHA, BETA, BEST, CHOSEN, MOVES = 0, 1, 2, 3, 4, 5, 6
"""Fields of a frame; the ordered columns follow from `MOVES` on."""
PLY, DEPTH, DONE, TRIED = range(4)
"""Entries of `state`: current ply, depth, whether the search is finished, root moves done."""
NODES, THREAT_PLIES = range(2)
"""Entries of `work`."""


class SearchMemory(NamedTuple):
    """The arrays of a search."""

    board: WordArray
    """Board from `engine.arrays.board_words`."""
    order: Integers
    """Columns from the middle outwards, shape (columns,)."""
    weights: WeightArray
    stones: WordArray
    """Stones of the side to move and the other at each ply, shape (plies + 1, 2, 3)."""
    frames: Integers
    """Frame of each ply, shape (plies + 1, MOVES + 12)."""
    lines: Integers
    """Best line from each ply, ended by -1, shape (plies + 2, plies + 2)."""
    killers: Integers
    """Killer move of each ply, the last column that caused a cutoff, shape (plies + 1,)."""
    state: Integers
    work: WordArray
    """Counters: `NODES` of positions, `THREAT_PLIES` of positions of threat races."""
    cache: Cache


@inlined
def _open(
    memory: SearchMemory, ply: int, columns: np.uint64, alpha: Integer, beta: Integer
) -> None:
    """Begin the frame of a position: store its ordered columns."""
    frame = memory.frames[ply]
    count = 0
    first = memory.killers[ply]
    if first >= 0 and columns >> U64(first) & ONE:
        frame[MOVES] = first
        count = 1
    for column in memory.order:
        if columns >> U64(column) & ONE and (column != first):
            frame[MOVES + count] = column
            count += 1
    frame[COUNT] = count
    frame[NEXT] = 0
    frame[ALPHA] = alpha
    frame[BETA] = beta
    frame[BEST] = -2 * WON
    frame[CHOSEN] = frame[MOVES]


@inlined
def _lowest_column(columns: np.uint64) -> int:
    column = 0
    while not columns >> U64(column) & ONE:
        column += 1
    return column


@kernel
def _enter(memory: SearchMemory, ply: int, alpha: Integer, beta: Integer) -> tuple[bool, np.int64]:
    """Return the value of the position at a ply, or False if its moves must be tried."""
    memory.work[NODES] += ONE
    mover, opponent = (
        vector.load(memory.stones[ply], MOVER),
        vector.load(memory.stones[ply], OPPONENT),
    )
    cells = vector.load(memory.board, CELLS)
    occupied = vector.either(vector.either(mover, opponent), vector.load(memory.board, FORBIDDEN))
    landing = vector.playable(occupied, vector.load(memory.board, BOTTOMS), cells)
    line = memory.lines[ply]
    line[0] = -1
    if not vector.any_cell(landing):
        return True, np.int64(0)
    winning = vector.threats(mover)
    now = vector.both(winning, landing)
    if vector.any_cell(now):
        line[0] = _lowest_column(vector.columns_of(now))
        line[1] = -1
        return True, np.int64(WON - 1)
    losing = vector.threats(opponent)
    met = vector.both(losing, landing)
    if vector.several(met):
        line[0] = _lowest_column(vector.columns_of(met))
        line[1] = -1
        return True, np.int64(2 - WON)
    if ply == memory.state[DEPTH]:
        value = static_value(
            opponent,
            mover,
            losing,
            winning,
            landing,
            cells,
            memory.weights,
            memory.cache,
            memory.work[THREAT_PLIES:],
        )
        return True, np.int64(-value)
    columns = vector.columns_of(met) if vector.any_cell(met) else vector.columns_of(landing)
    _open(memory, ply, columns, alpha, beta)
    return False, np.int64(0)


@inlined
def _further(value: np.int64) -> np.int64:
    """Return a value one ply further from the end of the game."""
    if value >= DECIDED:
        return value - 1
    if value <= -DECIDED:
        return value + 1
    return value


@inlined
def _nearer(value: np.int64) -> np.int64:
    """Return the inverse of `_further`, for bounds."""
    if value >= DECIDED:
        return value + 1
    if value <= -DECIDED:
        return value - 1
    return value


@inlined
def _take_value(memory: SearchMemory, ply: int, value: np.int64) -> None:
    """Back up the value of the move just searched at a ply, for its side to move."""
    frame = memory.frames[ply]
    if value > frame[BEST]:
        frame[BEST] = value
        column = frame[MOVES + frame[NEXT] - 1]
        frame[CHOSEN] = column
        line, rest = memory.lines[ply], memory.lines[ply + 1]
        line[0] = column
        step = 0
        while rest[step] >= 0:
            line[step + 1] = rest[step]
            step += 1
        line[step + 1] = -1
        if value > frame[ALPHA]:
            frame[ALPHA] = value
            if value >= frame[BETA]:
                memory.killers[ply] = column
                frame[NEXT] = frame[COUNT]


@kernel
def begin(memory: SearchMemory, depth: int, first: int) -> None:
    """Begin a search of the position in the first row of `memory.stones`.

    Args:
        memory: the memory of the search.
        depth: plies, at least 1.
        first: the column to try first, -1 for the usual order.

    """
    memory.state[PLY] = 0
    memory.state[DEPTH] = depth
    memory.state[DONE] = 0
    memory.state[TRIED] = 0
    if first >= 0:
        memory.killers[0] = first
    else:
        memory.killers[:] = -1
    ply = int(memory.state[PLY])  # for a literal, numba would compile `_enter` a second time
    ended, value = _enter(memory, ply, -2 * WON, 2 * WON)
    if ended:
        frame = memory.frames[0]
        frame[BEST] = value
        frame[CHOSEN] = memory.lines[0, 0]
        memory.state[DONE] = 1


@kernel
def advance(memory: SearchMemory, nodes: np.uint64, work: np.uint64) -> bool:
    """Resume the search; return False if it is finished.

    The result is in the first frame: `CHOSEN` with the value `BEST`, among `TRIED` root moves.

    Args:
        memory: the memory passed to `begin`.
        nodes: pause when `NODES` reaches this number.
        work: pause when `NODES` plus `THREAT_PLIES` reaches this number.

    """
    state = memory.state
    if state[DONE]:
        return False
    ply = state[PLY]
    cells, bottoms = vector.load(memory.board, CELLS), vector.load(memory.board, BOTTOMS)
    forbidden = vector.load(memory.board, FORBIDDEN)
    while True:
        frame = memory.frames[ply]
        if frame[NEXT] == frame[COUNT]:
            if ply == 0:
                state[DONE] = 1
                return False
            ply -= 1
            if ply == 0:
                state[TRIED] += 1
            _take_value(memory, ply, _further(-frame[BEST]))
            continue
        if memory.work[NODES] >= nodes or memory.work[NODES] + memory.work[THREAT_PLIES] >= work:
            state[PLY] = ply
            return True
        column = frame[MOVES + frame[NEXT]]
        frame[NEXT] += 1
        here, child = memory.stones[ply], memory.stones[ply + 1]
        mover, opponent = vector.load(here, MOVER), vector.load(here, OPPONENT)
        occupied = vector.either(vector.either(mover, opponent), forbidden)
        landing = vector.playable(occupied, bottoms, cells)
        stone = vector.in_columns(landing, ONE << U64(column))
        vector.store(child, MOVER, opponent)
        vector.store(child, OPPONENT, vector.either(mover, stone))
        ended, value = _enter(memory, ply + 1, -_nearer(frame[BETA]), -_nearer(frame[ALPHA]))
        if ended:
            if ply == 0:
                state[TRIED] += 1
            _take_value(memory, ply, _further(-value))
        else:
            ply += 1
