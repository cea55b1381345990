#!/usr/bin/env python3
"""A course program that speaks JSON: any error ends it with status 0, as the course's own do.

It plays the column with the fewest stones, and ends at the end of a game. MODE, its argument, is
``gives-up``, which gives the game up at its second turn, or ``needs-cell``, which ends on a board
without a forbidden cell.
"""

import json
import sys

BEGIN = {"type", "row", "col", "nox", "noy"}
TURN = {"type", "top", "board", "lastx", "lasty"}


def receive():
    length = sys.stdin.buffer.read(4)
    assert length.isdigit(), length
    return json.loads(sys.stdin.buffer.read(int(length)).decode("ascii"))


def main(mode):
    begin = receive()
    assert begin["type"] == 0
    assert set(begin) == BEGIN
    rows, columns, forbidden = begin["row"], begin["col"], (begin["nox"], begin["noy"])
    assert mode != "needs-cell" or forbidden != (-1, -1)
    turns = 0
    while True:
        turn = receive()
        if turn == {"type": 2}:
            return
        assert turn["type"] == 1
        assert set(turn) == TURN
        top, board, last = turn["top"], turn["board"], (turn["lastx"], turn["lasty"])
        assert (len(top), len(board)) == (columns, rows * columns)
        stones = sum(map(bool, board))
        assert (last == (-1, -1)) == (stones == 0)
        assert stones == 0 or board[last[0] * columns + last[1]] == 1
        for x in range(rows):
            for y in range(columns):
                is_stone = x >= top[y] and (x, y) != forbidden
                assert bool(board[x * columns + y]) == is_stone, "top and board disagree"
        y = max(range(columns), key=lambda column: top[column])
        turns += 1
        point = (-2, -2) if mode == "gives-up" and turns == 2 else (top[y] - 1, y)
        answer = json.dumps({"X": point[0], "Y": point[1]}) + "\n"
        sys.stdout.buffer.write(len(answer).to_bytes(4, "big") + answer.encode())
        sys.stdout.buffer.flush()


try:
    main(sys.argv[1] if len(sys.argv) > 1 else "")
except Exception as error:
    print("Parse Error", error, file=sys.stderr)
