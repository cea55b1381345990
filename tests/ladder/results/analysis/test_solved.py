"""Keys and bytes of solved positions, and the solver's answers as numbers."""

import pytest

from engine.board import Board, parse_board
from engine.position import Position, parse_position
from engine.position_key import key_of
from engine.seeds import SplitMix
from engine.solver.solver import Solver
from engine.solver.value import Outcome, Value
from ladder.results.analysis.verdict import (
    FAR,
    Bounds,
    best_bounds,
    distance_of,
    number_of,
    outcome_of,
    pack_columns,
    solve_columns,
    unpack_columns,
)
from tests.engine.solver.oracle import oracle_of, random_position


def mirror(position: Position) -> Position:
    board = position.board
    cell = board.forbidden
    turned = None if cell is None else (cell[0], board.columns - 1 - cell[1])
    return Position.from_moves(
        Board(board.rows, board.columns, turned),
        (board.columns - 1 - column for column in position.moves),
    )


@pytest.mark.parametrize("board", ["6x7", "5x5@2,2", "9x10@1,3", "12x12@11,0"])
def test_a_key_is_of_the_position_up_to_mirroring(board: str) -> None:
    """The order of moves and a reflection must not change the key; a stone must."""
    random = SplitMix(5)
    keys = set()
    for plies in range(9):
        position = random_position(parse_board(board), plies, random)
        key, is_image = key_of(position)
        assert key_of(mirror(position))[0] == key
        assert key_of(mirror(position))[1] is not is_image or position == mirror(position)
        keys.add(key)
    assert len(keys) == 9
    one, two = parse_position(f"{board} 0123"), parse_position(f"{board} 2103")
    assert key_of(one) == key_of(two)
    assert key_of(one)[0] != key_of(parse_position(f"{board} 0132"))[0]


def test_boards_have_keys_of_their_own() -> None:
    """Equal stones on other boards must not share a verdict."""
    boards = ("6x7", "6x8", "7x7", "6x7@5,3", "6x7@5,2", "6x7@5,4")
    keys = [key_of(parse_position(f"{board} 33"))[0] for board in boards]
    assert len(set(keys)) == 5  # the last two are images of each other


def test_columns_survive_packing_in_both_orientations() -> None:
    """What was stored for a position must be read for its image, with mirrored columns."""
    columns = (Bounds(-3, 999), None, Bounds(0, 0), Bounds(-999, -1))
    for is_image in (False, True):
        assert (
            unpack_columns(pack_columns(columns, is_image=is_image), is_image=is_image) == columns
        )
    assert unpack_columns(pack_columns(columns, is_image=True), is_image=False) == columns[::-1]


def test_numbers_order_values_as_players_do() -> None:
    """A sooner win is better, a later loss is better."""
    values = [
        *(Value(Outcome.LOSS, 2), Value(Outcome.LOSS, 40), Value(Outcome.DRAW)),
        *(Value(Outcome.WIN, 41), Value(Outcome.WIN, 1)),
    ]
    numbers = [number_of(value) for value in values]
    assert numbers == sorted(numbers) == [2 - FAR, 40 - FAR, 0, FAR - 41, FAR - 1]
    assert [outcome_of(number) for number in numbers] == [value.outcome for value in values]
    assert [distance_of(number) for number in numbers] == [2, 40, None, 41, 1]


@pytest.mark.slow
@pytest.mark.parametrize("board", ["4x4", "4x4@1,2", "4x5@0,1"])
def test_columns_are_those_of_a_plain_search(board: str) -> None:
    """With enough nodes every column must have its exact value, with few ones true bounds."""
    solver, oracle, random = (
        Solver(parse_board(board), 1),
        oracle_of(parse_board(board)),
        SplitMix(3),
    )
    for _ in range(12):
        position = random_position(oracle.board, oracle.board.cells - 12 + random.below(5), random)
        columns = solve_columns(solver, position, 1_000_000)
        few = solve_columns(Solver(parse_board(board), 1), position, 4)
        for column, (found, loose) in enumerate(zip(columns, few, strict=True)):
            if not position.can_play(column):
                assert found is None is loose
                continue
            true = number_of(oracle.value_of_move(position, column))
            assert found == Bounds(true, true)
            assert loose is not None
            assert loose.low <= true <= loose.high
        assert best_bounds(columns).low == number_of(oracle.value(position))
