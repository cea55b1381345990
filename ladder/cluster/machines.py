"""Machines of a cluster, the pairs that they play, and what is known of both."""

import asyncio
import time
from collections.abc import Iterable
from concurrent.futures import Future
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from db.records.pairs import PairPlan, PairRecord
from ladder.cluster.machine import MachineFacts
from ladder.cluster.slot import Prepared

QUICK_S = 5.0
"""A machine whose last pair was shorter has one more pair waiting for each slot."""


class State(Enum):
    """The part that a machine takes in a run."""

    JOINING = "joining"
    READY = "ready"
    SILENT = "silent"
    REFUSED = "refused"
    """Another version is there, or it cannot be prepared."""
    SET_ASIDE = "set aside"
    """Games stall, or the harness fails there."""


@dataclass(eq=False)
class Machine:
    """One Dask worker."""

    address: str
    slots: int
    state: State = State.JOINING
    facts: MachineFacts | None = None
    prepared: Prepared | None = None
    playing: "set[Copy]" = field(default_factory=set)
    heard: float = field(default_factory=time.monotonic)
    last_seen: float = 0.0
    """By the scheduler's clock."""
    last_s: float = 0.0
    """How long its last pair took."""
    attempts: list[bool] = field(default_factory=list)
    """The last attempts at games; whether each stalled."""
    is_checked: bool = False
    """Whether a pair of it was, or is being, compared with another machine's."""

    @property
    def name(self) -> str:
        """The machine's own name, or its address before it has said one."""
        return self.address if self.facts is None else self.facts.name

    @property
    def room(self) -> int:
        """How many more pairs it may be given."""
        if self.state is not State.READY:
            return 0
        most = 2 * self.slots if 0 < self.last_s < QUICK_S else self.slots
        return most - len(self.playing)

    def takes(self, plan: PairPlan) -> bool:
        """Whether it has both bots of a pair."""
        refused = {} if self.prepared is None else self.prepared.refused
        return plan.a.revision not in refused and plan.b.revision not in refused


@dataclass(eq=False)
class Copy:
    """One playing of a pair on one machine."""

    pair: "Pair"
    machine: Machine
    task: "asyncio.Task[None] | None" = None


@dataclass(eq=False)
class Pair:
    """A pair of the run, from its coming to the end of the last of its copies."""

    plan: PairPlan
    future: "Future[PairRecord]"
    copies: list[Copy] = field(default_factory=list)
    record: PairRecord | None = None
    by: Machine | None = None
    """The one with the record that counts."""
    failed_on: set[str] = field(default_factory=set)
    """Addresses of machines on which the harness failed at it, or which stalled."""
    is_done: bool = False
    """Whether its answer is on its way to the runner."""
    unwanted_since: float | None = None
    """Since when all machines refuse one of its bots."""


def games_of(record: PairRecord) -> list[tuple[Any, ...]]:
    """The part of a pair that does not depend on the clock."""
    return [(game.moves, game.result, game.termination) for game in record.games]


def refusals(machines: Iterable[Machine], plan: PairPlan) -> list[str]:
    """Why machines do not play a pair."""
    return [
        f"{machine.name}: {machine.prepared.refused[side.revision]}"
        for machine in machines
        for side in (plan.a, plan.b)
        if machine.prepared is not None and side.revision in machine.prepared.refused
    ]
