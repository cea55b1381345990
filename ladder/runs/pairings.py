"""The rules that choose opponents: one entry each, for the parser, the help and completions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from engine.seeds import SplitMix
from ladder.errors import UsageError
from ladder.pair_seeds import Purpose, derive
from ladder.runs.field import Chooser, Contestants, Fixture, Meeting
from ladder.runs.results_pairing import Swiss, Uncertain


class Rounds:
    """Chooses so that each round has every meeting once on every board, in a new order.

    A and B swap between rounds. The rounds of a gate are equal: its candidate is always A.
    """

    def __init__(self, field: Contestants, *, is_gate: bool = False) -> None:
        """Prepare the meetings of a field."""
        self._field = field
        self._is_gate = is_gate
        self._size = sum(len(field.shared(*pair)) for pair in field.meetings)

    def __call__(self, number: int) -> Fixture:
        """Return bots and board of a pair."""
        round_number, place = divmod(number, self._size)
        meetings: Sequence[Meeting] = self._field.meetings
        if not self._is_gate:
            random = SplitMix(derive(self._field.seed, round_number, Purpose.ORDER))
            meetings = random.shuffled(meetings)
        for a, b in meetings:
            shared = self._field.shared(a, b)
            if place < len(shared):
                is_swapped = round_number % 2 and not self._is_gate
                return Fixture(*((b, a) if is_swapped else (a, b)), shared[place])
            place -= len(shared)
        raise AssertionError("a round is as long as its fixtures")


@dataclass(frozen=True, slots=True)
class PairingRule:
    """A way to choose opponents."""

    name: str
    help: str
    """The rule in words that follow its name."""
    chooser: Callable[[Contestants], Chooser]
    needs_results: bool = False
    """Whether it depends on finished pairs, and so can wait for them."""
    takes_bot: bool = False
    """Whether the name is followed by ``:NAME``, a bot that plays in every pair."""

    @property
    def usage(self) -> str:
        """The rule as it is given on the command line."""
        return f"{self.name}:NAME" if self.takes_bot else self.name


RANDOM = PairingRule("random", "any two bots", lambda field: field.draw)
ROUND_ROBIN = PairingRule("round-robin", "everyone meets everyone", Rounds)
GAUNTLET = PairingRule("gauntlet", "one bot meets all others", Rounds, takes_bot=True)
UNCERTAIN = PairingRule(
    "uncertain",
    "mostly the pairs that reduce the errors of the ratings most",
    Uncertain,
    needs_results=True,
)
SWISS = PairingRule(
    "swiss", "rounds in which bots of nearly equal scores meet", Swiss, needs_results=True
)

PAIRINGS: Mapping[str, PairingRule] = {
    rule.name: rule for rule in (RANDOM, ROUND_ROBIN, GAUNTLET, UNCERTAIN, SWISS)
}
"""The rules of `ladder run --pairing`."""

GATE = PairingRule(
    "gate", "baselines in turns", lambda field: Rounds(field, is_gate=True), takes_bot=True
)
"""For experiments: the candidate is A in every pair, and its baselines take turns."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A rule, with its bots."""

    rule: PairingRule
    candidate: str | None = None
    """The bot that plays in every pair of a gauntlet or gate; None for other rules."""
    against: tuple[str, ...] = ()
    """The baselines of a gate, which may include the candidate."""

    def __str__(self) -> str:
        if self.against:
            return f"{self.rule.name}:{self.candidate}:{','.join(self.against)}"
        return f"{self.rule.name}:{self.candidate}" if self.candidate else self.rule.name

    def meetings(self, names: Sequence[str]) -> tuple[Meeting, ...]:
        """Return every two bots that may meet."""
        if self.candidate is None:
            return tuple(combinations(names, 2))
        others = self.against or [name for name in names if name != self.candidate]
        return tuple((self.candidate, other) for other in others)


def parse_pairing(text: str) -> Pairing:
    """Read the name of a rule, followed by ``:NAME`` if it takes a bot.

    Raises:
        UsageError: the text is not one of these.

    """
    word, colon, candidate = text.partition(":")
    rule = PAIRINGS.get(word)
    if rule is None or {bool(colon), bool(candidate)} != {rule.takes_bot}:
        *usages, last = (each.usage for each in PAIRINGS.values())
        raise UsageError(f"write {', '.join(usages)} or {last}, got {text!r}", option="pairing")
    return Pairing(rule, candidate or None)


def describe_pairings() -> str:
    """Return all rules with their meanings, for the help."""
    *usages, last = (f"{rule.usage} ({rule.help})" for rule in PAIRINGS.values())
    return f"{', '.join(usages)} or {last}"
