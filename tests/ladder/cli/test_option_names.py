"""Errors name an option as the user types it for the running command."""

from typing import Any

import pytest
from typer.main import get_command

from ladder.cli.failures import explain
from ladder.cli.help import CommandGroup
from ladder.errors import ExitCode, UsageError


def refusing(option: str | None) -> Any:
    """Return a program with a command `fit`, below a group, that refuses the field `option`."""
    inner, outer = CommandGroup(name="inner"), CommandGroup(name="ladder")

    def fit(points: int = 1, max_drop: float = 0, all_: str = "") -> int:
        """Fit points.

        Arguments:
          POINTS: Number of points.

        Options:
          --max-drop ELO: Largest loss.
          -a, --all TEXT: All of them.
        """
        del points, max_drop, all_
        raise UsageError("is too large: choose a smaller one", option)

    inner.command("fit")(fit)
    outer.add_typer(inner, name="inner")
    return get_command(outer)


@pytest.mark.parametrize(
    ("field", "beginning"),
    [
        ("points", "POINTS: "),
        ("max_drop", "--max-drop: "),
        ("max_drop_elo", "--max-drop: "),
        ("all", "--all: "),
        ("other_drop", "other drop: "),
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
