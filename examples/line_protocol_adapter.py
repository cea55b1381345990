#!/usr/bin/env python3
"""Lets a bot of the line protocol of The AI Games (riddles.io) play on the ladder.

    ladder bots add mine 'exec:python3 line_protocol_adapter.py ./mybot'

The bot reads `settings`, `update game field` (cells from the top row down: `.`, `0` or `1`) and
`action move MS`, and answers `place_disc COLUMN`. Other sites' protocols need other `ask` and
`choose`: Botzone sends one JSON document a turn, CodinGame a block of numbers.
"""

import json
import subprocess
import sys

bot = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def ask(*lines):
    """Send lines to the bot."""
    bot.stdin.write("".join(f"{line}\n" for line in lines))
    bot.stdin.flush()


def field(game, moves):
    """Return the cells as the bot expects them."""
    cells = [["."] * game["columns"] for _ in range(game["rows"])]
    for ply, column in enumerate(moves):
        row = max(row for row in range(game["rows"]) if cells[row][column] == ".")
        cells[row][column] = str(ply % 2)
    return ",".join(cell for row in cells for cell in row)


def milliseconds(game):
    """Return the time per move."""
    return game["budget"].get("time_ms", 1000)


def choose(game, moves):
    """Return the bot's column."""
    ask(f"update game field {field(game, moves)}", f"action move {milliseconds(game)}")
    return int(bot.stdout.readline().removeprefix("place_disc"))


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        hello = {"name": "adapted", "budgets": ["time"], "boards": ["any"]}  # none is forbidden
        print(json.dumps({"type": "hello", **hello}), flush=True)
    elif message["type"] == "new_game":
        game = message
        for setting in (
            f"time_per_move {milliseconds(game)}",
            f"your_botid {game['side']}",
            f"field_width {game['columns']}",
            f"field_height {game['rows']}",
        ):
            ask(f"settings {setting}")
        print('{"type":"ready"}', flush=True)
    elif message["type"] == "move":
        print(json.dumps({"type": "move", "column": choose(game, message["moves"])}), flush=True)
    elif message["type"] == "quit":
        break
