"""How fast rollouts are: `python -m benchmarks.rollouts [BOARD] [--count N] [--repeat N]`.

Prints, for the rollout of the tree searches on vector registers and on 64-bit words, the best of
several repetitions: rollouts per second, microseconds each, and the time of the first call
(compilation, or loading from the cache).
"""

import argparse
import time

import numpy as np

from engine.board import parse_board
from engine.lanes import board_words, stone_words
from engine.position import Position
from tests.support.rollouts import roll_out_plain, roll_out_vector


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("board", nargs="?", default="11x11@5,5")
    parser.add_argument("--count", type=int, default=200_000, help="rollouts in one repetition")
    parser.add_argument("--repeat", type=int, default=10)
    options = parser.parse_args()

    board = parse_board(options.board)
    stones, words = stone_words(Position(board)), board_words(board)
    state = np.uint64(1)
    print(f"{board}, empty, {options.count} rollouts, best of {options.repeat}")
    best: dict[str, float] = {}
    for name, kernel in (("vector", roll_out_vector), ("plain", roll_out_plain)):
        started = time.perf_counter()
        kernel(stones, words, state, False, 1)
        ready = time.perf_counter() - started
        times = []
        for _ in range(options.repeat):
            started = time.perf_counter()
            points2, _ = kernel(stones, words, state, False, options.count)
            times.append(time.perf_counter() - started)
        best[name] = min(times)
        print(
            f"{name:7} {options.count / best[name]:>12,.0f} a second "
            f"{best[name] / options.count * 1e6:6.2f} us each, "
            f"first mover {points2 / options.count / 2:.3f}, "
            f"first call {ready:.2f} s"
        )
    print(f"plain / vector: {best['plain'] / best['vector']:.2f}")


if __name__ == "__main__":
    main()
