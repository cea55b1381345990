"""A bot for CodinGame's Connect 4 that takes no other input: it plays the leftmost legal column.

With the argument ``steals`` it answers STEAL where that is the second move of a game.
"""

import itertools
import sys

ROWS, COLUMNS = 7, 9


def read():
    """Return the next line, which must not be the end."""
    line = sys.stdin.readline()
    assert line.endswith("\n")
    return line[:-1]


own, other = map(int, read().split())
assert {own, other} == {0, 1}
while True:
    index = int(read())
    cells = [read() for _ in range(ROWS)]
    assert all(len(row) == COLUMNS and set(row) <= set(".01") for row in cells), cells
    stones = [row.count("0") + row.count("1") for row in cells]
    assert sum(stones) == index
    assert index % 2 == own
    assert all(low >= high for high, low in itertools.pairwise(stones))
    legal = [int(read()) for _ in range(int(read()))]
    assert legal == [column for column in range(COLUMNS) if cells[0][column] == "."]
    last = int(read())
    assert (last == -1) == (index == 0)
    assert last == -1 or str(other) in [row[last] for row in cells]
    print(
        "STEAL" if sys.argv[1:] == ["steals"] and index == 1 else f"{legal[0]} have fun", flush=True
    )
