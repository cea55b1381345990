"""Detection of machines that stall while the others do not."""

from db.records.pairs import PairRecord
from ladder.runs.cluster.coordinator.assignments import Machine, State
from ladder.runs.cluster.coordinator.machines import Machines

MIN_STALLED = 8
"""Fewest stalled attempts for which a machine is set aside."""
MIN_SHARE = 0.2
"""Smallest share of stalled attempts for which a machine is set aside."""
WINDOW = 200
"""Number of the latest attempts of a machine that count."""
MIN_OTHERS = 20
"""Fewest attempts of the other machines for a comparison."""


def check_stalls(machine: Machine, record: PairRecord, machines: Machines) -> str | None:
    """Count the attempts of a pair; return why the machine should be set aside, or None.

    Args:
        machine: The machine that played the pair.
        record: The record of the pair.
        machines: All machines, for comparison.

    """
    machine.attempts += [True] * record.aborts + [False] * len(record.games)
    del machine.attempts[:-WINDOW]
    if not record.aborts or machine.state is not State.READY:
        return None
    stalled = sum(machine.attempts)
    if stalled < MIN_STALLED or stalled < MIN_SHARE * len(machine.attempts):
        return None
    others = [each for other in machines.ready if other is not machine for each in other.attempts]
    if len(others) < MIN_OTHERS or sum(others) > MIN_SHARE / 4 * len(others):
        return None
    return (
        f"it stalled at {stalled} of its last {len(machine.attempts)} attempts at a game, and the "
        "others do not"
    )
