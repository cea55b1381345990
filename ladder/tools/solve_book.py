"""Making the solver's book: exact scores of all first positions of the standard board."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue

import numpy as np

from engine.lanes import WordArray
from engine.solver.book import play, positions_after
from engine.solver.solver import Solver
from ladder.look_ahead import in_order
from ladder.search_watch import SearchWatch
from ladder.signals import current_stop

SAVE_S = 30.0
"""Seconds between two writes of the file: most of the work that a kill loses."""


@dataclass(frozen=True, slots=True)
class MadeBook:
    """A finished book."""

    file: Path
    plies: int
    positions: int
    bytes: int


class BookMaker:
    """Makes a book, or completes one that was begun.

    Positions of the last ply are searched, by threads that share one table. All earlier
    ones follow from their children.

    Args:
        solver: the solver; its book has the scores that are known so far.
        threads: number of the solver's threads.
        plies: the last ply of the book, counted from the root.
        file: where the book is written.
        report: called with a line after each searched position.
        root: the position with which the book begins, shape (1, 2, 1); None for the empty board.
        set_priority: called in the thread that starts the others, which inherit its priority.

    """

    def __init__(
        self,
        solver: Solver,
        threads: int,
        plies: int,
        file: Path,
        report: Callable[[str], None],
        root: WordArray | None = None,
        *,
        set_priority: Callable[[], None] = lambda: None,
    ) -> None:
        self._solver = solver
        self._threads = threads
        self._plies = plies
        self._file = file
        self._report = report
        self._root = root
        self._set_priority = set_priority

    def make(self) -> MadeBook:
        """Compute the missing scores and write the book.

        Raises:
            Stopped: the user stopped the command; what was found by then is written.

        """
        stop = current_stop()
        with stop.defer():
            SearchWatch([self._solver], stop.is_requested).wait(self._fill)
        stop.check()
        book = self._solver.book
        return MadeBook(self._file, self._plies, len(book), self._file.stat().st_size)

    def _fill(self) -> None:
        self._set_priority()
        for ply in range(self._plies, -1, -1):
            stones = positions_after(ply, self._root)
            answers = self._solver.scores(stones, limit=0)
            stones = stones[answers[:, 0] < answers[:, 1]]
            if ply == self._plies:
                self._search(stones)
            else:
                self._derive(stones)
        self._save()

    def _search(self, stones: WordArray) -> None:
        """Search positions until all are solved or a stop is requested."""
        free: SimpleQueue[int] = SimpleQueue()
        for thread in range(self._threads):
            free.put(thread)

        def search(number: int) -> tuple[int, int]:
            thread = free.get()
            low, high, _ = self._solver.scores(stones[number : number + 1], thread=thread)[0]
            free.put(thread)
            return int(low), int(high)

        found: list[int] = []
        started = saved = time.monotonic()
        added = 0
        with ThreadPoolExecutor(self._threads) as pool:
            for low, high in in_order(range(len(stones)), search, self._threads, pool):
                if low < high:
                    break
                found.append(low)
                now = time.monotonic()
                left = (now - started) / len(found) * (len(stones) - len(found))
                self._report(
                    f"{len(found):,} of {len(stones):,} positions of {self._plies} plies, "
                    f"{left / 60:,.0f} minutes left"
                )
                if now - saved >= SAVE_S:
                    self._add(stones[added : len(found)], found[added:])
                    self._save()
                    added, saved = len(found), now
        self._add(stones[added : len(found)], found[added:])

    def _derive(self, stones: WordArray) -> None:
        """Add the positions without an immediate win whose children's scores are all known."""
        best = np.full(len(stones), -self._solver.board.cells, np.int64)
        is_known = np.ones(len(stones), np.bool_)
        for column in range(self._solver.board.columns):
            after, is_legal = play(stones, column)
            low, high, _ = self._solver.scores(after[is_legal], limit=0).T
            best[is_legal] = np.maximum(best[is_legal], -high)
            is_known[is_legal] &= low == high
        self._add(stones[is_known], best[is_known].tolist())

    def _add(self, stones: WordArray, scores: list[int]) -> None:
        book = self._solver.book
        first = 0 if self._root is None else int(np.bitwise_count(self._root).sum())
        added = np.array(scores, np.int64)
        self._solver.book = book.joined(stones, added, first + self._plies)

    def _save(self) -> None:
        self._solver.book.write(self._file)
