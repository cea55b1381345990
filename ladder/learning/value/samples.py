"""Samples: the positions of self-play games as rows of the evaluation's table, with targets."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.learned.fit import FEATURES, rows_of_moves
from engine.board import parse_board
from engine.lanes import board_words
from ladder.learning.value.selfplay import SelfplayGame


class Samples(NamedTuple):
    """Positions of games, n of them."""

    rows: NDArray[np.uint16]
    """Shape (n, FEATURES)."""
    targets: NDArray[np.float32]
    """Shape (n,): what is learned, 0 .. 1 for the side to move."""
    searched: NDArray[np.float32]
    """Shape (n,): the value that the search gave, as that."""
    results: NDArray[np.float32]
    """Shape (n,): the result of the game, 0, 0.5 or 1 for the side to move; NaN where random moves
    came between."""


def samples_of(games: Sequence[SelfplayGame], result_weight: float) -> Samples:
    """The searched positions of games.

    Args:
        games: of self-play.
        result_weight: of the result in a target; the rest is the value of the search. Where random
            moves came between a position and the result, the value is all.

    """
    parts = [_samples_of_game(game, result_weight) for game in games]
    if not parts:
        none = np.zeros(0, np.float32)
        return Samples(np.zeros((0, FEATURES), np.uint16), none, none, none)
    return joined(parts)


def joined(parts: Sequence[Samples]) -> Samples:
    """Several sets of samples as one, in their order."""
    return Samples(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _samples_of_game(game: SelfplayGame, result_weight: float) -> Samples:
    values = np.array([np.nan if value is None else value for value in game.values], np.float32)
    wanted = ~np.isnan(values)
    rows = np.zeros((int(wanted.sum()), FEATURES), np.uint16)
    words = board_words(parse_board(game.board))
    rows_of_moves(words, np.array(game.moves, np.int8), wanted, rows)
    plies = np.arange(len(values))
    first = np.float32(game.points2 / 2)
    results = np.where(plies % 2 == 0, first, 1 - first).astype(np.float32)
    results[plies < game.settled] = np.nan
    known = ~np.isnan(results)
    targets = values.copy()
    targets[known] += np.float32(result_weight) * (results[known] - values[known])
    return Samples(rows, targets[wanted], values[wanted], results[wanted])
