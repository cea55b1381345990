"""What a long move costs in memory: `python -m benchmarks.memory [PLAYER...] [--seconds S]`.

Every player gets a process of its own and plays the first moves of a game against itself. Prints a
Markdown table: the most memory the process ever held and, a move each, simulations, nodes and time.
"""

import argparse
import multiprocessing
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from bots.catalogue import VERSIONS, build
from bots.player import Player
from bots.protocol import Budget
from bots.uct.graph import memory as nodes
from bots.uct.graph.player import GraphPlayer
from bots.uct.nodes import FIELDS, HEAD, SLACK
from bots.uct.tree import search as tree
from bots.uct.tree.player import TreePlayer
from engine.board import Board, parse_board
from engine.position import Position


def is_full(bot: Player, board: Board, simulations: int, held: int) -> bool:
    """Return whether the search has no room left for another node's children."""
    if isinstance(bot, TreePlayer):
        block = HEAD + FIELDS * board.columns + SLACK
        return int(bot._counters[tree.USED]) + block > len(bot._tree)
    if isinstance(bot, GraphPlayer):
        rows = len(bot._rows) // nodes.ROW
        return int(bot._counters[nodes.LIVE]) + board.columns > rows
    # v1 to v4 make a node with every simulation, as long as they can.
    return held < simulations


def measure(name: str, text: str, seconds: float, moves: int) -> str:
    """Return one row of the table.

    Raises:
        RuntimeError: the player gave up a fifth of its time or more although its tree had room, or
            played an illegal move.

    """
    board = parse_board(text)
    position = Position(board)
    budget = Budget(time_ms=round(1000 * seconds))
    bot = build(name, board=board, side=0, seed=1, budget=budget)
    found = []
    for _ in range(moves):
        started = time.perf_counter()
        choice = bot.choose(position.moves)
        used = time.perf_counter() - started
        info = choice.info
        assert info is not None
        simulations, held = info.simulations or 0, info.tree or 0
        is_complete = is_full(bot, board, simulations, held)
        # A full tree whose root has as many visits as its counters hold is not searched further.
        if (used < 0.8 * seconds and not is_complete) or not position.can_play(choice.column):
            raise RuntimeError(f"{name} on {board}: column {choice.column} after {used:.2f} s")
        position = position.play(choice.column)
        full = ", full" if is_complete else ""
        found.append(f"{simulations:,} | {held:,}{full} | {1000 * used:,.0f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return f"| {name} | {board} | {peak:,.0f} | " + " | ".join(found) + " |"


def main() -> None:
    """Measure and print."""
    everyone = [name for name, version in VERSIONS.items() if version.family == "uct"]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("players", nargs="*", default=everyone)
    parser.add_argument("--boards", nargs="+", default=["11x11@5,5", "12x12"])
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--moves", type=int, default=2)
    parser.add_argument("--processes", type=int, default=2)
    options = parser.parse_args()
    columns = "".join(
        f" | simulations {move} | nodes {move} | ms {move}" for move in range(1, options.moves + 1)
    )
    print(f"| player | board | peak MiB{columns} |\n" + "|---" * (3 + 3 * options.moves) + "|")
    cases = [(name, board) for board in options.boards for name in options.players]
    row = partial(measure, seconds=options.seconds, moves=options.moves)
    # A process serves one player only, since its peak cannot be reset.
    with ProcessPoolExecutor(
        options.processes, multiprocessing.get_context("spawn"), max_tasks_per_child=1
    ) as pool:
        for line in pool.map(row, *zip(*cases, strict=True)):
            print(line, flush=True)


if __name__ == "__main__":
    main()
