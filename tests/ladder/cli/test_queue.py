"""`ladder queue`: commands are checked, stored, listed and cancelled."""

from datetime import datetime

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
        {"job", "command", "status", "author", "exit_code", "note", "added_at", "ended_at"}
    ] * 3
    assert [job["ended_at"] is None for job in jobs] == [True, False, True]
    for job in jobs:
        assert datetime.fromisoformat(job["ended_at"] or job["added_at"]).tzinfo is not None
    assert [job["command"] for job in jobs] == [" ".join(GATE)] * 2 + [" ".join((*GATE, "--json"))]
    assert [job["status"] for job in jobs] == ["waiting", "cancelled", "waiting"]
    assert [job["note"] for job in jobs] == ["why", "why", ""]
    assert "cancelled" in ladder("queue", "list").out
    assert ladder("runs", "--json").document == {"runs": []}
