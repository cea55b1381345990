"""`ladder queue`: commands are checked, stored, listed and cancelled."""

import shlex
import shutil
from datetime import datetime
from pathlib import Path

import pytest

from db.bots_only import BOT_TABLES
from db.models import METADATA
from ladder.cli.commands.queue import COMMANDS
from ladder.runs.resume import own_job
from tests.ladder.cli.conftest import Command
from tests.support.data.repositories import commit, git, repository
from tests.support.sql import execute_sql

STACKER = (Path(__file__).parents[2] / "fake_bots" / "stacker.py").read_text()

GATE = ("gate", "v4", "--against", "v3", "--simulations", "10", "--boards", "6x7", "--new")


@pytest.mark.slow
def test_jobs_are_listed_and_cancelled(ladder: Command) -> None:
    """Options of the queue may stand anywhere before two dashes; a job keeps resolved options."""
    texts = [
        ladder("queue", "add", *words).out
        for words in (("--note", "why", *GATE), (*GATE, "--note", "why"), ("--", *GATE, "--json"))
    ]
    assert texts == [f"job {number} is waiting\n" for number in (1, 2, 3)]
    assert ladder("queue", "cancel", "2").out == "job 2 is cancelled\n"
    refused = ladder("queue", "cancel", "2")
    assert (refused.code, "job 2 is cancelled: it cannot be cancelled" in refused.err) == (2, True)
    jobs = ladder("queue", "list", "--json").document["jobs"]
    assert [set(job) for job in jobs] == [
        {
            *("job", "command", "status", "author", "exit_code", "note"),
            *("added_at", "started_at", "ended_at"),
        }
    ] * 3
    assert [job["ended_at"] is None for job in jobs] == [True, False, True]
    for job in jobs:
        assert datetime.fromisoformat(job["ended_at"] or job["added_at"]).tzinfo is not None
    stored = "gate v4 --against v3 --as-stored --new --boards 6x7 --simulations 10"
    assert [job["command"] for job in jobs] == [stored, stored, f"{stored} --json"]
    assert [job["status"] for job in jobs] == ["waiting", "cancelled", "waiting"]
    assert [job["note"] for job in jobs] == ["why", "why", ""]
    assert "cancelled" in ladder("queue", "list").out
    assert ladder("runs", "--json").document == {"runs": []}


def written(db: Path) -> dict[str, object]:
    """Return the rows of every table that holds neither bots nor jobs."""
    tables = METADATA.tables.keys() - BOT_TABLES - {"jobs"}
    return {name: execute_sql(str(db), f"SELECT * FROM {name}") for name in tables}  # noqa: S608


@pytest.mark.slow
def test_a_job_keeps_the_bots_of_its_first_moment(
    ladder: Command, tmp_path: Path, games: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command's plan stores bots alone, and its job plays these in any folder."""
    db, there, elsewhere = tmp_path / "q.db", tmp_path / "there", tmp_path / "elsewhere"
    shutil.copy(games, db)
    first = git(repository(there, {"mine.py": STACKER}), "rev-parse", "HEAD")
    last = commit(there, {"note": ""})
    monkeypatch.chdir(there)
    spec, conditions = "exec:env X=1 python3 mine.py", ("--simulations", 1, "--boards", "6x7")
    tuned = "exec:env X={x} python3 mine.py"
    lines: list[tuple[object, ...]] = [
        ("match", spec, "random", "--games", 2, *conditions),
        ("gate", spec, "--against", "random", "--html", "page.html", *conditions),
        ("run", "--bots", f"random,{spec}", "--games", 2, *conditions),
        ("select", "mine-1", "random", *conditions),
        ("tune", tuned, "--param", "x=0..0.3..1", *conditions),
        ("bisect", spec, "--good", "HEAD~1", "--bad", "HEAD", *conditions),
        ("nightly", spec, "--games", 2, *conditions),
        ("suite", "run", "mine-1", "standard", "--simulations", 1),
        ("analyze", "--forget"),
    ]
    before = written(db)
    for line in lines:
        done = ladder("queue", "add", "--db", db, *line)
        assert done.code == 0, done.err
    assert written(db) == before
    jobs = ladder("queue", "list", "--db", db, "--json").document["jobs"]
    words = [shlex.split(job["command"]) for job in jobs]
    assert {each[0] for each in words} == {name.split()[0] for name in COMMANDS}
    assert not any(spec in each for each in words if each[0] not in ("bisect", "nightly"))
    assert words[1][words[1].index("--html") + 1] == str(there / "page.html")
    assert words[4][words[4].index("--base") + 1].startswith("mine@x0.3")
    assert {first, last, str(there)} <= {*words[5]}
    shutil.rmtree(there)
    elsewhere.mkdir()
    (elsewhere / "mine.py").write_text("raise SystemExit")
    monkeypatch.chdir(elsewhere)
    assert "mine-1" in ladder(*words[0], "--db", db).out
    listed = ladder("games", "--bot", "mine-1", "--db", db, "--json").document["games"]
    assert [game["termination"] for game in listed] == ["four_in_a_row"] * 2
    token = own_job.set(1)
    try:
        for line in (lines[0], *lines[4:6]):
            refused = ladder(*line, "--db", db)
            assert (refused.code, "add it again" in refused.err) == (2, True), refused.err
    finally:
        own_job.reset(token)
