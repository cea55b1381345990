"""Writes docs/commands.md from the commands' help: ``python -m tests.tools.commands_page``."""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from ladder.cli.app import parser
from ladder.cli.environment import VARIABLES
from ladder.cli.help import HELP_ALL, option_sections
from ladder.cli.run_options import BotOptions, RunOptions
from tests.tools.generated import ROOT, with_generated

PAGE = ROOT / "docs" / "commands.md"
WIDTH = 100

PLAY_LINK = "[options of play](#options-of-play)"
LIMITS_LINK = "[limits of each bot](#limits-of-each-bot)"

Row = tuple[str, str]
"""An option with its value, and its help."""


def page() -> str:
    """Return the page with fresh lists of options, commands and variables."""
    text = PAGE.read_text()
    text = with_generated(text, "environment", _variables())
    text = with_generated(text, "shared options", "\n".join(_shared_options()))
    return with_generated(text, "commands", "\n".join(_commands()))


def walk(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield every command with the words that reach it, in the order of the help."""
    if hasattr(command, "commands"):
        if command.invoke_without_command:
            yield words, command
        for name, sub in command.commands.items():
            yield from walk(sub, (*words, name))
    else:
        yield words, command


def _sections(command: Any) -> dict[str, list[Row]]:
    """Return the arguments and options of a command by heading, without --help."""
    context = command.make_context("ladder", [], resilient_parsing=True)
    context.meta[HELP_ALL] = True
    return {
        heading: [row for row in rows if "--help" not in row[0]]
        for heading, rows in option_sections(command, context).items()
    }


def _rows_of(fields_of: type) -> dict[str, list[Row]]:
    """Return the options for the fields of a class of options, by heading."""
    names = {f"--{each.name.replace('_', '-')}" for each in fields(fields_of)}
    return {
        heading: shared
        for heading, rows in _sections(parser().commands["run"]).items()
        if (shared := [row for row in rows if row[0].split()[0] in names])
    }


def _shared_options() -> Iterator[str]:
    for heading, rows in _rows_of(RunOptions).items():
        yield f"### {heading}\n"
        yield _list(rows)


def _commands() -> Iterator[str]:
    play = [row for rows in _rows_of(RunOptions).values() for row in rows]
    limits = [row for rows in _rows_of(BotOptions).values() for row in rows]
    usual = [row for rows in _sections(parser().commands["run"]).values() for row in rows]
    usual = [row for row in usual if row[0].split()[0] in ("--db", "--json")]
    for words, command in walk(parser()):
        rows = [row for section in _sections(command).values() for row in section]
        also = []
        for link, group in ((PLAY_LINK, play), (LIMITS_LINK, limits)):
            if set(group) <= set(rows):
                also.append(f"all {link}")
                rows = [row for row in rows if row not in group]
        single = ", ".join(f"`{row[0].split()[0]}`" for row in rows if row in play)
        also += [f"{single} of the {PLAY_LINK}"] if single else []
        also += [f"`{row[0].split()[0]}`" for row in rows if row in usual]
        rows = [row for row in rows if row not in play and row not in usual]
        name = " ".join(words)
        yield f"## ladder {name}\n"
        yield from map(_paragraph, (command.help or "").split("\n\n"))
        yield f"```sh\n{command.epilog}\n```\n"
        if rows:
            yield _list(rows)
        if also:
            yield f"Also: {'; '.join(also)}.\n"


def _paragraph(text: str) -> str:
    """Return a paragraph of help as Markdown."""
    if text.startswith("\b\n"):  # lines that Click does not fill
        first, *lines = text.splitlines()[1:]
        return "\n".join([first, "", *(f"- {line.strip()}" for line in lines), ""])
    return textwrap.fill(_escaped(" ".join(text.split())), WIDTH, break_on_hyphens=False) + "\n"


def _list(rows: list[Row]) -> str:
    lines = []
    for name, text in rows:
        text = " ".join(text.split())
        # Usage and example show which arguments are required.
        text = text if name.startswith("-") else text.removesuffix(" [required]")
        lines.append(f"- `{name.strip()}`: {_escaped(text)}\n")
    return "".join(lines)


def _variables() -> str:
    rows = "".join(f"| `{name}` | {_escaped(text)} |\n" for name, text in VARIABLES.items())
    return f"| variable | meaning |\n|---|---|\n{rows}"


def _escaped(text: str) -> str:
    """Return a text whose stars and lines are no Markdown, except inside backticks."""
    pieces = re.split(r"(`[^`]*`)", text)
    return "".join(
        piece if piece.startswith("`") else re.sub(r"([*<])", r"\\\1", piece) for piece in pieces
    )


if __name__ == "__main__":
    PAGE.write_text(page())
