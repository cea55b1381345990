"""Every number of every command refuses other texts and numbers out of range by its name."""

import typing
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
from typer.models import ArgumentInfo
from typer.utils import get_params_from_function

from ladder.cli.app import parser
from ladder.cli.failures import explain
from ladder.cli.run_options import RunOptions
from tests.tools.commands_page import walk

COMMAND = parser()
NEEDED = {
    "gate": ("v4", "--against", "v3", "--stored"),
    "match": ("v3", "v4"),
    "bisect": ("exec:./mybot", "--good", "v1", "--bad", "main"),
    "select": ("v3", "v4"),
    "tune": ("builtin:v18", "--param", "c=0.2..1.2"),
    "compete": ("v3", "v4", "results.txt"),
    "replay": ("1",),
    "play": ("random",),
    "perft": ("4x4",),
    "bots add-all": (".",),
    "stats sprt": ("--wdl", "5,4,3", "--elo0", "-5", "--elo1", "5"),
    "rate": ("games.pgn",),
    "queue add": ("match", "v3", "v4"),
}
"""Required arguments and options, by command."""


def commands() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield each command with the function that declares its options."""
    for words, command in walk(parser()):
        yield " ".join(words), command.callback.__wrapped__


def numbers() -> Iterator[tuple[str, str, bool]]:
    """Yield a command, the spelling of one of its numbers, and whether that is an argument.

    What `match` and `gate` share with `run` is the same code, and is tried with `run` alone.
    """
    shared = {field.name for field in fields(RunOptions)}
    for words, callback in commands():
        for name, parameter in get_params_from_function(callback).items():
            kinds = {parameter.annotation, *typing.get_args(parameter.annotation)}
            if not kinds & {int, float} or (name in shared and words in ("match", "gate")):
                continue
            if isinstance(parameter.default, ArgumentInfo):
                yield words, str(parameter.default.metavar), True
            else:
                yield words, "--" + name.replace("_", "-"), False


NONSENSE = ("nan", "inf", "1e300", str(10**26), "-1")
SIGNED = ("--elo0", "--elo1", "--mean", "--threshold", "--priority")
"""Numbers that may be below 0."""


@pytest.mark.slow
@pytest.mark.parametrize(("words", "name", "is_argument"), sorted(numbers()))
def test_every_option_refuses_texts_and_numbers_out_of_range(
    words: str,
    name: str,
    is_argument: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Exit code 2 and the option's name, before anything is opened or made."""
    monkeypatch.chdir(tmp_path)
    for value in NONSENSE[:-1] if name in SIGNED else NONSENSE:
        given = ["--", value] if is_argument else [f"{name}={value}"]
        with pytest.raises(Exception) as refused:  # noqa: PT011 - Typer's or ours: `explain` knows
            COMMAND([*words.split(), *NEEDED.get(words, ()), *given], standalone_mode=False)
        assert explain(refused.value) == 2
        assert name in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == []
