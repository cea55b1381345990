"""How fast rollouts are: `python benchmarks/rollouts.py [BOARD] [--count N] [--repeat N]`.

Prints, for the vector and the plain kernel, the best of several repetitions: rollouts per second,
nanoseconds per ply, and what the first call cost (compilation, or loading from the cache).
"""

import argparse
import time

from engine.bits import random_state
from engine.board import parse_board
from engine.lanes import board_words, stone_words
from engine.position import Position
from engine.rollout import roll_out_many, roll_out_many_plain


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("board", nargs="?", default="11x11@5,5")
    parser.add_argument("--count", type=int, default=200_000, help="rollouts in one repetition")
    parser.add_argument("--repeat", type=int, default=10)
    options = parser.parse_args()

    board = parse_board(options.board)
    stones, words = stone_words(Position(board)), board_words(board)
    state = random_state(1)
    print(f"{board}, empty, {options.count} rollouts, best of {options.repeat}")
    best: dict[str, float] = {}
    for name, kernel in (("vector", roll_out_many), ("plain", roll_out_many_plain)):
        started = time.perf_counter()
        kernel(stones, words, 1, False, state)
        ready = time.perf_counter() - started
        times = []
        for _ in range(options.repeat):
            started = time.perf_counter()
            points2, plies, _ = kernel(stones, words, options.count, False, state)
            times.append(time.perf_counter() - started)
        best[name] = min(times)
        print(
            f"{name:7} {options.count / best[name]:>12,.0f} a second "
            f"{best[name] / plies * 1e9:6.1f} ns a ply "
            f"{plies / options.count:6.1f} plies each, "
            f"first mover {points2 / options.count / 2:.3f}, "
            f"first call {ready:.2f} s"
        )
    print(f"plain / vector: {best['plain'] / best['vector']:.2f}")


if __name__ == "__main__":
    main()
