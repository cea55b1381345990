"""Help of the commands: options under headings, commands in groups, an example for each command.

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

from ladder.cli.environment import VARIABLES
from ladder.cli.options import LEFT_OUT, PANEL_CLUSTER, PANEL_LIMITS, PANEL_OUTPUT
from ladder.errors import ExitCode, UsageError

EXAMPLES = {
    "run": "ladder run --bots 'v*' --time 100ms --hours 8",
    "match": "ladder match mybot v4 --games 100",
    "play": "ladder play v12 --board 10x11@3,4 --time 200ms",
    "report": "ladder report --compare v4 v3",
    "rate": "ladder rate games.pgn --anchor Alice=1500",
    "compete": "ladder compete ./a.so ./b.so result.txt 10",
    "gate": "ladder gate mybot --against v12 --max-drop 20",
    "select": "ladder select idea1 idea2 idea3 --against v12 --indifference 15",
    "bisect": "ladder bisect 'exec:python3 mybot.py' --good v1.0 --bad main --max-drop 30",
    "tune": "ladder tune builtin:v18 --param c=0.2..1.2 --games 4000 --time 20ms",
    "suite make": "ladder suite make mine.jsonl --boards 6x7 --count 200",
    "suite run": "ladder suite run v12 standard --time 10ms,100ms",
    "stats elo": "ladder stats elo --wdl 60,10,30",
    "stats los": "ladder stats los --penta 2,5,20,9,4",
    "stats sprt": "ladder stats sprt --wdl 60,10,30 --elo0 0 --elo1 10",
    "serve": "ladder serve --db night.db --open",
    "runs": "ladder runs",
    "runs show": "ladder runs show 3",
    "runs delete": "ladder runs delete 3",
    "games": "ladder games --bot mybot --lost --limit 5",
    "replay": "ladder replay --last-loss mybot v4",
    "solve": "ladder solve 33333 --board 6x7 --columns",
    "analyze": "ladder analyze --bots v12,v4 --nodes 1000000",
    "openings make": "ladder openings make even.txt --boards 6x7 --plies 12 --count 200 --balanced",
    "perft": "ladder perft 6x7 6",
    "bots list": "ladder bots list --all",
    "bots show": "ladder bots show v4",
    "bots extract": "ladder bots extract mybot mybot-files",
    "bots add": "ladder bots add mybot 'exec:python3 mybot.py'",
    "bots add-all": "ladder bots add-all strategies --pattern '*.so' --name 's{stem}'",
    "bots check": "ladder bots check mybot",
    "bots retire": "ladder bots retire mybot",
    "bots unretire": "ladder bots unretire mybot",
    "bots rename": "ladder bots rename mybot mybot-1",
    "bots delete": "ladder bots delete mybot",
    "train c4ai": "ladder train c4ai --generations 200 --output weights",
    "train value": "ladder train value --games 5000 --generations 3 --output weights",
    "queue add": "ladder queue add gate mybot --against v12",
    "queue list": "ladder queue list",
    "queue cancel": "ladder queue cancel 7",
    "queue work": "ladder queue work",
    "worker": "ladder worker lab1:8786 --slots 8 --until 18:00",
    "doctor": "ladder doctor",
    "export": "ladder export --format pgn -o games.pgn",
    "import": "ladder import games.jsonl",
    "bench harness": "ladder bench harness --games 2000",
    "bench search": "ladder bench search --bots v17 --boards 11x11@5,5",
}
"""A command line for each command by its words, in the order in which help lists the commands."""

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
ARGUMENTS, OPTIONS = "Arguments", "Options"
LAST = (PANEL_LIMITS, PANEL_CLUSTER, PANEL_OUTPUT)
"""The headings at the end; those before them stand in the order of the first option of each."""
HELP_ALL = "--help-all"
"""Shows every option, where `--help` leaves out those of `RARE`."""
MOST_SHOWN = 20
"""Options that `--help` shows of a command in any case."""
RARE = {
    "adjudicate", "alpha", "as_stored", "based_on", "beta", "clock", "depth", "force", "margin",
    "memory", "model", "nodes", "note", "open_files", "opening_plies", "overage", "pin",
    "processes", "rated", "restart", "stored", "tls_ca_file", "tls_cert", "tls_key", "watchdog",
}  # fmt: skip
"""Options that few people use, by their names in Python."""
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
        words: list[str] = []
        for word, following in zip_longest(args, args[1:], fillvalue=""):
            words.append(word)
            if word in LEFT_OUT and not following.isdigit():
                words.append(LEFT_OUT[word])
        return super().parse_args(ctx, words)

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
        _write_example(ctx, formatter)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; its errors name options as they are typed."""
        return _with_spelled_options(super().invoke, ctx)


class HelpGroup(TyperGroup):
    """A group of commands that lists them with whole sentences, and gives each its example."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the commands, without loading them."""
        del ctx
        return list(self.commands)

    def sentences(self) -> dict[str, list[tuple[str, str]]]:
        """Return the names and first sentences of the commands by their headings."""
        return {
            "Commands": [
                (name, first_sentence(command.short_help or command.help or ""))
                for name, command in self.commands.items()
            ]
        }

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write the example of a group that is a command, too."""
        _write_example(ctx, formatter)

    def invoke(self, ctx: Any) -> Any:
        """Run the group or its command; errors name options as they are typed."""
        return _with_spelled_options(super().invoke, ctx)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Print the help of a group that is called without a command."""
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
        sections = {**self.sentences(), **option_sections(self, ctx)}
        if ctx.parent is None:
            sections["Environment variables"] = list(VARIABLES.items())
        _write_sections(formatter, sections)


class CommandGroup(typer.Typer):
    """A declaration of a group of commands with this module's help."""

    def __init__(self, **settings: Any) -> None:
        defaults = {"cls": HelpGroup, "no_args_is_help": True, "add_completion": False}
        super().__init__(rich_markup_mode=None, **{**defaults, **settings})

    def command(self, name: str | None = None, **settings: Any) -> Callable[[Any], Any]:
        """Declare a function as a command."""
        return super().command(name, cls=HelpCommand, **settings)


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
        if _is_from_config(ctx, str(error)):
            from ladder.names import CONFIG

            error.args = (f"{CONFIG}: {error}",)
        raise


def _is_from_config(ctx: Any, problem: str) -> bool:
    """Return whether a problem begins with an option whose value stands in `ladder.toml`."""
    word = problem.partition(":")[0]
    return any(
        word in parameter.opts
        and getattr(ctx.get_parameter_source(parameter.name), "name", "") == "DEFAULT_MAP"
        for parameter in ctx.command.params
    )


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
                heading = PANEL_OUTPUT
            else:
                heading = getattr(parameter, "rich_help_panel", None) or OPTIONS
            sections.setdefault(heading, []).append((name, _plain_default(text)))
    for heading in [*sections]:
        if len(sections[heading]) == 1 and heading not in (ARGUMENTS, OPTIONS, *LAST):
            # A single option needs no heading.
            sections[OPTIONS] += sections.pop(heading)
    if len(parameters) < HEADINGS_FROM or set(sections) <= {ARGUMENTS, OPTIONS, PANEL_OUTPUT}:
        rows = [row for heading in sections if heading != ARGUMENTS for row in sections[heading]]
        return {ARGUMENTS: sections[ARGUMENTS], OPTIONS: rows}
    for heading in (OPTIONS, *LAST):
        if heading in sections:
            sections[heading] = sections.pop(heading)
    return sections


def _is_shown(parameter: Any, ctx: Any) -> bool:
    """Return whether the help of this call shows a parameter."""
    is_long = sum(each.param_type_name == "option" for each in ctx.command.params) > MOST_SHOWN
    return not is_long or HELP_ALL in ctx.meta or parameter.name not in RARE


def _plain_default(text: str) -> str:
    """Return an option's help without Click's parentheses around a default, and without 20.0."""
    text = re.sub(r"default: \((.*)\)(; required)?\]$", r"default: \1\2]", text)
    return re.sub(r"(default: \d+)\.0\]$", r"\1]", text)


def _write_example(ctx: Any, formatter: Any) -> None:
    """Write the example of a command as the last line of its help."""
    example = EXAMPLES.get(ctx.command_path.partition(" ")[2])
    if example is not None:
        formatter.write(f"\n  Example:\n    {example}\n")


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
