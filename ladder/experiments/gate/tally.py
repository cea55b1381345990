"""The counts of a gate against one baseline, as pairs come in, and where the test on them stands.

A pair is a draw of a board, an opening and a seed. The same draw again is the same experiment, and
is not counted; different draws that come out as the same games are counted twice over: all pairs,
and distinct ones (see `ladder.experiments.gate.judge`).
"""

from dataclasses import dataclass, field

from db.records.pairs import PlayedPair
from engine.result import Result
from ladder.stats.sprt import Sprt, State, sprt_result

REPEATS_IN_A_ROW = 59
"""Pairs in a row without a new one after which a gate gives up: the chance of a new one is then
below 5 %, at 95 %, because 0.95 to the power of 59 is below 0.05."""


@dataclass(frozen=True, slots=True)
class GateBot:
    """A bot of a gate."""

    name: str
    revision: int
    """Key of its revision in the database."""
    content: str
    """Hash of what it is made of."""


@dataclass(slots=True)
class Tally:
    """The running counts against one baseline."""

    bot: GateBot
    pentanomial: list[int] = field(default_factory=lambda: [0] * 5)
    wdl: list[int] = field(default_factory=lambda: [0] * 3)
    distinct: list[int] = field(default_factory=lambda: [0] * 5)
    """The pentanomial counts of the distinct pairs."""
    draws: set[tuple[str, str, int]] = field(default_factory=set)
    """Board, opening and seed of the counted pairs."""
    lines: set[tuple[str, str, str]] = field(default_factory=set)
    """Board and moves of the counted pairs, first the game in which the candidate moves first."""
    order: bytearray = field(default_factory=bytearray)
    """The half points of each counted pair."""
    repeats_in_a_row: int = 0
    replayed: int = 0
    duration_us: int = 0
    state: State = State.CONTINUE
    llr: float = 0.0

    @property
    def is_exhausted(self) -> bool:
        """Whether new games are hardly to be expected."""
        return self.repeats_in_a_row >= REPEATS_IN_A_ROW

    @property
    def is_open(self) -> bool:
        """Whether a further pair can change anything."""
        return self.state is State.CONTINUE and not self.is_exhausted

    def count(self, pair: PlayedPair, *, is_first: bool = True) -> bool:
        """Add a pair, unless its draw is counted; whether it was added.

        Args:
            pair: of the candidate and the bot of this tally.
            is_first: the candidate is the pair's A.

        """
        if pair.draw in self.draws:
            self.replayed += 2
            return False
        self.draws.add(pair.draw)
        one, two = pair.moves if is_first else reversed(pair.moves)
        ours, line = pair if is_first else pair.mirrored, (pair.draw[0], one, two)
        cell = sum(result.points2 for result in ours.results)
        self.pentanomial[cell] += 1
        self.order.append(cell)
        self.duration_us += pair.duration_us
        for result in ours.results:
            self.wdl[(Result.WIN, Result.DRAW, Result.LOSS).index(result)] += 1
        if line in self.lines:
            self.repeats_in_a_row += 1
        else:
            self.repeats_in_a_row = 0
            self.lines.add(line)
            self.distinct[cell] += 1
        return True

    def decide(self, test: Sprt) -> None:
        """Set the ratio and the state: a decision of all pairs that the distinct ones share."""
        result = sprt_result(counts=self.pentanomial, test=test)
        self.llr, self.state = result.llr, result.state
        if result.state is State.CONTINUE or self.distinct == self.pentanomial:
            return
        if sprt_result(counts=self.distinct, test=test).state is not result.state:
            self.state = State.CONTINUE
