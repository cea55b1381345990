"""Every command has help, an example and its place in docs/commands.md."""

import re
import shlex
from typing import Any

import pytest
import typer.main

from ladder.cli.app import app
from ladder.cli.environment import VARIABLES
from ladder.cli.help import first_sentence
from ladder.cli.main import run_command
from tests.tools.commands_page import PAGE, page, walk
from tests.tools.generated import ROOT

COMMANDS = list(walk(typer.main.get_command(app)))


@pytest.mark.slow
@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=[" ".join(w) for w, _ in COMMANDS])
def test_every_command_and_option_has_help(words: tuple[str, ...], command: Any) -> None:
    """Each of its options and arguments must be described, too."""
    assert command.help, words
    for parameter in command.params:
        if parameter.name != "help":
            assert getattr(parameter, "help", None), f"{' '.join(words)}: {parameter.name}"


def test_the_page_of_commands_is_up_to_date() -> None:
    """docs/commands.md must be what `make docs` writes from the help."""
    assert PAGE.read_text() == page()


def test_the_page_of_commands_names_every_option() -> None:
    """Each option of each command stands in its section, or among the options that it links to."""
    text = page()
    common = text.split("## Options of play")[1]
    for words, command in COMMANDS:
        section = text.split(f"## ladder {' '.join(words)}\n")[1].split("\n## ")[0]
        if "all [" in section:
            section += common
        for parameter in command.params:
            for option in parameter.opts:
                if option.startswith("--"):
                    assert re.search(rf"`(-o, )?{option}\b", section), (words, option)


def test_every_variable_is_listed() -> None:
    """A variable that the program reads must be listed for users, or be known as internal."""
    internal = {"LADDER_SANDBOX"}  # set by a worker for its own slots
    read = set()
    for package in ("engine", "bots", "db", "ladder", "reports"):
        for path in (ROOT / package).rglob("*.py"):
            read |= set(re.findall(r"\bLADDER_[A-Z]+\b", path.read_text()))
    assert read - internal == {name for name in VARIABLES if name.startswith("LADDER_")}


@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=[" ".join(w) for w, _ in COMMANDS])
def test_every_command_shows_its_help(
    words: tuple[str, ...], command: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--help` must succeed for every command."""
    del command
    assert run_command([*words, "--help"]) == 0
    assert "Usage:" in capsys.readouterr().out


@pytest.mark.parametrize(("words", "command"), COMMANDS, ids=[" ".join(w) for w, _ in COMMANDS])
def test_the_help_of_every_command_ends_with_an_example(
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
        flat = " ".join(text.split())
        for words, command in COMMANDS:
            if words[:-1] == group and not command.hidden:
                assert first_sentence(command.short_help or command.help) in flat


def test_examples_use_options_that_exist() -> None:
    """An example must name its command and only options that this command has."""
    known = {" ".join(words): command for words, command in COMMANDS}
    for words, command in known.items():
        line = command.epilog
        assert line.startswith(f"ladder {words}")
        taking = [known[words]]
        if words == "queue add":  # the options of the experiment, too
            taking.append(known[line.removeprefix(f"ladder {words} ").split()[0]])
        options = {
            option for each in taking for parameter in each.params for option in parameter.opts
        }
        used = {word for word in shlex.split(line) if re.fullmatch(r"--?[a-z-]+", word)}
        assert used <= options, line


@pytest.mark.parametrize("width", [80, 120])
def test_options_stand_under_headings(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    """A long help has headings, the limits and the output last, and fits the terminal."""
    monkeypatch.setenv("COLUMNS", str(width))
    assert run_command(["run", "--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    headings = [line for line in lines if re.fullmatch(r"[A-Z][a-z ]+:", line)]
    assert headings[0] == "What to play:"
    assert headings[-3:] == ["Limits of each bot:", "Many machines:", "Database and output:"]
    assert max(map(len, lines)) <= min(width, 100)


@pytest.mark.parametrize("name", ["run", "gate"])
def test_help_comes_in_two_sizes(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """`--help` shows at most 20 options and how to see the others, `--help-all` every one."""
    texts = []
    for word in ("--help", "--help-all"):
        assert run_command([name, word]) == 0
        texts.append(capsys.readouterr().out)
    shown, every = (set(re.findall(r"(?m)^  (?:-\w, )?(--[a-z-]+)", text)) for text in texts)
    assert len(shown) <= 20
    assert f"`ladder {name} --help-all`: {len(every - shown)} more options" in texts[0]
    assert "more options" not in texts[1]
    command = dict(COMMANDS)[(name,)]
    options = [each for each in command.params if each.param_type_name == "option"]
    assert every == {each.opts[0] for each in options} | {"--help"}


def test_a_short_help_has_one_list_of_options(capsys: pytest.CaptureFixture[str]) -> None:
    """A command with few options lists them without further headings."""
    assert run_command(["stats", "elo", "--help"]) == 0
    text = capsys.readouterr().out
    assert re.findall(r"(?m)^[A-Z][a-z ]+:$", text) == ["Options:"]


def test_defaults_are_shown_once_without_parentheses(capsys: pytest.CaptureFixture[str]) -> None:
    """A default has no parentheses and no needless fraction, and no range follows it."""
    for words, _ in COMMANDS:
        assert run_command([*words, "--help"]) == 0
        text = " ".join(capsys.readouterr().out.split())
        assert not re.search(r"default: \(|default: \d+\.0\]|<=x", text), words
