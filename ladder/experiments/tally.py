"""What every experiment counts: the pairs of two bots, and forfeits.

A pair has a setup: board, opening and seed. A pair whose setup was counted before is not counted
again. There are two counts: all pairs, and those with distinct games (see
`ladder.experiments.gate.judge`).
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from db.records.bots import BotRow
from db.records.pairs import PlayedPair
from db.records.record import Record
from engine.result import FORFEITS
from ladder.results.standings.standings import FORFEIT_MINIMUM, FORFEIT_SHARE
from ladder.stats.evidence import log_evidence_of_rate

REPEATS_IN_A_ROW = 59
"""Repeated pairs in a row after which an experiment plays no more of them: with 95 % confidence the
chance of new games is then below 5 %, because 0.95 ** 59 < 0.05."""


@dataclass(frozen=True, slots=True)
class JudgedBot:
    """A bot of an experiment."""

    name: str
    """Its name, or the reference to it where stored pairs are judged."""
    revision: int
    """The key of its revision in the database."""
    content: str
    """Its content hash."""

    @classmethod
    def of(cls, row: BotRow) -> "JudgedBot":
        """Return a registered bot."""
        return cls(row.name, row.revision.id, row.revision.content_hash)


@dataclass(slots=True)
class Tally:
    """The counts of one bot against another."""

    record: Record = Record()  # noqa: RUF009 - it is frozen
    """All counted pairs."""
    distinct: Record = Record()  # noqa: RUF009
    """The first of every pairs with equal moves."""
    setups: set[tuple[str, str, int]] = field(default_factory=set)
    """Board, opening and seed of each counted pair."""
    contents: set[int] = field(default_factory=set)
    """`PlayedPair.content` of each counted pair."""
    order: bytearray = field(default_factory=bytearray)
    """The half points (0 to 4) of each counted pair in order."""
    repeats_in_a_row: int = 0
    repeated_games: int = 0
    """Games that were not counted, because the setup of their pair was counted before."""
    duration_us: int = 0

    @property
    def counted(self) -> Record:
        """All pairs, with the number of distinct ones."""
        return replace(self.record, distinct=self.distinct.pairs)

    @property
    def is_exhausted(self) -> bool:
        """Whether further pairs would hardly give new games."""
        return self.repeats_in_a_row >= REPEATS_IN_A_ROW

    def count(self, pair: PlayedPair, *, is_first: bool = True) -> bool:
        """Count a pair unless its setup was counted before; return whether it was counted.

        Args:
            pair: A pair of the two bots.
            is_first: Whether the first of them is A in the pair.

        """
        if pair.setup in self.setups:
            self.repeated_games += 2
            return False
        self.setups.add(pair.setup)
        ours = pair.record if is_first else pair.record.mirrored
        self.record += ours
        self.order.append(ours.pentanomial.index(1))
        self.duration_us += pair.duration_us
        if pair.content in self.contents:
            self.repeats_in_a_row += 1
        else:
            self.repeats_in_a_row = 0
            self.contents.add(pair.content)
            self.distinct += ours
        return True


FORFEIT_ERROR = 0.05
"""Chance of a false alarm over all bots of an experiment together."""


class ForfeitCount:
    """The forfeits of each bot of an experiment, and the test whether it fails too often.

    Rare forfeits count as losses. A bot that forfeits more often than `FORFEIT_SHARE` makes a gate
    invalid, be it the candidate or a baseline. As the test is made after every pair, it is
    sequential: `ladder.stats.evidence`.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._kinds: dict[str, Counter[str]] = {name: Counter() for name in names}
        self._games: Counter[str] = Counter()
        self._shares: dict[str, Counter[float]] = {name: Counter() for name in self._kinds}

    def add(self, players: tuple[str, str], pair: PlayedPair) -> None:
        """Count a played pair of A and B, named in this order; both may be the same bot."""
        failed: Counter[str] = Counter()
        for forfeit in pair.forfeits:
            name = players[forfeit.side]
            self._kinds[name][forfeit.termination.value] += 1
            failed[name] += 1
        for name in set(players):
            games = 2 * players.count(name)
            self._games[name] += games
            self._shares[name][failed[name] / games] += 1

    @property
    def failures(self) -> Mapping[str, str]:
        """A sentence about each bot that fails too often, by name."""
        return {
            name: self._sentence(name)
            for name, kinds in self._kinds.items()
            if kinds.total() >= FORFEIT_MINIMUM and self._is_above(name)
        }

    def _sentence(self, name: str) -> str:
        kinds = self._kinds[name]
        listed = ", ".join(f"{number} {kind}" for kind, number in kinds.items())
        return (
            f"{name} forfeited {kinds.total()} of its {self._games[name]} games ({listed}): "
            f"above {FORFEIT_SHARE:.0%} the games do not measure strength; fix the bot first"
        )

    @property
    def by_bot(self) -> Mapping[str, Mapping[str, int]]:
        """Numbers of forfeits by bot and kind, zeros included."""
        return {
            name: {kind.value: kinds[kind.value] for kind in FORFEITS}
            for name, kinds in self._kinds.items()
        }

    def _is_above(self, name: str) -> bool:
        evidence = log_evidence_of_rate(shares=self._shares[name], limit=FORFEIT_SHARE)
        return evidence >= math.log(len(self._kinds) / FORFEIT_ERROR)
