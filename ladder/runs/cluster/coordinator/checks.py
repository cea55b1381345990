"""Checks of machines: which pairs are played twice, and which machines are found to be wrong."""

from db.records.pairs import PairRecord
from ladder.runs.cluster.coordinator.assignments import Machine, Pair
from ladder.runs.cluster.coordinator.contradictions import Contradictions, Finding
from ladder.runs.cluster.coordinator.machines import Machines

CHECK_EVERY = 100
"""Assignments of a machine of which one is repeated elsewhere, where games must be equal."""


class MachineChecks:
    """The comparisons between the machines of a run."""

    def __init__(self, machines: Machines, *, compares: bool, own: Machine | None) -> None:
        """Start without results.

        Args:
            machines: The machines of the run.
            compares: Whether equal plans must give equal games.
            own: The coordinator's machine, which only repeats pairs; None if it cannot.

        """
        self._machines = machines
        self._compares = compares
        self.own = own
        self._contradictions = Contradictions(own)

    def arrange(self, pair: Pair, machine: Machine) -> Machine | None:
        """Return the machine that repeats a pair now if its machine is due for a comparison.

        The coordinator repeats it only after the machine's record has come, because the first
        record is stored, and one of the coordinator's would be stored without a machine. A new
        machine without another beside it idles for as long, once.
        """
        if not self._compares or not self._contradictions.is_comparable(pair):
            self.verify(machine)
            return None
        machine.unchecked -= 1
        if machine.unchecked >= 0 and machine.is_verified:
            return None
        other = self._machines.most_idle(pair)
        if other is None and self.own is None:
            self.verify(machine)  # nothing can be compared with it
            return None
        for each in (machine, other or self.own):
            if each is not None:
                pair.compared.append(each)
                each.unchecked, each.compared_pair = CHECK_EVERY, pair
        if other is None:
            pair.needs_replay = True
        return other

    def verify(self, machine: Machine) -> None:
        """Let a machine play as many pairs at a time as it has slots."""
        machine.is_verified = True
        self._machines.update_capacity(machine)

    def compare(self, pair: Pair, machine: Machine, record: PairRecord) -> Finding:
        """Compare a further playing of a pair with the earlier ones."""
        if not self._compares or not record.games or pair.record is None or not pair.record.games:
            return Finding()
        ready = [*self._machines.ready, *([] if self.own is None else [self.own])]
        found = self._contradictions.compare(pair, machine, record, ready)
        for each in found.cleared:
            self.verify(each)
        return found

    def lose_own(self, pair: Pair) -> None:
        """Stop repeating pairs on the coordinator, which failed at one."""
        self.own = None
        for each in pair.compared:
            self.verify(each)
