"""Every command has help and stands in the documentation."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main

from ladder.cli.app import app
from ladder.cli.help import EXAMPLES, first_sentence
from ladder.cli.main import run_command

ROOT = Path(__file__).resolve().parents[3]


def walk(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with the words that reach it."""
    if hasattr(command, "commands"):
        if command.invoke_without_command:
            yield words, command
        for name, sub in command.commands.items():
            yield from walk(sub, (*words, name))
    else:
        yield words, command


COMMANDS = list(walk(typer.main.get_command(app)))


@pytest.mark.slow
@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=[" ".join(w) for w, _ in COMMANDS])
def test_every_command_and_option_has_help(words: tuple[str, ...], command: Any) -> None:
    """A command must say what it does, and so must each of its options and arguments."""
    assert command.help, words
    for parameter in command.params:
        if parameter.name != "help":
            assert getattr(parameter, "help", None), f"{' '.join(words)}: {parameter.name}"


@pytest.mark.slow
@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=[" ".join(w) for w, _ in COMMANDS])
def test_every_command_is_documented(words: tuple[str, ...], command: Any) -> None:
    """docs/commands.md must have a heading for each command and name each of its options."""
    text = (ROOT / "docs" / "commands.md").read_text()
    heading = f"## ladder {' '.join(words)}\n"
    assert heading in text
    section = text.split(heading)[1].split("\n## ")[0]
    for parameter in command.params:
        for option in parameter.opts:
            if option.startswith("--") and option != "--help":
                assert f"`{option}" in section, f"{' '.join(words)}: {option}"


@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=[" ".join(w) for w, _ in COMMANDS])
def test_help_is_shown(
    words: tuple[str, ...], command: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--help` must succeed for every command."""
    del command
    assert run_command([*words, "--help"]) == 0
    assert "Usage:" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=[" ".join(w) for w, _ in COMMANDS])
def test_help_shows_an_example(
    words: tuple[str, ...],
    command: Any,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each command's help must end with a line to copy that calls that command."""
    del command
    monkeypatch.setenv("COLUMNS", "80")
    assert run_command([*words, "--help"]) == 0
    last = capsys.readouterr().out.rstrip().splitlines()[-1].split()
    assert last[: 1 + len(words)] == ["ladder", *words]


@pytest.mark.parametrize("width", [60, 80, 120])
def test_lists_of_commands_cut_no_sentence(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    """Whatever the width, a list of commands must hold each first sentence whole."""
    monkeypatch.setenv("COLUMNS", str(width))
    groups = {words[:-1] for words, _ in COMMANDS if words}
    for group in groups:
        assert run_command([*group, "--help"]) == 0
        text = capsys.readouterr().out
        assert "..." not in text.split("Commands:")[1]
        flat = " ".join(text.split())
        for words, command in COMMANDS:
            if words[:-1] == group and not command.hidden:
                assert first_sentence(command.short_help or command.help) in flat


def test_examples_use_options_that_exist() -> None:
    """An example must name its command and only options that this command has."""
    known = {" ".join(words): command for words, command in COMMANDS}
    assert set(EXAMPLES) == set(known)
    for words, line in EXAMPLES.items():
        assert line.startswith(f"ladder {words}")
        options = {option for parameter in known[words].params for option in parameter.opts}
        used = {word for word in shlex.split(line) if re.fullmatch(r"--?[a-z-]+", word)}
        assert used <= options, line
