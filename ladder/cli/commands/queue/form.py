"""The commands of the queue for a form in the browser, with their options as the help has them."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import typer

from ladder.cli.commands.queue.experiment import COMMANDS, REFUSED, parse_command
from ladder.cli.commands.suite import DEFAULT_TIMES
from ladder.cli.help import ARGUMENTS, LAST, OPTIONS, first_sentence
from ladder.cli.options import PANEL_EXECUTION
from ladder.cli.parsing import parse_boards, parse_budgets, parse_stages, parse_time
from ladder.errors import UsageError
from ladder.experiments.gate.question import GateTest
from ladder.experiments.suite.puzzle import SHIPPED
from ladder.queue.cost import Workload, estimate_gate
from ladder.queue.form import NO, YES, CostQuestion, Field, FormCommand
from ladder.stats.choices import Model
from reports.html.live.queue import machine_hours

if TYPE_CHECKING:
    from engine.board import BoardClass
    from ladder.runs.budgets import Budgets

LEFT_OUT = {*REFUSED, "note"}
"""Parameters that no form has; a note belongs to the entry of the queue."""
MOST_PLAYED = 2000
"""Largest number of command lines that are kept."""
RARE = (PANEL_EXECUTION, *LAST)
"""Headings that are folded away at first."""
BOTS = frozenset({"candidate", "candidates", "a", "b", "against", "bots", "BOT..."})
"""Parameters, and words of their metavars, whose values are names of bots."""
FILES = frozenset({"SPEC", "COMMAND", "PATH", "PATTERN", "PREFIX", "FILE", "FILE|balanced", "REF"})
"""Metavars of files and programs."""


class QueueForms:
    """The commands that may wait in the queue, as a form shows them."""

    def __init__(self, context: typer.Context) -> None:
        """Describe the commands of a program.

        Args:
            context: the context of any of its commands.

        """
        self._context = context
        self._played: dict[tuple[str, ...], tuple[Workload, ...]] = {}
        """What command lines of the queue play."""

    @cached_property
    def commands(self) -> Mapping[str, FormCommand]:
        """The commands by name, with the defaults of `ladder.toml`."""
        return {name: self._describe(name) for name in COMMANDS}

    def ask_cost(self, words: Sequence[str]) -> CostQuestion:
        """Read a command line without looking at any file. Raises UsageError."""
        try:
            inner = parse_command(self._context, words)
        except Exception as error:
            if not hasattr(error, "format_message"):
                raise
            raise UsageError(error.format_message()) from error
        return _cost_question(inner.command_path.partition(" ")[2], inner.params)

    def workloads(self, words: Sequence[str]) -> Sequence[Workload]:
        """Return what a command line of the queue plays; nothing if this is unknown."""
        key = tuple(words)
        if key not in self._played:
            if len(self._played) >= MOST_PLAYED:
                self._played.clear()
            try:
                self._played[key] = self.ask_cost(key).workloads
            except UsageError:  # of another version of the program
                self._played[key] = ()
        return self._played[key]

    def _describe(self, name: str) -> FormCommand:
        inner = parse_command(self._context, name.split(), resilient_parsing=True)
        fields = [
            field
            for parameter in inner.command.params
            if parameter.name not in LEFT_OUT
            for field in _fields(parameter, inner)
        ]
        return FormCommand(name, first_sentence(inner.command.help or ""), tuple(fields))


def _fields(parameter: Any, context: typer.Context) -> Iterator[Field]:
    """Yield the field of a parameter; for an argument one for each word, as BOT... FILE."""
    is_argument = parameter.param_type_name == "argument"
    value = context.params[parameter.name]
    text = parameter.help or ""
    if isinstance(parameter.show_default, str) and value is None:
        text += f" Default: {parameter.show_default}."
    heading = getattr(parameter, "rich_help_panel", None) or (ARGUMENTS if is_argument else OPTIONS)
    is_flag = not is_argument and parameter.is_flag
    words = str(parameter.metavar or "").split() if is_argument else [parameter.metavar or ""]
    for word in words:
        yield Field(
            name=word if is_argument else max(parameter.opts, key=len).removeprefix("--"),
            help=text if word == words[-1] else "",
            heading=heading,
            metavar=word,
            default=_default(value, is_flag=is_flag),
            choices=_choices(parameter, context, is_flag=is_flag),
            negative=parameter.secondary_opts[0] if parameter.secondary_opts else "",
            is_argument=is_argument,
            is_flag=is_flag,
            is_required=parameter.required,
            is_rare=heading in RARE,
            is_many=word.endswith("...") if is_argument else parameter.multiple,
            has_bots=parameter.name in BOTS or word in BOTS,
            is_list="," in word or word == "LIST",
            names_file=word in FILES,
        )


def _default(value: object, *, is_flag: bool) -> str:
    if is_flag:
        return YES if value else NO
    if value is None or value == []:
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def _choices(parameter: Any, context: typer.Context, *, is_flag: bool) -> tuple[str, ...]:
    """Return the words of an option that has no other values, and of a flag that is on."""
    if is_flag:
        return (YES, NO) if parameter.secondary_opts else ()
    if parameter.metavar is not None:
        return ()
    return tuple(each.value for each in parameter.shell_complete(context, ""))


def _cost_question(command: str, given: Mapping[str, Any]) -> CostQuestion:
    """Return what a command plays with these values of its parameters. Raises UsageError."""
    if command == "analyze":
        return CostQuestion((), "The cost of an analysis is unknown before it has begun.")
    if command == "suite run":
        return CostQuestion((), _suite_sentence(given))
    games, hours = given.get("games"), given.get("hours")
    if command == "run" and games is None:
        return CostQuestion(
            (),
            "Give games or hours: the run would never end."
            if hours is None
            else f"It plays for {hours:g} hours on the slots that it gets.",
        )
    boards = parse_boards(given["boards"])
    names = ("time", "simulations", "nodes", "depth")
    budgets = parse_budgets(
        *(given[name] for name in names), overage=given["overage"], clock=given["clock"]
    )
    if command in ("select", "bisect"):
        return CostQuestion((Workload(None, given["max_games"], budgets, boards),))
    first = [] if games is None else [Workload(games, games, budgets, boards)]
    gates = _gates(given, budgets, boards) if command in ("gate", "tune") else ()
    return CostQuestion((*first, *gates))


def _gates(
    given: Mapping[str, Any], budgets: "Budgets", boards: "tuple[BoardClass, ...]"
) -> Iterator[Workload]:
    """Yield the games of a gate, or of each of its stages."""
    test = GateTest(
        max_drop=given["max_drop"],
        alpha=given["alpha"],
        beta=given["beta"],
        max_games=given["max_games"],
        model=Model(given["model"]),
    )
    baselines = len(str(given.get("against")).split(","))
    stages = parse_stages(given["stages"]) if given.get("stages") else ()
    for stage in stages:
        yield Workload(*estimate_gate(stage.test(test, stages), baselines), stage.budgets, boards)
    if not stages:
        yield Workload(*estimate_gate(test, baselines), budgets, boards)


def _suite_sentence(given: Mapping[str, Any]) -> str:
    """Return the longest time of a suite of the program, if the budgets are times."""
    *bots, suite = given["words"]
    file = SHIPPED / f"{suite}.jsonl"
    if any(given[name] for name in ("simulations", "nodes", "depth")) or file not in (
        SHIPPED.glob("*.jsonl")
    ):
        return "Each bot is asked for one move in each position."
    times_ms = [parse_time(word) for word in (given["time"] or DEFAULT_TIMES).split(",")]
    positions = len(file.read_text(encoding="utf-8").splitlines())
    hours = machine_hours(positions * len(bots) * sum(times_ms) / 1000)
    return (
        f"It costs {hours} machine hours if every move takes its whole time: each bot is asked for "
        f"one move in each of {positions} positions."
    )
