"""The page of the machines that play."""

import socket

from ladder.runs.cluster.security import SchedulerEndpoint
from reports.html.live.machines import machine_parts
from tests.ladder.web.conftest import Start
from tests.support.data.cluster import a_cluster
from tests.support.data.league import League


def test_each_machine_has_a_row() -> None:
    """The table has the states, what is played and why not; texts of machines are escaped."""
    text = machine_parts([], [], a_cluster(), "").parts["machines"]
    assert "Cluster tls://lab1:8786" in text
    assert '<span class="verdict gained">playing</span>' in text
    assert "run 7: pairs 17, 18" in text
    assert "0/4" in text
    assert "reserved by ann@lab1" in text
    assert "it has no bot" in text
    assert "No service plays the queue" in text


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
    assert refused.status == 503
    assert "does not answer" in refused.document["error"]
