"""Bot specifications: from what a user writes to a process's command and a content hash."""

import hashlib
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bots.catalogue import parse_player
from bots.errors import SpecError
from bots.identity import content_hash, sources
from db.records import Launch
from engine.cache import ROOT

BUILTIN = "builtin:"
EXEC = "exec:"
FORMS = "builtin:PLAYER, such as builtin:v4, or exec:COMMAND, such as 'exec:./mybot --fast'"
VERSION_S = 10.0
"""How long an interpreter may take to tell its version."""


@dataclass(frozen=True, slots=True)
class Made:
    """What a specification stands for, here and now."""

    family: str
    launch: Launch
    """For a built-in player without a command: that is made when it is started."""
    files: Mapping[str, str]
    """Everything the bot is made of: a file, an interpreter or an option, and its hash or value."""
    content_hash: str
    """Equal when the bot is the same."""


def read_spec(spec: str, folder: Path) -> Made:
    """Look at what a specification names.

    Args:
        spec: as the user wrote it.
        folder: the folder in which it was written, and in which the bot will run.

    Raises:
        SpecError: the specification has none of the known forms, or names what is not there.
        UnknownPlayer: no built-in player has the name.

    """
    if spec.startswith(BUILTIN):
        return _builtin(spec.removeprefix(BUILTIN))
    if spec.startswith(EXEC):
        return _exec(spec.removeprefix(EXEC), folder)
    raise SpecError(f"unknown specification {spec!r}: write {FORMS}")


def _builtin(player: str) -> Made:
    version, options = parse_player(player)
    return Made(
        family=version.family,
        launch=Launch(command=(), folder="", player=player),
        files={
            **{str(path.relative_to(ROOT)): _hash_file(path) for path in sources(version)},
            **{f"option {name}": value for name, value in options.items()},
        },
        content_hash=content_hash(version, options),
    )


def _exec(command: str, folder: Path) -> Made:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise SpecError(f"the command {command!r} cannot be read: {error}") from error
    if not words:
        raise SpecError(f"exec: needs a command: write {FORMS}")
    files: dict[str, str] = {}
    program = folder / words[0]
    if not program.is_file():
        files.update(_interpreter(words[0], folder))
    for word in words:
        path = folder / word
        if path.is_file():
            files[word] = _hash_file(path)
    digest = hashlib.sha256(repr((words, sorted(files.items()))).encode()).hexdigest()[:16]
    launch = Launch(command=tuple(words), folder=str(folder.resolve()))
    return Made(family="foreign", launch=launch, files=files, content_hash=digest)


def _interpreter(word: str, folder: Path) -> dict[str, str]:
    """A program found on PATH counts by its path and version."""
    found = shutil.which(word)
    if found is None:
        raise SpecError(
            f"{word!r} is neither a file in {folder} nor a program on PATH: "
            "write a path such as ./mybot"
        )
    try:
        done = subprocess.run(
            [found, "--version"],
            capture_output=True,
            text=True,
            timeout=VERSION_S,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return {found: "version unknown"}
    lines = (done.stdout or done.stderr).strip().splitlines()
    return {found: lines[0] if lines else "version unknown"}


def _hash_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
