"""A database in a file of its own for every test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from db.store import Store


@pytest.fixture
def place(tmp_path: Path) -> str:
    return str(tmp_path / "ladder.db")


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    with Store.open(place) as opened:
        yield opened
