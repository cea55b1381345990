"""Fitting the evaluation to positions: rows of positions, and gradient steps by Adam.

Players do not need this module. All sums have a fixed order, so equal positions and equal first
weights give equal weights.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.learned.network import LOGIT_ONE, count_cells, phase_row, read_rows
from bots.learned.network import ONE as ONE_HIDDEN
from bots.learned.patterns import FIRST_PHASE, KINDS, NOTHING, ROWS, odd_from_top
from bots.learned.weights import OUT_ONE, LearnedWeights
from bots.uct.leaf import look_on
from engine import vector
from engine.bits import ONE
from engine.compiled import inlined, kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT, WordArray
from engine.layout import MAX_SIDE

FEATURES = KINDS * MAX_SIDE + 1
"""Rows that a position sums: one of each kind per column, and that of its phase."""
_FADING, _FADING_SQUARE, _TINY = np.float32(0.9), np.float32(0.999), np.float32(1e-8)
"""Adam's constants (Kingma and Ba, 2015)."""

look = look_on(vector)


class Network(NamedTuple):
    """The weights during training, in single precision."""

    table: NDArray[np.float32]
    """Shape (ROWS, HIDDEN)."""
    out: NDArray[np.float32]
    """Shape (HIDDEN,)."""
    bias: NDArray[np.float32]
    """Shape (1,)."""


class Moments(NamedTuple):
    """Adam's running means of a gradient and of its square, of the shapes of a `Network`."""

    mean: Network
    square: Network


def new_network(hidden: int, seed: int) -> Network:
    """Return an untrained network: small random weights, and zeros for absent patterns."""
    random = np.random.default_rng(seed)
    table = random.normal(0.0, 0.05, (ROWS, hidden)).astype(np.float32)
    table[NOTHING] = 0
    # The middle of the hidden numbers' range, where gradients are not cut off.
    table[FIRST_PHASE:] += np.float32(0.3)
    out = random.normal(0.0, 0.3, hidden).astype(np.float32)
    return Network(table, out, np.zeros(1, np.float32))


def network_of(weights: LearnedWeights) -> Network:
    """Return the network of a file of weights, to train it further."""
    return Network(
        weights.table.astype(np.float32) / np.float32(ONE_HIDDEN),
        weights.out.astype(np.float32) / np.float32(OUT_ONE),
        (weights.bias / LOGIT_ONE).astype(np.float32),
    )


def mean_network(networks: Sequence[Network]) -> Network:
    """Return the mean of networks that were trained further from the same weights."""
    parts = zip(*networks, strict=True)
    return Network(*(np.stack(part).mean(axis=0, dtype=np.float32) for part in parts))


def zero_moments(network: Network) -> Moments:
    """Return the moments before the first step."""
    return Moments(
        Network(*(np.zeros_like(part) for part in network)),
        Network(*(np.zeros_like(part) for part in network)),
    )


@kernel
def rows_of_moves(
    board: WordArray, moves: NDArray[np.int8], wanted: NDArray[np.bool_], rows: NDArray[np.uint16]
) -> int:
    """Write the rows of the wanted positions of a game.

    Args:
        board: shape (3, 3), from `engine.arrays.board_words`.
        moves: the columns of the game.
        wanted: for each ply, whether to write the position before that move.
        rows: receives the rows, shape (n, FEATURES).

    Returns:
        The number of positions written.

    """
    bottoms, cells = vector.load(board, BOTTOMS), vector.load(board, CELLS)
    forbidden = vector.load(board, FORBIDDEN)
    odd_cells = odd_from_top(cells)
    stones = np.zeros((2, 3), np.uint64)
    count = 0
    for ply in range(len(moves)):
        own, other = vector.load(stones, MOVER), vector.load(stones, OPPONENT)
        occupied = own | other | forbidden
        landing = vector.playable(occupied, bottoms, cells)
        if wanted[ply]:
            empty = count_cells(vector.without(cells, occupied))
            outlook = look(own, other, occupied, bottoms, cells)
            found = read_rows(outlook, forbidden, odd_cells, empty)
            for column in range(MAX_SIDE):
                rows[count, column] = vector.number_in(found[0], column)
                rows[count, MAX_SIDE + column] = vector.number_in(found[1], column)
                rows[count, 2 * MAX_SIDE + column] = vector.number_in(found[2], column)
                rows[count, 3 * MAX_SIDE + column] = vector.number_in(found[3], column)
            rows[count, KINDS * MAX_SIDE] = phase_row(empty)
            count += 1
        stone = vector.in_columns(landing, ONE << np.uint64(moves[ply]))
        vector.store(stones, MOVER, other)
        vector.store(stones, OPPONENT, own | stone)
    return count


@inlined
def _forward(rows: NDArray[np.uint16], network: Network, hidden: NDArray[np.float32]) -> Any:
    """Return the logit of a position; `hidden` receives the sums before they are clipped."""
    hidden[:] = np.float32(0)
    for row in rows:
        for j in range(len(hidden)):
            hidden[j] += network.table[row, j]
    logit: Any = network.bias[0]
    for j in range(len(hidden)):
        logit += min(max(hidden[j], np.float32(0)), np.float32(1)) * network.out[j]
    return logit


@kernel
def logits(rows: NDArray[np.uint16], network: Network) -> NDArray[np.float32]:
    """Return the logits of positions, shape (n,), from their rows, shape (n, FEATURES)."""
    result = np.zeros(len(rows), np.float32)
    hidden = np.zeros(len(network.out), np.float32)
    for number in range(len(rows)):
        result[number] = _forward(rows[number], network, hidden)
    return result


@inlined
def _adam(
    values: NDArray[np.float32],
    gradient: NDArray[np.float32],
    mean: NDArray[np.float32],
    square: NDArray[np.float32],
    rate: np.float32,
) -> None:
    one = np.float32(1)
    for i in range(len(values)):
        mean[i] = _FADING * mean[i] + (one - _FADING) * gradient[i]
        square[i] = _FADING_SQUARE * square[i] + (one - _FADING_SQUARE) * gradient[i] * gradient[i]
        values[i] -= rate * mean[i] / (np.sqrt(square[i]) + _TINY)


@kernel
def fit(
    rows: NDArray[np.uint16],
    targets: NDArray[np.float32],
    order: NDArray[np.int64],
    batch: int,
    rate: float,
    network: Network,
    moments: Moments,
    steps: int,
) -> tuple[float, int]:
    """Train for one epoch in whole batches; an incomplete last batch is skipped.

    Args:
        rows: shape (n, FEATURES).
        targets: shape (n,), the value of each position for its side to move, 0 .. 1.
        order: indices of the positions to learn from, in this order.
        batch: positions per step.
        rate: learning rate.
        network: updated.
        moments: updated.
        steps: number of earlier steps.

    Returns:
        The mean cross-entropy during the epoch, in nats, and the total number of steps.

    """
    width = len(network.out)
    slope_table = np.zeros_like(network.table)
    slope_out = np.zeros_like(network.out)
    slope_bias = np.zeros_like(network.bias)
    hidden = np.zeros(width, np.float32)
    down = np.zeros(width, np.float32)
    loss = 0.0
    used = 0
    share = np.float32(1) / np.float32(batch)
    zero, one = np.float32(0), np.float32(1)
    for start in range(0, len(order) - batch + 1, batch):
        slope_table[:] = zero
        slope_out[:] = zero
        slope_bias[:] = zero
        for place in range(start, start + batch):
            number = order[place]
            logit = np.float64(_forward(rows[number], network, hidden))
            target = np.float64(targets[number])
            loss += math.log1p(math.exp(-abs(logit))) + max(logit, 0.0) - target * logit
            slope = np.float32(1.0 / (1.0 + math.exp(-logit)) - target) * share
            slope_bias[0] += slope
            for j in range(width):
                slope_out[j] += slope * min(max(hidden[j], zero), one)
                down[j] = slope * network.out[j] if zero < hidden[j] < one else zero
            for row in rows[number]:
                if row != NOTHING:
                    for j in range(width):
                        slope_table[row, j] += down[j]
        used += batch
        steps += 1
        correction = math.sqrt(1 - 0.999**steps) / (1 - 0.9**steps)
        pace = np.float32(rate * correction)
        mean, square = moments
        _adam(
            network.table.reshape(-1),
            slope_table.reshape(-1),
            mean.table.reshape(-1),
            square.table.reshape(-1),
            pace,
        )
        _adam(network.out, slope_out, mean.out, square.out, pace)
        _adam(network.bias, slope_bias, mean.bias, square.bias, pace)
    return loss / max(used, 1), steps
