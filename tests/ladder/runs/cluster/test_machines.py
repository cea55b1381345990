"""The choice of a machine for a pair: fair, as quick among many as among few, and refusals."""

import asyncio
import sys
from concurrent.futures import Future
from itertools import count

import pytest

from bots.protocol import Budget
from db.records.launch import DEFAULT_LIMITS, Start
from db.records.pairs import Entrant, PairPlan
from ladder.harness_version import harness_version
from ladder.runs.cluster.bot_bundle import BotBundle
from ladder.runs.cluster.coordinator.admission import Unfit, admit
from ladder.runs.cluster.coordinator.assignments import Assignment, Machine, Pair, State
from ladder.runs.cluster.coordinator.machines import Machines
from ladder.runs.cluster.coordinator.pending import HOSTLESS_S, PendingPairs
from ladder.runs.cluster.machine import MachineFacts
from ladder.runs.cluster.shipping import RunManifest
from ladder.runs.cluster.slot import Prepared

START = Start(argv=("true",), folder="/")
A, B, C = (
    Entrant(number, name, START, Budget(simulations=1))
    for number, name in enumerate(("a", "b", "c"), start=1)
)
numbers = count()


def pair_of(a: Entrant, b: Entrant) -> Pair:
    number = next(numbers)
    return Pair(PairPlan(number, number, a, b, "4x4", "4x4", (), 1), Future())


class Hall:
    """Machines that have joined, and the pairs that wait for them."""

    def __init__(self, *slots: int) -> None:
        self.machines = Machines()
        self.waiting = PendingPairs(self.machines)
        told = {
            f"tcp://{number}": {"nthreads": each, "last_seen": 1.0}
            for number, each in enumerate(slots)
        }
        self.machines.update(told, 0.0)
        self.all = list(self.machines)

    def join(self, machine: Machine, refused: dict[int, str]) -> None:
        machine.prepared, machine.refused = Prepared(1.0, refused), frozenset(refused)
        self.machines.set_state(machine, State.READY)

    def give(self, *pairs: Pair) -> list[Machine]:
        """Have pairs wait, and return the machines that are given some."""
        for pair in pairs:
            self.waiting.add(pair)
        chosen = []
        for pair, machine in self.waiting.take():
            copy = Assignment(pair, machine, due=0.0)
            pair.assignments.append(copy)
            machine.playing.add(copy)
            self.machines.update_capacity(machine)
            chosen.append(machine)
        return chosen


def test_pairs_go_to_the_machine_with_the_most_room_for_its_size() -> None:
    """A machine of four slots gets four pairs, one of two gets two, then none gets any."""
    hall = Hall(4, 2, 1)
    for machine in hall.all:
        hall.join(machine, {})
    chosen = hall.give(*(pair_of(A, B) for _ in range(9)))
    assert [chosen.count(machine) for machine in hall.all] == [4, 2, 1]
    assert {each.slots for each in chosen[:3]} == {4, 2, 1}
    hall.machines.set_state(hall.all[2], State.SILENT)
    copy = hall.all[2].playing.pop()
    copy.pair.assignments.clear()
    hall.machines.update_capacity(hall.all[2])
    assert hall.give() == []


@pytest.mark.slow
@pytest.mark.parametrize("machines", [20, 5000])
def test_a_pair_is_given_away_without_a_question_to_every_machine(machines: int) -> None:
    """The number of calls must not depend on the number of machines."""
    hall = Hall(*[2] * machines)
    for machine in hall.all:
        hall.join(machine, {})
    hall.give(*(pair_of(A, B) for _ in range(2 * machines - 1)))
    calls = 0

    def count_call(*_: object) -> None:
        nonlocal calls
        calls += 1

    pair = pair_of(A, B)
    sys.setprofile(count_call)
    try:
        hall.give(pair)
    finally:
        sys.setprofile(None)
    assert pair.assignments
    assert calls < 200


def test_a_pair_goes_to_a_machine_that_hosts_both_bots() -> None:
    """Machines that refuse one of them are passed over, however much room they have."""
    hall = Hall(8, 1)
    hall.join(hall.all[0], {2: "b is missing"})
    hall.join(hall.all[1], {})
    assert hall.give(pair_of(A, B), pair_of(B, C)) == [hall.all[1]]
    assert hall.give(pair_of(A, C)) == [hall.all[0]]


def test_a_bot_without_a_host_is_named_once_all_machines_are_known() -> None:
    """It is not named while a machine is getting ready, and not before some time has passed."""
    hall = Hall(1, 1)
    hall.join(hall.all[0], {2: "b is missing"})
    hall.give(pair_of(A, B), pair_of(A, C), pair_of(A, C))
    assert hall.waiting.take_hostless(0.0) == []
    assert hall.waiting.hostless == 1
    hall.join(hall.all[1], {2: "b differs"})
    assert hall.waiting.take_hostless(1.0) == []
    ((pair, error),) = hall.waiting.take_hostless(1.0 + HOSTLESS_S)
    assert hall.waiting.hostless == 0
    assert pair.plan.b is B
    assert error.reasons == {
        "b": "no machine can host it: tcp://0: b is missing; tcp://1: b differs"
    }


def test_a_pair_without_a_host_is_played_once_a_machine_hosts_it() -> None:
    """It keeps its place in the order of numbers."""
    hall = Hall(1, 2)
    hall.join(hall.all[0], {2: "b is missing"})
    first = pair_of(A, B)
    hall.give(first)
    hall.join(hall.all[1], {})
    assert hall.waiting.take_hostless(2 * HOSTLESS_S) == []
    assert hall.give(pair_of(A, B), pair_of(A, B)) == [hall.all[1]] * 2
    assert first.assignments


def test_of_two_bots_on_different_machines_the_rarer_one_is_left_out() -> None:
    """Each has a host, but no machine has both."""
    hall = Hall(1, 1, 1)
    hall.join(hall.all[0], {2: "no b"})
    hall.join(hall.all[1], {2: "no b"})
    hall.join(hall.all[2], {1: "no a"})
    hall.give(pair_of(A, B))
    assert hall.waiting.take_hostless(0.0) == []
    ((_, error),) = hall.waiting.take_hostless(HOSTLESS_S)
    assert error.reasons == {"b": "no machine hosts it together with its opponent: tcp://0: no b"}


def test_machines_with_one_host_name_are_distinguished() -> None:
    """Workers of one host share its name; other hosts get their address, also when they return."""
    machines = Machines()

    def named(address: str, host: str) -> str:
        machine = Machine(address, 1)
        machine.facts = MachineFacts("lab", "CPU", 1, "Linux", "3", "0", "0", "hash", host=host)
        assert machines.rename_duplicate(machine) == (machine.name != "lab")
        return machine.name

    assert named("tls://10.0.0.1:40001", "one") == "lab"
    assert named("tls://10.0.0.1:40002", "one") == "lab"
    assert named("tls://10.0.0.2:40001", "two") == "lab (10.0.0.2)"
    assert named("tls://10.0.0.2:40007", "three") == "lab (10.0.0.2, 2)"
    assert named("tls://10.0.0.2:40008", "two") == "lab (10.0.0.2)"


@pytest.mark.parametrize(
    ("version", "advice"),
    [
        (harness_version()["ladder"], "differ .* install both from one commit"),
        ("0.0.1", "it has ladder 0.0.1, .* install the same version on both"),
    ],
)
def test_other_sources_are_refused_by_what_differs(version: str, advice: str) -> None:

    async def greet(*_: object) -> MachineFacts:
        return MachineFacts("lab", "CPU", 1, "Linux", "3", "0", version, "other")

    bot_bundle = BotBundle(RunManifest((), limits=DEFAULT_LIMITS, sandbox=(), pin=False), {})
    machines, machine = Machines(), Machine("tls://10.0.0.1:40001", 1)
    with pytest.raises(Unfit, match=advice):
        asyncio.run(
            admit(machine, greet, bot_bundle, (), rename=machines.rename_duplicate, banned={})
        )
