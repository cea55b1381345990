"""Exact solving near the end (v18): alpha-beta over all moves, with a transposition table.

A score is relative to its position: WIN - d if the side to move wins in d plies, -(WIN - d) if it
loses in d, 0 for a draw. Better scores are sooner wins and later losses, and a score in the table
is valid wherever its position occurs. The search has its own stack of frames, because it must stop
at a limit of positions.
"""

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.uct.parameters import MOST_ENDGAME
from engine import vector
from engine.bits import ONE, popcount64, scramble64
from engine.compiled import inlined, kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT, WordArray

WIN: Final = 200
UNKNOWN: Final = 1000
"""Score of a search that reached its limit."""
TABLE_BITS: Final = 17

TRIES, ALPHA, BETA, BEST, MOVE, FROM, SLOT, TRIED = range(8)
FIELDS: Final = 8
EXACT, AT_LEAST, AT_MOST = 1, 2, 3
_TAG: Final = 10
"""Number of bits of a table value below its tag."""

Frames = NDArray[np.int64]


class EndgameMemory(NamedTuple):
    """The solver's stack and table, 4 MiB."""

    stones: WordArray
    """Stones of the stack, two rows per frame."""
    frames: Frames
    """Frames of the stack."""
    keys: WordArray
    """Keys of the table."""
    values: NDArray[np.int64]
    """Bounds of the table, with the kind of bound in the upper bits."""


def endgame_memory() -> EndgameMemory:
    """Return an empty stack and table."""
    return EndgameMemory(
        np.zeros((2 * MOST_ENDGAME + 4, 3), np.uint64),
        np.zeros((MOST_ENDGAME + 2, FIELDS), np.int64),
        np.zeros((1 << TABLE_BITS, 3), np.uint64),
        np.zeros(1 << TABLE_BITS, np.int64),
    )


@inlined
def from_child(score: Any) -> Any:
    """Return a child's score for its parent: the other side, one ply further away."""
    return -(score - 1) if score > 0 else (-(score + 1) if score < 0 else 0)


@inlined
def to_child(bound: Any) -> Any:
    """Return the inverse of `from_child`."""
    return -(bound + 1) if bound > 0 else (-(bound - 1) if bound < 0 else 0)


@inlined
def take_score(frame: NDArray[np.int64], score: Any) -> None:
    """Back up the score of the child that the frame has just searched."""
    value = from_child(score)
    if value > frame[BEST]:
        frame[BEST] = value
        frame[MOVE] = frame[TRIED]
    frame[ALPHA] = max(frame[ALPHA], value)


@kernel
def solve_endgame(
    root: WordArray, board: WordArray, order: NDArray[np.int64], memory: EndgameMemory, limit: int
) -> tuple[int, int, int]:
    """Return the score of a position and a best column.

    Args:
        root: shape (2, 3), from `engine.arrays.stone_words`; the game is not over.
        board: shape (3, 3), from `engine.arrays.board_words`.
        order: the columns in search order.
        memory: the search's memory; updated.
        limit: limit of visited positions.

    Returns:
        The score or `UNKNOWN`, a best column (-1 if threats alone decide), and the number of
        visited positions.

    """
    stones, frames, keys, values = memory
    bottoms, cells = vector.load(board, BOTTOMS), vector.load(board, CELLS)
    forbidden = vector.load(board, FORBIDDEN)
    full = ~np.uint64(0)
    everywhere = vector.pack(full, full, full)
    vector.store(stones, 0, vector.load(root, MOVER))
    vector.store(stones, 1, vector.load(root, OPPONENT))
    depth = 0
    alpha, beta = np.int64(-WIN), np.int64(WIN)
    entering = True
    score: Any = np.int64(0)
    nodes = 0
    while True:
        own, other = vector.load(stones, 2 * depth), vector.load(stones, 2 * depth + 1)
        occupied = own | other | forbidden
        landing = vector.playable(occupied, bottoms, cells)
        frame = frames[depth]
        if entering:
            entering = False
            nodes += 1
            if nodes > limit:
                return UNKNOWN, -1, nodes
            threats = vector.threats(other)
            tries = vector.columns_of(landing)
            known = True
            score = np.int64(0)
            if tries:
                blocks = vector.columns_of(landing & threats)
                above = vector.playable(occupied | landing, bottoms, cells)
                if vector.any_cell(landing & vector.threats(own)):
                    score = np.int64(WIN - 1)
                else:
                    safe = (blocks or tries) & ~vector.columns_of(above & threats)
                    if popcount64(blocks) > ONE or not safe:
                        score = np.int64(2 - WIN)
                    else:
                        known = False
                        tries = safe
            slot = np.int64(0)
            if not known:
                filled = own | vector.playable(occupied, bottoms, everywhere)
                word0, word1, word2 = vector.unpack(filled)
                mixed = scramble64(scramble64(scramble64(word0) ^ word1) ^ word2)
                slot = np.int64(mixed >> np.uint64(64 - TABLE_BITS))
                if keys[slot, 0] == word0 and keys[slot, 1] == word1 and keys[slot, 2] == word2:
                    bound = (values[slot] & ((1 << _TAG) - 1)) - WIN
                    tag = values[slot] >> _TAG
                    # The root needs a move, which the table does not store.
                    if depth > 0:
                        if tag == EXACT:
                            known = True
                        elif tag == AT_LEAST:
                            alpha = max(alpha, bound)
                        elif tag == AT_MOST:
                            beta = min(beta, bound)
                        if known or alpha >= beta:
                            known = True
                            score = bound
            if not known:
                frame[TRIES], frame[MOVE], frame[SLOT] = np.int64(tries), -1, slot
                frame[ALPHA], frame[BETA], frame[FROM], frame[BEST] = alpha, beta, alpha, -UNKNOWN
            else:
                if depth == 0:
                    return score, -1, nodes
                depth -= 1
                take_score(frames[depth], score)
                continue
        tries = np.uint64(frame[TRIES])
        if tries and frame[ALPHA] < frame[BETA]:
            column = order[0]
            for column in order:
                if tries >> np.uint64(column) & ONE:
                    break
            move = ONE << np.uint64(column)
            frame[TRIES] = np.int64(tries & ~move)
            frame[TRIED] = column
            stone = vector.in_columns(landing, move)
            alpha, beta = to_child(frame[BETA]), to_child(frame[ALPHA])
            depth += 1
            vector.store(stones, 2 * depth, other)
            vector.store(stones, 2 * depth + 1, own | stone)
            entering = True
            continue
        score = frame[BEST]
        slot = frame[SLOT]
        filled = own | vector.playable(occupied, bottoms, everywhere)
        vector.store(keys, slot, filled)
        tag = EXACT
        if score <= frame[FROM]:
            tag = AT_MOST
        elif score >= frame[BETA]:
            tag = AT_LEAST
        values[slot] = tag << _TAG | (score + WIN)
        if depth == 0:
            return score, frame[MOVE], nodes
        depth -= 1
        take_score(frames[depth], score)
