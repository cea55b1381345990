"""Errors name an option as the user types it for the running command."""

from typing import Annotated, Any

import pytest
import typer
from typer.main import get_command

from ladder.cli.app import app
from ladder.cli.failures import explain
from ladder.cli.help import CommandGroup, option_spelling
from ladder.errors import ExitCode, UsageError

ROOT: Any = get_command(app)


@pytest.mark.parametrize(
    ("words", "field", "spelling"),
    [
        ("gate", "max_drop", "--max-drop"),
        ("gate", "candidate", "CANDIDATE"),
        ("run", "time", "--time"),
        ("run", "time_ms", "--time"),
        ("run", "pin", "--pin"),
        ("run", "max_drop", None),
        ("report", "form", "--format"),
        ("report", "format", "--format"),
        ("export", "output", "--output"),
        ("serve", "open_browser", "--open"),
        ("bisect", "every", "--all"),
        ("bots add", "spec", "SPEC"),
        ("match", "a", "A"),
    ],
)
def test_fields_are_spelled_as_options(words: str, field: str, spelling: str | None) -> None:
    """A field is spelled as the command's option or argument; a foreign one has no spelling."""
    command = ROOT
    for word in words.split():
        command = command.commands[word]
    assert option_spelling(command, field) == spelling


def refusing(option: str | None) -> Any:
    """Return a program with a command `fit`, below a group, that refuses the field `option`."""
    inner, outer = CommandGroup(name="inner"), CommandGroup(name="ladder")

    def fit(
        points: Annotated[int, typer.Argument(metavar="POINTS")] = 1,
        model: Annotated[str, typer.Option("--kind")] = "",
    ) -> None:
        del points, model
        raise UsageError("is too large: choose a smaller one", option)

    inner.command("fit")(fit)
    outer.add_typer(inner, name="inner")
    return get_command(outer)


@pytest.mark.parametrize(
    ("field", "beginning"),
    [
        ("model", "--kind: "),
        ("points", "POINTS: "),
        ("max_drop", "max drop: "),
        (None, ""),
    ],
)
def test_an_error_is_printed_with_the_spelling(
    field: str | None, beginning: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """The sentence begins with the option, and the exit code stays that of bad input."""
    with pytest.raises(UsageError) as caught:
        refusing(field)(["inner", "fit"], standalone_mode=False)
    assert explain(caught.value) == ExitCode.USAGE
    written = capsys.readouterr()
    assert written.err == f"ladder: {beginning}is too large: choose a smaller one\n"
    assert written.out == ""
