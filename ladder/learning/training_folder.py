"""What the folders of all trainings share: a lock, settings that stay, and files written whole."""

import fcntl
import os
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import msgspec

from engine.seeds import SEED_LIMIT
from engine.whole_file import write_whole
from ladder.errors import UsageError

LOG = "generations.jsonl"
"""The file of a folder that has a line for each generation."""

Settings = TypeVar("Settings", bound=msgspec.Struct)
Record = TypeVar("Record", bound=msgspec.Struct)


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Create the folder of a training, and reserve it to this process until the block ends.

    Raises:
        UsageError: the folder cannot be created, or another process trains in it.

    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise _unwritable(folder, error) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise UsageError(
                f"another training is running in {folder}: wait until it ends, or choose another "
                "folder",
                option="output",
            ) from error
        yield
    finally:
        os.close(descriptor)


def choose_settings(
    kind: type[Settings], chosen: Mapping[str, object], stored: Settings | None, folder: Path
) -> Settings:
    """Return the settings of a training that is resumed or, with none stored, of a new one.

    Args:
        kind: the settings' class; its defaults hold for what the user did not choose.
        chosen: the user's choices by field; None means no choice.
        stored: settings of the training in the folder.
        folder: named in the error.

    Raises:
        UsageError: a choice differs from the stored settings.

    """
    chosen = {name: value for name, value in chosen.items() if value is not None}
    if stored is None:
        return kind(**{"seed": secrets.randbelow(SEED_LIMIT), **chosen})
    for name, value in chosen.items():
        if value != (before := getattr(stored, name)):
            raise UsageError(
                f"the training in {folder} has {before}, not {value}: leave this option out to "
                "resume the training, or choose another folder",
                option=name,
            )
    return stored


def parse_line(line: bytes, kind: type[Record], path: Path, number: int, remedy: str) -> Record:
    """Decode line `number` (from 1 on) of a JSON Lines file.

    Raises:
        UsageError: the line does not hold such a record; the message ends with the remedy.

    """
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.DecodeError as error:
        raise UsageError(f"{path}, line {number}: {error}: {remedy}", option="output") from error


def read_file(path: Path) -> bytes | None:
    """Return the content of a file, or None if there is no such file.

    Raises:
        UsageError: the file cannot be read.

    """
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}", option="output") from error


def write_file(path: Path, content: bytes) -> None:
    """Replace a file at once, creating its folder.

    Raises:
        UsageError: the file cannot be written.

    """
    try:
        path.parent.mkdir(exist_ok=True)
        write_whole(path, content)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> UsageError:
    return UsageError(f"{path} cannot be written: {error.strerror}", option="output")
