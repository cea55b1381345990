"""One setting for the sandbox: every command that starts a foreign bot must look at it."""

from pathlib import Path

import pytest

from tests.end_to_end.conftest import Ladder
from tests.support.hosted import BOT, LEGAL, write

pytestmark = pytest.mark.slow

SHORT = ("--boards", "4x4", "--opening-plies", "0", "--simulations", "1", "--concurrency", "1")
SPEC = "python:bot.py:Bot"


class Sandbox:
    """A program that notes what it was to start, and starts it."""

    def __init__(self, folder: Path) -> None:
        self.program = folder / "sandbox"
        self.notes = folder / "started"
        self.program.write_text(f'#!/bin/sh\necho "$@" >> {self.notes}\nexec "$@"\n')
        self.program.chmod(0o755)

    def starts(self) -> list[str]:
        """The commands since the last look."""
        lines = self.notes.read_text().splitlines() if self.notes.exists() else []
        self.notes.unlink(missing_ok=True)
        return lines


@pytest.fixture
def sandbox(ladder: Ladder) -> Sandbox:
    """Set in the table of `run` alone, as some write it."""
    write(ladder.folder, rules=LEGAL, bot=BOT.format(module="rules"))
    made = Sandbox(ladder.folder)
    (ladder.folder / "ladder.toml").write_text(f'[run]\nsandbox = "{made.program}"\n')
    return made


def test_no_command_starts_a_bot_without_it(ladder: Ladder, sandbox: Sandbox) -> None:
    """Whatever starts the bot must start it behind the program that the file names."""
    result = str(ladder.folder / "result.txt")
    play = "0\n1\nhint guest\nquit\n"
    codes = {"gate": 4, "doctor": 1}  # too few games; this sandbox lets the bot do what it likes
    commands: list[tuple[tuple[str, ...], str]] = [
        (("bots", "add", "guest", SPEC), ""),
        (("bots", "check", "guest"), ""),
        (("bots", "add-all", ".", "--pattern", "bot.py", "--name", "all", "--spec", SPEC), ""),
        (("run", "--bots", "guest,random", *SHORT, "--games", "2"), ""),
        (("match", "guest", "random", *SHORT, "--games", "2"), ""),
        (("gate", "guest", "--against", "random", *SHORT, "--max-games", "2"), ""),
        (("compete", SPEC, "guest", result, "1", "--time", "1s"), ""),
        (("play", "guest", "--time", "1s"), play),
        (("play", "stupid", "--time", "1s"), play),
        (("doctor",), ""),
    ]
    for words, text in commands:
        done = ladder.told(text, *words) if text else ladder(*words)
        assert done.code == codes.get(words[0], 0), (words, done.err)
        assert sandbox.starts(), f"{' '.join(words)} started a bot without the sandbox"


def test_it_can_be_switched_off_for_one_command(ladder: Ladder, sandbox: Sandbox) -> None:
    """The command line wins, with another program or with none."""
    assert ladder("bots", "add", "guest", SPEC, "--sandbox", "none").code == 0
    assert sandbox.starts() == []
    assert ladder("bots", "check", "guest", "--sandbox", "env").code == 0
    assert sandbox.starts() == []
