"""The decisions of every built-in player of a copy of the sources: ``python -P decisions.py``.

It prints a JSON object with each player's identity, the hashes of its sources, and a hash of its
games. It uses only names that all versions of the sources have, because PYTHONPATH may select an
older one.
"""

import hashlib
import json
import sys
from collections.abc import Iterator
from typing import Any

import msgspec

from bots.catalogue import VERSIONS, build
from bots.identity import content_hash, sources
from bots.protocol import Budget
from engine.board import parse_board
from engine.cache import ROOT
from engine.position import Position

BOARDS = ("6x7", "9x9@4,4", "12x11@0,3")
WORK = {"simulations": (50, 600), "nodes": (300, 6000), "depth": (3,), "any": (1,)}
"""Amounts of each work budget under which decisions are compared."""
SEEDS = (3, 42)


def budgets(kinds: tuple[str, ...]) -> Iterator[Budget]:
    """Return the work budgets of a player."""
    for kind in kinds:
        if kind != "time":
            field = "simulations" if kind == "any" else kind
            amounts: list[dict[str, Any]] = [{field: amount} for amount in WORK[kind]]
            yield from (Budget(**amount) for amount in amounts)


def game(name: str, text: str, budget: Budget, seed: int) -> list[tuple[int, str]]:
    """Return all columns of a game of a player against itself, with their statistics."""
    board = parse_board(text)
    sides = [build(name, board=board, side=side, seed=seed, budget=budget) for side in (0, 1)]
    position = Position(board)
    moves = []
    while not position.is_over:
        choice = sides[position.to_move].choose(position.moves)
        moves.append((choice.column, msgspec.json.encode(choice.info).decode()))
        position = position.play(choice.column)
    return moves


def decisions(name: str, kinds: tuple[str, ...]) -> str:
    """Return a hash of the games of a player on every board, work budget and seed."""
    games = [
        game(name, text, budget, seed)
        for text in BOARDS
        for budget in budgets(kinds)
        for seed in SEEDS
    ]
    return hashlib.sha256(json.dumps(games).encode()).hexdigest()


def main() -> None:
    """Print the players of the sources that PYTHONPATH selects."""
    found = {
        name: {
            "identity": content_hash(version),
            "files": {
                str(path.relative_to(ROOT)): hashlib.sha256(path.read_bytes()).hexdigest()[:16]
                for path in sources(version)
            },
            "decisions": decisions(name, tuple(version.budgets)),
        }
        for name, version in VERSIONS.items()
        if not version.hidden
    }
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main()
