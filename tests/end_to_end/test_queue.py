"""The worker of the queue: real commands, kills, cancels, and games equal to those by hand."""

import contextlib
import signal
import sqlite3

import pytest

from db.store import Store
from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import faults_of, lines_of, marked, query
from tests.support.postgresql import why_none
from tests.support.waiting import eventually

pytestmark = pytest.mark.timeout(900)

ON_A_SERVER = pytest.param(
    "postgresql",
    marks=[
        pytest.mark.very_slow,
        pytest.mark.skipif(why_none() is not None, reason=str(why_none())),
    ],
)


def match(seed: int, opponent: str = "random", games: int = 6) -> tuple[object, ...]:
    return ("match", "steady", opponent, "--simulations", 1, "--games", games, "--seed", seed)


def add(ladder: Ladder, author: str, *words: object) -> int:
    ladder.environment["LOGNAME"] = author
    done = ladder("queue", "add", "--json", "--", *words)
    assert done.code == 0, done.err
    assert done.document["author"] == author
    job: int = done.document["job"]
    return job


def states(ladder: Ladder) -> dict[int, str]:
    return {job["job"]: job["status"] for job in ladder("queue", "list", "--json").document["jobs"]}


def stored(ladder: Ladder) -> dict[int, str]:
    """Return the statuses as stored, without the processor time of a command."""
    return dict(query(ladder.db, "select id, status from jobs order by id"))


@pytest.mark.slow
@pytest.mark.parametrize("ladder", ["sqlite", ON_A_SERVER], indirect=True)
def test_a_queue_is_played_through_kills(ladder: Ladder) -> None:
    """Games are those by hand though a worker is killed; a failing job blocks no other."""
    by_hand = Ladder(ladder.folder / "by hand")
    by_hand.folder.mkdir()
    for each in (ladder.stock(), by_hand.stock()):
        assert each("bots", "add", "gone", "builtin:stupid").code == 0
    assert by_hand(*match(1)).code == 0
    ladder.environment["LADDER_TEST_MARK"] = mark = str(ladder.folder)
    ladder.environment["LOGNAME"] = "ann"
    first = 1
    waiting = ladder.start("queue", "add", "--wait", "--", *match(1), "--new")
    eventually(lambda: stored(ladder) == {first: "waiting"})
    failing = add(ladder, "bob", *match(4, "gone"))
    endless = add(ladder, "ann", *match(3, games=4000))
    assert ladder("bots", "retire", "gone").code == 0
    with ladder.slow():
        killed = ladder.start("queue", "work")
        eventually(lambda: len(lines_of(ladder.db)) > 1)
        killed.kill()
    killed.communicate()
    eventually(lambda: marked(mark) == [])
    assert stored(ladder)[first] == "playing"
    assert states(ladder)[first] == "waiting"
    with ladder.slow():  # a game without end that costs little
        workers = [ladder.start("queue", "work") for _ in range(2)]
        eventually(lambda: stored(ladder)[endless] == "playing")
        eventually(lambda: stored(ladder)[first] == "done")
        assert ladder("queue", "cancel", endless).code == 0
    out, err = waiting.communicate()
    assert (waiting.returncode, "steady" in out) == (0, True), err
    for worker in workers:
        done = ladder.interrupt(worker, signal.SIGTERM)
        assert done.code == 0, done.err
    jobs = ladder("queue", "list", "--json").document["jobs"]
    assert [(job["status"], job["exit_code"]) for job in jobs] == [
        *(("done", 0), ("failed", 2), ("cancelled", None))
    ]
    assert (
        "gone is retired" in query(ladder.db, "select result from jobs where exit_code = 2")[0][0]
    )
    assert jobs[failing - 1]["author"] == "bob"
    assert marked(mark) == []
    assert faults_of(ladder.db) == []
    assert {*lines_of(by_hand.db)} <= {*lines_of(ladder.db)}
    runs = query(ladder.db, "select id from runs")
    assert len(runs) in (1, 2)  # one a job; the cancelled one may have ended before its run began


@pytest.mark.slow
def test_a_closed_folder_fails_one_job(ladder: Ladder) -> None:
    """A job whose folder cannot be entered fails with a sentence, and the next one is played."""
    assert ladder.stock()("queue", "list").code == 0
    closed = ladder.folder / "closed"
    closed.symlink_to(closed)
    with Store.open(str(ladder.db)) as store:
        for folder in (closed, ladder.folder):
            store.queue.add(["runs"], folder=str(folder), author="ann")
    worker = ladder.start("queue", "work")
    eventually(lambda: stored(ladder) == {1: "failed", 2: "done"})
    assert ladder.interrupt(worker, signal.SIGTERM).code == 0
    code, why = query(ladder.db, "select exit_code, result from jobs where id = 1")[0]
    assert (code, str(closed) in why, "add it again" in why) == (2, True, True)


@pytest.mark.very_slow
def test_a_lost_result_is_printed_again(ladder: Ladder) -> None:
    """A worker killed between the end of a run and the storing of its result plays nothing twice.

    The state that it leaves is restored: a finished run, and a job played by a dead worker.
    """
    gate = ("gate", "random", "--against", "stupid", "--simulations", 1, "--max-games", 4)
    add(ladder, "ann", "match", "random", "stupid", "--simulations", 1, "--games", 4, "--new")
    add(ladder, "ann", *gate)
    shown: list[list[tuple[object, ...]]] = []
    for _ in range(2):
        worker = ladder.start("queue", "work")
        eventually(lambda: {*stored(ladder).values()} == {"done"})
        ladder.interrupt(worker, signal.SIGTERM)
        shown.append(
            [
                *query(ladder.db, "select id, exit_code, result from jobs order by id"),
                *query(ladder.db, "select id, status from runs order by id"),
                *query(ladder.db, "select count(*) from games"),
            ]
        )
        with contextlib.closing(sqlite3.connect(ladder.db)) as connection, connection:
            connection.execute("update jobs set status = 'playing', exit_code = null, result = ''")
    assert [row[1] for row in shown[0][:2]] == [0, 4]
    assert shown[1] == shown[0]
