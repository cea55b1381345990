#!/usr/bin/env python3
"""A bot for the ladder: wins when it can, blocks when it must, else stays near the middle."""

import json
import sys

LINES = ((0, 1), (1, 0), (1, 1), (1, -1))


def landing_rows(game, moves):
    """Return the row on which a stone of each column lands, and the stones by (row, column)."""
    rows, forbidden = [0] * game["columns"], game.get("forbidden")
    stones = {}
    for ply, column in enumerate([*moves, None]):
        for c in range(len(rows)):
            rows[c] += [rows[c], c] == forbidden  # no stone can occupy the forbidden cell
        if column is not None:
            stones[rows[column], column] = ply % 2
            rows[column] += 1
    return rows, stones


def connects(stones, row, column, side):
    """Return whether a stone of that side there would make four in a line."""
    for down, right in LINES:
        count = 1
        for sign in (1, -1):
            step = 1
            while stones.get((row + sign * step * down, column + sign * step * right)) == side:
                step += 1
            count += step - 1
        if count >= 4:
            return True
    return False


def choose(game, moves):
    """Return the column to play."""
    rows, stones = landing_rows(game, moves)
    legal = [c for c in range(game["columns"]) if rows[c] < game["rows"]]
    legal.sort(key=lambda c: abs(c - (game["columns"] - 1) / 2))
    for side in (game["side"], 1 - game["side"]):
        for column in legal:
            if connects(stones, rows[column], column, side):
                return column
    return legal[0]


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "name": "center", "budgets": ["any"]}), flush=True)
    elif message["type"] == "new_game":
        game = message
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "move":
        print(json.dumps({"type": "move", "column": choose(game, message["moves"])}), flush=True)
    elif message["type"] == "quit":
        break
