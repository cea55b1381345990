"""The static value of a position after the player's own move.

    value = w0 * ones + w1 * twos + w2 * atari + (w3 probable win | w4 draw | w5 loss)

`ones` and `twos` are the player's groups of one and two stones that can still become four, less the
opponent's; `atari` is 1 if the player could win at the next move. If the opponent can win at once,
or the player has two ataris, the game is decided: the search values that, not the weights.
"""

import numpy as np
from numpy.typing import NDArray

from bots.c4ai.groups import groups
from bots.c4ai.threat_race import Cache, new_cache, race_result
from bots.c4ai.weights import Weights
from engine.compiled import inlined, kernel
from engine.lanes import (
    BOTTOMS,
    CELLS,
    FORBIDDEN,
    MOVER,
    OPPONENT,
    WordArray,
    Words,
    any_cell,
    board_words,
    both,
    columns_of,
    either,
    load,
    playable,
    stone_words,
    threats,
    without,
)
from engine.position import Position

WeightArray = NDArray[np.int64]


def weight_array(weights: Weights) -> WeightArray:
    """Return the weights as an array for kernels, shape (6,)."""
    return np.array(weights, np.int64)


@inlined
def static_value(
    own: Words,
    other: Words,
    own_wins: Words,
    other_wins: Words,
    landing: Words,
    cells: Words,
    weights: WeightArray,
    cache: Cache,
    work: WordArray,
) -> np.int64:
    """Return the value for the player who has just moved.

    Args:
        own: the stones of the player.
        other: the stones of the side to move, which has no immediate win.
        own_wins: `engine.lanes.threats` of the player's stones.
        other_wins: `engine.lanes.threats` of the other side's stones.
        landing: the playable cells.
        cells: the cells of the board.
        weights: shape (6,).
        cache: the cache of `bots.c4ai.threat_race`.
        work: counter of the positions of threat races, shape (1,).

    """
    own_ones, own_twos = groups(own, without(cells, other))
    other_ones, other_twos = groups(other, without(cells, own))
    free = without(without(cells, own), other)
    own_wins = both(own_wins, free)
    other_wins = both(other_wins, free)
    hidden = without(either(own_wins, other_wins), landing)
    outcome = -race_result(other_wins, own_wins, free, columns_of(hidden), cache, work)
    value = weights[4]
    if outcome > 0:
        value = weights[3]
    elif outcome < 0:
        value = weights[5]
    if any_cell(both(own_wins, landing)):
        value += weights[2]
    value += weights[0] * (np.int64(own_ones) - np.int64(other_ones))
    value += weights[1] * (np.int64(own_twos) - np.int64(other_twos))
    return np.int64(value)


@kernel
def _evaluate(board: WordArray, stones: WordArray, weights: WeightArray, cache: Cache) -> np.int64:
    own, other, cells = load(stones, OPPONENT), load(stones, MOVER), load(board, CELLS)
    occupied = either(either(own, other), load(board, FORBIDDEN))
    landing = playable(occupied, load(board, BOTTOMS), cells)
    work = np.zeros(1, np.uint64)
    return static_value(
        own, other, threats(own), threats(other), landing, cells, weights, cache, work
    )


def evaluate(position: Position, weights: Weights) -> int:
    """Return the static value for the player who has just moved, for tests.

    The search calls it only if the side to move has no immediate win and the player at most one
    atari.
    """
    board, stones = board_words(position.board), stone_words(position)
    return int(_evaluate(board, stones, weight_array(weights), new_cache()))
