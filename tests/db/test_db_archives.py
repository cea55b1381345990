"""Stored files of bots: once per content, in parts, removed with their last bot, checked."""

from pathlib import Path

import msgspec
import pytest
from sqlalchemy import text, update

from db.models import BOT_FILES, BotFile
from db.records.bots import NewBot, NewRevision
from db.records.exchange import GameLine
from db.records.launch import Launch
from db.store import Store
from engine.seeds import SplitMix
from ladder.registry.specs.archive import pack
from tests.db.making import maker, new_run, to_plan
from tests.support.data.random_games import random_record
from tests.support.storing import finish_pair


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with large weights, in a cache of its own."""
    monkeypatch.setenv("LADDER_CACHE", str(tmp_path / "cache"))
    place = tmp_path / "bot"
    place.mkdir()
    (place / "weights.bin").write_bytes(bytes(range(256)) * 10_000)
    (place / "empty").write_text("")
    return place


def add(store: Store, name: str, folder: Path) -> str:
    packed = pack(folder.resolve(), sorted(folder.iterdir()))
    sha256 = packed.manifest.sha256
    launch = Launch(command=("./bot",), folder=str(folder), archive=sha256)
    revision = NewRevision(f"content of {name}", launch, ("any",), packed=packed)
    store.bots.add(NewBot(name, "foreign", "exec:./bot", revision))
    return sha256


def parts(store: Store) -> int:
    with store.reading() as connection:
        return int(connection.scalar(text("select count(*) from bot_files")) or 0)


def test_files_are_stored_once_and_removed_with_their_last_bot(store: Store, folder: Path) -> None:
    """Two versions share their weights; a deleted one takes only what is its own."""
    (folder / "bot").write_text("one")
    first = add(store, "one", folder)
    assert parts(store) == 3 + 1  # the weights in parts of 1 MiB, and the program
    (folder / "bot").write_text("two")
    second = add(store, "two", folder)
    assert parts(store) == 3 + 2
    assert store.bots.get("two").revision.launch.archive == second
    manifest = store.archives.manifest(first)
    read = {file.path: b"".join(store.archives.read_parts(file)) for file in manifest.files}
    assert read == {
        "bot": b"one", "empty": b"", "weights.bin": (folder / "weights.bin").read_bytes()
    }  # fmt: skip
    store.bots.delete("one")
    assert (parts(store), store.archives.unused()) == (3 + 1, 0)
    store.bots.drop_archives([store.bots.get("two").revision.id])
    assert parts(store) == 0
    assert not store.bots.get("two").revision.launch.can_play


def test_damaged_files_are_found_and_stored_again(store: Store, folder: Path) -> None:
    """`doctor` names them, and adding the bot again repairs them."""
    (folder / "bot").write_text("one")
    add(store, "one", folder)
    assert store.archives.damaged() == []
    with store.writing() as connection:
        connection.execute(update(BOT_FILES).where(BotFile.part == 1).values(content=b"0"))
    assert store.archives.damaged() == ["weights.bin"]
    add(store, "two", folder)
    assert store.archives.damaged() == []


@pytest.mark.slow
def test_an_import_finds_the_files_of_its_bots(store: Store, folder: Path, tmp_path: Path) -> None:
    """A bot that was imported without its files gets those that another bot has brought."""
    (folder / "bot").write_text("one")
    sha256 = add(store, "one", folder)
    add(store, "two", folder)
    revisions = [bot.revision.id for bot in store.bots.all()]
    (row,) = store.pairs.plan(new_run(store).id, 1, maker(revisions))
    finish_pair(store, to_plan(row), random_record(to_plan(row), SplitMix(1)))
    lines = msgspec.json.encode(list(store.exchange.export_lines()))
    first, second = msgspec.json.decode(lines, type=list[GameLine])
    with Store.open(str(tmp_path / "copy.db")) as copy:
        copy.exchange.import_lines([(first, second)])
        assert copy.bots.get("one").revision.launch.archive is None
        add(copy, "mine", folder)
        copy.exchange.import_lines([(first, second)])
        assert copy.bots.get("one").revision.launch.archive == sha256
