"""A cluster with machines in several states."""

import time

from ladder.runs.cluster.lending import Reservation
from ladder.runs.cluster.run_view import RunLabel
from ladder.runs.cluster.status import ClusterStatus, MachineStatus, PairInPlay, RunOnMachine

GATE = RunLabel(7, "gate", "lab.db", "ann@lab1")


def a_machine(name: str, state: str, **values: object) -> MachineStatus:
    """Return a machine of 4 slots."""
    given = {
        "address": f"tls://{name}:4000", "reason": "", "slots": 4, "lent": 4, "reservation": None,
        "leaves_at": None, "speed": 352.9, "last_seen_s": 0.4, "playing": (), "runs": (),
    }  # fmt: skip
    return MachineStatus(name=name, state=state, **{**given, **values})  # type: ignore[arg-type]


def a_cluster() -> ClusterStatus:
    """Return three machines and a run."""
    held = Reservation("ann@lab1", None, time.time() + 60)
    return ClusterStatus(
        "tls://lab1:8786",
        (
            a_machine(
                "lab1", "playing", playing=(PairInPlay(17, GATE), PairInPlay(18, GATE)),
                runs=(RunOnMachine(GATE, "ready", "it has no bot \x1b[31m"),),
            ),
            a_machine("lab2", "reserved", lent=0, reservation=held, reason="reserved by ann@lab1"),
            a_machine("lab3", "idle", leaves_at=time.time() + 60, playing=(PairInPlay(3, None),)),
        ),
        (GATE,),
    )  # fmt: skip
