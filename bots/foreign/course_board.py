"""The board in the form of the course's judge, for the hosts of course programs.

The course counts x down from the top-left corner and y across; the harness counts rows up from the
bottom. In column y the next stone lands on row ``top[y] - 1``; a full column has ``top[y]`` = 0. A
board without a forbidden cell has noX = noY = -1.

Self-contained, like `host_loop` in the same folder.
"""

from __future__ import annotations

from .host_loop import Illegal, Message

OPPONENT, OWN = 1, 2


class CourseBoard:
    """A game in play.

    Attributes:
        top: row below the landing cell of each column, 0 if the column is full.
        cells: all rows from the top: 0 empty, 1 the opponent, 2 the strategy itself.
        last: x and y of the last move, -1 and -1 at the start.

    """

    def __init__(self, game: Message) -> None:
        self.rows: int = game["rows"]
        self.columns: int = game["columns"]
        self.side: int = game["side"]
        forbidden = game.get("forbidden")
        self.no_x, self.no_y = -1, -1
        if forbidden is not None:
            self.no_x, self.no_y = self.rows - 1 - forbidden[0], forbidden[1]
        self.top = [self.rows] * self.columns
        self.cells = [0] * (self.rows * self.columns)
        self.last = -1, -1
        self.moves: list[int] = []
        if self.no_x == self.rows - 1:
            self.top[self.no_y] -= 1

    def follow(self, moves: list[int]) -> None:
        """Play the new moves."""
        for ply in range(len(self.moves), len(moves)):
            y = moves[ply]
            x = self.top[y] - 1
            self.cells[x * self.columns + y] = OWN if ply % 2 == self.side else OPPONENT
            self.top[y] -= 1
            if x == self.no_x + 1 and y == self.no_y:
                self.top[y] -= 1
            self.last = x, y
        self.moves = moves

    def check(self, x: int, y: int, author: str) -> None:
        """Raise `Illegal` unless a stone can land on the point.

        Args:
            x: row of the point, from the top.
            y: column of the point.
            author: beginning of the message, such as "getPoint returned".

        """
        if not (0 <= x < self.rows and 0 <= y < self.columns):
            reason = f"that is off the board of {self.rows} rows and {self.columns} columns"
        elif self.top[y] <= 0:
            reason = f"column {y} is full"
        elif (x, y) == (self.no_x, self.no_y):
            reason = "that is the forbidden cell"
        elif x != self.top[y] - 1:
            reason = f"a stone in column {y} comes to rest on row {self.top[y] - 1}"
        else:
            return
        free = [(self.top[c] - 1, c) for c in range(self.columns) if self.top[c] > 0]
        legal = ", ".join("{} in column {}".format(*point) for point in free)
        raise Illegal(f"{author} ({x}, {y}), but {reason}: legal rows were {legal}")
