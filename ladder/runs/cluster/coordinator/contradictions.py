"""Pairs that were played twice under a work budget: equal, or whose fault is it?

A pair is a function of its seed, so two machines must play the same games. When they do not, either
a bot does not play the same on the same seed, or one of the machines computes wrongly. So the pair
is played further times: on a third machine, which tells whose games stand alone, and then once more
on the machine that stands alone. A machine that repeats what nobody else plays is bad; one that
does not even repeat itself tells nothing about machines: the bot plays otherwise each time.

The coordinator's own machine can play a pair, too. Its user trusts it, so a machine that repeats
other games is bad without a third one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from db.records.pairs import PairRecord
from ladder.runs.cluster.coordinator.machines import Machine, Pair

Games = tuple[tuple[Any, ...], ...]


class Blame(Enum):
    """The cause of a contradiction."""

    BOT = "bot"
    MACHINE = "machine"
    UNKNOWN = "unknown"


@dataclass
class Contradiction:
    """A pair that came out differently, and all of its playings so far."""

    pair: Pair
    own: Machine | None = None
    """The coordinator's; None if it cannot play."""
    played: list[tuple[Machine, Games]] = field(default_factory=list)

    def next_machine(self, machines: Sequence[Machine]) -> Machine | None:
        """Where it is to be played next to tell more; None: nothing more can be told.

        Args:
            machines: those that are ready.

        """
        if self.blame()[0] is not Blame.UNKNOWN:
            return None
        able = [each for each in machines if each.can_host(self.pair)]
        seen = {machine for machine, _ in self.played}
        if len(seen) < 3:
            unseen = [each for each in able if each not in seen]
            if unseen:
                return max(unseen, key=lambda each: each.room / each.slots)
        suspect = self._alone()
        once = [
            each
            for each in able
            if each is not self.own and sum(each is machine for machine, _ in self.played) == 1
        ]
        return next((each for each in once if suspect in (None, each)), None)

    def blame(self) -> tuple[Blame, Machine | None]:
        """Whose fault it is, as far as is known, and the machine if it is one."""
        by_machine: dict[Machine, list[Games]] = {}
        for machine, games in self.played:
            by_machine.setdefault(machine, []).append(games)
        if any(len(set(games)) > 1 for games in by_machine.values()):
            return Blame.BOT, None
        kinds = {games[0] for games in by_machine.values()}
        if len(by_machine) >= 3 and len(kinds) == len(by_machine):
            return Blame.BOT, None
        suspect = self._alone()
        if suspect is not None and len(by_machine[suspect]) > 1:
            return Blame.MACHINE, suspect
        if self.own in by_machine and len(by_machine) == 2:
            other = next(machine for machine in by_machine if machine is not self.own)
            if len(by_machine[other]) > 1 and by_machine[other] != by_machine[self.own]:
                return Blame.MACHINE, other
        return Blame.UNKNOWN, None

    def _alone(self) -> Machine | None:
        """The machine whose games nobody else has, when at least two others agree."""
        first = dict(reversed(self.played))
        if len(first) < 3:
            return None
        values = list(first.values())
        lonely = [machine for machine, games in first.items() if values.count(games) == 1]
        return lonely[0] if len(lonely) == 1 else None


def comparable_games(record: PairRecord) -> Games:
    """The part of a pair that does not depend on the clock."""
    return tuple((game.moves, game.result, game.termination) for game in record.games)


@dataclass(frozen=True, slots=True)
class Finding:
    """The consequence of a further playing of a pair."""

    sentences: Sequence[str] = ()
    """For the user."""
    further: Machine | None = None
    """Where the pair is to be played again."""
    bad: Machine | None = None
    """The machine that computes wrongly."""
    why: str = ""
    """How that is known."""
    cleared: Sequence[Machine] = ()
    """Machines of which nothing bad is known after this playing."""


class Contradictions:
    """The pairs of a run that came out differently, and what became of them."""

    def __init__(self, own: Machine | None = None) -> None:
        """Nothing was played twice; `own` is the coordinator's machine, if it can play."""
        self._own = own
        self._open: dict[Pair, Contradiction] = {}
        self._unsteady: set[frozenset[str]] = set()
        """Bots of pairs that came out differently, for no fault of a machine that is known."""

    def concerns(self, pair: Pair) -> bool:
        """Whether it is of use to play a pair twice: its bots are not known to be unsteady."""
        return pair.bots not in self._unsteady

    def compare(
        self, pair: Pair, machine: Machine, record: PairRecord, ready: Sequence[Machine]
    ) -> Finding:
        """Take in a further playing of a pair.

        Args:
            pair: has a record with games already.
            machine: has played it now.
            record: of this playing, with games.
            ready: the machines that play.

        """
        assert pair.record is not None  # noqa: S101 - the contract
        assert pair.by is not None  # noqa: S101 - set with it
        sentences = []
        found = self._open.get(pair)
        if found is None:
            if comparable_games(record) == comparable_games(pair.record) or not self.concerns(pair):
                return Finding(cleared=(pair.by, machine))
            found = Contradiction(pair, self._own, [(pair.by, comparable_games(pair.record))])
            self._open[pair] = found
            sentences.append(
                f"pair {pair.plan.number} came out differently on {pair.by.name} and "
                f"{machine.name}, under a work budget: {_names(pair)} does not play the same on "
                "the same seed, or one of the machines is bad"
            )
        found.played.append((machine, comparable_games(record)))
        further = found.next_machine(ready)
        if further is not None:
            return Finding(sentences, further=further)
        del self._open[pair]
        blame, bad = found.blame()
        cleared = [each for each, _ in found.played if each is not bad]
        if bad is not None:
            why = (
                f"it plays games of pair {pair.plan.number} that no other machine plays, and again"
            )
            return Finding(sentences, bad=bad, why=why, cleared=cleared)
        self._unsteady.add(pair.bots)
        return Finding([*sentences, _ending(pair, blame)], cleared=cleared)


def _ending(pair: Pair, blame: Blame) -> str:
    if blame is Blame.BOT:
        return (
            f"pair {pair.plan.number} comes out differently each time: {_names(pair)} does not "
            "play the same on the same seed; pairs of theirs are not compared any more"
        )
    return (
        f"which machine is wrong about pair {pair.plan.number} would be told by a third one: each "
        "repeats its own games"
    )


def _names(pair: Pair) -> str:
    return " or ".join(sorted(pair.bots))
