"""The book: exact scores of the first positions of the standard board.

An entry is one number: the position's key, which is equal for mirror images, and in the lowest 8
bits its score as `engine.solver.search` defines it, plus `BIAS`. A key holds the mover's stones and
the lowest free cell of each column. Entries are sorted. Positions that the solver decides without a
node are left out.
"""

from functools import lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from engine.board import Board
from engine.lanes import WordArray
from engine.solver.value import SolverError

BOARD = Board(6, 7)
"""The standard board, the only one that has a book."""
SHIPPED = Path(__file__).with_name("book.bin")
MAGIC = 0x31304B4F4F423443
"""First number of a file, "C4BOOK01"; the greatest ply and a checksum of the entries follow."""
HEADER_BYTES = 24
BIAS = 64
SCORE_BITS = np.uint64(8)
STRIDE = BOARD.rows + 1
BOTTOMS = np.uint64(sum(1 << STRIDE * column for column in range(BOARD.columns)))
COLUMN = np.uint64((1 << STRIDE) - 1)

Words = NDArray[np.uint64]
Integers = NDArray[np.int64]
Flags = NDArray[np.bool_]


class Book:
    """Exact scores of positions of the standard board.

    Args:
        entries: the sorted entries.
        plies: the greatest ply of a position that it may contain.

    """

    def __init__(self, entries: Words, plies: int) -> None:
        self.entries = entries
        self.plies = plies

    def __len__(self) -> int:
        return len(self.entries)

    @classmethod
    def read(cls, file: Path) -> "Book":
        """Read a file; its entries stay on disk until they are needed.

        Raises:
            SolverError: the file is damaged or cannot be read.

        """
        try:
            content: NDArray[np.uint8] = np.memmap(file, np.uint8, mode="r")
        except OSError as error:
            raise SolverError(f"the solver's book {file} cannot be read: {error}") from error
        except ValueError:  # an empty file cannot be mapped
            content = np.zeros(0, np.uint8)
        numbers = content[: len(content) // 8 * 8].view("<u8")
        is_whole = len(content) % 8 == 0 and len(content) >= HEADER_BYTES
        if not is_whole or numbers[0] != MAGIC or numbers[2] != crc32(numbers[3:].data):
            raise SolverError(f"the solver's book {file} is damaged: install the program anew")
        return cls(numbers[3:], int(numbers[1]))

    def find(self, stones: WordArray) -> tuple[Integers, Flags]:
        """Return the scores of positions, and which of them are known.

        Args:
            stones: shape (n, 2, 1), from `engine.solver.geometry`.

        """
        scores, is_known = np.zeros(len(stones), np.int64), np.zeros(len(stones), np.bool_)
        is_near = np.flatnonzero(plies_of(stones) <= self.plies)
        if len(is_near) and len(self.entries):
            keys = keys_of(stones[is_near])
            places = np.searchsorted(self.entries, keys << SCORE_BITS)
            found = self.entries[np.minimum(places, len(self.entries) - 1)]
            scores[is_near] = (found & np.uint64(255)).astype(np.int64) - BIAS
            is_known[is_near] = found >> SCORE_BITS == keys
        return scores, is_known


NO_BOOK = Book(np.zeros(0, np.uint64), -1)


@lru_cache(maxsize=1)
def _shipped() -> Book:
    return Book.read(SHIPPED)


def book_of(board: Board) -> Book:
    """Return the book of a board. Raises SolverError if its file is damaged."""
    return _shipped() if board == BOARD else NO_BOOK


def plies_of(stones: WordArray) -> Integers:
    """Return the number of stones of each position."""
    plies: Integers = np.bitwise_count(stones).sum(axis=(1, 2), dtype=np.int64)
    return plies


def keys_of(stones: WordArray) -> Words:
    """Return the keys of positions, equal for mirror images."""
    own, other = stones[:, 0, 0], stones[:, 1, 0]
    keys = own | ((own | other) + BOTTOMS & ~(own | other))
    images = np.zeros_like(keys)
    for column in range(BOARD.columns):
        cells = keys >> np.uint64(STRIDE * column) & COLUMN
        images |= cells << np.uint64(STRIDE * (BOARD.columns - 1 - column))
    least: Words = np.minimum(keys, images)
    return least
