"""Opening the database of a command: nothing half made, nothing left by a refusal."""

from pathlib import Path

import pytest

from bots.catalogue import VERSIONS
from db.errors import UnknownRow
from db.queries.bots import Bots
from db.records.bots import NewBot, NewRevision
from db.records.launch import Launch
from db.store import Store
from ladder.cli.database import open_draft, open_or_preview, open_store
from tests.support.calls import calls_of

SHOWN = [name for name, version in VERSIONS.items() if not version.hidden]


def names(place: Path) -> list[str]:
    with Store.open(str(place), create=False) as store:
        return [bot.name for bot in store.bots.all()]


@pytest.mark.slow
def test_a_new_database_appears_when_it_is_complete(tmp_path: Path) -> None:
    """A first run must register the built-in players once, in one transaction."""
    place = tmp_path / "new.db"
    with calls_of(Bots.bring_up_to_date) as written:
        with open_draft(str(place)) as store:
            assert [bot.name for bot in store.bots.all()] == SHOWN
            assert not place.exists()
        with open_store(str(place), create=True, sync=True) as store:
            assert [bot.name for bot in store.bots.all()] == SHOWN
    assert len(written) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.db"]


@pytest.mark.parametrize("opened", [open_draft, open_or_preview])
def test_a_refused_command_leaves_no_database(tmp_path: Path, opened: object) -> None:
    """A command that only reads leaves none either, however it ends."""
    place = tmp_path / "new.db"
    with pytest.raises(RuntimeError), opened(str(place)):  # type: ignore[operator]
        raise RuntimeError
    with open_or_preview(str(place)):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_new_database_does_not_replace_one_that_came_meanwhile(tmp_path: Path) -> None:
    """Another process may create the same file: its games must stay."""
    place = tmp_path / "new.db"
    with open_draft(str(place)), Store.open(str(place)) as other:
        revision = NewRevision("hash", Launch(command=("x",), folder="/"), ("any",))
        other.bots.add(NewBot("theirs", "foreign", "exec:x", revision))
    assert names(place) == ["theirs"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.db"]


def test_bots_are_brought_up_to_date_together(tmp_path: Path) -> None:
    """When one cannot be, none may be: the next command finds all of it to do."""
    revision = NewRevision("hash", Launch(command=("x",), folder="/"), ("any",))
    with Store.open(str(tmp_path / "x.db")) as store:
        new = [NewBot(name, "foreign", "exec:x", revision) for name in ("a", "b")]
        with pytest.raises(UnknownRow):
            store.bots.bring_up_to_date(new, {"nobody": revision})
        assert store.bots.all() == []
        store.bots.bring_up_to_date(new, {})
        store.bots.bring_up_to_date(new, {})  # as if another process had been faster
        assert [(bot.name, bot.revision.number) for bot in store.bots.all()] == [("a", 1), ("b", 1)]
