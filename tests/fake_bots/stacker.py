"""A bot with a number: it stacks its own column, the more surely the nearer the number is to 0.8.

The number is the last word of the command, or X in the environment. Whoever stacks more surely has
four first, for no bot blocks. Standard library only, starts quickly with ``python3 -I -S``.
"""

import json
import os
import random
import sys

x = float(os.environ.get("X") or sys.argv[-1])


def move(game: dict, draws: random.Random, played: list) -> int:
    legal = [c for c in range(game["columns"]) if played.count(c) < game["rows"]]
    own = 0 if game["side"] == 0 else game["columns"] - 1
    return own if own in legal and draws.random() > abs(x - 0.8) else draws.choice(legal)


for line in sys.stdin:
    message = json.loads(line)
    answer = None
    if message["type"] == "hello":
        answer = {"type": "hello", "name": "stacker", "version": "1", "budgets": ["any"],
                  "boards": ["6x7"]}  # fmt: skip
    elif message["type"] == "new_game":
        game, draws = message, random.Random(2 * message["seed"] + message["side"])
        answer = {"type": "ready"}
    elif message["type"] == "move":
        answer = {"type": "move", "column": move(game, draws, message["moves"])}
    elif message["type"] == "quit":
        break
    if answer is not None:
        print(json.dumps(answer), flush=True)
