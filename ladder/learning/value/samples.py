"""Samples: positions of self-play games as rows of the evaluation's table, with targets."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bots.learned.fit import FEATURES, rows_of_moves
from engine.board import parse_board
from engine.lanes import board_words
from ladder.learning.value.selfplay import SelfplayGame


class Samples(NamedTuple):
    """A number n of positions."""

    rows: NDArray[np.uint16]
    """Shape (n, FEATURES)."""
    targets: NDArray[np.float32]
    """Training targets, 0 to 1 for the side to move, shape (n,)."""
    searched: NDArray[np.float32]
    """Values of the searches, 0 to 1 for the side to move, shape (n,)."""
    results: NDArray[np.float32]
    """Results of the games, 0, 0.5 or 1 for the side to move, shape (n,); NaN if a random move
    followed."""


def make_samples(games: Sequence[SelfplayGame], result_weight: float) -> Samples:
    """Return the samples of all searched positions of games.

    Args:
        games: of self-play.
        result_weight: weight of the game's result in a target; the search's value has the rest. If
            a random move followed, the target is the search's value alone.

    """
    parts = [_make_game_samples(game, result_weight) for game in games]
    if not parts:
        none = np.zeros(0, np.float32)
        return Samples(np.zeros((0, FEATURES), np.uint16), none, none, none)
    return join_samples(parts)


def join_samples(parts: Sequence[Samples]) -> Samples:
    """Concatenate sets of samples."""
    return Samples(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _make_game_samples(game: SelfplayGame, result_weight: float) -> Samples:
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
