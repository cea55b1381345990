"""The service of the queue: real commands, kills, stops, and games equal to those by hand."""

import contextlib
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import psutil
import pytest

from ladder.match.process.cpus import allowed_cpus
from tests.end_to_end.conftest import FAKE_BOTS, Ladder, add_steady
from tests.end_to_end.traces import faults_of, lines_of, marked, query
from tests.support.postgresql import shared_server, why_none

pytestmark = pytest.mark.timeout(900)

Eventually = Callable[[Callable[[], bool]], None]
SERVICE_OF_TWO = """
import sys
from db.store import Store
from ladder.queue.service import QueueService
from ladder.queue.slots import OwnSlots
slots = OwnSlots()
slots.total = 2
with Store.open(sys.argv[1]) as store:
    QueueService(store=store, db=sys.argv[1], slots=slots, jobs=2, report=print).run()
"""


def match(seed: int, opponent: str = "random", games: int = 6) -> tuple[object, ...]:
    return ("match", "steady", opponent, "--simulations", 1, "--games", games, "--seed", seed)


def submit(ladder: Ladder, author: str, *words: object) -> int:
    done = ladder("queue", "add", "--as", author, "--json", "--", *words)
    assert done.code == 0, done.err
    job: int = done.document["job"]
    return job


def start_service_of_two(ladder: Ladder) -> None:
    """Start a service with two slots, on any number of CPUs."""
    process = subprocess.Popen(
        [sys.executable, "-c", SERVICE_OF_TWO, ladder.db],
        cwd=ladder.folder,
        env=ladder.environment,
        stdout=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    ladder.started.append(process)


def states(ladder: Ladder) -> dict[int, str]:
    return dict(query(ladder.db, "select id, state from queue_entries order by id"))


def ended(ladder: Ladder) -> bool:
    return not {"waiting", "playing", "paused"} & {*states(ladder).values()}


def show(ladder: Ladder, job: int) -> Any:
    return ladder("queue", "show", job, "--json").document


def games_of(ladder: Ladder, job: int) -> int:
    """Return the number of stored games, without the processor time of a command."""
    counts = query(
        ladder.db,
        "select q.id, count(*) from queue_entries q join pairs p on p.run_id = q.run_id "
        "join games g on g.pair_id = p.id group by q.id",
    )
    return dict(counts).get(job, 0)


@pytest.mark.slow
def test_two_services_play_a_queue_through_kills(
    ladder: Ladder, other: str, eventually: Eventually
) -> None:
    """Games are those by hand though a service is killed and the bot's folder is gone."""
    home = Ladder(ladder.folder / "home", ladder.db)
    home.folder.mkdir()
    shutil.copy(FAKE_BOTS / "bot.py", home.folder)
    by_hand = Ladder(home.folder, other)
    for each in (home, by_hand):
        add_steady(each)
    for seed in (1, 2, 3):
        assert by_hand(*match(seed)).code == 0
    ann = [submit(home, "ann", *match(seed)) for seed in (1, 2)]
    gone = submit(home, "ann", *match(4, "stupid"))
    bob = submit(home, "bob", *match(3))
    assert ladder("bots", "retire", "stupid").code == 0
    shutil.rmtree(home.folder)
    with ladder.slow():
        first = ladder.start("queue", "work", "--jobs", 2)
        eventually(lambda: len(lines_of(ladder.db)) > 1)
        in_play = [job for job, state in states(ladder).items() if state == "playing"]
        assert in_play == [ann[0], bob][: allowed_cpus()]
        first.kill()
    first.communicate()
    services = [ladder.start("queue", "work", "--jobs", 1) for _ in range(2)]
    eventually(lambda: ended(ladder))
    for service in services:
        done = ladder.interrupt(service, signal.SIGTERM)
        assert done.code == 0, done.err
    assert states(ladder) == {ann[0]: "done", ann[1]: "done", gone: "failed", bob: "done"}
    assert faults_of(ladder.db) == []
    assert lines_of(ladder.db) == lines_of(other)
    failed = show(ladder, gone)
    assert (failed["exit_code"], "stupid is retired" in failed["message"]) == (2, True)
    assert "steady" in show(ladder, bob)["output"]
    assert query(ladder.db, "select count(*) from archives") == [(0,)]
    assert len(query(ladder.db, "select id from runs")) == 3


@pytest.mark.slow
@pytest.mark.skipif(why_none() is not None, reason=str(why_none()))
@pytest.mark.parametrize("ladder", ["postgresql"], indirect=True)
def test_a_server_that_ends_all_sessions_loses_no_game(
    ladder: Ladder, eventually: Eventually
) -> None:
    """No game is played twice though sessions end, and commands die, again and again."""
    by_hand = Ladder(ladder.folder / "by hand")
    by_hand.folder.mkdir()
    assert by_hand.stock()(*match(1, games=20)).code == 0
    job = submit(ladder.stock(), "ann", *match(1, games=20))
    with ladder.slow():
        service = ladder.start("queue", "work")
        for stored in (2, 6, 10):
            eventually(lambda least=stored: len(lines_of(ladder.db)) >= least)
            shared_server().cut(ladder.db)
            (server,) = psutil.Process(service.pid).children()
            for command in server.children():
                command.kill()
    eventually(lambda: ended(ladder))
    done = ladder.interrupt(service, signal.SIGTERM)
    assert done.code == 0, done.err
    assert states(ladder) == {job: "done"}, show(ladder, job)
    assert faults_of(ladder.db) == []
    assert lines_of(ladder.db) == lines_of(by_hand.db)


@pytest.mark.slow
def test_users_stop_an_experiment_and_resume_it(ladder: Ladder, eventually: Eventually) -> None:
    """A paused one is played on after `resume`, a cancelled one never, and a stop loses nothing."""
    ladder.stock().environment["LADDER_TEST_MARK"] = mark = str(ladder.folder)
    ladder.stock()
    long, other = (submit(ladder, "ann", *match(seed, games=400)) for seed in (1, 2))
    with ladder.slow():
        service = ladder.start("queue", "work", "--jobs", 1)
        eventually(lambda: games_of(ladder, long) > 0)
        assert ladder("queue", "pause", long).code == 0
        eventually(lambda: states(ladder) == {long: "paused", other: "playing"})
        eventually(lambda: games_of(ladder, other) > 0)
        assert ladder("queue", "cancel", other).code == 0
        eventually(lambda: states(ladder)[other] == "cancelled")
        games = games_of(ladder, long)
        assert ladder("queue", "resume", long).code == 0
        eventually(lambda: games_of(ladder, long) > games)
        done = ladder.interrupt(service)
    assert done.code == 0, done.err
    assert states(ladder) == {long: "waiting", other: "cancelled"}
    assert marked(mark) == []
    assert query(ladder.db, "select count(*) from runs where status = 'running'") == [(0,)]


@pytest.mark.very_slow
def test_an_author_makes_room_for_another(ladder: Ladder, eventually: Eventually) -> None:
    """The second experiment of one author waits again as soon as another author submits one."""
    ladder.stock()
    first, second = (submit(ladder, "ann", *match(seed, games=400)) for seed in (1, 2))
    with ladder.slow():
        start_service_of_two(ladder)
        eventually(lambda: states(ladder) == {first: "playing", second: "playing"})
        third = submit(ladder, "bob", *match(3, games=400))
        eventually(
            lambda: states(ladder) == {first: "playing", second: "waiting", third: "playing"}
        )
        eventually(lambda: games_of(ladder, third) > 0)


@pytest.mark.very_slow
def test_a_lost_result_is_printed_again(ladder: Ladder, eventually: Eventually) -> None:
    """A service killed between the end of a run and the storing of its result plays nothing twice.

    The state that it leaves is restored: a finished run, and an entry played by a dead service.
    """
    gate = ("gate", "random", "--against", "stupid", "--simulations", 1, "--max-games", 4)
    jobs = [
        submit(ladder, "ann", "match", "random", "stupid", "--simulations", 1, "--games", 4),
        submit(ladder, "ann", *gate),
    ]
    shown: list[list[tuple[object, ...]]] = []
    for _ in range(2):
        service = ladder.start("queue", "work", "--jobs", 1)
        eventually(lambda: ended(ladder))
        ladder.interrupt(service, signal.SIGTERM)
        shown.append(
            [
                *query(
                    ladder.db, "select id, state, exit_code, output from queue_entries order by id"
                ),
                *query(ladder.db, "select id, status from runs order by id"),
                *query(ladder.db, "select count(*) from games"),
            ]
        )
        with contextlib.closing(sqlite3.connect(ladder.db)) as connection, connection:
            connection.execute(
                "update queue_entries set state = 'playing', exit_code = null, output = '', "
                "ended_at = null"
            )
    assert [row[0] for row in shown[0][:2]] == jobs
    assert all(row[1] == "done" and row[3] for row in shown[0][:2])
    assert shown[1] == shown[0]
