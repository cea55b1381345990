"""The command line of an experiment that enters the queue, read by the command's own parser."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import typer

from db.records.bots import BotRow
from db.store import Store
from ladder.cli.checking import checking_only
from ladder.cli.resume import COMMAND, all_options, command_words
from ladder.errors import UsageError
from ladder.match.openings.openings_file import NamedOpenings, read_openings

COMMANDS = ("run", "match", "gate", "select", "tune", "bisect", "suite run", "analyze")
"""The commands that can wait in the queue."""
_SERVICE = "the service decides where and how widely it plays: give that to `ladder queue work`"
_FILE = "the file would be written where the service runs"
_ALWAYS = "an experiment of the queue is always resumed where it was interrupted"
REFUSED: Mapping[str, str] = {
    **dict.fromkeys(("cluster", "certificates", "insecure", "scale_time", "concurrency"), _SERVICE),
    **dict.fromkeys(("html", "force", "junit", "summary", "save"), _FILE),
    **dict.fromkeys(("resume", "new"), _ALWAYS),
    "serve": "`ladder serve` shows the runs of the queue",
    "stored": "it plays nothing: run the command itself",
    "forget": "it plays nothing: run the command itself",
    "db": "the experiment plays in the database of the queue: give it before the two dashes",
}
"""Options that an experiment of the queue cannot have, and why."""


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment that has passed its check."""

    context: typer.Context
    """The context of its command."""
    bots: Sequence[BotRow]
    """The registered bots that it plays."""
    options: dict[str, Any] = field(default_factory=dict)
    """Its command and resolved options, as JSON values."""
    openings: NamedOpenings | None = None
    """The openings of a file that it names."""

    @property
    def command(self) -> str:
        """The command, such as ``suite run``."""
        return str(self.options[COMMAND])

    @property
    def note(self) -> str:
        """The remark."""
        return str(self.options.get("note") or "")

    def arguments(self, store: Store) -> list[str]:
        """Return the words after the command, for any machine.

        The openings of a file are stored, and their hash takes the place of the file.
        """
        options = self.options
        if self.openings is not None:
            store.opening_sets.save(self.openings.row)
            options = {**options, "openings": self.openings.set.content_hash}
        return command_words(options, self.context)[len(self.command.split()) :]


def check_experiment(
    context: typer.Context, words: Sequence[str], *, db: str, note: str
) -> Experiment:
    """Read the command line of an experiment, and check that it could start now.

    The defaults of `ladder.toml` become options, because the service has other ones.

    Args:
        context: the context of the command that submits it.
        words: the command line without ``ladder``.
        db: the database.
        note: a remark; empty for that of the experiment itself.

    Raises:
        LadderError: it cannot start.

    """
    inner = parse_command(context, words)
    options = all_options(inner)
    for name, why in REFUSED.items():
        source = inner.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            raise UsageError(f"{_spelling(inner, name)} cannot stand in the queue: {why}")
        options.pop(name, None)
    if options[COMMAND] == "run" and options["games"] is None and options["hours"] is None:
        raise UsageError("this run would never end: give it --games or --hours")
    if note and any(parameter.name == "note" for parameter in inner.command.params):
        options["note"] = note
    with checking_only() as check:
        root: Any = context.find_root().command
        root(
            [*command_words(options, inner), "--db", db],
            prog_name="ladder",
            standalone_mode=False,
            default_map={},
        )
    assert check.bots is not None  # noqa: S101 - else the command has raised an error
    if options[COMMAND] == "run":  # the bots that a pattern selects now
        options["bots"] = ",".join(bot.name for bot in check.bots)
    return Experiment(
        inner, check.bots, {"note": note, **options}, _openings_of(options.get("openings"))
    )


def parse_command(context: typer.Context, words: Sequence[str], **settings: Any) -> typer.Context:
    """Return the context of the command line, which was read but not run.

    Args:
        context: the context of any command of the program.
        words: the command line without ``ladder``.
        settings: of the new context.

    Raises:
        UsageError: the command cannot wait in the queue.
        Exception: an error of Click about the command line.

    """
    size = 2 if words[0] == "suite" else 1
    name = " ".join(words[:size])
    if name not in COMMANDS:
        raise UsageError(
            f"{name!r} cannot wait in the queue: give one of {', '.join(COMMANDS)}, with its "
            "arguments and options"
        )
    parent = context.find_root()
    command: Any = parent.command
    for word in words[: size - 1]:
        command = command.commands[word]
        parent = typer.Context(command, info_name=word, parent=parent)
    found: typer.Context = command.commands[words[size - 1]].make_context(
        words[size - 1], list(words[size:]), parent=parent, **settings
    )
    return found


def _spelling(context: typer.Context, name: str) -> str:
    found = next(each for each in context.command.params if each.name == name)
    return str(max(found.opts, key=len))


def _openings_of(word: object) -> NamedOpenings | None:
    """Return the openings if the option names a file."""
    if word is None or not Path(str(word)).exists():
        return None
    return read_openings(Path(str(word)))
