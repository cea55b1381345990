"""Registered bots: which of them follow the current sources, and how they are started."""

import os
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import msgspec

from db.records.archives import cache_of, files_of
from db.records.bots import NewBot, NewRevision
from db.records.launch import Launch, Origin
from db.store import Store
from ladder.registry.builtins import LADDER, OPPONENTS, sync_builtins
from ladder.registry.entrants import default_bots
from ladder.registry.specs.spec import BotSource, read_spec
from ladder.registry.specs.start_command import builtin_launch, make_start, own_sources

ORIGIN = Origin(revision="main", commit="c" * 40, tree="d" * 40, inner="in", build="")
OF_GIT = Launch(command=(), folder="/work", player="v4", origin=ORIGIN, archive="e" * 64)


def test_a_version_from_git_gets_no_new_revision(tmp_path: Path) -> None:
    """A player that this project gains later must not change a version of the same name."""
    with Store.open(str(tmp_path / "x.db"), create=True) as store:
        launch = msgspec.structs.replace(OF_GIT, archive=None)
        revision = NewRevision("hash of v4", launch, ("time",))
        store.bots.add(NewBot("v4", "uct", "builtin:v4", revision))
        sync_builtins(store)
        assert sync_builtins(store) == []
        assert store.bots.get("v4").revision.content_hash == "hash of v4"
        assert store.bots.get("v3").revision.launch.origin is None


def test_a_version_from_git_is_hosted_by_its_copy() -> None:
    """Its process must find the copy's packages and kernels, and the current players ours."""
    start = make_start(OF_GIT)
    assert start.argv == (sys.executable, "-P", "-m", "bots.host")
    folder = str(files_of("e" * 64) / "in")
    assert (start.folder, start.foreign) == (folder, True)
    environment = {"PYTHONPATH": folder, "LADDER_CACHE": str(cache_of("e" * 64))}
    assert environment.items() <= dict(start.environment).items()
    kept = own_sources().root.parent
    os.utime(kept, (1, 1))
    ours = make_start(builtin_launch("v4"))
    assert kept.stat().st_mtime > 1, "what a start does not touch is removed after a month"
    assert (dict(ours.environment)["PYTHONPATH"], ours.foreign) == (str(own_sources().root), False)
    other = msgspec.structs.replace(OF_GIT, python=sys.executable)
    assert make_start(other).argv[0] == sys.executable


def test_a_player_with_options_of_its_own_follows_the_sources(tmp_path: Path) -> None:
    """Registered with a file of weights, it keeps them; another behaviour is a new revision."""
    weights = tmp_path / "mine.csv"
    weights.write_text("1,2,3,4,5,6\n")
    made = read_spec(BotSource("builtin:c4ai?weights=mine.csv", tmp_path))
    assert made.launch.player == "c4ai?weights=1,2,3,4,5,6"
    weights.unlink()
    with Store.open(str(tmp_path / "x.db"), create=True) as store:
        revision = NewRevision("hash of older sources", made.launch, ("depth",))
        store.bots.add(NewBot("mine", "c4ai", "builtin:c4ai?weights=mine.csv", revision))
        assert sync_builtins(store) == ["mine"]
        assert sync_builtins(store) == []
        now = store.bots.get("mine").revision
        assert (now.number, now.content_hash) == (2, made.content_hash)
        assert now.launch == made.launch


def test_a_changed_behaviour_of_a_builtin_gives_it_a_new_revision(tmp_path: Path) -> None:
    """Another behaviour must neither stop a run nor mix its games with those of the old one."""
    place = str(tmp_path / "x.db")
    with Store.open(place, create=True) as store:
        sync_builtins(store)
        now = store.bots.get("v4").revision
        others = {bot.name: bot.revision.id for bot in store.bots.all() if bot.name != "v4"}
    with closing(sqlite3.connect(place)) as connection, connection:
        # As if the database had been made with another behaviour.
        old = ("update revisions set content_hash = 'older' where id = ?", (now.id,))
        assert connection.execute(*old).rowcount == 1
    with Store.open(place) as store:
        assert sync_builtins(store) == ["v4"]
        new = store.bots.get("v4").revision
        assert (new.number, new.content_hash) == (now.number + 1, now.content_hash)
        assert new.id != now.id
        assert {b.name: b.revision.id for b in store.bots.all() if b.name != "v4"} == others
        assert sync_builtins(store) == []


def test_a_run_without_names_plays_own_bots_and_some_opponents(tmp_path: Path) -> None:
    """Without a bot of the user's own it is the ladder of v1 to v17; retired players stay away."""
    with Store.open(str(tmp_path / "x.db"), create=True) as store:
        sync_builtins(store)
        assert {bot.name for bot in default_bots(store)} == {*LADDER, *OPPONENTS}
        launch = builtin_launch("v4?c=0.5")
        revision = NewRevision("hash of mine", launch, ("time",))
        store.bots.add(NewBot("mine", "uct", "builtin:v4?c=0.5", revision))
        store.bots.retire("v4")
        names = [bot.name for bot in default_bots(store)]
        assert names[0] == "mine"
        assert set(names[1:]) == {*OPPONENTS} - {"v4"}
