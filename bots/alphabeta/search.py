"""Alpha-beta over all moves to a fixed depth: one kernel with switches for the whole family.

The value is that of plain minimax: a four ends the game, a position at full depth has its static
value, a full board is a draw. Threats are checked before moves are tried, which saves visits
without changing values: an immediate win ends the position, two immediate wins of the opponent lose
it one ply later, and a single one leaves one move to try.

A score is for the side to move; plies count from the root: WIN - p is a win at ply p. The search
has its own stack of frames, so it can pause when its nodes are used up and resume later.

**A node is a position visited after a move**: every inner position and every static value,
including those that order moves. The root does not count.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.alphabeta.evaluation import evaluate
from engine import vector
from engine.bits import ONE, ZERO, popcount64, trailing_zeros64
from engine.compiled import inlined, kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, WordArray

WIN: Final = 100_000
INFINITY: Final = 1_000_000
MOST_PLIES: Final = 144

ALPHA, BETA, BEST, MOVE, TRIED, ORDER, TRIES, LENGTH = range(8)
"""Fields of a frame: the window, the best score and its column, the current column, the ordered
columns, the columns left as bits, and the length of the line below."""
FIELDS: Final = 8

PLY, ENTERING, NODES, STATIC, DEPTH, EMPTY, SEPARATE = range(7)
"""Counters: current ply, nodes and static values so far; depth in plies and empty cells of the
root; whether every root move gets an exact score."""
COUNTERS: Final = 7

LAST: Final = 15
"""End of a list of columns packed into an integer, four bits each, the first one lowest."""
STEP_NODES: Final = 13
"""Nodes that a step may visit between two checks of the limit."""


class AlphaBetaParameters(NamedTuple):
    """The parameters of a version, with the types that the kernel is compiled for."""

    ends: bool
    reach: int
    two: int
    three: int
    inner: int


class SearchStack(NamedTuple):
    """The stack of a search, for any depth."""

    stones: WordArray
    """Two rows per frame; the first two from `stone_words`."""
    frames: NDArray[np.int64]
    """The first has the root's window, `ORDER` and `TRIES`."""
    lines: NDArray[np.int8]
    """The expected line of each frame."""
    counters: NDArray[np.int64]
    """`PLY` and the others."""
    scores: NDArray[np.int64]
    """Scores of the root's moves by column. Unless they are searched separately, those below the
    best one are upper bounds."""
    ranks: NDArray[np.int64]
    """Working memory to order moves."""


def new_stack() -> SearchStack:
    """Return the stack of a search that has not begun."""
    return SearchStack(
        stones=np.zeros((2 * MOST_PLIES + 4, 3), np.uint64),
        frames=np.zeros((MOST_PLIES + 2, FIELDS), np.int64),
        lines=np.zeros((MOST_PLIES + 2, MOST_PLIES + 2), np.int8),
        counters=np.zeros(COUNTERS, np.int64),
        scores=np.zeros(16, np.int64),
        ranks=np.zeros(12, np.int64),
    )


@inlined
def first_of(order: Any, tries: np.uint64) -> Any:
    """Return the next column to try and the rest of the list."""
    while True:
        column = order & 15
        order >>= 4
        if tries >> np.uint64(column) & ONE:
            return column, order


@inlined
def sort_by_static_value(
    ways: Any,
    columns: np.uint64,
    own: Any,
    other: Any,
    landing: Any,
    board: Any,
    parameters: Any,
    ranks: NDArray[np.int64],
) -> Any:
    """Return the list of columns sorted stably by descending static value.

    `ranks` has room for twelve numbers; `board` is (bottoms, cells, forbidden).
    """
    count = 0
    while columns:
        column, ways = first_of(ways, columns)
        move = ONE << np.uint64(column)
        columns &= ~move
        stone = vector.in_columns(landing, move)
        value = evaluate(own | stone, other, board, parameters)
        place = count
        while place > 0 and ranks[place - 1] >> 4 < value:
            ranks[place] = ranks[place - 1]
            place -= 1
        ranks[place] = value << 4 | column
        count += 1
    order = np.int64(LAST)
    for place in range(count - 1, -1, -1):
        order = order << 4 | ranks[place] & 15
    return order


@inlined
def take_score(
    frames: NDArray[np.int64], lines: NDArray[np.int8], ply: Any, score: Any, raising: bool
) -> None:
    """Back up the score of the child that the frame at `ply` has just searched."""
    frame = frames[ply]
    value = -score
    if value > frame[BEST]:
        frame[BEST] = value
        frame[MOVE] = frame[TRIED]
        if value > frame[ALPHA]:
            length = frames[ply + 1, LENGTH]
            lines[ply, 0] = frame[TRIED]
            for place in range(length):
                lines[ply, place + 1] = lines[ply + 1, place]
            frame[LENGTH] = length + 1
            if raising:
                frame[ALPHA] = value


@kernel
def search(
    board: WordArray, stack: SearchStack, order: int, parameters: AlphaBetaParameters, limit: int
) -> bool:
    """Resume a search; return True if it is finished.

    The root's frame then has the score and the best column, row 0 of `lines` the expected line.

    Args:
        board: shape (3, 3), from `engine.arrays.board_words`.
        stack: updated.
        order: the packed order of columns at all nodes but the root.
        parameters: the version's parameters.
        limit: node count at which the search pauses at the latest.

    """
    stones, frames, lines, counters, scores, ranks = stack
    bottoms, cells = vector.load(board, BOTTOMS), vector.load(board, CELLS)
    forbidden = vector.load(board, FORBIDDEN)
    sets = bottoms, cells, forbidden
    ply = counters[PLY]
    entering = counters[ENTERING] != 0
    depth, empty = counters[DEPTH], counters[EMPTY]
    nodes = counters[NODES]
    done = False
    while nodes + STEP_NODES <= limit:
        own, other = vector.load(stones, 2 * ply), vector.load(stones, 2 * ply + 1)
        landing = vector.playable(own | other | forbidden, bottoms, cells)
        frame = frames[ply]
        if entering:
            entering = False
            columns = vector.columns_of(landing)
            ways = np.int64(order)
            if ply == 0:
                ways = frame[ORDER]
                columns &= np.uint64(frame[TRIES])
            frame[BEST] = -INFINITY
            frame[LENGTH] = 1
            wins = vector.columns_of(landing & vector.threats(own))
            blocks = ZERO
            if depth - ply > 1:
                blocks = vector.columns_of(landing & vector.threats(other))
            if wins:
                columns = ZERO
                column, ways = first_of(ways, wins)
                frame[BEST] = WIN - ply - 1
                frame[MOVE] = column
                lines[ply, 0] = column
            elif popcount64(blocks) > ONE:
                columns = ZERO
                column, ways = first_of(ways, blocks)
                frame[BEST] = ply + 2 - WIN
                frame[MOVE] = column
                lines[ply, 0] = column
                lines[ply, 1] = np.int64(trailing_zeros64(blocks & ~(ONE << np.uint64(column))))
                frame[LENGTH] = 2
            elif depth - ply == 1:
                # The last cell of the board makes a draw.
                static = ply + 1 < empty
                alpha = frame[ALPHA]
                while columns and alpha < frame[BETA]:
                    column, ways = first_of(ways, columns)
                    move = ONE << np.uint64(column)
                    columns &= ~move
                    nodes += 1
                    value: Any = np.int64(0)
                    if static:
                        counters[STATIC] += 1
                        stone = vector.in_columns(landing, move)
                        value = evaluate(own | stone, other, sets, parameters)
                    if ply == 0:
                        scores[column] = value
                    if value > frame[BEST]:
                        frame[BEST] = value
                        frame[MOVE] = column
                        lines[ply, 0] = column
                        alpha = max(alpha, value)
                columns = ZERO
            else:
                columns = blocks or columns
                if ply > 0 and 0 < parameters.inner <= depth - ply and popcount64(columns) > ONE:
                    nodes += np.int64(popcount64(columns))
                    ways = sort_by_static_value(
                        ways, columns, own, other, landing, sets, parameters, ranks
                    )
            frame[ORDER] = ways
            frame[TRIES] = np.int64(columns)
        tries = np.uint64(frame[TRIES])
        if tries and frame[ALPHA] < frame[BETA]:
            column, ways = first_of(frame[ORDER], tries)
            move = ONE << np.uint64(column)
            frame[TRIED], frame[ORDER], frame[TRIES] = column, ways, np.int64(tries & ~move)
            ply += 1
            nodes += 1
            vector.store(stones, 2 * ply, other)
            vector.store(stones, 2 * ply + 1, own | vector.in_columns(landing, move))
            frames[ply, ALPHA], frames[ply, BETA] = -frame[BETA], -frame[ALPHA]
            entering = True
        elif ply > 0:
            score = frame[BEST]
            ply -= 1
            if ply == 0:
                scores[frames[0, TRIED]] = -score
            take_score(frames, lines, ply, score, ply > 0 or counters[SEPARATE] == 0)
        else:
            done = True
            break
    counters[PLY], counters[ENTERING], counters[NODES] = ply, entering, nodes
    return done
