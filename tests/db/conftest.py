"""A new database for every test: a SQLite file, and for most a PostgreSQL database, too."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from db.store import Store
from tests.support.postgresql import shared_server, why_none


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test with `place` on both databases, unless it is marked for files only."""
    if "place" in metafunc.fixturenames:
        of_files = metafunc.definition.get_closest_marker("sqlite_file") is not None
        server = pytest.param("postgresql", marks=pytest.mark.slow)
        kinds = ["sqlite"] if of_files else ["sqlite", server]
        metafunc.parametrize("place", kinds, indirect=True)


@pytest.fixture
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """Yield the path of a file that does not exist yet, or the URL of a new database."""
    if request.param == "sqlite":
        yield str(tmp_path / "ladder.db")
        return
    reason = why_none()
    if reason is not None:
        pytest.skip(reason)
    with shared_server().database() as url:
        yield url


@pytest.fixture
def store(place: str) -> Iterator[Store]:
    with Store.open(place) as opened:
        yield opened


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Yield a folder that every user may read, unlike `tmp_path`."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o700)
    shutil.rmtree(folder)
