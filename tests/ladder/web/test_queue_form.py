"""The form of an experiment has the options and defaults of the commands."""

import pytest
import typer

from ladder.cli.app import app
from ladder.web.queue.form import OPTIONS, PLAYING, options_of


@pytest.fixture(scope="module")
def commands() -> dict[str, typer.core.TyperGroup]:
    """Return the commands of the command line by name."""
    group = typer.main.get_command(app)
    return {name: group.get_command(None, name) for name in PLAYING}  # type: ignore[union-attr,arg-type]


@pytest.mark.parametrize("command", PLAYING)
def test_each_option_has_the_default_of_its_command(command: str, commands: dict) -> None:
    """An empty field of the form means what its grey default shows."""
    known = {word: each for each in commands[command].params for word in each.opts}
    for name, option in options_of(command).items():
        parameter = known[f"--{name}"]
        default = parameter.default
        if option.is_flag:
            assert parameter.is_flag
        elif default in (None, ""):
            assert option.default == "", name
        elif isinstance(default, int | float):
            assert float(option.default) == default, name
        else:
            assert option.default == default, name


def test_each_option_is_listed_once_for_a_command() -> None:
    """Options of one name belong to different commands."""
    for command in PLAYING:
        names = [option.name for option in OPTIONS if command in option.commands]
        assert len(names) == len(set(names))
