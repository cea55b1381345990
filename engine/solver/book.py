"""The book: exact scores of the first positions of the standard board.

An entry is one number: the position's key, which is equal for mirror images, and in the lowest 8
bits its score as `engine.solver.search` defines it, plus `BIAS`. A key holds the mover's stones and
the lowest free cell of each column. Entries are sorted. Positions that the solver decides without a
node are left out.
"""

import os
from functools import lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from engine.board import Board
from engine.cache import cache_root
from engine.lanes import WordArray
from engine.solver.errors import SolverError

BOARD = Board(6, 7)
"""The standard board, the only one that has a book."""
SHIPPED = Path(__file__).with_name("book.bin")
MAGIC = 0x31304B4F4F423443
"""First number of a file, "C4BOOK01"; the greatest ply and a checksum of the entries follow."""
HEADER_BYTES = 24
BIAS = 64
_SCORE_BITS = np.uint64(8)
_STRIDE = BOARD.rows + 1
_BOTTOMS = np.uint64(sum(1 << _STRIDE * column for column in range(BOARD.columns)))
_CELLS = _BOTTOMS * np.uint64((1 << BOARD.rows) - 1)
_LANE = np.uint64((1 << _STRIDE) - 1)

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
        """Read a file of `write`; its entries stay on disk until they are needed.

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
            raise SolverError(f"the solver's book {file} is damaged: delete it or make it anew")
        return cls(numbers[3:], int(numbers[1]))

    def write(self, file: Path) -> None:
        """Replace a file at once, so that a reader sees the old or the new book."""
        file.parent.mkdir(parents=True, exist_ok=True)
        header = np.array([MAGIC, self.plies, crc32(self.entries.data)], "<u8")
        new = file.with_name(f"{file.name}.{os.getpid()}")
        new.write_bytes(header.tobytes() + self.entries.astype("<u8").tobytes())
        new.replace(file)

    def find(self, stones: WordArray) -> tuple[Integers, Flags]:
        """Return the scores of positions, and which of them are known.

        Args:
            stones: shape (n, 2, 1), from `engine.solver.geometry`.

        """
        scores, is_known = np.zeros(len(stones), np.int64), np.zeros(len(stones), np.bool_)
        is_near = np.flatnonzero(plies_of(stones) <= self.plies)
        if len(is_near) and len(self.entries):
            keys = keys_of(stones[is_near])
            places = np.searchsorted(self.entries, keys << _SCORE_BITS)
            found = self.entries[np.minimum(places, len(self.entries) - 1)]
            scores[is_near] = (found & np.uint64(255)).astype(np.int64) - BIAS
            is_known[is_near] = found >> _SCORE_BITS == keys
        return scores, is_known

    def joined(self, stones: WordArray, scores: Integers, plies: int) -> "Book":
        """Return a book that has more positions, none of which is in this one."""
        added = keys_of(stones) << _SCORE_BITS | (scores + BIAS).astype(np.uint64)
        return self.united(Book(added, plies))

    def united(self, other: "Book") -> "Book":
        """Return a book that has the positions of both."""
        entries = np.unique(np.concatenate([self.entries, other.entries]))
        return Book(entries, max(self.plies, other.plies))


NO_BOOK = Book(np.zeros(0, np.uint64), -1)


def own_file() -> Path:
    """Return the file of the user's own book."""
    return cache_root() / "book-6x7.bin"


def book_of(board: Board) -> Book:
    """Return the book of a board: what the shipped one and the user's own know.

    Raises:
        SolverError: a file is damaged.

    """
    return _standard_book(own_file()) if board == BOARD else NO_BOOK


@lru_cache(maxsize=1)
def _standard_book(own: Path) -> Book:
    shipped = Book.read(SHIPPED)
    return shipped.united(Book.read(own)) if own.exists() else shipped


def plies_of(stones: WordArray) -> Integers:
    """Return the number of stones of each position."""
    plies: Integers = np.bitwise_count(stones).sum(axis=(1, 2), dtype=np.int64)
    return plies


def keys_of(stones: WordArray) -> Words:
    """Return the keys of positions, equal for mirror images."""
    own, other = stones[:, 0, 0], stones[:, 1, 0]
    keys = own | ((own | other) + _BOTTOMS & ~(own | other))
    images = np.zeros_like(keys)
    for column in range(BOARD.columns):
        lane = keys >> np.uint64(_STRIDE * column) & _LANE
        images |= lane << np.uint64(_STRIDE * (BOARD.columns - 1 - column))
    least: Words = np.minimum(keys, images)
    return least


def play(stones: WordArray, column: int) -> tuple[WordArray, Flags]:
    """Play a column in all positions.

    Returns:
        The positions, and whether the column could be played.

    """
    own, other = stones[:, 0, 0], stones[:, 1, 0]
    lane = _LANE << np.uint64(_STRIDE * column)
    cells = (own | other) + (_BOTTOMS & lane) & ~(own | other) & _CELLS & lane
    return np.stack([other, own | cells], axis=1)[:, :, None], cells != 0


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


def _has_four(stones: Words) -> Flags:
    found = np.zeros(len(stones), np.bool_)
    for step in (1, _STRIDE - 1, _STRIDE, _STRIDE + 1):
        pairs = stones & stones >> np.uint64(step)
        found |= pairs & pairs >> np.uint64(2 * step) != 0
    return found
