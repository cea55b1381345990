"""The command line that repeats a run, whatever `ladder.toml` holds now."""

import json
from collections.abc import Iterator
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from db.records.run_settings import NAMING, rename_in_options
from db.records.runs import RunKind
from ladder.cli.app import parser
from ladder.cli.resume import NOT_STORED, command_line, options_to_store
from ladder.cli.run_options import RunOptions
from ladder.runs.pairings import RANDOM, Pairing
from ladder.runs.settings import RunSettings
from tests.ladder.cli.test_resume import ROOT, context_of

REPEATED = {
    "run": "run",
    "match": "match v1 v2",
    "gate": "gate v1 --against v2",
    "select": "select v1 v2",
    "bisect": "bisect exec:./x --good a --bad b",
    "tune": "tune 'exec:./x {c}'",
    "suite run": "suite run v1 standard",
    "analyze": "analyze",
}
"""Every command that can be printed again, with what it needs."""
CANDIDATES = ("50", "60", "0.6", "0.7", "0.3", "0.4", "game", "pair", "normalized")
"""Values of which each option takes two."""


def options_of(command: str) -> list[Any]:
    """Return the optional options of a command that are stored, from its declaration."""
    found: Any = parser()
    for word in command.split():
        found = found.commands[word]
    return [
        each
        for each in found.params
        if each.param_type_name == "option"
        and not each.required
        and not each.is_eager
        and each.name not in NOT_STORED
    ]


def values_of(command: str, option: Any) -> list[object]:
    """Return two values of an option, of which the first is not its default."""
    if option.is_flag:
        return [not option.default, option.default]
    found: list[object] = []
    for text in CANDIDATES:
        try:
            context = context_of(f"{REPEATED[command]} {given(option, text)}")
        except Exception as error:
            if not hasattr(error, "format_message"):  # as those of Typer have
                raise
            continue
        if context.params[option.name] != option.default:
            found.append(text)
    return found[:2]


def given(option: Any, value: object) -> str:
    """Return an option on the command line."""
    if option.is_flag:
        return str(option.opts[0] if value else f"--no-{option.opts[0].removeprefix('--')}")
    return f"{option.opts[0]} {value}"


def write_toml(command: str, values: dict[str, object]) -> None:
    """Write defaults of a command into the `ladder.toml` of the current folder."""
    table = ".".join(command.split())
    lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
    Path("ladder.toml").write_text("\n".join([f"[{table}]", *lines]))


def lines_of(command: str) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield command lines, and defaults under which each is printed and read again."""
    options = options_of(command)
    values = {each.name: values_of(command, each) for each in options}
    others = {name: found[-1] for name, found in values.items()}
    hostile = {name: found[0] for name, found in values.items()}
    yield REPEATED[command], hostile
    for option in options:
        value = others[option.name]
        line = f"{REPEATED[command]} {given(option, value)}"
        yield line, {option.name: hostile[option.name]}
        yield line, hostile
        yield f"{REPEATED[command]} {given(option, hostile[option.name])}", hostile


@pytest.mark.slow
@pytest.mark.parametrize("command", REPEATED)
def test_a_repeated_command_is_the_same_under_any_defaults(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line that is printed under a `ladder.toml` of other values gives every option the value
    that the command had without it."""
    monkeypatch.chdir(tmp_path)
    for line, defaults in lines_of(command):
        Path("ladder.toml").unlink(missing_ok=True)
        stored = options_to_store(context_of(line))
        write_toml(command, defaults)
        printed = command_line(stored, ROOT).removeprefix("ladder ")
        again = options_to_store(context_of(printed))
        if stored.get("boards", "") is None and again["boards"] == "thu":
            again["boards"] = None
        assert again == stored, (line, printed)


HOSTILE = """
boards = "8x8"
openings = "balanced"
adjudicate = 30
seed = 77
concurrency = 3
restart = "game"
pin = false
watchdog = 5
memory = 900
open_files = 99
processes = 9
sandbox = "env"
margin = "70ms"
note = "hostile"
cluster = "10.0.0.1:8786"
"""


def settings_of_line(line: str) -> RunSettings:
    """Return what the shared options of a command line mean for its run."""
    context = context_of(line)
    given = {
        each.name: context.params[each.name]
        for each in fields(RunOptions)
        if each.name != "context"
    }
    made = RunOptions(**given, context=context).settings(
        db="none.db", kind=RunKind.MATCH, bots=("v1", "v2"), pairing=Pairing(RANDOM)
    )
    return replace(made, options={})


@pytest.mark.slow
@pytest.mark.parametrize("budget", ["time = '1s'", "clock = '9s'", "simulations = 7", "depth = 2"])
@pytest.mark.parametrize(
    "line",
    [
        "match v1 v2 --seed 5",
        "match v1 v2 --opening-plies 6 --simulations 20 --seed 5",
        "match v1 v2 --clock 10s+100ms --boards 6x7 --seed 5 --openings balanced",
        "match v1 v2 --time v1=20ms,100ms --adjudicate --overage 60s --seed 5 --no-pin",
        "match v1 v2 --depth 3 --nodes 50 --seed 5 --sandbox 'bwrap --x' --restart pair",
    ],
)
def test_a_repeated_command_plays_the_same(
    line: str, budget: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its boards, openings, budgets and limits are those of the run, also where the present
    defaults would contradict them."""
    monkeypatch.chdir(tmp_path)
    wanted, stored = settings_of_line(line), options_to_store(context_of(line))
    Path("ladder.toml").write_text(f"{budget}\n{HOSTILE}")
    printed = command_line(stored, ROOT).removeprefix("ladder ")
    assert settings_of_line(printed) == wanted, printed


@pytest.mark.parametrize("command", [each for each in REPEATED if " " not in each])
def test_every_option_that_names_bots_is_renamed(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the shell completes with names of bots follows their new names."""
    monkeypatch.chdir(tmp_path)
    context = context_of(REPEATED[command])
    for parameter in context.command.params:
        shown = (parameter.shell_complete(context, f"{word}v10") for word in ("", "gauntlet:"))
        if parameter.name not in NOT_STORED and any(
            each.value.endswith("v10") for found in shown for each in found
        ):
            assert parameter.name in NAMING


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"a": "v1", "b": "v10"}, {"a": "zed", "b": "v10"}),
        ({"bots": "v2,v1,v*,exec:./v1"}, {"bots": "v2,zed,v*,exec:./v1"}),
        ({"candidates": ["v1", "v11"], "against": None}, {"candidates": ["zed", "v11"]}),
        ({"pairing": "gauntlet:v1"}, {"pairing": "gauntlet:zed"}),
        ({"time": "v1=20ms,100ms", "note": "v1"}, {"time": "zed=20ms,100ms", "note": "v1"}),
    ],
)
def test_names_are_replaced_where_they_are_names(
    options: dict[str, Any], expected: dict[str, Any]
) -> None:
    """In lists, odds and pairings; not in specifications, patterns, notes and longer names."""
    assert rename_in_options(options, {"v1": "zed"}) == {**options, **expected}
