"""`ladder runs`: the list of stored runs, and deleting one."""

import io
import shutil
import sys
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from db.records.runs import RunKind, RunStatus
from db.store import Store
from tests.ladder.cli.conftest import Command
from tests.support.data.league import League

KEYS = {
    "run", "kind", "status", "verdict", "title", "division", "games", "target_games", "rated",
    "seed", "note", "paused", "stalled_games", "harness", "started_at",
    "ended_at",
}  # fmt: skip


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Store a run whose process died, a match, a decided gate and an invalid one."""
    path = tmp_path_factory.mktemp("league") / "ladder.db"
    with League(path, "a", "b", "c") as league:
        run = league.run(note="the first night")
        league.pairs(run, "a", "b", 3, "1-0", "0-1")
        league.store.runs.change_settings(run.id, harness={"processor": "Z80"})
        league.store.pairs.add_stalls(1, 2)
        match = league.run(kind=RunKind.MATCH, bots=("a", "c"))
        league.pairs(match, "a", "c", 2, "1-0", "1/2")
        league.end(match)
        gate = league.run(kind=RunKind.GATE)
        league.store.runs.set_verdict(gate.id, "pass")
        league.end(gate)
        league.end(league.run(kind=RunKind.GATE), RunStatus.INVALID)
        rated = league.run()
        league.pairs(rated, "b", "c", 2, "1-0", "0-1")
        league.end(rated)
    return path


@pytest.fixture
def league(stored: Path, tmp_path: Path) -> Path:
    """Copy the database into the folder of the commands."""
    return Path(shutil.copy(stored, tmp_path / "ladder.db"))


@pytest.mark.slow
@pytest.mark.usefixtures("league")
def test_runs_are_listed_newest_first(ladder: Command) -> None:
    """Each run must stand there with its kind, how it ended, and what it came to."""
    runs = ladder("runs", "--json").document["runs"]
    assert all(set(run) == KEYS for run in runs)
    facts = [(run["run"], run["kind"], run["status"], run["verdict"]) for run in runs]
    assert facts == [
        (5, "ladder", "finished", None),
        (4, "gate", "invalid", "invalid"),
        (3, "gate", "finished", "pass"),
        (2, "match", "finished", None),
        (1, "ladder", "interrupted", None),
    ]
    assert [run["games"] for run in runs] == [4, 0, 0, 4, 6]
    assert runs[-1]["note"] == "the first night"
    for run in runs:
        assert datetime.fromisoformat(run["started_at"]).utcoffset() is not None
        assert (run["ended_at"] is None) == (run["run"] == 1)
    assert [run["stalled_games"] for run in runs] == [0, 0, 0, 0, 2]
    assert [run["harness"] for run in runs] == [None] * 4 + [{"processor": "Z80"}]
    assert runs[-1]["title"] == "a, b, c, random pairs, 6x7/100ms"
    text = ladder("runs").out.splitlines()
    assert text[0].split() == [
        "run",
        "kind",
        "games",
        "status",
        "verdict",
        "started",
        "title",
        "note",
    ]
    assert text[-1].split()[:4] == ["1", "ladder", "6/100", "interrupted"]


def test_a_run_is_listed_as_running_only_while_its_lock_is_held(
    ladder: Command, league: Path
) -> None:
    with Store.open(str(league)) as store, closing(store.run_lock()) as lock:
        assert lock.try_acquire(1)
        assert ladder("runs", "--json").document["runs"][-1]["status"] == "running"
        refused = ladder("runs", "delete", "1", "--yes")
    assert refused.code == 2
    assert "is being played" in refused.err


@pytest.mark.slow
def test_a_deleted_run_is_gone_from_every_rating(ladder: Command, league: Path) -> None:
    """Games, pair table and both ratings must be those of the other runs alone."""
    done = ladder("runs", "delete", "1", "--yes")
    assert done.code == 0, done.err
    assert "run 1 and its 6 games are deleted" in done.out
    assert [run["run"] for run in ladder("runs", "--json").document["runs"]] == [5, 4, 3, 2]
    report = ladder("report", "--json").document
    assert report["games"] == 4
    assert {bot["name"] for bot in report["bots"]} == {"b", "c"}
    assert ladder("games", "--bot", "b", "--opponent", "a").out == "no game matches\n"
    with Store.open(str(league)) as store:
        assert list(store.audit.outcomes()) == []


class Terminal(io.StringIO):
    """A terminal at which these lines are typed."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "left"), [("y", 4), ("n", 5), ("", 5)])
@pytest.mark.usefixtures("league")
def test_deleting_asks_for_confirmation(
    ladder: Command, monkeypatch: pytest.MonkeyPatch, answer: str, left: int
) -> None:
    """At a terminal only a yes deletes; the question must name what would go."""
    monkeypatch.setattr(sys, "stdin", Terminal(f"{answer}\n"))
    done = ladder("runs", "delete", "2")
    assert done.code == 0, done.err
    assert "run 2 (match: a against c, 6x7/100ms; 4 games" in done.err
    assert len(ladder("runs", "--json").document["runs"]) == left


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"a": 3}, {"command": "hop"}, {"command": "run hop"}])
def test_a_run_of_another_versions_command_is_shown(
    ladder: Command, league: Path, options: dict[str, object]
) -> None:
    """An imported run may name any command; one that is unknown here is not printed."""
    with Store.open(str(league)) as store:
        store.runs.change_settings(5, options=options)
    assert ladder("runs", "show", 5, "--json").document["command"] is None
