"""A machine that stalls at games while the others do not."""

from db.records.pairs import PairRecord
from ladder.runs.cluster.coordinator.machines import Machine, Machines, State

STALLS, SHARE = 8, 0.2
"""A machine is set aside when so many and such a share of its last attempts at games stalled."""
WINDOW, ATTEMPTS = 200, 20
"""The last attempts of a machine that count, and those of the others that must be there."""


def check_stalls(machine: Machine, record: PairRecord, machines: Machines) -> str | None:
    """Count the attempts at a pair's games.

    Args:
        machine: has played it.
        record: of the pair.
        machines: all of them.

    Returns:
        Why the machine should be set aside; mostly None.

    """
    machine.attempts += [True] * record.aborts + [False] * len(record.games)
    del machine.attempts[:-WINDOW]
    if not record.aborts or machine.state is not State.READY:
        return None
    stalled = sum(machine.attempts)
    if stalled < STALLS or stalled < SHARE * len(machine.attempts):
        return None
    others = [each for other in machines.ready if other is not machine for each in other.attempts]
    if len(others) < ATTEMPTS or sum(others) > SHARE / 4 * len(others):
        return None
    return (
        f"it stalled at {stalled} of its last {len(machine.attempts)} attempts at a game, and the "
        "others do not"
    )
