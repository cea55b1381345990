"""The options of a command as they are stored, and the command line made of them."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from ladder.cli.app import parser
from ladder.cli.config import read_defaults
from ladder.cli.resume import command_line, options_to_store

ROOT = parser().make_context("ladder", ["runs"])
COMMANDS = (
    "run --games 40 --bots 'v1,v2' --pairing gauntlet:v1 --hours 1.5 --note 'a b'",
    "run --time v1=20ms,100ms --no-pin --memory 900 --sandbox 'bwrap --dev /dev'",
    "match v1 v2 --rated --openings 'my book.txt' --boards 6x7",
    "match v1 v2 --adjudicate 18",
    "gate v2 --against v1,v3 --max-drop 12.5 --time 20ms --restart pair",
    "select v1 v2 v3 --against v4 --indifference 30 --simulations 100 --depth 3",
    "bisect 'exec:./bot -x' --good HEAD~9 --bad main --build 'make all' --all --model normalized",
    "nightly 'exec:./bot -x' --branch main --build make --commits 3 --until-error 7 --bisect",
    "tune 'exec:./bot {c}' --param c=0..1 --param d=0..9:int --pairs 3 --files '*.py' "
    "--cluster 10.0.0.1:8786 --tls-cert cert.pem",
    "suite run v1 v2 standard --simulations 1,20",
)


def context_of(command: str) -> Any:
    """Return the context of a command line with the defaults of this folder; nothing runs."""
    words, group = shlex.split(command), parser()
    context = group.make_context("ladder", words, resilient_parsing=True)
    context.default_map = read_defaults(group, Path.cwd(), only=words[0])
    while hasattr(group, "commands"):
        group = group.commands[words[0]]
        context = group.make_context(words[0], words[1:], parent=context)
        words = words[1:]
    return context


def stored(command: str) -> dict[str, Any]:
    """Return the options that a command line stores."""
    return options_to_store(context_of(command))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_line_is_printed_from_its_stored_options(command: str) -> None:
    """The printed line stores the same options, and names those that are not defaults alone."""
    options = stored(command)
    printed = command_line(options, ROOT)
    assert printed.startswith("ladder ")
    assert stored(printed.removeprefix("ladder ")) == options
    assert sorted(shlex.split(printed)) == sorted(["ladder", *shlex.split(command)])


@pytest.mark.parametrize(
    ("words", "plies"),
    [
        ("match v1 v2", None),
        ("match v1 v2 --adjudicate", 12),
        ("match --adjudicate v1 v2", 12),
        ("match --adjudicate --games 4 v1 v2", 12),
        ("match --adjudicate 30 v1 v2", 30),
        ("match v1 v2 --adjudicate 0", 0),
    ],
)
def test_adjudicate_needs_no_number(words: str, plies: int | None) -> None:
    """Without a number behind it, the option has its own default, wherever it stands."""
    options = stored(words)
    assert (options["adjudicate"], options["a"], options["b"]) == (plies, "v1", "v2")


def test_output_and_new_are_not_stored() -> None:
    """A resumed run neither starts anew nor overwrites a file."""
    options = stored("tune builtin:v18 --param c=0..1 --new --json --html page.html --db other.db")
    assert command_line(options, ROOT) == "ladder tune builtin:v18 --param c=0..1"
