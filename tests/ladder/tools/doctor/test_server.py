"""Checks of a database server, and of how limits are enforced."""

from dataclasses import replace
from pathlib import Path

import pytest

from db.store import ServerState, Store
from ladder.tools.doctor.database import examine_server
from ladder.tools.doctor.machine import Level, check_limits
from tests.support.postgresql import Server, shared_server, why_none

SOUND = ServerState(
    version="15.4",
    user="ladder",
    is_unsafe=False,
    may_write=True,
    runs={7: "process 1 on a"},
    round_trip_s=0.001,
)


def test_a_sound_server_has_no_warning() -> None:
    """Every finding is OK, and the run in play is listed with its process."""
    found = examine_server(SOUND)
    assert {each.level for each in found} == {Level.OK}
    assert any("run 7 by process 1 on a" in each.text for each in found)


@pytest.mark.parametrize(
    ("topic", "words", "change"),
    [
        ("server", "round trip 80.0 ms", {"round_trip_s": 0.08}),
        ("rights", "can only read", {"may_write": False}),
        ("settings", "set fsync", {"is_unsafe": True}),
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
    """Version, rights, runs in play and settings are those of the server."""
    with server.database() as url, Store.open(url) as store:
        lock = store.run_lock()
        assert lock.try_acquire(3)
        state = store.audit.server()
        lock.close()
    assert state is not None
    assert (state.may_write, state.is_unsafe, list(state.runs)) == (True, True, [3])


@pytest.mark.parametrize(
    ("has_groups", "expected"),
    [
        (True, "the kernel enforces memory and processes"),
        (False, "may not create control groups (cgroup v2) with the controllers memory and pids"),
    ],
)
def test_the_enforcement_of_limits_is_reported(
    tmp_path: Path, has_groups: bool, expected: str
) -> None:
    """The report differs with control groups and without them."""
    finding = check_limits(tmp_path if has_groups else None)
    assert finding.level is Level.OK
    assert expected in finding.text
