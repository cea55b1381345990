"""Making the solver's book: what it holds, and a stop in the middle of it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.seeds import SplitMix
from engine.solver.book import BOARD, NO_BOOK, Book, positions_after
from engine.solver.geometry import positions_words
from engine.solver.solver import Solver
from ladder.errors import Stopped
from ladder.signals import StopToken, use_stop
from ladder.tools.solve_book import BookMaker
from tests.engine.solver.oracle import random_position

ROOT = positions_words([random_position(BOARD, 18, SplitMix(6))], BOARD)
"""A position of 18 plies: those after it are solved in no time."""
PLIES = 4


def _maker(
    file: Path, report: Callable[[str], None] = lambda _: None, book: Book = NO_BOOK
) -> BookMaker:
    return BookMaker(Solver(BOARD, 4, 2, book=book), 2, PLIES, file, report, ROOT)


def test_a_book_holds_every_position_that_a_search_must_decide(tmp_path: Path) -> None:
    """Searched positions and those that follow from them have the values of a search."""
    made = _maker(tmp_path / "book.bin").make()
    book, solver = Book.read(made.file), Solver(BOARD, 4, book=NO_BOOK)
    number = 0
    for plies in range(PLIES + 1):
        stones = positions_after(plies, ROOT)
        answers = solver.scores(stones, limit=0)
        is_open = answers[:, 0] < answers[:, 1]
        scores, is_known = book.find(stones)
        assert np.array_equal(is_open, is_known)
        assert np.array_equal(scores[is_known], solver.scores(stones)[is_known, 0])
        number += int(is_open.sum())
    assert (made.positions, made.plies, book.plies) == (number, PLIES, 18 + PLIES)
    assert number > 100
    assert made.bytes == made.file.stat().st_size


def test_a_stopped_book_is_completed_later(tmp_path: Path) -> None:
    """What was found before a stop, and what follows, is written and not searched again."""
    whole = Book.read(_maker(tmp_path / "whole.bin").make().file)
    file, lines = tmp_path / "book.bin", list[str]()
    with use_stop(StopToken()) as stop:

        def stop_soon(line: str) -> None:
            lines.append(line)
            if len(lines) == 40:
                stop.request()

        with pytest.raises(Stopped):
            _maker(file, stop_soon).make()
    begun = Book.read(file)
    assert 40 <= len(begun) < len(whole)
    assert begun.find(positions_after(PLIES - 1, ROOT))[1].any()
    assert "positions of 4 plies" in lines[0]
    lines.clear()
    _maker(file, lines.append, begun).make()
    assert np.array_equal(Book.read(file).entries, whole.entries)
    assert f"1 of {len(lines)} positions" in lines[0].replace(",", "")
    assert len(begun) + len(lines) <= len(whole)
