"""The rules that choose opponents: one entry each, for the parser, the help and completions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations

from ladder.errors import UsageError
from ladder.runs.choosers import (
    Chooser,
    Contestants,
    Meeting,
    Swiss,
    Uncertain,
    choose_in_rounds,
)


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
ROUND_ROBIN = PairingRule("round-robin", "everyone meets everyone", choose_in_rounds)
GAUNTLET = PairingRule("gauntlet", "one bot meets all others", choose_in_rounds, takes_bot=True)
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
    "gate", "baselines in turns", partial(choose_in_rounds, is_gate=True), takes_bot=True
)
"""For experiments: the candidate is A in every pair, and its baselines take turns."""

NIGHTLY = PairingRule("nightly", "commits and their opponents", choose_in_rounds)
"""For nights: each commit meets its predecessor and others."""


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

    def renamed(self, names: Mapping[str, str]) -> "Pairing":
        """Return the pairing with bots renamed; `names` maps old names to new ones."""
        candidate = None if self.candidate is None else names.get(self.candidate, self.candidate)
        return replace(
            self,
            candidate=candidate,
            against=tuple(names.get(name, name) for name in self.against),
        )

    def meetings(self, names: Sequence[str]) -> tuple[Meeting, ...]:
        """Return every two bots that may meet."""
        if self.candidate is None:
            return tuple(combinations(names, 2))
        others = self.against or [name for name in names if name != self.candidate]
        return tuple((self.candidate, other) for other in others)


@dataclass(frozen=True, slots=True)
class LinePairing(Pairing):
    """Bots that each meet their own opponents, as the commits of a night do."""

    opponents: tuple[Meeting, ...] = ()
    """Who meets whom, once for each pair of a round."""

    def __str__(self) -> str:
        sides = (",".join(names) for names in zip(*self.opponents, strict=True))
        return ":".join((self.rule.name, *sides))

    def meetings(self, names: Sequence[str]) -> tuple[Meeting, ...]:
        """Return the meetings of a round."""
        del names
        return self.opponents


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
