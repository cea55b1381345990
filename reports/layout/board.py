"""The board on a terminal: stones, the forbidden cell, the last move and the winning line.

Every mark is a character as well as a colour, so that a board can be read without colours::

     .  .  .  .  .  .  .
     . [X] .  .  .  .  .        [ ] the winning line
     .  O [X] .  #  .  .        ( ) the last move
     .  X  O [X] .  .  .         #  the forbidden cell
    (O) O  X  O [X] .  .
     0  1  2  3  4  5  6
"""

from rich.text import Text

from engine.position import Position

STYLES = ("bold red", "bold yellow")
SIGNS = "XO"
FORBIDDEN = "#"
CELL = 3
"""Characters per column: a stone and its marks."""


def board_text(position: Position, *, marker: int | None = None) -> Text:
    """Return the board, its top row first and the column numbers below.

    Args:
        position: the position.
        marker: the column above which the next stone is drawn, on a line of its own.

    """
    board = position.board
    last = _last_cell(position)
    line = position.winning_cells()
    text = Text(no_wrap=True)
    if marker is not None:
        side = position.to_move
        text.append(" " * (CELL * marker + 1))
        text.append(SIGNS[side], style=STYLES[side])
        text.append("\n")
    for row in reversed(range(board.rows)):
        for column in range(board.columns):
            side_of = position.owner(row, column)
            if side_of is None:
                sign = FORBIDDEN if (row, column) == board.forbidden else "."
                text.append(f" {sign} ", style="bold magenta" if sign == FORBIDDEN else "dim")
                continue
            style = STYLES[side_of]
            if (row, column) in line:
                text.append(f"[{SIGNS[side_of]}]", style=f"{style} reverse")
            elif (row, column) == last:
                text.append(f"({SIGNS[side_of]})", style=style)
            else:
                text.append(f" {SIGNS[side_of]} ", style=style)
        text.append("\n")
    for column in range(board.columns):
        text.append(f"{column:>2} ", style="bold" if column == marker else "dim")
    return text


def _last_cell(position: Position) -> tuple[int, int] | None:
    """Return the row and column of the last stone; None on an empty board."""
    if not position.moves:
        return None
    column = position.moves[-1]
    rows = [row for row in range(position.board.rows) if position.owner(row, column) is not None]
    return rows[-1], column
