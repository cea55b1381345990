"""The board on a terminal."""

import pytest

from engine.board import parse_board
from engine.position import Position, parse_moves
from reports.layout.board import board_text


def drawn(board: str, moves: str, *, marker: int | None = None) -> list[str]:
    """Return the lines of a picture without colours."""
    position = Position.from_moves(parse_board(board), parse_moves(moves))
    return board_text(position, marker=marker).plain.split("\n")


@pytest.mark.parametrize(
    ("moves", "cells"),
    [
        ("0011223", [(0, 0), (0, 1), (0, 2), (0, 3)]),
        ("0101010", [(0, 0), (1, 0), (2, 0), (3, 0)]),
        ("01122323303", [(0, 0), (1, 1), (2, 2), (3, 3)]),
    ],
)
def test_a_winning_line_stands_in_brackets(moves: str, cells: list[tuple[int, int]]) -> None:
    """Exactly the cells of the line are marked, in rows, columns and diagonals."""
    lines = drawn("6x7", moves)
    marked = {
        (5 - row, column)
        for row, line in enumerate(lines[:6])
        for column in range(7)
        if line[3 * column] == "[" and line[3 * column + 2] == "]"
    }
    assert marked == set(cells)
    assert not any("(" in line for line in lines)


def test_the_forbidden_cell_is_a_cell_of_its_own() -> None:
    """The cell is drawn in its row from the bottom, and stones land on it."""
    lines = drawn("4x4@0,1", "1")
    assert lines[3] == " .  #  .  . "
    assert lines[2] == " . (X) .  . "


def test_the_marker_is_the_movers_stone_over_its_column() -> None:
    """A line above the board shows the stone of the side to move."""
    lines = drawn("4x12", "0", marker=10)
    assert lines[0] == " " * 31 + "O"
    assert len(lines) == 6
