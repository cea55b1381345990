"""`ladder queue`: commands are checked, stored, listed and cancelled."""

from pathlib import Path

import pytest

from tests.ladder.cli.conftest import Command

GATE = ("gate", "v4", "--against", "v3", "--simulations", "10", "--boards", "6x7", "--new")


@pytest.mark.slow
def test_jobs_are_listed_and_cancelled(ladder: Command) -> None:
    """Options of the queue may stand anywhere before two dashes, and a job is stored as typed."""
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
        {"job", "command", "status", "author", "exit_code", "note"}
    ] * 3
    assert [job["command"] for job in jobs] == [" ".join(GATE)] * 2 + [" ".join((*GATE, "--json"))]
    assert [job["status"] for job in jobs] == ["waiting", "cancelled", "waiting"]
    assert [job["note"] for job in jobs] == ["why", "why", ""]
    assert "cancelled" in ladder("queue", "list").out
    assert ladder("runs", "--json").document == {"runs": []}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("gate", "nosuch", "--against", "v3"), "no registered bot is called 'nosuch'"),
        (("gate", "v4"), "Missing option '--against'"),
        (("gate", "v4", "--against", "v3", "--boards", "1x1"), "--boards: "),
        (("gate", "v4", "--against", "v3", "--nosuch"), "No such option"),
        (("--", *GATE, "--db", "x.db"), "--db cannot stand in the queue"),
        (
            ("run", "--bots", "v1,v2"),
            "this run would never end: give it --games, --hours or --until-error",
        ),
        (("select", "v2", "v2", "--against", "v4"), "v2"),
        (("suite", "make", "x.jsonl"), "'suite make' cannot wait in the queue: give one of run"),
        (("report",), "'report' cannot wait in the queue: give one of run"),
        (("tune", "builtin:v18", "--param", "nosuch=0..1"), "nosuch"),
        ((*GATE, "--note", "a\x1b[31m"), "--note must be printable text"),
    ],
)
def test_what_cannot_start_is_refused(
    ladder: Command, tmp_path: Path, words: tuple[str, ...], problem: str
) -> None:
    """A sentence says why, and no new database is left."""
    done = ladder("queue", "add", *words)
    assert done.code == 2
    assert problem in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "ladder.db").exists()
