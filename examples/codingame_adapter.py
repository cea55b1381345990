#!/usr/bin/env python3
"""Lets a bot written for CodinGame's "Connect 4" play on the ladder, on 7 rows and 9 columns.

    ladder bots add mine 'exec:python3 codingame_adapter.py ./mybot'

The bot reads its number and its opponent's, then for each move the number of moves played, seven
rows of cells from the top down (`.`, `0` or `1`), the number of legal columns, these, and the
opponent's last column (-1 at the start). It answers a column, behind which text may follow.
Stealing the first stone is never offered. Each game has a new process.

A bot that follows the opponent's moves alone needs games without opening plies: --opening-plies 0.
"""

import fcntl
import json
import subprocess
import sys
import termios
import time

ROWS, COLUMNS = 7, 9
bot = None


def answer(**message):
    """Send a message to the ladder."""
    print(json.dumps(message), flush=True)


def ask(*lines):
    """Send lines to the bot."""
    bot.stdin.write("".join(f"{line}\n" for line in lines))
    bot.stdin.flush()


def wait_until_read():
    """Wait until the bot has loaded and read what was sent."""
    unread, deadline = bytearray(4), time.monotonic() + 5
    while time.monotonic() < deadline and bot.poll() is None:
        fcntl.ioctl(bot.stdin, termios.FIONREAD, unread)
        if not any(unread):
            break
        time.sleep(0.001)


def play(moves):
    """Let the bot move."""
    rows = [["."] * COLUMNS for _ in range(ROWS)]
    for ply, column in enumerate(moves):
        row = max(row for row in range(ROWS) if rows[row][column] == ".")
        rows[row][column] = str(ply % 2)
    legal = [column for column in range(COLUMNS) if rows[0][column] == "."]
    last = moves[-1] if moves else -1
    ask(len(moves), *map("".join, rows), len(legal), *legal, last)
    words = bot.stdout.readline().split()
    if not words:
        answer(type="error", message="the bot gave no answer")
    elif words[0].lstrip("-").isdigit():
        answer(type="move", column=int(words[0]))
    else:  # STEAL is no move here
        answer(type="error", message=f"the bot answered {words[0]!r}, not a column", illegal=True)


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer(type="hello", name=sys.argv[-1], budgets=["any"], boards=[f"{ROWS}x{COLUMNS}"])
    elif message["type"] == "new_game":
        bot = subprocess.Popen(
            sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        ask(f"{message['side']} {1 - message['side']}")
        wait_until_read()
        answer(type="ready")
    elif message["type"] == "move":
        play(message["moves"])
    elif bot is not None:  # the end of the game
        bot.kill()
        bot.wait()
