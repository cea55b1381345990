"""The page of the machines that play, and the changes of what they lend."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from distributed import Scheduler, Worker

from db.records.tokens import Right
from ladder.queue.tokens import create_token
from ladder.runs.cluster.lending import METRIC, Lending
from ladder.runs.cluster.security import SchedulerEndpoint
from reports.html.live.machines import machine_parts
from tests.ladder.web.conftest import Answer, Running, Start
from tests.ladder.web.test_sign_in import bearer
from tests.support.data.cluster import a_cluster, a_machine
from tests.support.data.league import League


def test_each_machine_has_a_row() -> None:
    """The table has the states, what is played and why not; texts of machines are escaped."""
    text = machine_parts([], [], a_cluster(), "", may_manage=False).parts["machines"]
    assert "Cluster tls://lab1:8786" in text
    assert '<span class="verdict gained">playing</span>' in text
    assert "run 7: pairs 17, 18" in text
    assert "0/4" in text
    assert "reserved by ann@lab1" in text
    assert "it has no bot" in text
    assert "No service plays the queue" in text
    assert "data-machine" not in text


@pytest.mark.parametrize(
    ("state", "words"),
    [("idle", ["drain", "reserve"]), ("drained", ["reserve"]), ("leaving", [])],
)
def test_buttons_fit_the_state_of_a_machine(state: str, words: list[str]) -> None:
    """A manager is offered only changes that change something."""
    cluster = a_cluster()
    status = type(cluster)(cluster.address, (a_machine("lab9", state),), ())
    text = machine_parts([], [], status, "", may_manage=True).parts["machines"]
    found = [word for word in ("drain", "reserve", "release") if f'data-word="{word}"' in text]
    assert found == words


def test_a_cluster_that_does_not_answer_is_named(league: League, start_server: Start) -> None:
    """The page says which scheduler does not answer, and scripts get an error."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        server = start_server(league.store.path, cluster=SchedulerEndpoint("127.0.0.1", port))
        asked = server.ask("/machines")
        assert asked.status == 200
        assert f"The cluster at tcp://127.0.0.1:{port} does not answer" in asked.text
        refused = server.ask("/api/machines")
        secret, _ = create_token(league.store, "root", Right.MANAGE)
        unchanged = change(server, secret, machine="lab1", word="drain")
    assert refused.status == unchanged.status == 503
    assert "does not answer" in refused.document["error"]
    assert "does not answer" in unchanged.document["error"]


def change(server: Running, secret: str, **body: Any) -> Answer:
    """Ask for a change of a machine."""
    return server.ask("/api/machines", method="POST", headers=bearer(secret), body=body)


@pytest.fixture
def cluster() -> Iterator[SchedulerEndpoint]:
    """Return a scheduler with a machine of two slots named lab1."""
    found: list[SchedulerEndpoint] = []
    loop, is_up, over = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

    async def serve() -> None:
        place = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}
        async with (
            Scheduler(host="127.0.0.1", port=0, **place) as scheduler,
            Worker(
                scheduler.address, nthreads=2, name="lab1", memory_limit=0,
                metrics={METRIC: Lending("lab1", 2)}, **place,
            ),
        ):  # fmt: skip
            found.append(SchedulerEndpoint("127.0.0.1", int(scheduler.port)))
            is_up.set()
            await over.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    assert is_up.wait(60)
    yield found[0]
    loop.call_soon_threadsafe(over.set)
    thread.join(30)
    loop.close()


@pytest.mark.slow
def test_managers_drain_reserve_and_release_machines(
    league: League, start_server: Start, cluster: SchedulerEndpoint
) -> None:
    """The machine lends what the manager chose, in the token's name; others are refused."""
    store = league.store
    server = start_server(store.path, cluster=cluster)
    root, _ = create_token(store, "root", Right.MANAGE)
    ann, _ = create_token(store, "ann", Right.SUBMIT)
    assert change(server, ann, machine="lab1", word="drain").status == 403
    drained = change(server, root, machine="lab1", word="drain")
    assert drained.status == 200, drained.text
    (machine,) = drained.document["machines"]
    assert (machine["state"], machine["lent"]) == ("drained", 0)
    assert machine["reason"] == "drained by root"
    assert server.ask("/api/machines").document["machines"][0]["state"] == "drained"
    held = change(server, root, machine=machine["address"], word="reserve", until="2h", slots=1)
    assert held.document["machines"][0]["reservation"]["slots"] == 1
    assert held.document["machines"][0]["lent"] == 1
    freed = change(server, root, machine="lab1", word="release").document["machines"][0]
    assert (freed["lent"], freed["reservation"]) == (2, None)
    assert 'data-word="drain"' in server.ask("/machines", headers=bearer(root)).text
    for body, reason in (
        ({"machine": "lab2", "word": "drain"}, "its machines are lab1"),
        ({"machine": "lab1", "word": "reserve"}, "is not a time"),
        ({"machine": "lab1", "word": "drain", "slots": 1}, "of a reservation"),
        ({"machine": "lab1", "word": "reserve", "until": "2h", "slots": 0}, "slots"),
        ({"machine": "lab1", "word": "delete"}, "word"),
    ):
        refused = change(server, root, **body)
        assert refused.status == 400
        assert reason in refused.document["error"]


def test_a_server_without_a_cluster_changes_no_machine(league: League, server: Running) -> None:
    """The sentence says how to start a server that shows one."""
    secret, _ = create_token(league.store, "root", Right.MANAGE)
    refused = change(server, secret, machine="lab1", word="drain")
    assert refused.status == 404
    assert "--cluster HOST:PORT" in refused.document["error"]
