"""The rules that the folders of all trainings share: one process, and the settings of before."""

import fcntl
from dataclasses import fields
from pathlib import Path
from typing import Any

from ladder.errors import UsageError


def hold(descriptor: int, folder: Path) -> None:
    """Keep a training's folder to this process until the descriptor is closed.

    Args:
        descriptor: of a file in the folder, or of the folder itself.
        folder: named in the error.

    Raises:
        UsageError: another process trains in it.

    """
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        raise UsageError(
            f"--output: another training is at work in {folder}: wait for it, or name another "
            "folder"
        ) from error


def refuse_changes(chosen: Any, former: object, folder: Path) -> None:
    """Refuse settings that differ from those of the training that a folder holds.

    Args:
        chosen: a dataclass of what the user chose; None: no choice.
        former: settings of the training, with attributes of those names.
        folder: named in the error.

    Raises:
        UsageError: a value was chosen that differs.

    """
    for field in fields(chosen):
        value, was = getattr(chosen, field.name), getattr(former, field.name)
        if value is not None and value != was:
            raise UsageError(
                f"--output: the training in {folder} has {field.name.replace('_', ' ')} {was}, "
                f"not {value}: leave the option out to go on with it, or name another folder"
            )
