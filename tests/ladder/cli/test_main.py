"""The entry point of the command line."""

import gc
from collections.abc import Iterator

import pytest

from ladder.cli.main import LOADED, delay_garbage_collection


@pytest.fixture
def collector() -> Iterator[tuple[int, int, int]]:
    """Restore the settings of the garbage collector after the test."""
    usual = gc.get_threshold()
    callbacks = list(gc.callbacks)
    yield usual
    gc.callbacks[:] = callbacks
    gc.set_threshold(*usual)
    gc.unfreeze()


@pytest.mark.slow
def test_garbage_is_first_collected_late_and_then_as_usual(collector: tuple[int, int, int]) -> None:
    """A short command saves the collection; a long one does not keep its garbage."""
    before = len(gc.callbacks)
    delay_garbage_collection()
    assert gc.get_threshold()[0] == LOADED
    kept: list[list[int]] = [[] for _ in range(LOADED + 1000)]  # the collector comes by itself
    assert len(kept) > LOADED
    assert gc.get_threshold() == collector
    assert len(gc.callbacks) == before
    assert gc.get_freeze_count() > LOADED
