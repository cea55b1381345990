"""The counts of a gate against one baseline, and the state of the test on them.

A pair has a setup: board, opening and seed. A pair whose setup was counted before is not counted
again. There are two counts: all pairs, and those with distinct games (see
`ladder.experiments.gate.judge`).
"""

from dataclasses import dataclass, field

from db.records.pairs import PlayedPair
from engine.result import Result
from ladder.experiments.gate.early import EarlyDecision, EarlyTest
from ladder.stats.sprt import Sprt, State, sprt_result

REPEATS_IN_A_ROW = 59
"""Repeated pairs in a row after which a gate ends: with 95 % confidence the chance of new games is
then below 5 %, because 0.95 ** 59 < 0.05."""


@dataclass(frozen=True, slots=True)
class GateBot:
    """A bot of a gate."""

    name: str
    revision: int
    """The key of its revision in the database."""
    content: str
    """Its content hash."""


@dataclass(slots=True)
class Tally:
    """The counts against one baseline."""

    bot: GateBot
    pentanomial: list[int] = field(default_factory=lambda: [0] * 5)
    wdl: list[int] = field(default_factory=lambda: [0] * 3)
    distinct: list[int] = field(default_factory=lambda: [0] * 5)
    """The pentanomial counts of the distinct pairs."""
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
    state: State = State.CONTINUE
    llr: float = 0.0
    early: EarlyDecision | None = None
    """The decision of the test for obvious cases, if it was first."""

    @property
    def is_exhausted(self) -> bool:
        """Whether further pairs would hardly give new games."""
        return self.repeats_in_a_row >= REPEATS_IN_A_ROW

    @property
    def is_open(self) -> bool:
        """Whether a further pair can change the decision."""
        return self.state is State.CONTINUE and not self.is_exhausted

    def count(self, pair: PlayedPair, *, is_first: bool = True) -> bool:
        """Count a pair unless its setup was counted before; return whether it was counted.

        Args:
            pair: A pair of the candidate and the bot of this tally.
            is_first: Whether the candidate is A in the pair.

        """
        if pair.setup in self.setups:
            self.repeated_games += 2
            return False
        self.setups.add(pair.setup)
        ours = pair if is_first else pair.mirrored
        cell = sum(result.points2 for result in ours.results)
        self.pentanomial[cell] += 1
        self.order.append(cell)
        self.duration_us += pair.duration_us
        for result in ours.results:
            self.wdl[(Result.WIN, Result.DRAW, Result.LOSS).index(result)] += 1
        if pair.content in self.contents:
            self.repeats_in_a_row += 1
        else:
            self.repeats_in_a_row = 0
            self.contents.add(pair.content)
            self.distinct[cell] += 1
        return True

    def decide(self, test: Sprt, early: EarlyTest | None) -> None:
        """Update the LLR and the state; a decision needs the agreement of both counts."""
        result = sprt_result(counts=self.pentanomial, test=test)
        self.llr, self.state = result.llr, result.state
        has_repeats = self.distinct != self.pentanomial
        if (
            result.state is not State.CONTINUE
            and has_repeats
            and sprt_result(counts=self.distinct, test=test).state is not result.state
        ):
            self.state = State.CONTINUE
        if self.state is State.CONTINUE and early is not None:
            counts = (self.pentanomial, self.distinct) if has_repeats else (self.pentanomial,)
            self.early = early.decide(*counts)
            self.state = State.CONTINUE if self.early is None else self.early.state
