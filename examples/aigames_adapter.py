#!/usr/bin/env python3
"""Lets a bot written for The AI Games or riddles.io play on the ladder.

    ladder bots add mine 'exec:python3 aigames_adapter.py ./mybot'
    ladder bots add mine 'exec:python3 aigames_adapter.py --riddles ./mybot'

The bot reads seven `settings` lines, then for each move `update game round`, `update game field`
and `action move MS`. It answers `place_disc COLUMN`, or `no_moves` to give up; other lines that it
writes go to standard error. Each game has a new process. The two sites differ in names and cells.
"""

import fcntl
import json
import subprocess
import sys
import termios
import time

is_riddles = sys.argv[1] == "--riddles"
command = sys.argv[2:] if is_riddles else sys.argv[1:]
first = 0 if is_riddles else 1  # number of the player who moves first
sizes = ("field_width", "field_height") if is_riddles else ("field_columns", "field_rows")
bot = None


def answer(**message):
    """Send a message to the ladder."""
    print(json.dumps(message), flush=True)


def ask(*lines):
    """Send lines to the bot."""
    bot.stdin.write("".join(f"{line}\n" for line in lines))
    bot.stdin.flush()


def start(game):
    """Start the bot and send its settings."""
    global bot
    bot = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    clock = game["budget"].get("clock")
    base = clock["base_ms"] if clock else game["budget"]["time_ms"]
    own = first + game["side"]
    ask(
        f"settings timebank {base}",
        f"settings time_per_move {clock['increment_ms'] if clock else base}",
        f"settings player_names player{first},player{first + 1}",
        f"settings your_bot player{own}",
        f"settings your_botid {own}",
        f"settings {sizes[0]} {game['columns']}",
        f"settings {sizes[1]} {game['rows']}",
    )
    wait_until_read()


def wait_until_read():
    """Wait until the bot has loaded and read what was sent."""
    unread, deadline = bytearray(4), time.monotonic() + 5
    while time.monotonic() < deadline and bot.poll() is None:
        fcntl.ioctl(bot.stdin, termios.FIONREAD, unread)
        if not any(unread):
            break
        time.sleep(0.001)


def field(game, moves):
    """Return the cells as the bot expects them, from the top row down."""
    empty = "." if is_riddles else "0"
    rows = [[empty] * game["columns"] for _ in range(game["rows"])]
    for ply, column in enumerate(moves):
        row = max(row for row in range(game["rows"]) if rows[row][column] == empty)
        rows[row][column] = str(first + ply % 2)
    return ("," if is_riddles else ";").join(map(",".join, rows))


def play(game, message):
    """Let the bot move."""
    moves, clock = message["moves"], message.get("clock")
    ask(
        f"update game round {len(moves) // 2 + 1 if is_riddles else len(moves) + 1}",
        f"update game field {field(game, moves)}",
        f"action move {clock['yours_ms'] if clock else game['budget']['time_ms']}",
    )
    for line in bot.stdout:
        words = line.split()
        if words[:1] == ["place_disc"]:
            return answer(type="move", column=int(words[1]))
        if words[:1] == ["no_moves"]:
            return answer(type="resign")
        print(line, end="", file=sys.stderr, flush=True)
    return answer(type="error", message=f"the bot ended with status {bot.wait()}")


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        # No board has a forbidden cell.
        answer(type="hello", name=command[-1], budgets=["time", "clock"], boards=["any"])
    elif message["type"] == "new_game":
        game = message
        start(game)
        answer(type="ready")
    elif message["type"] == "move":
        play(game, message)
    elif bot is not None:  # the end of the game
        bot.kill()
        bot.wait()
