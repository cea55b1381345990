"""Results in order from threads that work ahead."""

from collections.abc import Iterator
from itertools import count
from threading import Event, get_ident

import pytest

from ladder.look_ahead import idle_threads, in_order


@pytest.mark.parametrize("threads", [1, 3])
def test_results_come_in_the_order_of_the_tasks(threads: int) -> None:
    """A task that ends late does not change the order, and endless tasks can be left."""
    is_later_done = Event()

    def work(number: int) -> int:
        if number == 1:
            is_later_done.set()
        if number == 0 and threads > 1:
            assert is_later_done.wait(60)
        return number * number

    assert list(in_order(range(5), work, threads)) == [0, 1, 4, 9, 16]
    squares = in_order(count(), work, threads)
    assert [next(squares) for _ in range(3)] == [0, 1, 4]
    squares.close()


def test_series_may_share_threads() -> None:
    """Several series together use no more threads than one, and end with the pool."""
    with idle_threads(2) as pool:
        series = [in_order(count(), lambda _: get_ident(), 2, pool) for _ in range(3)]
        used = {next(each) for _ in range(20) for each in series}
    assert 1 <= len(used) <= 2
    assert get_ident() not in used


def test_one_thread_takes_no_task_ahead() -> None:
    """A task is taken when its result is asked for."""
    taken = []

    def tasks() -> Iterator[int]:
        for number in count():
            taken.append(number)
            yield number

    results = in_order(tasks(), lambda number: number, 1)
    assert next(results) == 0
    assert taken == [0]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_failure_comes_in_its_place(threads: int) -> None:
    """Results before a failed task are yielded before its error is raised."""
    results = in_order([2, 1, 0, 1], lambda number: 2 // number, threads)
    assert [next(results), next(results)] == [1, 2]
    with pytest.raises(ZeroDivisionError):
        next(results)
