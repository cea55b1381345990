"""All commands, and the defaults that they take from `ladder.toml`.

A command's module is imported when the command is called, so that help answers at once.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer
from typer.core import CompletionItem  # type: ignore[attr-defined]
from typer.main import get_command, get_group

from ladder.cli.help import HELP_ALL, CommandGroup, HelpGroup
from ladder.cli.options import Takes


class Entry(NamedTuple):
    """A command in the list of `ladder --help`."""

    target: str
    """Its function or group, as ``module:name`` in `ladder.cli.commands`."""
    sentence: str
    """What it does, in one line of the list."""


RARE = "Rarely used"
COMMANDS: Mapping[str, Mapping[str, Entry]] = {
    "Bots and games": {
        "bots": Entry("bots:app", "List, add, check and retire bots."),
        "run": Entry("run:run", "Play pairs of games among bots, for a whole night or less."),
        "match": Entry("run:match", "Play two bots against each other."),
        "play": Entry("play:play", "Play against a bot in the terminal."),
    },
    "The morning after": {
        "report": Entry("report:report", "Print the rating list, and how far to trust it."),
        "games": Entry("games:games", "List stored games with their numbers, newest first."),
        "replay": Entry("replay:replay", "Show a game move by move, with what its bots thought."),
        "serve": Entry("serve:serve", "Show everything in the browser, and play there."),
    },
    "Before a merge": {
        "gate": Entry("gate:gate", "Test whether a candidate is worse, or better."),
    },
    "Judge a change": {
        "nightly": Entry(
            "nightly:nightly", "Play the new commits of a branch, and name those that lost."
        ),
        "select": Entry("select:select", "Choose the best of several bots with few games."),
        "bisect": Entry("bisect:bisect", "Find the commit of a git repository that lost rating."),
        "tune": Entry("tune:tune", "Search better values for the numbers of a bot."),
        "suite": Entry("suite:app", "Make positions with one right move; ask bots for it."),
        "stats": Entry("stats:app", "Compute Elo and sequential tests from counts of games."),
    },
    "Exact answers": {
        "solve": Entry("solve:solve", "Compute who wins a position, and in how many plies."),
        "analyze": Entry("analyze:analyze", "Count the mistakes of each bot in stored games."),
        "openings": Entry("openings:app", "Make opening books for the option --openings."),
    },
    "What is stored": {
        "runs": Entry("runs:app", "List runs, matches, gates and other experiments."),
        "export": Entry("exchange:export", "Write the stored games as text."),
        "import": Entry("exchange:import_", "Add exported games, all of them or none."),
        "queue": Entry("queue:app", "Let commands wait in the database, and play them."),
        "doctor": Entry("doctor:doctor", "Check this machine, and the database."),
    },
    RARE: {
        "rate": Entry("stats:rate", "Rate the players of a PGN file of any game."),
        "compete": Entry("compete:compete", "Play a match as the course's match program does."),
        "worker": Entry("worker:worker", "Lend this machine to runs of others, by --cluster."),
        "bench": Entry("bench:app", "Measure the speed of the harness and of the players."),
        "perft": Entry("solve:perft", "Count the legal move sequences of each length."),
        "train": Entry("train:app", "Train a player by games against itself."),
    },
}
"""The commands by their headings in the help; `--help-all` shows those of the last one, too."""


class LoadedCommands(Mapping[str, Any]):
    """The commands by name, each imported when it is first needed."""

    def __init__(self) -> None:
        self._entries = {name: entry for each in COMMANDS.values() for name, entry in each.items()}
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        """Return a command, as Click calls it. Raises KeyError."""
        if name not in self._loaded:
            module, _, attribute = self._entries[name].target.partition(":")
            found = getattr(import_module(f"ladder.cli.commands.{module}"), attribute)
            if isinstance(found, CommandGroup):
                self._loaded[name] = get_group(found)
            else:
                alone = CommandGroup()
                alone.command(name)(found)
                self._loaded[name] = get_command(alone)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names, without loading a command."""
        return iter(self._entries)

    def __len__(self) -> int:
        """Return the number of commands."""
        return len(self._entries)


class AllCommands(HelpGroup):
    """The group of all commands, which lists them without loading them."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**{**settings, "commands": LoadedCommands()})

    def sentences(self, *, are_all: bool = True) -> dict[str, list[tuple[str, str]]]:
        """Return the names and first sentences of the commands by their headings."""
        return {
            heading: [(name, entry.sentence) for name, entry in entries.items()]
            for heading, entries in COMMANDS.items()
            if are_all or heading != RARE
        }

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Write how to see all commands."""
        if HELP_ALL not in ctx.meta:
            formatter.write(f"\n  `ladder {HELP_ALL}`: {len(COMMANDS[RARE])} more commands.\n")

    def shell_complete(self, ctx: Any, incomplete: str) -> list[CompletionItem]:
        """Return the commands and options that begin with a text, without loading a command."""
        if incomplete.startswith("-"):
            return super().shell_complete(ctx, incomplete)
        rows = chain.from_iterable(self.sentences().values())
        return [
            CompletionItem(name, help=sentence)
            for name, sentence in rows
            if name.startswith(incomplete)
        ]


app = CommandGroup(
    name="ladder",
    cls=AllCommands,
    add_completion=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _print_version(value: bool) -> None:
    if value:
        from importlib.metadata import version  # costs more than the rest of the help

        typer.echo(f"ladder {version('connect4-ladder')}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    version: Annotated[bool, Takes(callback=_print_version, is_eager=True)] = False,
) -> None:
    """Run a local Elo ladder and regression harness for Connect Four bots.

    Begin with `ladder run`, then `ladder report`. `ladder COMMAND --help` explains a command, and
    `--help-all` every option. A file ladder.toml in the current folder may hold defaults.

    Options:
      --version: Print the version and exit.
    """
    del version
    from ladder.cli.config import read_defaults

    if context.default_map is None:
        context.default_map = read_defaults(
            context.command, Path.cwd(), only=context.invoked_subcommand
        )


@cache
def parser() -> Any:
    """Return the parser of all commands, built once in a process."""
    return get_command(app)
