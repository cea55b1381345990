"""A terminal in memory, with a main screen and an alternate one."""

import io
import re

_PIECE = re.compile(
    r"\x1b\[(?P<private>\??)(?P<numbers>[\d;]*)(?P<word>[A-Za-z])|(?P<sign>[\r\n])|(?P<letter>.)"
)


class Terminal(io.TextIOBase):
    """The screen of a terminal as rows of characters."""

    def __init__(self, width: int, height: int, *, alternate: bool = True) -> None:
        self.width, self.height = width, height
        self.pushed: list[str] = []
        """Rows that have scrolled off the main screen."""
        self._knows_alternate = alternate
        self._main: list[str] | None = None
        """The hidden main screen while the alternate one is shown."""
        self._main_place = (0, 0)
        self._rows = [""] * height
        self._row = self._column = 0

    def isatty(self) -> bool:
        return True

    @property
    def screen(self) -> list[str]:
        """The visible rows without trailing blanks."""
        return [row.rstrip() for row in self._rows]

    def write(self, text: str) -> int:
        for piece in _PIECE.finditer(text):
            if piece["letter"]:
                self._put(piece["letter"])
            elif piece["sign"] == "\r":
                self._column = 0
            elif piece["sign"] == "\n":
                self._down()
            else:
                self._obey(piece[0], piece["private"] + piece["word"], piece["numbers"])
        return len(text)

    def resize(self, width: int, height: int) -> None:
        """Cut rows and columns that no longer fit, as terminals do with an alternate screen."""
        self.width, self.height = width, height
        self._rows = [row[:width] for row in (self._rows + [""] * height)[:height]]
        self._row, self._column = min(self._row, height - 1), min(self._column, width)

    def _obey(self, whole: str, word: str, numbers: str) -> None:
        if word == "K":
            assert numbers == "2", "only whole lines are erased"
            self._rows[self._row] = ""
        elif word == "H":
            row, column = (int(number) - 1 for number in (numbers or "1;1").split(";"))
            self._row, self._column = min(row, self.height - 1), column
        elif (word, numbers) == ("?h", "1049"):
            if self._knows_alternate:
                self._main, self._main_place = self._rows, (self._row, self._column)
                self._rows = [""] * self.height
        elif (word, numbers) == ("?l", "1049"):
            if self._main is not None:
                self._rows = (self._main + [""] * self.height)[: self.height]
                self._row, self._column = self._main_place
                self._main = None
        else:
            assert word == "m", f"this terminal does not know {whole!r}"

    def _put(self, letter: str) -> None:
        if self._column >= self.width:
            self._down()
        row = self._rows[self._row].ljust(self._column)
        self._rows[self._row] = row[: self._column] + letter + row[self._column + 1 :]
        self._column += 1

    def _down(self) -> None:
        self._column = 0
        self._row += 1
        if self._row == self.height:
            self._row -= 1
            first = self._rows.pop(0)
            self._rows.append("")
            if self._main is None:
                self.pushed.append(first.rstrip())
