"""Checks of a database server."""

from dataclasses import replace

import psycopg
import pytest

from db.records.server import ServerState
from db.store import SCHEMA_VERSION, Store
from ladder.tools.doctor.machine import Level
from ladder.tools.doctor.server import LIMITS, LOSSES, examine_server
from tests.support.postgresql import Server, name_of, shared_server, why_none

SOUND = ServerState(
    version="15.4",
    tables=SCHEMA_VERSION,
    user="ladder",
    owner="ladder",
    may_write=True,
    may_migrate=True,
    sessions=3,
    session_limit=100,
    runs={7: "process 1 on a"},
    blocker="process 1 on a",
    blocker_s=0.001,
    round_trip_s=0.001,
    ahead_s=-0.01,
    settings={**dict.fromkeys(LOSSES, "on"), **dict.fromkeys(LIMITS, "0")},
)


def test_a_sound_server_has_no_warning() -> None:
    """Every finding is OK, and the run in play is listed with its process."""
    found = examine_server(SOUND)
    assert {each.level for each in found} == {Level.OK}
    assert any("run 7 by process 1 on a" in each.text for each in found)


@pytest.mark.parametrize(
    ("topic", "words", "change"),
    [
        ("server", "max_connections", {"sessions": 90}),
        ("server", "round trip 80.0 ms", {"round_trip_s": 0.08}),
        ("rights", "can only read", {"may_write": False}),
        ("tables", f"needs version {SCHEMA_VERSION}", {"tables": "0013"}),
        ("locks", "process 1 on a has been in a transaction for 40 s", {"blocker_s": 40.0}),
        ("time", "2.00 s ahead", {"ahead_s": 2.0}),
        ("settings", "fsync is off", {"settings": {"fsync": "off"}}),
        ("settings", "statement_timeout is 500 ms", {"settings": {"statement_timeout": "500"}}),
    ],
)
def test_each_problem_of_a_server_gives_one_warning(
    topic: str, words: str, change: dict[str, object]
) -> None:
    """The warning stands under its topic."""
    found = examine_server(replace(SOUND, **change))  # type: ignore[arg-type]
    (warning,) = [each for each in found if each.level is not Level.OK]
    assert warning.topic == topic
    assert words in warning.text


@pytest.fixture
def server() -> Server:
    reason = why_none()
    if reason is not None:
        pytest.skip(reason)
    return shared_server()


def test_the_state_of_a_real_server_is_read(server: Server) -> None:
    """Version, rights, runs in play, sessions and settings are those of the server."""
    with server.database() as url, Store.open(url) as store:
        lock = store.run_lock()
        assert lock.try_acquire(3)
        with psycopg.connect(
            host=str(server.folder), user=server.user, dbname=name_of(url)
        ) as other:
            other.execute("SELECT 1")
            state = store.audit.server()
        lock.close()
    assert state is not None
    assert state.tables == SCHEMA_VERSION
    assert (state.may_write, state.may_migrate) == (True, True)
    assert list(state.runs) == [3]
    assert f"of the user {server.user}" in str(state.blocker)
    assert state.settings["fsync"] == "off"
    assert abs(state.ahead_s) < 60
    assert state.sessions >= 3
