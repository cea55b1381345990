"""Results that cannot be written: a bad disk, a reader that has gone, a closed descriptor."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ladder.cli.main import run_command
from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import query
from tests.support.instant_workforce import InstantWorkforce
from tests.support.shared import made_once

SMALL = ("--boards", "5x5", "--simulations", "20", "--concurrency", "1", "--seed", "5")


@pytest.fixture
def played(ladder: Ladder) -> Ladder:
    """Return a folder with a database of two games."""

    def play(folder: Path) -> None:
        words = ("match", "random", "stupid", "--rated", "--games", "2", *SMALL)
        assert run_command([*words, "--db", f"{folder}/ladder.db"], InstantWorkforce()) == 0

    shutil.copy(made_once("two-games", play) / "ladder.db", ladder.folder)
    return ladder


INSTANT = "from tests.support.instant_workforce import main_with_instant_workers as main; main()"


def run_into(
    ladder: Ladder,
    output: int,
    *words: str,
    unbuffered: str = "",
    program: str = "from ladder.cli.main import main; main()",
) -> tuple[int, str]:
    """Run a command with this standard output; its exit code and what it wrote on stderr."""
    done = subprocess.run(
        [sys.executable, "-c", program, *words],
        cwd=ladder.folder,
        env={**ladder.environment, "PYTHONUNBUFFERED": unbuffered},
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "unbuffered"),
    [
        (("report",), ""),
        (("report", "--json"), "1"),
    ],
)
def test_a_full_disk_behind_standard_output_is_reported_in_one_line(
    played: Ladder, words: tuple[str, ...], unbuffered: str
) -> None:
    """Whether the write fails at once or at the end, the exit code is 2."""
    full = os.open("/dev/full", os.O_WRONLY)
    code, told = run_into(played, full, *words, unbuffered=unbuffered)
    os.close(full)
    assert told == (
        "ladder: standard output cannot be written (No space left on device): free some space or "
        "write elsewhere\n"
    )
    assert code == 2


@pytest.mark.slow
def test_a_verdict_is_stored_when_its_reader_has_left(played: Ladder) -> None:
    """The exit code of a gate must be that of its verdict although no process reads its output."""
    reading, writing = os.pipe()
    os.close(reading)
    words = ("gate", "random", "--against", "stupid", "--max-games", "4", *SMALL)
    code, told = run_into(played, writing, *words, program=INSTANT)
    os.close(writing)
    assert code == 4, told
    assert query(played.db, "select verdict from runs where kind = 'gate'") == [("inconclusive",)]
    assert "Traceback" not in told
    assert "BrokenPipe" not in told


@pytest.mark.slow
@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("-o", ("report", "-o")),
        ("-o", ("report", "--json", "-o")),
        ("-o", ("export", "-o")),
        ("--junit", ("gate", "stupid", "--against", "random", "--stored", *SMALL[:4], "--junit")),
        (
            "--summary",
            ("gate", "stupid", "--against", "random", "--stored", *SMALL[:4], "--summary"),
        ),
        ("FILE", ("openings", "make", "--boards", "4x4", "--plies", "2", "--count", "2")),
    ],
)
def test_a_full_disk_behind_a_file_is_reported_with_its_option(
    played: Ladder, option: str, words: tuple[str, ...]
) -> None:
    """The message names the option and the file, and calls nothing a defect of the program."""
    file = Path(played.folder) / "full"
    file.symlink_to("/dev/full")
    done = played(*words, "full")
    assert done.code == 2, done.err
    assert f"ladder: {option} full cannot be written (No space left on device)" in done.err


@pytest.mark.slow
def test_an_error_of_the_disk_behind_a_file_is_reported_as_such(played: Ladder) -> None:
    """A write that fails with EIO, as to unmapped memory, is no lack of space."""
    (Path(played.folder) / "failing").symlink_to("/proc/self/mem")
    for command in ("report", "export"):
        done = played(command, "-o", "failing")
        assert (done.code, done.err) == (
            2,
            "ladder: -o failing cannot be written (Input/output error): check the disk or write "
            "elsewhere\n",
        )


@pytest.mark.slow
def test_a_command_with_a_closed_standard_output_does_its_work(played: Ladder) -> None:
    done = subprocess.run(
        ["sh", "-c", f"{sys.executable} -c 'from ladder.cli.main import main; main()' runs >&-"],
        cwd=played.folder,
        env=played.environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
