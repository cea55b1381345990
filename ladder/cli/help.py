"""Help of the commands: whole sentences in every list, and an example for each command."""

import difflib
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperGroup

from ladder.errors import ExitCode

EXAMPLES = {
    "run": "ladder run --bots 'v*' --time 100ms --hours 8",
    "report": "ladder report --compare v4 v3",
    "gate": "ladder gate mybot --against v12 --max-drop 20",
    "bisect": "ladder bisect 'exec:python3 mybot.py' --good v1.0 --bad main --max-drop 30",
    "select": "ladder select idea1 idea2 idea3 --against v12 --indifference 15",
    "tune": "ladder tune builtin:v18 --param c=0.2..1.2 --games 4000 --time 20ms",
    "match": "ladder match mybot v4 --games 100",
    "compete": "ladder compete ./a.so ./b.so result.txt 10",
    "export": "ladder export --format pgn -o games.pgn",
    "import": "ladder import games.jsonl",
    "rate": "ladder rate games.pgn --anchor Alice=1500",
    "play": "ladder play v12 --board 10x11@3,4 --time 200ms",
    "games": "ladder games --bot mybot --lost --limit 5",
    "replay": "ladder replay --last-loss mybot v4",
    "solve": "ladder solve 33333 --board 6x7 --columns",
    "perft": "ladder perft 6x7 6",
    "analyze": "ladder analyze --bots v12,v4 --nodes 1000000",
    "suite make": "ladder suite make mine.jsonl --boards 6x7 --count 200",
    "suite run": "ladder suite run v12 standard --time 10ms,100ms",
    "openings make": "ladder openings make even.txt --boards 6x7 --plies 12 --count 200 --balanced",
    "doctor": "ladder doctor",
    "runs": "ladder runs",
    "runs delete": "ladder runs delete 3",
    "serve": "ladder serve --db night.db --open",
    "worker": "ladder worker lab1:8786 --certificates lab --slots 8",
    "cluster start": "ladder cluster start --host 192.168.1.5 --certificates lab",
    "cluster certificates": "ladder cluster certificates lab",
    "bots list": "ladder bots list --retired",
    "bots show": "ladder bots show v4",
    "bots add": "ladder bots add mybot 'exec:python3 mybot.py'",
    "bots add-all": "ladder bots add-all strategies --pattern '*.so' --name 's{stem}'",
    "bots check": "ladder bots check mybot",
    "bots retire": "ladder bots retire mybot",
    "bots unretire": "ladder bots unretire mybot",
    "bots rename": "ladder bots rename mybot mybot-1",
    "bots delete": "ladder bots delete mybot",
    "bench harness": "ladder bench harness --games 2000",
    "bench search": "ladder bench search --bots v17 --boards 11x11@5,5",
    "stats elo": "ladder stats elo --wdl 60,10,30",
    "stats los": "ladder stats los --penta 2,5,20,9,4",
    "stats sprt": "ladder stats sprt --wdl 60,10,30 --elo0 0 --elo1 10",
    "train c4ai": "ladder train c4ai --generations 200 --output weights",
    "train value": "ladder train value --games 5000 --generations 3 --output weights",
}
"""A command line for each command, by the words that reach it."""


MEANT = {
    "add": ("register", "new", "create"),
    "delete": ("remove", "rm"),
    "list": ("ls",),
    "retire": ("remove", "rm", "disable"),
    "show": ("info",),
    "unretire": ("restore", "enable"),
}
"""Words that other programs use for a command."""
ALIKE = 0.7
"""Similarity of two words from which one may be a misspelling of the other."""


class HelpGroup(TyperGroup):
    """A group of commands that lists them with whole sentences, and gives each its example."""

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        prefix = "" if self.name in (None, "ladder") else f"{self.name} "
        for name, command in self.commands.items():
            example = EXAMPLES.get(f"{prefix}{name}")
            if example is not None:
                command.epilog = f"\b\nExample:\n  {example}"

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Print the help of a group that is called without a command."""
        if not args and self.no_args_is_help and not ctx.resilient_parsing:
            typer.echo(ctx.get_help())
            raise typer.Exit(ExitCode.USAGE)
        return super().parse_args(ctx, args)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find a command, or refuse the word and propose the commands that may be meant."""
        word = args[0]
        if word not in self.commands and not word.startswith("-") and not ctx.resilient_parsing:
            near = [f"`{ctx.command_path} {name}`" for name in self._meant_by(word)]
            ctx.fail(
                f"No such command {word!r}"
                + (f": did you mean {' or '.join(near)}?" if near else "")
            )
        return super().resolve_command(ctx, args)

    def _meant_by(self, word: str) -> Iterator[str]:
        """Yield the commands that a word may stand for, each by the words behind this group."""
        near = difflib.get_close_matches(word, self.commands, cutoff=ALIKE)
        for name, command in self.commands.items():
            if name in near or word in MEANT.get(name, ()):
                yield name
            elif isinstance(command, HelpGroup):
                for inner in command.commands:
                    if word == inner or word in MEANT.get(inner, ()):
                        yield f"{name} {inner}"

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write every command with the whole first sentence of its help, wrapped."""
        rows = [
            (name, first_sentence(command.short_help or command.help or ""))
            for name, command in self.commands.items()
            if not command.hidden
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)


def first_sentence(text: str) -> str:
    """The first sentence of a help text, in one line."""
    paragraph = " ".join(text.split("\n\n")[0].split())
    end = paragraph.find(". ")
    return paragraph if end < 0 else paragraph[: end + 1]
