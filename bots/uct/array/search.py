"""UCT on the array board, v1 to v4: one kernel with switches.

A node's *mover* is the side whose move led into it. Scores are for the mover: floating-point totals
of 0, 1/2, 1 (v1, v2) or integer totals of 0, 1, 2 (from v3 on), as the array's type says. Siblings
are adjacent in the arrays, in the order of their creation.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.array_board import PLAYABLE, Cells, State, Tops, draw_column, lowest_column, play, size
from bots.uct.nodes import DRAWN, LOST, OPEN, WIN_POINTS, WON, points_of
from bots.uct.ucb import exploration, ucb
from engine.bits import step_random
from engine.compiled import kernel

CHECK_WIN = 1
"""v2: a rollout first tests whether the mover has just connected four."""
END_AT_CREATION = 2
"""v3: nodes at the end of the game are flagged, and descents stop there."""
CONVERT = 4
"""v4: a new node whose side to move can win at once becomes an end node."""

USED, STATE, NEW, OLD, DEPTH = 0, 1, 2, 3, 4
"""Counters between chunks: used slots, generator, new and repeated descents, deepest."""

Ints = NDArray[np.int32]
Shorts = NDArray[np.int16]
Bytes = NDArray[np.int8]
Counters = NDArray[np.uint64]


@kernel
def rollout(
    cells: Cells, tops: Tops, state: State, side: int, random: np.uint64
) -> tuple[int, np.uint64]:
    """Play a rollout with one ply of look-ahead; return 2, 1 or 0 for `side`, and the generator.

    An immediate win ends it, so do two immediate wins of the opponent; a single one is blocked,
    else the column is random. If the opponent can then win directly above, that ends it, too.
    """
    mover = side
    while state[PLAYABLE]:
        if state[mover]:
            return (2 if mover == side else 0), random
        threats = state[1 - mover]
        if threats & (threats - 1):
            return (0 if mover == side else 2), random
        if threats:
            play(cells, tops, state, lowest_column(threats), mover)
        else:
            random = step_random(random)
            column = draw_column(state[PLAYABLE], random)
            play(cells, tops, state, column, mover)
            if state[1 - mover] >> column & 1:
                return (0 if mover == side else 2), random
        mover = 1 - mover
    return 1, random


class ArrayMemory(NamedTuple):
    """The arrays of a search: the root's position, and the nodes."""

    root_cells: Cells
    """Cells of the root, from `bots.array_board.lay_out`."""
    root_tops: Tops
    """Landing cells of the root."""
    root_state: State
    """Column sets of the root."""
    first: Ints
    """First slot of a node's children, 0 if there are none."""
    made: Bytes
    """Number of children made."""
    visits: Ints
    score: NDArray[Any]
    """Score for the node's mover: integers are twice the result, floats the result."""
    column: Bytes
    """Move into the node."""
    untried: Shorts
    """Columns not yet expanded."""
    end: Bytes
    """State of the game: `OPEN`, `WON`, `DRAWN` or `LOST`."""
    path: Ints
    """Path of a descent."""
    counters: Counters
    """Counters, see `USED`."""


@kernel
def search(
    memory: ArrayMemory, side: int, flags: int, c: float, simulations: int, descents: int
) -> None:
    """Search until `simulations` new simulations or `descents` descents are made.

    Args:
        memory: updated; the root, node 0, must have its untried columns.
        side: the side to move in the root.
        flags: the version's switches.
        c: exploration constant.
        simulations: number of new rollouts or end nodes.
        descents: limit of all descents, including those into known ends.

    """
    root_cells, root_tops, root_state = memory.root_cells, memory.root_tops, memory.root_state
    first, made, visits, score = memory.first, memory.made, memory.visits, memory.score
    column, untried, end = memory.column, memory.untried, memory.end
    path, counters = memory.path, memory.counters
    cells = root_cells.copy()
    tops = root_tops.copy()
    state = root_state.copy()
    random = counters[STATE]
    used = np.int64(counters[USED])
    new = np.int64(0)
    old = np.int64(0)
    deepest = np.int64(counters[DEPTH])
    whole = score.dtype.type(0.5) == 0
    scale = np.float32(0.5) if whole else np.float32(1.0)
    while new < simulations and new + old < descents:
        cells[:] = root_cells
        tops[:] = root_tops
        state[:] = root_state
        node = np.int64(0)
        depth = 0
        mover = 1 - side
        path[0] = 0
        won = False
        fresh = True
        rolled = -1
        while True:
            if end[node] != OPEN and flags & END_AT_CREATION:
                fresh = False
                rolled = points_of(np.int64(end[node]), WIN_POINTS)
                break
            tries = np.int64(untried[node])
            if tries:
                if first[node] == 0:
                    room = size(tries)
                    if used + room > len(first):
                        break
                    first[node] = used
                    used += room
                random = step_random(random)
                move = draw_column(tries, random)
                untried[node] = tries & ~(1 << move)
                child = np.int64(first[node]) + made[node]
                made[node] += 1
                mover = 1 - mover
                won = play(cells, tops, state, move, mover)
                depth += 1
                path[depth] = child
                first[child] = 0
                made[child] = 0
                visits[child] = 0
                score[child] = 0
                column[child] = move
                untried[child] = state[PLAYABLE]
                end[child] = OPEN
                node = child
                if flags & END_AT_CREATION:
                    if won:
                        end[child] = WON
                        rolled = 2
                    elif not state[PLAYABLE]:
                        end[child] = DRAWN
                        rolled = 1
                    elif flags & CONVERT and state[1 - mover]:
                        end[child] = LOST
                        rolled = 0
                break
            if made[node] == 0:
                break
            base = np.int64(first[node])
            explore = exploration(c, visits[node])
            best = np.float32(-1.0)
            child = base
            for i in range(base, base + made[node]):
                value = ucb(np.float32(score[i]) * scale, visits[i], explore)
                if value > best:
                    best = value
                    child = i
            mover = 1 - mover
            won = play(cells, tops, state, np.int64(column[child]), mover)
            depth += 1
            path[depth] = child
            node = child
        if rolled < 0:
            if won and flags & CHECK_WIN:
                # v2 notices this only when the rollout starts; descents do not stop here.
                end[node] = WON
                rolled = 2
            else:
                result, random = rollout(cells, tops, state, 1 - mover, random)
                rolled = 2 - result
        for i in range(depth, -1, -1):
            visits[path[i]] += 1
            if whole:
                score[path[i]] += rolled
            else:
                score[path[i]] += np.float32(0.5) * np.float32(rolled)
            rolled = 2 - rolled
        deepest = max(deepest, np.int64(depth))
        if fresh:
            new += 1
        else:
            old += 1
    counters[STATE] = random
    counters[USED] = used
    counters[NEW] += np.uint64(new)
    counters[OLD] += np.uint64(old)
    counters[DEPTH] = deepest
