"""Comparison of pairs that were played twice under a work budget.

The games of a pair follow from its seed, so two machines must play the same ones. If they do not,
either a bot is not deterministic, or one of the machines computes wrongly. Further playings decide:
a third machine shows whose games stand alone, and that machine then plays the pair once more. If it
repeats games that no other machine plays, the machine is bad. If its own two playings differ, the
bot is not deterministic.

The coordinator's own machine is trusted, so against its games two machines suffice: a machine that
repeats other games is bad.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from db.records.pairs import PairRecord
from ladder.runs.cluster.coordinator.assignments import Machine, Pair

Games = tuple[tuple[Any, ...], ...]


class Blame(Enum):
    """The cause of a contradiction."""

    BOT = "bot"
    MACHINE = "machine"
    UNKNOWN = "unknown"


@dataclass
class Contradiction:
    """A pair with differing games, and all of its playings so far."""

    pair: Pair
    own: Machine | None = None
    """The coordinator's machine; None if it cannot play."""
    played: list[tuple[Machine, Games]] = field(default_factory=list)

    def next_machine(self, machines: Sequence[Machine]) -> Machine | None:
        """Return the machine among the ready ones that plays the pair next, or None to end."""
        if self.blame()[0] is not Blame.UNKNOWN:
            return None
        able = [each for each in machines if each.can_host(self.pair)]
        seen = {machine for machine, _ in self.played}
        if len(seen) < 3:
            unseen = [each for each in able if each not in seen]
            if unseen:
                return max(unseen, key=lambda each: each.capacity / each.slots)
        suspect = self._find_outlier()
        once = [
            each
            for each in able
            if each is not self.own and sum(each is machine for machine, _ in self.played) == 1
        ]
        return next((each for each in once if suspect in (None, each)), None)

    def blame(self) -> tuple[Blame, Machine | None]:
        """Return the cause as far as it is known, and the machine if it is one."""
        by_machine: dict[Machine, list[Games]] = {}
        for machine, games in self.played:
            by_machine.setdefault(machine, []).append(games)
        if any(len(set(games)) > 1 for games in by_machine.values()):
            return Blame.BOT, None
        kinds = {games[0] for games in by_machine.values()}
        if len(by_machine) >= 3 and len(kinds) == len(by_machine):
            return Blame.BOT, None
        suspect = self._find_outlier()
        if suspect is not None and len(by_machine[suspect]) > 1:
            return Blame.MACHINE, suspect
        if self.own in by_machine and len(by_machine) == 2:
            other = next(machine for machine in by_machine if machine is not self.own)
            if len(by_machine[other]) > 1 and by_machine[other] != by_machine[self.own]:
                return Blame.MACHINE, other
        return Blame.UNKNOWN, None

    def _find_outlier(self) -> Machine | None:
        """Return the only machine whose games no other one plays, if at least two others agree."""
        first = dict(reversed(self.played))
        if len(first) < 3:
            return None
        values = list(first.values())
        outliers = [machine for machine, games in first.items() if values.count(games) == 1]
        return outliers[0] if len(outliers) == 1 else None


def comparable_games(record: PairRecord) -> Games:
    """Return the part of a record that does not depend on the clock."""
    return tuple((game.moves, game.result, game.termination) for game in record.games)


@dataclass(frozen=True, slots=True)
class Finding:
    """The conclusion from a further playing of a pair."""

    warnings: Sequence[str] = ()
    next_machine: Machine | None = None
    """The machine that plays the pair again."""
    bad: Machine | None = None
    """The machine that computes wrongly."""
    reason: str = ""
    """The evidence against it."""
    cleared: Sequence[Machine] = ()
    """The machines that were compared and not found bad."""


class Contradictions:
    """The contradictions of a run; `own` is the coordinator's machine if it can play."""

    def __init__(self, own: Machine | None = None) -> None:
        self._own = own
        self._open: dict[Pair, Contradiction] = {}
        self._incomparable: set[frozenset[str]] = set()
        """Names of two bots whose games differed without a machine to blame."""

    def is_comparable(self, pair: Pair) -> bool:
        """Return whether playing a pair twice says anything about machines."""
        return pair.bots not in self._incomparable

    def compare(
        self, pair: Pair, machine: Machine, record: PairRecord, ready: Sequence[Machine]
    ) -> Finding:
        """Compare a further playing of a pair with the earlier ones.

        Args:
            pair: The pair, which has a record with games.
            machine: The machine that played it now.
            record: The record of this playing, with games.
            ready: The machines that can play it again.

        """
        assert pair.record is not None  # noqa: S101 - the contract
        assert pair.played_by is not None  # noqa: S101 - set with it
        first, games = pair.played_by, comparable_games(pair.record)
        warnings = []
        found = self._open.get(pair)
        if found is None:
            if comparable_games(record) == games or not self.is_comparable(pair):
                return Finding(cleared=(first, machine))
            found = Contradiction(pair, self._own, [(first, games)])
            self._open[pair] = found
            warnings.append(
                f"pair {pair.plan.number} came out differently on {first.name} and "
                f"{machine.name} under a work budget: {_names(pair)} is not deterministic, or one "
                "of the machines computes wrongly"
            )
        found.played.append((machine, comparable_games(record)))
        further = found.next_machine(ready)
        if further is not None:
            return Finding(warnings, next_machine=further)
        del self._open[pair]
        blame, bad = found.blame()
        cleared = [each for each, _ in found.played if each is not bad]
        if bad is not None:
            reason = f"twice it played games of pair {pair.plan.number} that no other machine plays"
            return Finding(warnings, bad=bad, reason=reason, cleared=cleared)
        self._incomparable.add(pair.bots)
        return Finding([*warnings, _explain(pair, blame)], cleared=cleared)


def _explain(pair: Pair, blame: Blame) -> str:
    if blame is Blame.BOT:
        return (
            f"pair {pair.plan.number} comes out differently each time: {_names(pair)} is not "
            "deterministic; pairs of these bots are no longer compared"
        )
    return (
        f"it is unknown which machine is wrong about pair {pair.plan.number}: each repeats its own "
        "games; a third machine would decide"
    )


def _names(pair: Pair) -> str:
    return " or ".join(sorted(pair.bots))
