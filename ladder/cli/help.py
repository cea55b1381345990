"""Help of the commands: options under headings, and commands in groups.

The headings are the `rich_help_panel` of options and commands, printed by Click's plain formatter:
formatting help with Rich would double the time that it takes.
"""

import difflib
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from ladder.cli.declare import ARGUMENTS, OPTIONS, declare, split_unset
from ladder.cli.options import LEFT_OUT
from ladder.errors import ExitCode, UsageError

VARIABLES = {
    "LADDER_DB": "Database of all commands; --db overrides it.",
    "LADDER_CACHE": "Folder of compiled players and of unpacked bots.",
    "LADDER_DEBUG": "1 prints the traceback of an internal error.",
    "NO_COLOR": "Any value turns colours off.",
}
"""The environment variables that users may set, and their meanings."""

SYNONYMS = {
    "bots add": ("add", "register", "new", "create"),
    "bots list": ("list", "ls"),
    "bots rename": ("rename", "mv"),
    "bots retire": ("retire", "remove", "rm", "disable"),
    "bots delete": ("delete", "remove", "rm"),
    "bots show": ("show", "info"),
    "bots unretire": ("unretire", "restore", "enable"),
    "bots check": ("check", "test", "try"),
    "export": ("dump", "save"),
    "import": ("load", "merge"),
    "games": ("list",),
    "gate": ("sprt", "regression", "verify"),
    "match": ("versus", "vs", "duel", "h2h", "fight"),
    "replay": ("show", "view", "game"),
    "report": ("ratings", "rating", "ranking", "standings", "leaderboard", "table", "elo"),
    "report --compare": ("compare", "diff"),
    "report --history": ("history",),
    "run": ("start", "tournament", "league", "resume", "continue"),
    "runs": ("list", "ls", "status", "log", "results"),
    "runs delete": ("delete", "remove", "rm"),
    "runs show": ("show", "info"),
    "serve": ("web", "ui", "gui", "watch", "server", "dashboard"),
    "solve": ("eval", "evaluate"),
    "tune": ("optimize", "optimise", "spsa"),
    "queue list": ("jobs",),
}
"""Words that people try for a command, by the words behind ``ladder``."""
SIMILARITY = 0.7
"""Similarity of two words from which one may be a misspelling of the other."""

HEADINGS_FROM = 9
"""Number of parameters from which a command's help has headings; fewer stand in one list."""
OUTPUT = "Database and output"
LAST = ("Limits of each bot", "Many machines", OUTPUT)
"""The headings at the end; those before them stand in the order of the first option of each."""
HELP_ALL = "--help-all"
"""Shows every option, where `--help` leaves out those of `RARE`."""
MOST_SHOWN = 20
"""Options that `--help` shows of a command in any case."""
RARE = {
    "alpha", "as_stored", "based_on", "beta", "clock", "depth", "force", "margin",
    "memory", "model", "new_version", "nodes", "note", "open_files", "opening_plies", "overage",
    "pin", "processes", "rated", "restart", "stored", "tls_ca_file", "tls_cert", "tls_key",
    "watchdog",
}  # fmt: skip
"""Options that few people use, by their names in Python; those of the rules of games, too."""
TERM_WIDTH = 30
"""Widest column of names, in characters; longer names have a line of their own."""


class HelpCommand(TyperCommand):
    """A command whose options stand under headings."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the arguments, with the values of options that may stand without one."""
        if HELP_ALL in args[: args.index("--") if "--" in args else None]:
            ctx.meta[HELP_ALL] = True
            typer.echo(ctx.get_help())
            ctx.exit()
        args, undone = split_unset(self.params, args)
        words: list[str] = []
        for word, following in zip_longest(args, args[1:], fillvalue=""):
            words.append(word)
            if word in LEFT_OUT and not following.isdigit():
                words.append(LEFT_OUT[word])
        left = super().parse_args(ctx, words)
        ctx.params.update(undone)
        return left

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write arguments, then options under their headings."""
        _write_sections(formatter, option_sections(self, ctx))

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage line after the command's own."""
        del ctx
        arguments = [each for each in self.params if each.param_type_name == "argument"]
        return [
            "[OPTIONS]",
            *(f"{each.metavar}" if each.required else f"[{each.metavar}]" for each in arguments),
        ]

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write how to see all options, and the example of the command."""
        if left_out := [each for each in self.get_params(ctx) if not _is_shown(each, ctx)]:
            formatter.write(f"\n  `{ctx.command_path} {HELP_ALL}`: {len(left_out)} more options.\n")
        formatter.write(f"\n  Example:\n    {self.epilog}\n")

    def invoke(self, ctx: Any) -> Any:
        """Run the command; its errors name options as they are typed."""
        return _with_spelled_options(super().invoke, ctx)


class HelpGroup(TyperGroup):
    """A group of commands that lists them with whole sentences, and gives each its example."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, without loading them."""
        del ctx
        return list(self.commands)

    def sentences(self, *, are_all: bool = True) -> dict[str, list[tuple[str, str]]]:
        """Return the names and first sentences of the commands by their headings."""
        del are_all
        return {
            "Commands": [
                (name, first_sentence(command.short_help or command.help or ""))
                for name, command in self.commands.items()
            ]
        }

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the example of a group that is a command, too."""
        if self.epilog:
            formatter.write(f"\n  Example:\n    {self.epilog}\n")

    def invoke(self, ctx: Any) -> Any:
        """Run the group or its command; errors name options as they are typed."""
        return _with_spelled_options(super().invoke, ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Print the help of a group that is called without a command."""
        if args[:1] == [HELP_ALL]:
            ctx.meta[HELP_ALL] = True
            typer.echo(ctx.get_help())
            ctx.exit()
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            typer.echo(ctx.get_help())
            raise typer.Exit(ExitCode.USAGE)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command, or refuse the word and propose similar commands."""
        word = args[0]
        if word not in self.commands and not word.startswith("-") and not ctx.resilient_parsing:
            near = [f"`{ctx.command_path} {name}`" for name in self._similar_commands(ctx, word)]
            advice = f": did you mean {one_of(near)}?" if near else ""
            ctx.fail(f"No such command {word!r}{advice}")
        return super().resolve_command(ctx, args)

    def _similar_commands(self, ctx: Any, word: str) -> Iterator[str]:
        """Yield the commands that a word may stand for, each by the words behind this group."""
        near = difflib.get_close_matches(word, self.commands, cutoff=SIMILARITY)
        yield from near
        group = ctx.command_path.partition(" ")[2]
        for words, tried in SYNONYMS.items():
            inner = words.removeprefix(f"{group} ") if group else words
            if word in tried and inner not in near and (not group or inner != words):
                yield inner

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the commands by heading, each with the first sentence of its help, then options."""
        sections = {**self.sentences(are_all=HELP_ALL in ctx.meta), **option_sections(self, ctx)}
        if ctx.parent is None:
            sections["Environment variables"] = list(VARIABLES.items())
        _write_sections(formatter, sections)


class CommandGroup(typer.Typer):
    """A declaration of a group of commands with this module's help."""

    def __init__(self, **settings: Any) -> None:
        defaults = {"cls": HelpGroup, "no_args_is_help": True, "add_completion": False}
        super().__init__(rich_markup_mode=None, **{**defaults, **settings})

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Any], Any]:
        """Declare a function as a command, with the help that its docstring holds."""

        def register(function: Any) -> Any:
            called, found = declare(function)
            words = {"cls": HelpCommand, "help": found.text, "epilog": found.example, **settings}
            super(CommandGroup, self).command(name, **words)(called)
            return function

        return register

    def callback(self, **settings: Any) -> Callable[[Any], Any]:
        """Declare a function that is called before each command of the group."""

        def register(function: Any) -> Any:
            called, found = declare(function)
            words = {"help": found.text, "epilog": found.example, **settings}
            super(CommandGroup, self).callback(**words)(called)
            return function

        return register


def option_spelling(command: Any, field: str) -> str | None:
    """Return an option of a command as a user types it, or None if the command has no such option.

    Args:
        command: as Click holds it.
        field: the parameter's name in Python (``max_drop``), or the name without dashes
            (``format``), with or without a unit (``time_ms``).

    """
    names = (field, field.rpartition("_")[0])
    for name in filter(None, names):
        for parameter in command.params:
            if parameter.param_type_name == "argument":
                if parameter.name == name:
                    return str(parameter.metavar or name.upper())
            elif name == parameter.name or f"--{name.replace('_', '-')}" in parameter.opts:
                return str(max(parameter.opts, key=len))
    return None


def one_of(words: Sequence[str]) -> str:
    """Return words as a choice, such as ``a, b or c``."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def first_sentence(text: str) -> str:
    """Return the first sentence of a help text, in one line."""
    paragraph = " ".join(text.split("\n\n")[0].split())
    end = paragraph.find(". ")
    return paragraph if end < 0 else paragraph[: end + 1]


def _with_spelled_options(invoke: Callable[[Any], Any], ctx: Any) -> Any:
    try:
        return invoke(ctx)
    except UsageError as error:
        # An error below a group has passed the command, which has spelled its option.
        spelling = error.option and option_spelling(ctx.command, error.option)
        if spelling:
            error.args = (f"{spelling}: {error.problem}",)
        from ladder.cli.config import is_from_config  # loads more than help needs
        from ladder.names import CONFIG

        word = str(error).partition(":")[0]
        if any(
            word in each.opts and is_from_config(ctx, each.name or "")
            for each in ctx.command.params
        ):
            error.args = (f"{CONFIG}: {error}",)
        raise


def option_sections(command: Any, ctx: Any) -> dict[str, list[tuple[str, str]]]:
    """Return names and help of a command's arguments and options by their headings."""
    parameters = [each for each in command.get_params(ctx) if _is_shown(each, ctx)]
    sections: dict[str, list[tuple[str, str]]] = {ARGUMENTS: [], OPTIONS: []}
    for parameter in parameters:
        record = parameter.get_help_record(ctx)
        if record is not None:
            name, text = record
            if parameter.param_type_name == "argument":
                heading = ARGUMENTS
                name = name.partition(" <")[0]  # the type: <str>
            elif parameter.name == "help":
                heading = OUTPUT
            else:
                heading = getattr(parameter, "rich_help_panel", None) or OPTIONS
            sections.setdefault(heading, []).append((name, _plain_default(text)))
    for heading in [*sections]:
        if len(sections[heading]) == 1 and heading not in (ARGUMENTS, OPTIONS, *LAST):
            # A single option needs no heading.
            sections[OPTIONS] += sections.pop(heading)
    if len(parameters) < HEADINGS_FROM or set(sections) <= {ARGUMENTS, OPTIONS, OUTPUT}:
        rows = [row for heading in sections if heading != ARGUMENTS for row in sections[heading]]
        return {ARGUMENTS: sections[ARGUMENTS], OPTIONS: rows}
    for heading in (OPTIONS, *LAST):
        if heading in sections:
            sections[heading] = sections.pop(heading)
    return sections


def _is_shown(parameter: Any, ctx: Any) -> bool:
    """Return whether the help of this call shows a parameter."""
    is_long = sum(each.param_type_name == "option" for each in ctx.command.params) > MOST_SHOWN
    if not is_long or HELP_ALL in ctx.meta:
        return True
    from db.records.rules import RULES  # loads msgspec, which the list of commands does not need

    return parameter.name not in {*RARE, *RULES}


def _plain_default(text: str) -> str:
    """Return an option's help without Click's parentheses around a default, and without 20.0."""
    text = re.sub(r"default: \((.*)\)(; required)?\]$", r"default: \1\2]", text)
    return re.sub(r"(default: \d+)\.0\]$", r"\1]", text)


def _write_sections(formatter: Any, sections: dict[str, list[tuple[str, str]]]) -> None:
    """Write lists under headings, with texts in one column of the page."""
    names = [len(name) for rows in sections.values() for name, _ in rows]
    width = max((length for length in names if length <= TERM_WIDTH), default=0)
    for heading, rows in sections.items():
        if rows:
            with formatter.section(heading):
                # Click aligns each list by its own longest name: a padded one aligns all lists.
                (name, text), *others = rows
                formatter.write_dl([(name.ljust(width), text), *others], col_max=width)
