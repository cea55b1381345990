"""Make the solver's book: `python -m benchmarks.make_book [FILE] [--plies 8] [--threads N]`.

The shipped `engine/solver/book.bin` is such a file. Positions of the last ply are searched by
threads that share one table, which takes weeks for 8 plies; all earlier ones follow from their
children. A file that exists is continued: a stopped program resumes.
"""

import argparse
import os
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from zlib import crc32

import numpy as np

from engine.lanes import WordArray
from engine.solver.book import (
    BIAS,
    BOARD,
    BOTTOMS,
    COLUMN,
    MAGIC,
    NO_BOOK,
    SCORE_BITS,
    SHIPPED,
    STRIDE,
    Book,
    Flags,
    Words,
    keys_of,
    plies_of,
)
from engine.solver.solver import Solver
from engine.whole_file import write_whole

CELLS = BOTTOMS * np.uint64((1 << BOARD.rows) - 1)
PER_SAVE = 64
"""Positions searched between two writes of the file."""


def make(
    file: Path, *, plies: int, threads: int, table_mib: int, root: WordArray | None = None
) -> Book:
    """Write the book of all positions up to some plies after the root, or complete it.

    Args:
        file: the file.
        plies: the last ply, counted from the root.
        threads: number of threads.
        table_mib: the size of the solver's table in MiB.
        root: the first position, shape (1, 2, 1); None for the empty board.

    """
    book = Book.read(file) if file.exists() else NO_BOOK
    solver = Solver(BOARD, table_mib, threads, book=book)
    solver.prepare()
    last = plies + (0 if root is None else int(plies_of(root)[0]))

    def add(stones: WordArray, scores: Sequence[int]) -> None:
        solver.book = joined(solver.book, stones, scores, last)
        write(solver.book, file)

    stones = undecided(solver, positions_after(plies, root))
    started = time.monotonic()
    with ThreadPoolExecutor(threads) as pool:
        for first in range(0, len(stones), PER_SAVE):
            part = stones[first : first + PER_SAVE]
            shares = [part[thread::threads] for thread in range(threads)]
            scores = pool.map(
                lambda each: solver.scores(each[1], thread=each[0]), enumerate(shares)
            )
            add(np.concatenate(shares), np.concatenate(list(scores))[:, 0].tolist())
            done = first + len(part)
            left = (time.monotonic() - started) / done * (len(stones) - done)
            print(f"{done:,} of {len(stones):,} positions, {left / 60:,.0f} minutes left")
    for ply in range(plies - 1, -1, -1):
        stones = undecided(solver, positions_after(ply, root))
        best = np.full(len(stones), -BOARD.cells, np.int64)
        for column in range(BOARD.columns):
            after, is_legal = play(stones, column)
            scores_after = solver.scores(after[is_legal], limit=0)[:, 0]
            best[is_legal] = np.maximum(best[is_legal], -scores_after)
        add(stones, best.tolist())
    return solver.book


def undecided(solver: Solver, stones: WordArray) -> WordArray:
    """Return the positions whose scores the solver does not know without a node."""
    low, high, _ = solver.scores(stones, limit=0).T
    found: WordArray = stones[low < high]
    return found


def joined(book: Book, stones: WordArray, scores: Sequence[int], plies: int) -> Book:
    """Return a book that has more positions, none of which is in this one."""
    added = keys_of(stones) << SCORE_BITS | (np.array(scores, np.int64) + BIAS).astype(np.uint64)
    return Book(np.unique(np.concatenate([book.entries, added])), max(book.plies, plies))


def write(book: Book, file: Path) -> None:
    """Replace a file at once, so that a kill leaves the old or the new book."""
    file.parent.mkdir(parents=True, exist_ok=True)
    entries = book.entries.astype("<u8").tobytes()
    header = np.array([MAGIC, book.plies, crc32(entries)], "<u8")
    write_whole(file, header.tobytes() + entries)


def positions_after(plies: int, root: WordArray | None = None) -> WordArray:
    """Return all positions some plies after a position that are not over, mirror images once.

    They are in the order of a depth-first search, so that neighbours lead to equal positions.

    Args:
        plies: the number of plies.
        root: the position, shape (1, 2, 1); None for the empty board.

    """
    stones = np.zeros((1, 2, 1), np.uint64) if root is None else root
    for _ in range(plies):
        moves = [play(stones, column) for column in range(BOARD.columns)]
        after = np.stack([made for made, _ in moves], axis=1)
        after = after[np.stack([is_legal for _, is_legal in moves], axis=1)]
        after = after[~_has_four(after[:, 1, 0])]
        stones = after[np.sort(np.unique(keys_of(after), return_index=True)[1])]
    return stones


def play(stones: WordArray, column: int) -> tuple[WordArray, Flags]:
    """Play a column in all positions.

    Returns:
        The positions, and whether the column could be played.

    """
    own, other = stones[:, 0, 0], stones[:, 1, 0]
    places = COLUMN << np.uint64(STRIDE * column)
    cells = (own | other) + (BOTTOMS & places) & ~(own | other) & CELLS & places
    return np.stack([other, own | cells], axis=1)[:, :, None], cells != 0


def _has_four(stones: Words) -> Flags:
    found = np.zeros(len(stones), np.bool_)
    for step in (1, STRIDE - 1, STRIDE, STRIDE + 1):
        pairs = stones & stones >> np.uint64(step)
        found |= pairs & pairs >> np.uint64(2 * step) != 0
    return found


def main() -> None:
    """Make or continue the book."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", nargs="?", type=Path, default=SHIPPED)
    parser.add_argument("--plies", type=int, default=8)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--memory", type=int, default=1024, metavar="MIB")
    given = parser.parse_args()
    made = make(given.file, plies=given.plies, threads=given.threads, table_mib=given.memory)
    print(f"{len(made):,} positions of up to {made.plies} plies: {given.file}")


if __name__ == "__main__":
    main()
