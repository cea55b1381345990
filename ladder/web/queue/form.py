"""The form of an experiment: its options with their defaults, and the command line that it makes.

A form has bots that are registered, and no option that names a file or a program: a token with the
right to submit must not read files of the server's machine.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import msgspec

from engine.board import parse_board_classes
from ladder.errors import UsageError
from ladder.experiments.gate.question import GateTest
from ladder.names import check_line, check_name
from ladder.queue.cost import Cost, estimate_gate
from ladder.stats.choices import Model
from ladder.web.errors import Refused

GATE, MATCH, RUN, SELECT = "gate", "match", "run", "select"
PLAYING = (GATE, MATCH, RUN, SELECT)
BUDGETS = {
    "time_ms": "ms a move",
    "simulations": "simulations a move",
    "nodes": "nodes a move",
    "depth": "plies deep",
}
"""Kinds of budget with their units."""
DEFAULT_BUDGET = ("time_ms", 100)
MAX_BOTS = 50
MAX_PRIORITY = 10
VALUE_LIMIT = 200


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a command in the form."""

    name: str
    label: str
    commands: tuple[str, ...]
    default: str = ""
    """Its default as the help of the command shows it; empty if it has none."""
    choices: tuple[str, ...] = ()
    is_flag: bool = False
    is_rare: bool = False
    """Whether it is folded away at first."""


OPTIONS = (
    Option("boards", "Boards", PLAYING, "thu"),
    Option("games", "Games", (MATCH,), "100"),
    Option("games", "Games", (RUN,)),
    Option("hours", "Hours", (RUN,)),
    Option("max-drop", "Largest acceptable Elo loss", (GATE,), "20"),
    Option("max-games", "Most games", (GATE,), "3000"),
    Option("max-games", "Most games", (SELECT,), "20000"),
    Option("indifference", "Smallest Elo that matters", (SELECT,), "20"),
    Option("pairing", "Pairing", (RUN,), "random"),
    Option("alpha", "Chance to pass a worse bot", (GATE,), "0.05", is_rare=True),
    Option("beta", "Chance to fail an equal bot", (GATE,), "0.05", is_rare=True),
    Option("model", "Scale", (GATE,), "logistic", ("logistic", "normalized"), is_rare=True),
    Option("confidence", "Confidence", (SELECT,), "0.95", is_rare=True),
    Option("opening-plies", "Opening plies", PLAYING, is_rare=True),
    Option("clock", "Clock, such as 10s+100ms", PLAYING, is_rare=True),
    Option("overage", "Overage, such as 60s", PLAYING, is_rare=True),
    Option("adjudicate", "Adjudicate within plies", PLAYING, is_rare=True),
    Option("seed", "Seed", PLAYING, is_rare=True),
    Option("memory", "Memory of a bot in MiB", PLAYING, "1024", is_rare=True),
    Option("rated", "Rated", (GATE, MATCH), is_flag=True, is_rare=True),
)


def options_of(command: str) -> dict[str, Option]:
    """Return the options of a command by name."""
    return {option.name: option for option in OPTIONS if command in option.commands}


class Form(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The body of a request that submits an experiment, or asks for its cost."""

    command: str
    bots: list[str] = msgspec.field(default_factory=list)
    """The candidate, the first bot of a match, or all bots; none are all that are not retired."""
    against: list[str] = msgspec.field(default_factory=list)
    kind: str = DEFAULT_BUDGET[0]
    amount: int | None = None
    """The budget of a move in its kind; None for the default."""
    options: dict[str, str] = msgspec.field(default_factory=dict)
    """Other options by name; an empty value is the default."""
    priority: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class Submission:
    """A form that was checked as far as this is possible without the bots."""

    command: str
    bots: tuple[str, ...]
    against: tuple[str, ...]
    kind: str
    amount: int
    is_default_budget: bool
    priority: int
    note: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> list[str]:
        """The command line of the experiment; every value is joined to its option."""
        return [*self._words()]

    def _words(self) -> Iterator[str]:
        yield self.command
        if self.command == RUN:
            if self.bots:
                yield f"--bots={','.join(self.bots)}"
        else:
            yield from self.bots
        if self.command == MATCH:
            yield from self.against
        elif self.against:
            yield f"--against={','.join(self.against)}"
        if not self.is_default_budget:
            is_time = self.kind == "time_ms"
            yield f"--time={self.amount}ms" if is_time else f"--{self.kind}={self.amount}"
        for name, value in self.options.items():
            yield f"--{name}" if options_of(self.command)[name].is_flag else f"--{name}={value}"

    def cost(self, game_s: float | None, *, is_measured: bool) -> Cost | None:
        """Return the expected cost; None if the experiment has no end.

        Args:
            game_s: seconds of a game; None if unknown.
            is_measured: whether stored games show it.

        Raises:
            UsageError: an option is not valid.

        """
        most = self._number("max-games" if self.command in (GATE, SELECT) else "games")
        games = most
        if self.command == GATE:
            test = GateTest(
                max_drop=self._number("max-drop") or 0.0,
                alpha=self._number("alpha") or 0.0,
                beta=self._number("beta") or 0.0,
                max_games=round(most or 0),
                model=Model(self._value("model")),
            )
            games, most = estimate_gate(test, max(len(self.against), 1))
        hours = self._number("hours")
        if hours is not None and game_s:
            most = games = min(hours * 3600 / game_s, most or float("inf"))
        return None if games is None or most is None else Cost(games, most, game_s, is_measured)

    @property
    def boards(self) -> str:
        """The boards as they are given."""
        return self._value("boards")

    def _value(self, name: str) -> str:
        option = options_of(self.command).get(name)
        return "" if option is None else self.options.get(name, option.default)

    def _number(self, name: str) -> float | None:
        text = self._value(name)
        try:
            number = float(text) if text else None
        except ValueError:
            number = float("nan")
        if number is not None and not 0 <= number <= 1e9:
            option = name.replace("-", "_")
            raise UsageError(f"must be a number from 0 to 1e9, got {text!r}", option=option)
        return number


def check_form(form: Form) -> Submission:
    """Check the names and the options of a form.

    Raises:
        Refused: a command or an option is unknown, or a value cannot be part of a command line.
        UsageError: a name, a note or the boards are not valid.

    """
    if form.command not in PLAYING:
        words = ", ".join(PLAYING)
        raise Refused(f"the command must be one of {words}: submit others with `ladder queue add`")
    if form.kind not in BUDGETS:
        raise Refused(f"the budget must be one of {', '.join(BUDGETS)}")
    if form.amount is not None and not 1 <= form.amount <= 10**9:
        raise Refused("the budget of a move must be from 1 to 1000000000")
    if abs(form.priority) > MAX_PRIORITY:
        raise Refused(f"the priority must be from -{MAX_PRIORITY} to {MAX_PRIORITY}")
    if max(len(form.bots), len(form.against)) > MAX_BOTS:
        raise Refused(f"at most {MAX_BOTS} bots can be named: submit more with `ladder queue add`")
    given = {name: value.strip() for name, value in form.options.items() if value.strip()}
    known = options_of(form.command)
    for name, value in given.items():
        if name not in known:
            raise Refused(
                f"{form.command} has no option {name[:40]!r} here: submit it with `ladder queue "
                "add`, which has all options"
            )
        if len(value) > VALUE_LIMIT or not value.isprintable():
            raise Refused(f"{name} must be at most {VALUE_LIMIT} printable characters")
    parse_board_classes(given.get("boards", known["boards"].default))
    kind, amount = form.kind, form.amount
    is_default = amount is None or "clock" in given
    if amount is None:
        kind, amount = DEFAULT_BUDGET
    return Submission(
        command=form.command,
        bots=tuple(check_name(name) for name in form.bots),
        against=tuple(check_name(name) for name in form.against),
        kind=kind,
        amount=amount,
        is_default_budget=is_default,
        priority=form.priority,
        note=check_line(form.note, "the note"),
        options=given,
    )
