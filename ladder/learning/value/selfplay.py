"""Self-play: games between two copies of a player, with the value of each searched position."""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from bots.budget import Budget
from bots.catalogue import build
from bots.learned.fit import FEATURES, rows_of_moves
from bots.player import Player
from engine.arrays import board_words
from engine.board import parse_board
from engine.board_class import parse_board_classes
from engine.opening import draw_opening
from engine.position import Position
from engine.seeds import SplitMix
from ladder.learning.value.settings import BLOCK, GAMES, LearningSettings


class SelfplayGame(msgspec.Struct, frozen=True):
    """A finished game of self-play: a line of a file."""

    board: str
    moves: tuple[int, ...]
    values: tuple[float | None, ...]
    """The search's value at each ply, 0 to 1 for the side to move; None where nothing was
    searched."""
    points2: int
    """Twice the first player's score."""
    settled: int
    """Number of moves up to the last random one; the result is a fair target only after it."""


def count_blocks(settings: LearningSettings) -> int:
    """Return the number of blocks of a generation."""
    return -(-settings.games // BLOCK)


def play_block(
    settings: LearningSettings, generation: int, block: int, player: str
) -> tuple[SelfplayGame, ...]:
    """Play the games of a block, which depend only on the arguments.

    Args:
        settings: of the training.
        generation: from 1 on.
        block: from 0 on.
        player: a built-in player with its options.

    """
    numbers = range(block * BLOCK, min((block + 1) * BLOCK, settings.games))
    return tuple(play_game(settings, generation, number, player) for number in numbers)


def play_game(
    settings: LearningSettings, generation: int, number: int, player: str
) -> SelfplayGame:
    """Play one game from a random opening.

    Half of the games are played on the first board class, the others on the rest. In every second
    game some later moves are random, too.
    """
    random = SplitMix(settings.seed_of(GAMES, generation, number))
    main, *rest = parse_board_classes(settings.boards)
    board = (random.choice(rest) if rest and random.below(2) else main).draw(random)
    most = min(settings.opening_plies, board.cells // 3)
    opening = draw_opening(board, random.below(most + 1), random)
    noise = settings.noise if number % 2 else 0.0
    seed = random.below(2**53)
    budget = Budget.of("simulations", settings.simulations)
    sides = [build(player, board=board, side=side, seed=seed, budget=budget) for side in (0, 1)]
    moves = list(opening)
    values: list[float | None] = [None] * len(moves)
    settled = len(moves)
    position = Position.from_moves(board, moves)
    while not position.is_over:
        column, value = _choose(sides[position.to_move], moves)
        if random.below(1 << 20) < noise * (1 << 20):
            drawn = random.choice(position.legal_moves())
            settled = len(moves) + 1 if drawn != column else settled
            column = drawn
        values.append(value)
        moves.append(column)
        position = position.play(column)
    ending = position.ending
    assert ending is not None, "the game is over"  # noqa: S101 - the loop's condition
    return SelfplayGame(str(board), tuple(moves), tuple(values), ending.result.points2, settled)


def _choose(player: Player, moves: list[int]) -> tuple[int, float | None]:
    choice = player.choose(tuple(moves))
    value = choice.info.value if choice.info is not None else None
    return choice.column, None if value is None else round((value + 1) / 2, 4)


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
