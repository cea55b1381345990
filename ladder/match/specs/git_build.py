"""Builds of bots from git, each in a folder below the user's cache folder.

Of a folder only the Python environments are kept, as bots may use their interpreters. They are not
stored in a database, and cannot be moved. The file `OWNER` beside them names the database whose bot
uses them.
"""

import contextlib
import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from db.records.launch import Launch, Origin
from engine.cache import cache_root
from ladder.errors import UsageError
from ladder.match.specs.archive import remove_tree
from ladder.match.specs.environment import environment_without_secrets
from ladder.match.specs.folder_files import is_environment
from ladder.match.specs.git import extract
from ladder.signals import current_stop

BUILD_S = 1800.0
"""How long a build may take."""
SHOWN_LINES = 20
"""Last lines shown of a failed build."""
OWNER = "database"
ABANDONED_S = 86_400.0
"""Seconds after which environments without an owner belong to a bot that was never stored."""


@contextmanager
def built_tree(repository: Path, origin: Origin) -> Iterator[Path]:
    """Yield a folder with the files of a commit after the build; then keep only environments.

    Raises:
        UsageError: the files cannot be extracted, or the build failed.

    """
    builds_folder().mkdir(parents=True, exist_ok=True)
    place = Path(tempfile.mkdtemp(prefix=f"{origin.commit[:12]}-", dir=builds_folder()))
    root = place / "files"
    try:
        root.mkdir()
        extract(repository, origin.commit, root)
        if not (root / origin.inner).is_dir():
            problem = f"there is no folder {origin.inner} in {repository} at {origin.revision}"
            raise UsageError(problem, option="git")
        if origin.build:
            run_build(origin.build, root / origin.inner)
        yield root.resolve()
    except BaseException:
        remove_tree(place)
        raise
    _remove_apart_from_environments(place)


def builds_folder() -> Path:
    """Return the folder of all builds on this machine."""
    return cache_root() / "builds"


def note_owner(launch: Launch, database: str) -> None:
    """Note which database stores a bot, if it uses an environment of a build."""
    for place in _builds_of(launch):
        with contextlib.suppress(OSError):
            (place / OWNER).write_text(database)


def remove_unused_builds(database: str, launches: Iterable[Launch]) -> int:
    """Remove environments that a database owns and none of its bots uses; return their number.

    Environments whose bot was never stored are removed after a day.
    """
    used = {place for launch in launches for place in _builds_of(launch)}
    removed = 0
    with contextlib.suppress(FileNotFoundError):
        for place in set(builds_folder().iterdir()) - used:
            with contextlib.suppress(OSError):
                age_s = time.time() - place.stat().st_mtime
                owner = place / OWNER
                if owner.read_text() == database if owner.exists() else age_s > ABANDONED_S:
                    remove_tree(place)
                    removed += 1
    return removed


def _builds_of(launch: Launch) -> set[Path]:
    """Return the build folders that hold programs of a launch."""
    builds = builds_folder().resolve()
    programs = [Path(each) for each in (launch.python, launch.program) if each is not None]
    return {
        builds_folder() / program.relative_to(builds).parts[0]
        for program in programs
        if program.is_relative_to(builds)
    }


def _remove_apart_from_environments(place: Path) -> None:
    kept = {
        each for found, names, _ in os.walk(place) for each in _environments(Path(found), names)
    }
    for path in [place, *sorted(place.rglob("*"))][::-1]:
        if any(path.is_relative_to(each) or each.is_relative_to(path) for each in kept):
            continue
        if path.is_dir() and not path.is_symlink():
            remove_tree(path)
        else:
            path.unlink(missing_ok=True)


def _environments(place: Path, names: list[str]) -> list[Path]:
    """Return the environments among subfolders, which are not searched further."""
    found = [place / name for name in names if is_environment(place / name)]
    names[:] = [name for name in names if place / name not in found]
    return found


def split_build_command(command: str) -> list[str]:
    """Return the words of a build command, split as by a shell.

    Raises:
        UsageError: there are none, or a quotation mark is not closed.

    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"{command!r} cannot be read: {error}", option="build") from error
    if not words:
        raise UsageError("the command is empty: write one such as 'make -s'", option="build")
    return words


def run_build(command: str, folder: Path, *, timeout_s: float = BUILD_S) -> None:
    """Run a build command, and kill the processes that it leaves behind.

    Args:
        command: words as for a shell, but run without one; `sh -c '...'` starts a shell.
        folder: the working directory.
        timeout_s: how long the build may take.

    Raises:
        UsageError: it could not be started, failed or took too long; with its last lines.

    """
    words = split_build_command(command)
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(
                words,
                cwd=folder,
                env=environment_without_secrets(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        except OSError as error:
            remedy = f"; did you mean ./{words[0]}?" if (folder / words[0]).is_file() else ""
            raise UsageError(
                f"{words[0]!r} cannot be started in the bot's folder: {error.strerror}"
                + (remedy if "/" not in words[0] else ""),
                option="build",
            ) from error
        try:
            code = current_stop().wait_child(process, timeout_s)
            ended = f"failed with exit code {code}"
        except subprocess.TimeoutExpired:
            code, ended = -1, f"took longer than {timeout_s:.0f} s"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if code != 0:
            problem = f"`{command}` {ended}; {_last_lines(output.fileno())}"
            raise UsageError(problem, option="build")


def _last_lines(file: int) -> str:
    size = os.fstat(file).st_size
    tail = os.pread(file, 16384, max(0, size - 16384)).decode("utf-8", "replace")
    lines = tail.rstrip().splitlines()[-SHOWN_LINES:]
    return "its last lines:\n" + "\n".join(lines) if lines else "it printed nothing"
