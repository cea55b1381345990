"""The static value and the search of c4ai against slow forms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bots.c4ai.evaluate import WeightArray, static_value
from bots.c4ai.player import Deepening, weight_array
from bots.c4ai.search import DECIDED, WON
from bots.c4ai.threat_race import Cache, new_cache, play_race
from bots.c4ai.weights import Weights
from engine import vector
from engine.arrays import board_words, stone_words
from engine.board import Board
from engine.compiled import kernel
from engine.lanes import BOTTOMS, CELLS, FORBIDDEN, MOVER, OPPONENT, WordArray
from engine.position import Position, parse_position
from engine.seeds import SplitMix
from tests.bots.c4ai import c4ai_oracle as oracle
from tests.bots.support import BOARDS, random_position

STANDARD = Board(6, 7)
ONLY = {
    name: Weights(*(int(name == field) for field in Weights._fields)) for name in Weights._fields
}
ODD = Weights(3, 17, 1009, 100_003, -7, -10_007)
"""Weights of which no sum can be taken for another one."""


@kernel
def _static(board: WordArray, stones: WordArray, weights: WeightArray, cache: Cache) -> np.int64:
    own, other = vector.load(stones, OPPONENT), vector.load(stones, MOVER)
    occupied = vector.either(vector.either(own, other), vector.load(board, FORBIDDEN))
    cells = vector.load(board, CELLS)
    landing = vector.playable(occupied, vector.load(board, BOTTOMS), cells)
    wins = vector.threats(own), vector.threats(other)
    work = np.zeros(1, np.uint64)
    return static_value(own, other, wins[0], wins[1], landing, cells, weights, cache, work)


def evaluate(position: Position, weights: Weights) -> int:
    """Return the static value for the player who has just moved."""
    board, stones = board_words(position.board), stone_words(position)
    return int(_static(board, stones, weight_array(weights), new_cache()))


def value(text: str, term: str, board: str = "6x7") -> int:
    """Return one term of the value for the player of the last move."""
    return evaluate(parse_position(f"{board} {text}"), ONLY[term])


@pytest.mark.slow
def test_a_lone_stone_counts_once_for_each_window() -> None:
    """A lone stone counts once for every window of four that it can grow into."""
    # In the corner a row, a column and a diagonal; in the middle four rows, a column and two.
    assert value("0", "one") == 3
    assert value("3", "one") == 7
    # The opponent's own corner is worth the same.
    assert value("06", "one") == 0
    assert value("3", "two") == value("3", "atari") == 0


def test_a_winning_cell_counts_when_it_can_be_played() -> None:
    """A cell that wins at the next own move counts, one that cannot be played yet does not."""
    assert value("06162", "atari") == 1
    assert value("1002261", "atari") == 0


def positions(random: SplitMix, count: int, boards: tuple[Board, ...] = BOARDS) -> list[Position]:
    """Return random positions of every length in which the game is not over."""
    found: list[Position] = []
    while len(found) < count:
        board = boards[random.below(len(boards))]
        found.append(random_position(board, random.below(board.cells), random))
    return found


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**40))
def test_the_kernel_has_the_value_of_the_slow_form(seed: int) -> None:
    """The kernel must agree with counting windows cell by cell and playing threats by recursion."""
    for position in positions(SplitMix(seed), 8):
        assert evaluate(position, ODD) == oracle.static(position, ODD), position.notation()


@pytest.mark.slow
def test_the_random_positions_have_all_results_of_threat_play() -> None:
    """The positions that the tests above use must contain wins, losses and draws."""
    results = [oracle.threat_result(position) for position in positions(SplitMix(1), 400)]
    assert min(results.count(result) for result in (1, 0, -1)) >= 5


def searched(position: Position, depth: int, weights: Weights = ODD) -> int:
    """Return the kernel's value of a search to one depth."""
    search = Deepening(position.board, weight_array(weights))
    search.set_position(position.moves, depth=depth)
    search.finish()
    assert search.result.complete
    return search.result.value


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**40))
def test_the_search_finds_the_value_of_minimax(seed: int) -> None:
    """Cut-offs and wins that are seen beforehand must not change a value."""
    random = SplitMix(seed)
    boards = (Board(4, 4), Board(4, 5, (0, 2)), Board(5, 4, (2, 1)))
    for position in positions(random, 2, boards):
        for depth in (1, 3):
            expected = oracle.minimax_of(position, depth, ODD)
            assert searched(position, depth) == expected, position.notation()


def test_two_own_ataris_win_and_one_of_the_opponent_loses() -> None:
    """After an own move an opponent's atari is a loss, and two own ataris are a win."""
    # Whoever makes an open three has two ataris, and wins with the stone after next.
    assert searched(parse_position("6x7 2636"), 1) == WON - 3
    # Whoever meets an open three leaves an atari, whatever is played.
    assert searched(parse_position("6x7 26364"), 1) == 2 - WON
    assert searched(parse_position("6x7 626304"), 1) == 2 - WON
    # A single one is met.
    assert abs(searched(parse_position("6x7 06162"), 1)) < DECIDED
    # An own atari is played.
    assert searched(parse_position("6x7 061626"), 1) == WON - 1


Codes = st.lists(
    st.lists(st.tuples(st.booleans(), st.booleans()), max_size=5), min_size=1, max_size=4
)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(columns=Codes)
def test_threat_play_has_the_result_of_brute_force(columns: list[list[tuple[bool, bool]]]) -> None:
    """The race with its cache and short cuts has the result of trying everything."""
    codes = [_code(column) for column in columns] + [0] * (4 - len(columns))
    a, b, c, d = (np.uint64(code) for code in codes)
    result = play_race(a, b, c, d, new_cache(), np.zeros(1, np.uint64))
    assert result == oracle.played_out(tuple(tuple(column) for column in columns))


def _code(column: list[tuple[bool, bool]]) -> int:
    mine = sum(1 << row for row, (own, _) in enumerate(column) if own)
    theirs = sum(1 << row for row, (_, other) in enumerate(column) if other)
    return mine | theirs << 12 | len(column) << 24
