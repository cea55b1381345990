"""A database in a file of its own for every test."""

import shutil
import tempfile
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


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may look into, which `tmp_path` is not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o700)
    shutil.rmtree(folder)
