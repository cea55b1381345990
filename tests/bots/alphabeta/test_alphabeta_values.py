"""Static values and search values of the alpha-beta family against slow forms."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.alphabeta import search
from bots.alphabeta.evaluation import evaluate
from bots.alphabeta.player import HALF_WON
from bots.catalogue import VERSIONS
from bots.protocol import Budget
from engine import vector
from engine.arrays import board_words, stone_words
from engine.board import Board, parse_board
from engine.compiled import kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, WordArray
from engine.position import Position
from engine.seeds import SplitMix
from tests.bots.alphabeta.links_oracle import WIN, minimax_of, static_value
from tests.bots.support import player, random_position
from tests.engine.oracle import boards

FAMILY = [name for name, version in VERSIONS.items() if version.family == "alphabeta"]
EVALUATING = ("ab1", "ab2", "ab3")


@kernel
def _static(board: WordArray, stones: WordArray, parameters: Any) -> int:
    return evaluate(
        vector.load(stones, 0),
        vector.load(stones, 1),
        (vector.load(board, BOTTOMS), vector.load(board, CELLS), vector.load(board, FORBIDDEN)),
        parameters,
    )


def dials_of(name: str) -> search.AlphaBetaParameters:
    options = VERSIONS[name].options
    return search.AlphaBetaParameters(
        ends=options.get("ends", False),
        reach=options.get("reach", 0),
        two=1,
        three=4,
        inner=0,
    )


def value_of(score: int) -> float:
    """Return the value that a player reports for a score."""
    if abs(score) > WIN // 2:
        return float(np.sign(score))
    return score / (abs(score) + HALF_WON)


@pytest.mark.slow
@pytest.mark.parametrize("name", EVALUATING)
@settings(max_examples=300, deadline=None)
@given(board=boards(), seed=st.integers(0, 2**32), plies=st.integers(0, 143))
def test_the_kernel_evaluates_as_the_slow_form(
    name: str, board: Board, seed: int, plies: int
) -> None:
    """On any board the kernel counts the same as the slow form."""
    position = random_position(board, min(plies, board.cells - 1), SplitMix(seed))
    found = _static(board_words(board), stone_words(position), dials_of(name))
    assert found == static_value(name, position), position.notation()


@pytest.mark.slow
@pytest.mark.parametrize("depth", [1, 2, 3, pytest.param(4, marks=pytest.mark.very_slow)])
@pytest.mark.parametrize("name", EVALUATING)
def test_alpha_beta_finds_the_value_of_minimax(name: str, depth: int) -> None:
    """Neither cuts nor forced replies change a value, and the move has that value."""
    random = SplitMix(depth)
    texts = ("4x4@1,1", "5x5", "6x7", "7x5@3,2", "9x9@4,4")
    for text in texts if depth < 4 else texts[:4]:
        board = parse_board(text)
        for _ in range(3):
            position = random_position(board, random.below(board.cells), random)
            known = {
                column: -minimax_of(name, position.play(column), depth - 1, 1)
                for column in position.legal_moves()
            }
            best = max(known.values())
            bot = player(f"{name}?central=0", board, position.to_move, Budget(depth=depth))
            choice = bot.choose(position.moves)
            assert choice.info is not None
            assert choice.info.value == value_of(best), position.notation()
            assert known[choice.column] == best, position.notation()
            if abs(best) > WIN // 2:
                assert choice.info.distance == WIN - abs(best), position.notation()


@pytest.mark.parametrize("depth", [2, 3, 5, 6])
def test_ordering_changes_no_value(depth: int) -> None:
    """ab5 sees what ab4 sees at the same depth."""
    random = SplitMix(7)
    for text in ("5x5", "6x7", "9x10@8,9", "11x11@5,5"):
        board = parse_board(text)
        for _ in range(8):
            position = random_position(board, random.below(board.cells), random)
            infos = [
                player(f"{name}?central=0", board, position.to_move, Budget(depth=depth))
                .choose(position.moves)
                .info
                for name in ("ab4", "ab5")
            ]
            assert infos[0] is not None
            assert infos[1] is not None
            assert (infos[0].value, infos[0].distance) == (infos[1].value, infos[1].distance)


def replay(position: Position, line: tuple[int, ...]) -> Position:
    for column in line:
        position = position.play(column)
    return position


@pytest.mark.parametrize("name", FAMILY)
def test_the_expected_line_leads_to_the_value(name: str) -> None:
    """The value is that of the position at the end of the expected line."""
    random = SplitMix(11)
    evaluation = name if name in EVALUATING else "ab3"
    for text in ("5x5@2,2", "6x7", "10x11@3,4"):
        board = parse_board(text)
        for _ in range(15):
            position = random_position(board, random.below(board.cells - 6), random)
            bot = player(f"{name}?central=0", board, position.to_move, Budget(depth=5))
            info = bot.choose(position.moves).info
            assert info is not None
            assert info.pv is not None
            assert info.value is not None
            end = replay(position, info.pv)
            sign = 1 if end.to_move == position.to_move else -1
            if end.winner is not None:
                assert info.distance == len(info.pv)
                assert info.value == (1 if end.winner == position.to_move else -1)
            elif end.is_over:
                assert info.value == 0
            else:
                assert len(info.pv) == 5
                assert info.value == value_of(sign * static_value(evaluation, end))
