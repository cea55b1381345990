"""A bot for The AI Games (``1``) or riddles.io (``0``), its argument, that takes no other line.

It plays the leftmost column with room, and writes a line of debugging before each answer.
"""

import sys

first = int(sys.argv[1])
field_names = ("field_columns", "field_rows") if first else ("field_width", "field_height")


def read(*start):
    """Return the words of a line after those with which it must start."""
    line = sys.stdin.readline()
    words = line.split()
    assert line == " ".join(words) + "\n", line
    assert words[: len(start)] == list(start), line
    assert len(words) == len(start) + 1, line
    return words[-1]


timebank = int(read("settings", "timebank"))
per_move = int(read("settings", "time_per_move"))
assert read("settings", "player_names") == f"player{first},player{first + 1}"
name = read("settings", "your_bot")
own = int(read("settings", "your_botid"))
assert name == f"player{own}"
columns, rows = (int(read("settings", each)) for each in field_names)
while line := sys.stdin.readline():
    assert line.startswith("update game round "), line
    number = int(line.split()[3])
    text = read("update", "game", "field")
    lines = text.split(";") if first else [text]
    cells = [cell for each in lines for cell in each.split(",")]
    assert len(lines) == (rows if first else 1), text
    assert len(cells) == rows * columns, text
    empty = "0" if first else "."
    assert set(cells) <= {empty, str(first), str(first + 1)}, text
    stones = len(cells) - cells.count(empty)
    assert number == (stones + 1 if first else stones // 2 + 1), number
    assert cells.count(str(first)) - cells.count(str(first + 1)) == (own != first), text
    assert all(cells[at] == empty or cells[at + columns] != empty
               for at in range(len(cells) - columns)), "a stone floats"  # fmt: skip
    left = int(read("action", "move"))
    assert 0 < left <= timebank + stones * per_move
    print("thinking", left)
    print("place_disc", cells.index(empty), flush=True)
