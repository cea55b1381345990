"""The status of a cluster, built from what a scheduler holds."""

import time
from typing import Any

import msgspec
import pytest

from ladder.runs.cluster.lending import METRIC, Offer, Reservation, local_time
from ladder.runs.cluster.run_view import MachineView, RunLabel, RunView, read_views
from ladder.runs.cluster.status import MachineStatus, build_status
from ladder.runs.cluster.task_key import played_pair, task_key

NOW = 1000.0
GATE = RunLabel(7, "gate", "lab.db", "ann@lab1")
TUNE = RunLabel(3, "bisect", "other.db", "bob@lab2")
PLACE = "tcp://10.0.0.2:4000"


def worker(offer: Offer | None = None, *, last_seen: float = NOW, slots: int = 4) -> dict[str, Any]:
    """Return a worker as a scheduler describes it."""
    metrics = {} if offer is None else {METRIC: msgspec.to_builtins(offer)}
    return {"nthreads": slots, "last_seen": last_seen, "metrics": metrics}


def views(*seen: tuple[RunLabel, str, str], until: float = NOW + 1) -> dict[str, RunView]:
    """Return the views of runs with the state and reason of the one machine."""
    return {
        label.kind: RunView(label, until, {PLACE: MachineView("alpha", state, reason)})
        for label, state, reason in seen
    }


def status(one: dict[str, Any], *seen: tuple[RunLabel, str, str]) -> MachineStatus:
    return build_status("tcp://lab1:8786", {PLACE: one}, views(*seen), NOW).machines[0]


ALL = Offer("alpha", 4, 4)
BY_ANN = Reservation("ann@lab1")


@pytest.mark.parametrize(
    ("one", "seen", "state", "reason"),
    [
        (worker(ALL), [], "idle", ""),
        (worker(), [], "idle", ""),
        (worker(ALL), [(GATE, "ready", "")], "idle", ""),
        (worker(ALL), [(GATE, "getting ready", "")], "getting ready", ""),
        (worker(ALL), [(GATE, "refused", "too old")], "refused", "too old"),
        (worker(ALL), [(GATE, "set aside", "it stalls"), (TUNE, "ready", "")], "idle", ""),
        (worker(ALL), [(GATE, "refused", "a"), (TUNE, "set aside", "b")], "refused", "a"),
        (worker(ALL, last_seen=NOW - 11), [(GATE, "ready", "")], "silent", ""),
        (worker(Offer("alpha", 0, 4, reservation=BY_ANN)), [], "drained", "drained by ann@lab1"),
        (
            worker(Offer("alpha", 0, 4, is_leaving=True)), [(GATE, "reserved", "")], "leaving",
            "it finishes its pairs in play and leaves",
        ),
    ],
)  # fmt: skip
def test_a_machine_is_refused_or_set_aside_only_if_no_run_uses_it(
    one: dict[str, Any], seen: list[tuple[RunLabel, str, str]], state: str, reason: str
) -> None:
    """Silence and leaving count before."""
    found = status(one, *seen)
    assert (found.state, found.reason) == (state, reason)
    assert [(each.run, each.state, each.reason) for each in found.runs] == seen


def test_the_end_of_a_reservation_is_named() -> None:
    """A part of the slots may be reserved; the machine then plays on with the others."""
    until = time.time() + 3600
    offer = Offer("alpha", 1, 4, reservation=Reservation("ann@lab1", 3, until))
    found = status(worker(offer))
    assert (found.state, found.lent, found.slots) == ("idle", 1, 4)
    assert found.reason == f"reserved until {local_time(until)} by ann@lab1"


def test_each_pair_in_play_is_named_with_its_run() -> None:
    """Tasks that are no pairs are left out, and a run that publishes nothing is unknown."""
    keys = [
        task_key("0123456789abcdef0123", 12, "gate", 5),
        task_key("0123456789abcdef0123", "prepare", "gate", 6),
        task_key("a-stream", 4, "unknown", 1),
    ]
    found = status(worker(Offer("alpha", 4, 4, tuple(keys))), (GATE, "ready", ""))
    assert found.state == "playing"
    assert [(each.run, each.number) for each in found.playing] == [(GATE, 12), (None, 4)]


def test_keys_of_other_programs_are_no_pairs() -> None:
    """Other programs may use the same scheduler."""
    for key in ("inc-1-2-3", "ladder-12-34", "x", ("ladder", 1), task_key("s", "play", "x", 1)):
        assert played_pair(key) is None


def test_views_of_killed_coordinators_and_other_versions_are_left_out() -> None:
    """A view counts until its time by the scheduler's clock; what cannot be read does not."""
    kept = views((GATE, "ready", ""))
    stored: dict[str, Any] = msgspec.to_builtins(
        {**kept, **views((TUNE, "ready", ""), until=NOW - 1)}
    )
    assert read_views({**stored, "ended": None, "newer": {"label": 1}}, NOW) == kept
