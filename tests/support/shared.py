"""Folders made once for all workers of a test session, removed with its temporary files."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

VARIABLE = "TEST_SESSION_FOLDER"
"""Environment variable with the folder of the session."""


def session_folder(factory: pytest.TempPathFactory) -> Path:
    """Return the temporary folder of this session, the same for all its xdist workers."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """Return a read-only folder of this name, filled by the first worker that calls this."""
    base = Path(os.environ[VARIABLE], "shared")
    base.mkdir(exist_ok=True)
    folder, made = base / name, base / f"{name}.made"
    with (base / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            make(folder)
            made.touch()
    return folder
