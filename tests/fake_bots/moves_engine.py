"""An engine that reads lines of moves: ``moves_engine.py [FIRST] [COLUMNS] [MODE]``.

It ends at a line in any form but that of the protocol, and answers the column with the fewest
stones. MODE is ``column`` (beside lines without a number), ``scores``, as solvers write them after
the line itself, ``argument``, which takes the line as its last word, or ``twice``, which writes a
second line with a number, or ``late``, which waits before that.
"""

import sys
import time

ROWS = 6
first, columns = int(sys.argv[1]), int(sys.argv[2])
mode = sys.argv[3]


def answer(line: str) -> None:
    separator = "," if columns > 9 else ""
    words = line.split(separator) if separator and line else list(line)
    moves = [int(word) - first for word in words]
    assert line == separator.join(str(move + first) for move in moves), line
    assert all(0 <= move < columns and moves.count(move) <= ROWS for move in moves), line
    stones = [moves.count(column) for column in range(columns)]
    if mode == "scores":
        print(line, *(-1000 if each == ROWS else -each for each in stones), flush=True)
        return
    print("searching at depth... ok")
    print("column", first + stones.index(min(stones)), flush=True)
    if mode in ("twice", "late"):
        time.sleep(0.05 if mode == "late" else 0)
        print("nodes 123", flush=True)


if mode == "argument":
    assert sys.stdin.read() == ""
    answer(sys.argv[4])
else:
    print("An engine, version 2", flush=True)
    for text in sys.stdin:
        answer(text.removesuffix("\n"))
