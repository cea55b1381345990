"""Every command has help, an example and its place in docs/commands.md."""

import re
import shlex

import pytest

from ladder.cli.app import parser
from ladder.cli.help import VARIABLES, first_sentence
from tests.ladder.cli.conftest import Command
from tests.tools.commands_page import PAGE, page, walk
from tests.tools.generated import ROOT

COMMANDS = list(walk(parser()))


def test_the_page_of_commands_is_up_to_date() -> None:
    """docs/commands.md must be what `make docs` writes from the help."""
    assert PAGE.read_text() == page()


def test_every_variable_is_listed() -> None:
    """A variable that the program reads must be listed for users, or be known as internal."""
    internal = {"LADDER_SANDBOX"}  # set by a worker for its own slots
    read = set()
    for package in ("engine", "bots", "db", "ladder", "reports"):
        for path in (ROOT / package).rglob("*.py"):
            read |= set(re.findall(r"\bLADDER_[A-Z]+\b", path.read_text()))
    assert read - internal == {name for name in VARIABLES if name.startswith("LADDER_")}


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 100])
def test_every_help_is_whole(ladder: Command, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    """Whatever the width, help names each option and its default, and ends with the example."""
    monkeypatch.setenv("COLUMNS", str(width))
    for words, command in COMMANDS:
        done = ladder(*words, "--help-all" if words != ("runs",) else "--help")
        flat = " ".join(done.out.split())
        assert done.code == 0
        assert max(map(len, done.out.splitlines()[:-1])) <= width
        assert done.out.rstrip().splitlines()[-1].strip() == command.epilog
        assert not re.search(r"default: \(|default: \d+\.0\]|<=x", flat), words
        for parameter in command.params:
            if parameter.param_type_name == "option":
                assert f" {parameter.opts[-1]} " in flat, words
    for group in {words[:-1] for words, _ in COMMANDS if words}:
        flat = " ".join(ladder(*group, "--help-all").out.split())
        for words, command in COMMANDS:
            if words[:-1] == group:
                assert first_sentence(command.short_help or command.help) in flat


def test_the_first_screen_shows_the_usual_commands(ladder: Command) -> None:
    """Within 24 lines of 80 characters stand the commands of a night, a morning and a merge."""
    first = ladder("--help").out.splitlines()[:24]
    names = re.findall(r"(?m)^  ([a-z]+) {2,}\S", "\n".join(first))
    assert {"bots", "run", "match", "play", "report", "games", "replay", "serve", "gate"} <= {
        *names
    }
    assert "compete" not in ladder("--help").out
    assert "compete" in ladder("--help-all").out


def test_examples_use_options_that_exist() -> None:
    """An example must name its command and only options that this command has."""
    known = {" ".join(words): command for words, command in COMMANDS}
    for words, command in known.items():
        line = command.epilog
        assert line.startswith(f"ladder {words}")
        taking = [command]
        if words == "queue add":  # the options of the experiment, too
            taking.append(known[line.removeprefix(f"ladder {words} ").split()[0]])
        options = {
            option for each in taking for parameter in each.params for option in parameter.opts
        }
        used = {word for word in shlex.split(line) if re.fullmatch(r"--?[a-z-]+", word)}
        assert used <= options, line


def test_options_stand_under_headings(ladder: Command) -> None:
    """A long help has headings, the limits and the output last; a short one has one list."""
    heading = r"(?m)^[A-Z][a-z ]+:$"
    headings = re.findall(heading, ladder("run", "--help").out)
    assert headings[0] == "What to play:"
    assert headings[-3:] == ["Limits of each bot:", "Many machines:", "Database and output:"]
    assert re.findall(heading, ladder("stats", "elo", "--help").out) == ["Options:"]


@pytest.mark.parametrize("name", ["run", "gate"])
def test_help_comes_in_two_sizes(name: str, ladder: Command) -> None:
    """`--help` shows at most 20 options and how to see the others, `--help-all` every one."""
    texts = [ladder(name, word).out for word in ("--help", "--help-all")]
    shown, every = (set(re.findall(r"(?m)^  (?:-\w, )?(--[a-z-]+)", text)) for text in texts)
    assert len(shown) <= 20
    assert f"`ladder {name} --help-all`: {len(every - shown)} more options" in texts[0]
    assert "more options" not in texts[1]
    assert len(every) == 1 + sum(
        each.param_type_name == "option" for each in dict(COMMANDS)[(name,)].params
    )
