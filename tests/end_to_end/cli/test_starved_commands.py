"""Every command where the machine refuses what it needs: folders, disk, memory."""

import contextlib
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ladder.cli.app import parser
from tests.db.disks import fill, read_only, small_disk
from tests.end_to_end.conftest import SERVER, Ladder
from tests.end_to_end.runs.test_database_faults import COMMANDS, PUZZLE, SHORT
from tests.end_to_end.traces import QUICK_ALONE
from tests.support.shared import made_once
from tests.support.starved import SPARE_MIB

WITHOUT_DATABASE = {
    "openings make": ("book.txt", "--plies", "2", "--count", "2", "--boards", "4x4"),
    "perft": ("2",),
    "rate": ("games.pgn",),
    "solve": ("--board", "4x4", "0123"),
    "stats elo": ("--wdl", "3,2,1"),
    "train c4ai": ("--generations", "1", "--games-per-trial", "2", "--boards", "4x4"),
    "bots add": ("new", "exec:python3 bot.py honest"),
    "report": ("--html", "page.html"),
    "gate": ("random", "--against", "stupid", "--max-games", "2", "--html", "x.html", *SHORT),
    "replay": ("1", "--analyze"),
}
LASTING = {
    *("serve", "queue work", "worker", "bench harness", "bench search", "train value"),
    *("stats los", "stats sprt"),  # like `stats elo`
}
"""Commands that are not walked: they go on, or take minutes."""
WALKED = [*COMMANDS.items(), *WITHOUT_DATABASE.items()]


@contextmanager
def full_disk(folder: Path) -> Iterator[None]:
    fill(folder / "filler")
    yield


@contextmanager
def closed_folder(folder: Path) -> Iterator[None]:
    folder.chmod(0)
    try:
        yield
    finally:
        folder.chmod(0o755)


SHORTAGES: dict[str, Callable[[Path], contextlib.AbstractContextManager[None]]] = {
    "read-only folder": read_only,
    "full disk": full_disk,
    "closed folder": closed_folder,
    "little memory": lambda _: contextlib.nullcontext(),
}


def make(folder: Path) -> None:
    ladder = Ladder(folder).stock()
    shutil.copy(Path(__file__).parents[2] / "fake_bots" / "bot.py", folder)
    done = ladder("run", *QUICK_ALONE, "--seed", "1", "--games", "4")
    assert done.code == 0, done.err
    (folder / "games.jsonl").write_text(ladder("export").out)
    (folder / "games.pgn").write_text(ladder("export", "--format", "pgn").out)
    (folder / "suite.jsonl").write_text(PUZZLE)


@pytest.mark.very_slow
@pytest.mark.parametrize("shortage", SHORTAGES)
def test_every_command_without_what_it_needs_ends_in_one_sentence(
    ladder: Ladder, tmp_path: Path, shortage: str
) -> None:
    """Exit code 2, what is wrong and what to do; never an internal error or a traceback."""
    folder = tmp_path / "place"
    wrong = []
    ladder.environment |= {"LADDER_DEBUG": "", SPARE_MIB: "4"}
    with small_disk(folder, mib=4):
        shutil.copytree(made_once("walked", make), folder, dirs_exist_ok=True)
        with SHORTAGES[shortage](folder):
            for name, words in WALKED:
                command = (*name.split(), *words)
                is_starved = shortage == "little memory"
                if is_starved:
                    shutil.copy(made_once("walked", make) / "ladder.db", folder)
                process = SERVER.start(
                    command,
                    folder,
                    ladder.environment,
                    heeds_permissions=shortage == "closed folder",
                    entry="tests.support.starved:main" if is_starved else "ladder.cli.main:main",
                )
                ladder.started.append(process)
                done = ladder.finish(process, timeout=100)
                sentences = [line for line in done.err.splitlines() if line.startswith("ladder: ")]
                is_fine = done.code in (0, 2, 3, 4) and "Traceback" not in done.err
                if not is_fine or len(sentences) != (done.code == 2):
                    wrong.append((name, done.code, done.err))
    assert wrong == []


def test_all_commands_are_walked() -> None:
    """A new command must stand in one of the lists."""

    def walk(command: Any, words: tuple[str, ...]) -> Iterator[str]:
        for name, below in getattr(command, "commands", {}).items():
            yield from walk(below, (*words, name))
        if not hasattr(command, "commands") or command.invoke_without_command:
            yield " ".join(words)

    listed = {*COMMANDS, *WITHOUT_DATABASE, *LASTING}
    assert {*walk(parser(), ())} == listed
