"""Copies of bots from git: complete or absent, and changes are noticed."""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from db.companion_files import COPIES, folder_beside
from db.records.launch import Origin
from db.store import find_database_file
from ladder.errors import UsageError
from ladder.match.specs.git import resolve_commit
from ladder.match.specs.git_build import run_build
from ladder.match.specs.git_copies import find_damage, folder_of, open_copy
from tests.support.data.repositories import commit, repository

BUILD = "sh -c 'pwd > where && tr a-z A-Z < bot > BOT'"
Take = Callable[..., Origin]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    return repository(tmp_path / "mine", {"bot": "one", "deep/bot": "inner"})


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "ladder.db.bots"


@pytest.fixture
def take(place: Path, store: Path) -> Take:
    def ask(revision: str = "main", *, inner: str = "", build: str = "") -> Origin:
        found = resolve_commit(place, revision)
        with open_copy(store, place, found, revision=revision, inner=inner, build=build) as origin:
            return origin

    return ask


def test_the_store_lies_beside_the_database(tmp_path: Path) -> None:
    """A relative path and a URL of the same file must name the same absolute folder."""
    path = tmp_path / "x.db"
    for where in (str(path), f"sqlite:///{path}"):
        assert folder_beside(find_database_file(where), COPIES) == Path(f"{path}.bots")
    assert folder_beside(find_database_file("x.db"), COPIES).is_absolute()


def test_the_same_files_are_stored_once(place: Path, store: Path, take: Take) -> None:
    """A commit whose files are those of another shares its copy, and is not built again."""
    first = take(build=BUILD)
    made = (Path(first.place) / "made.json").stat().st_mtime_ns
    commit(place, {"bot": "two"})
    second = take(build=BUILD)
    commit(place, {"bot": "one"})
    third = take(build=BUILD)
    assert first.place == third.place != second.place
    assert first.commit != third.commit
    assert first.digest == third.digest != second.digest
    assert (Path(first.place) / "made.json").stat().st_mtime_ns == made
    assert len(list(store.iterdir())) == 2


def test_a_copy_is_built_where_it_stays(take: Take) -> None:
    """The build must run in the folder that answers to the user's, and may note where that is."""
    origin = take(inner="deep", build=BUILD)
    folder = folder_of(origin)
    assert (folder / "where").read_text().strip() == str(folder.resolve())
    assert (folder / "BOT").read_text() == "INNER"
    assert take().place != origin.place
    assert find_damage(origin) == {}


@pytest.mark.parametrize(
    ("build", "sentence"),
    [
        ("sh -c 'seq 100; exit 3'", "failed with exit code 3; its last lines:\n81\n82"),
        ("./missing", "cannot be started"),
        ("sh -c '", "cannot be read"),
        ("false", "it printed nothing"),
        (" ", "is empty"),
    ],
)
def test_a_failed_build_leaves_nothing(store: Path, take: Take, build: str, sentence: str) -> None:
    """The sentence must say what happened, and the store must not even be made."""
    with pytest.raises(UsageError) as refused:
        take(build=build)
    assert sentence in str(refused.value)
    assert not store.exists()


def test_a_build_has_a_deadline(tmp_path: Path) -> None:
    """A build that hangs must end with everything that it started."""
    started = time.monotonic()
    with pytest.raises(UsageError, match="took longer than 0 s"):
        run_build("sh -c 'sleep 50 & sleep 50'", tmp_path, timeout_s=0.2)
    assert time.monotonic() - started < 20


def test_a_new_copy_that_is_not_used_is_removed(place: Path, store: Path, take: Take) -> None:
    """What fails after the copy was made must remove a new one, and leave an older one."""
    older = take()
    commit(place, {"bot": "two"})
    for revision in ("main", "main~1"):
        found = resolve_commit(place, revision)
        with (
            pytest.raises(ZeroDivisionError),
            open_copy(store, place, found, revision=revision, inner="", build=""),
        ):
            raise ZeroDivisionError
    assert [str(path) for path in store.iterdir()] == [older.place]
    assert find_damage(older) == {}


def test_changes_of_a_copy_are_noticed(take: Take) -> None:
    """Edited and lost files must be named; what a bot writes beside itself must not count."""
    origin = take()
    folder = folder_of(origin)
    (folder / "log").write_text("new")
    (folder / "__pycache__").mkdir()
    os.utime(folder / "bot")
    assert find_damage(origin) == {}
    (folder / "bot").write_text("eno")
    (folder / "deep" / "bot").unlink()
    assert find_damage(origin) == {"bot": "changed", "deep/bot": "gone"}
    assert find_damage(take()) == {}  # made again
    assert find_damage(origin) == {}
    assert not (folder / "log").exists()
    (Path(origin.place) / "made.json").unlink()
    assert find_damage(origin) == {"all of it": "gone"}
    assert take() == origin


def test_a_folder_that_the_commit_lacks_is_refused(store: Path, take: Take) -> None:
    """The sentence must name the folder and the revision."""
    with pytest.raises(UsageError, match=r"there is no folder later in .* at main"):
        take(inner="later")
    assert not store.exists()


def test_a_build_without_its_path_is_proposed(tmp_path: Path) -> None:
    """A script of the folder that is no program on PATH must be named as it can be started."""
    (tmp_path / "build.sh").write_text("#!/bin/sh\n")
    with pytest.raises(UsageError, match=r"did you mean \./build\.sh\?"):
        run_build("build.sh", tmp_path)
