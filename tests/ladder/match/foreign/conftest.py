"""One opponent for all bots of a module."""

from collections.abc import Iterator

import pytest

from tests.support.hosted import OPPONENT


@pytest.fixture(scope="module", autouse=True)
def opponent() -> Iterator[None]:
    """End the opponent of `play` after the last test of a module."""
    yield
    OPPONENT.end()
