"""A repository with sixteen commits of a small player, for searches through its history."""

from pathlib import Path

from tests.support.data.repositories import commit, git, repository

BOT = '''
"""A player that wins when it can and stops a win of the other; otherwise it plays at random."""

import random


def ends(board, columns, mover):
    """Whether the last of these moves, made by that side, completes four in a row."""
    height, cells = [0] * board["columns"], {}
    for ply, column in enumerate(columns):
        if board["forbidden"] == [height[column], column]:
            height[column] += 1
        cells[height[column], column] = mover if ply == len(columns) - 1 else ply % 2
        height[column] += 1
    row, column = height[columns[-1]] - 1, columns[-1]
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (1, -1):
            step = 1
            while cells.get((row + sign * step * down, column + sign * step * right)) == mover:
                length, step = length + 1, step + 1
        if length >= 4:
            return True
    return False


class Bot:
    budgets, boards = ("any",), ("5x5",)

    def new_game(self, board, side, seed, budget):
        self.board, self.random = board, random.Random(seed)

    def choose(self, moves):
        room = [self.board["rows"]] * self.board["columns"]
        if self.board["forbidden"]:
            room[self.board["forbidden"][1]] -= 1
        legal = [column for column, rows in enumerate(room) if moves.count(column) < rows]
        if LOOKS_AHEAD:
            for mover in (len(moves) % 2, 1 - len(moves) % 2):
                for column in legal:
                    if ends(self.board, [*moves, column], mover):
                        return column
        return self.random.choice(legal)
'''
"""Needs a first line that sets LOOKS_AHEAD."""
COMMITS = 16
BROKEN, UNBUILDABLE = 10, 12
"""The commits, 1 to 16: the first without look-ahead, and the one that cannot be built."""
BUILD = "python3 -I -S build.py"
SPEC = "python:built.py:Bot"


def player_history(folder: Path) -> list[str]:
    """Make a repository with a good commit and sixteen more; return their hashes."""
    files = {"player.py": f"LOOKS_AHEAD = True\n{BOT}", "build.py": _builder("")}
    place = repository(folder, files)
    found = [git(place, "rev-parse", "HEAD")]
    for number in range(1, COMMITS + 1):
        looks_ahead = number < BROKEN
        files = {
            "player.py": f"LOOKS_AHEAD = {looks_ahead}\n# Step {number}\n{BOT}",
            "build.py": _builder("raise SystemExit('no')" if number == UNBUILDABLE else ""),
        }
        subject = "Simplify the choice" if number == BROKEN else f"Step {number}"
        found.append(commit(place, files, subject))
    return found


def _builder(first: str) -> str:
    return f"{first}\nimport shutil\nshutil.copy('player.py', 'built.py')\n"
