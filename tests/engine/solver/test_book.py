"""The book: its keys, its file, and that what it answers is what the search finds."""

from pathlib import Path

import numpy as np
import pytest

from benchmarks.make_book import joined, play, positions_after, write
from engine.board import Board
from engine.position import Position
from engine.seeds import SplitMix
from engine.solver import book as book_module
from engine.solver.book import BOARD, NO_BOOK, Book, keys_of
from engine.solver.geometry import positions_words
from engine.solver.solver import Solver
from engine.solver.value import SolverError
from tests.engine.solver.oracle import random_position


def _book_of(positions: list[Position], plies: int) -> Book:
    stones = positions_words(positions, BOARD)
    _, first = np.unique(keys_of(stones), return_index=True)
    scores = Solver(BOARD, 4, book=NO_BOOK).scores(stones[first])
    return joined(NO_BOOK, stones[first], scores[:, 0].tolist(), plies)


def _late_positions(count: int, plies: int = 28) -> list[Position]:
    random = SplitMix(plies)
    return [random_position(BOARD, plies, random) for _ in range(count)]


def test_positions_of_the_book_are_not_searched() -> None:
    """A call with known and unknown positions gives the values of the search, the known at once."""
    positions = _late_positions(30)
    book = _book_of(positions[:15], 28)
    known, plain = Solver(BOARD, 4, book=book), Solver(BOARD, 4, book=NO_BOOK)
    told, searched = ([each.solve(position) for position in positions] for each in (known, plain))
    assert [found.low for found in told] == [found.low for found in searched]
    assert all(found.is_exact for found in told)
    assert sum(found.nodes for found in told[:15]) == 0
    for position, found in zip(positions[:15], searched, strict=False):
        assert known.solve(position, nodes=0).low == found.low
        before = Position.from_moves(BOARD, position.moves[:-1])
        column = known.columns(before, nodes=0)[position.moves[-1]]
        assert column is not None
        assert column.low == -found.low if found.distance is None else column.is_exact


def test_an_end_beyond_the_horizon_is_not_taken_from_the_book() -> None:
    """A question for a near end is answered as by the search, also for draws."""
    positions = [each for each in _late_positions(60, 20) if _is_hard(each)]
    book = _book_of(positions, 20)
    known, plain = Solver(BOARD, 4, book=book), Solver(BOARD, 4, book=NO_BOOK)
    answers = set()
    for position in positions:
        for within in (3, 9, 15, 21, 22):
            plain.clear()
            told, searched = (
                known.solve(position, within=within),
                plain.solve(position, within=within),
            )
            answers.add(told.is_exact)
            near = plain.solve(position).distance or BOARD.cells - position.ply
            assert told.is_exact or near > within
            assert told.low >= searched.low
            assert told.high <= searched.high
        known.clear()
    assert answers == {True, False}


def _is_hard(position: Position) -> bool:
    return not Solver(BOARD, 1, book=NO_BOOK).solve(position, nodes=0).is_exact


def test_a_book_is_read_as_it_was_written(tmp_path: Path) -> None:
    """A file has a number for each position, and one that was changed is refused."""
    book, file = _book_of(_late_positions(20), 28), tmp_path / "folder" / "book.bin"
    write(book, file)
    read = Book.read(file)
    assert read.plies == 28
    assert np.array_equal(read.entries, book.entries)
    content = bytearray(file.read_bytes())
    assert len(content) == book_module.HEADER_BYTES + 8 * len(book)
    for place in (0, 16, len(content) - 1):
        changed = content.copy()
        changed[place] ^= 1
        file.write_bytes(changed)
        with pytest.raises(SolverError, match="is damaged: install the program anew"):
            Book.read(file)
    for part in (content[:-1], content[:16], b""):
        file.write_bytes(part)
        with pytest.raises(SolverError, match="is damaged: install the program anew"):
            Book.read(file)
    with pytest.raises(SolverError, match=r"cannot be read: .*Is a directory"):
        Book.read(tmp_path)


def test_the_first_positions_of_the_standard_board_are_answered_at_once() -> None:
    """The empty board and its columns have their published values, without a node."""
    solver = Solver(BOARD, 1)
    value = solver.solve(Position(BOARD), nodes=0)
    assert (str(value.low), value.is_exact) == ("win in 41", True)
    columns = solver.columns(Position(BOARD), nodes=0)
    words = ["loss in 40", "loss in 42", "draw", "win in 41", "draw", "loss in 42", "loss in 40"]
    assert [str(column and column.low) for column in columns] == words
    assert Solver(Board(6, 6)).book is NO_BOOK


def test_the_shipped_book_answers_all_positions_of_its_plies() -> None:
    """Each position is answered without a node, with the best of its children's values."""
    solver = Solver(BOARD, 1, book=Book.read(book_module.SHIPPED))
    assert solver.book.plies == 8
    for plies in range(solver.book.plies + 1):
        stones = positions_after(plies)
        low, high, _ = solver.scores(stones, limit=0).T
        assert np.array_equal(low, high)
        scores, is_known = solver.book.find(stones)
        assert np.array_equal(scores[is_known], low[is_known])
        if plies == solver.book.plies:
            break
        best = np.full(len(stones), -99)
        for column in range(BOARD.columns):
            after, is_legal = play(stones, column)
            best[is_legal] = np.maximum(
                best[is_legal], -solver.scores(after[is_legal], limit=0)[:, 0]
            )
        assert np.array_equal(scores[is_known], best[is_known])


@pytest.mark.exhaustive
@pytest.mark.timeout(3600)
def test_the_shipped_book_holds_what_the_search_finds() -> None:
    """The first entries and a sample of the others have the scores that a search proves."""
    book, random = Book.read(book_module.SHIPPED), SplitMix(35)
    solver = Solver(BOARD, 1024, book=NO_BOOK)
    for plies in range(book.plies + 1):
        stones = positions_after(plies)
        scores, is_known = book.find(stones)
        places = np.flatnonzero(is_known).tolist()
        drawn = {random.choice(places) for _ in range(2)} if places else set()
        for place in places if plies < 2 else drawn:
            assert solver.scores(stones[place : place + 1])[0, 0] == scores[place]
