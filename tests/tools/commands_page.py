"""Writes docs/commands.md from the commands' help: ``python -m tests.tools.commands_page``."""

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from ladder.cli.app import parser
from ladder.cli.declare import shared_options
from ladder.cli.help import HELP_ALL, VARIABLES, first_sentence, option_sections
from ladder.cli.run_options import BotOptions, RunOptions
from tests.tools.generated import ROOT, with_generated

PAGE = ROOT / "docs" / "commands.md"

GROUPS = {
    f"all [{words}](#shared-options)": {
        f"--{each.name.replace('_', '-')}" for each in fields(group) if each.name != "context"
    }
    for words, group in (("options of play", RunOptions), ("limits", BotOptions))
}

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


def _rows(command: Any) -> list[Row]:
    """Return the arguments and options of a command as its help shows them, without --help."""
    context = command.make_context("ladder", [], resilient_parsing=True)
    context.meta[HELP_ALL] = True
    sections = option_sections(command, context).values()
    return [row for rows in sections for row in rows if "--help" not in row[0]]


def _shared_options() -> Iterator[str]:
    of_run = {row[0].split()[0]: row for row in _rows(parser().commands["run"])}
    headings: dict[str, list[Row]] = {}
    for each in shared_options().values():
        default = f" [default: {each.default}]" if each.default else ""
        name = f"{', '.join(each.spellings)} {each.metavar or ''}".strip()
        row = of_run.get(each.spellings[0].partition("/")[0], ("", ""))
        is_same = row[1].startswith(each.text)
        rows = headings.setdefault(each.heading, [])
        rows.append(row if is_same else (name, each.text + default))
    for heading, rows in headings.items():
        yield f"### {heading}\n"
        yield _list(rows)


def _commands() -> Iterator[str]:
    for words, command in walk(parser()):
        yield f"## ladder {' '.join(words)}\n"
        yield f"{_escaped(first_sentence(command.help))} `{command.epilog}`\n"
        rows = [(_first_name(row), row) for row in _rows(command)]
        own = [row for name, row in rows if not _is_shared(name, row)]
        names = [name for name, row in rows if _is_shared(name, row) and name != "--db"]
        if own:
            yield _list(own)
        for link, group in GROUPS.items():
            if group <= {name for name, _ in rows}:
                names = [*(name for name in names if name not in group), link]
        shown = ", ".join(name if name.startswith("all ") else f"`{name}`" for name in names)
        if shown:
            yield f"{'Also' if own else 'Takes'} {shown}.\n"


def _first_name(row: Row) -> str:
    name = row[0].strip()
    return re.split("[, ]", name)[0] if name.startswith("-") else name


def _is_shared(name: str, row: Row) -> bool:
    """Return whether the list of shared options explains an option."""
    spelled = name.partition("/")[0]
    shared = (each for each in shared_options().values() if spelled in each.spellings)
    return any(row[1].startswith(each.text) for each in shared)


def _list(rows: list[Row]) -> str:
    lines = []
    for name, text in rows:
        text = re.sub(r"( *\[required\]|env var: \w+; )", "", " ".join(text.split()))
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
