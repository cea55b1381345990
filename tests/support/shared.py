"""Folders that are made once for all workers of a test session, and go with its temporary ones."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

VARIABLE = "TEST_SESSION_FOLDER"
"""Names the folder of the session, also to processes of tests."""


def session_folder(factory: pytest.TempPathFactory) -> Path:
    """The temporary folder of this session; under xdist all its workers have the same."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def made_once(name: str, make: Callable[[Path], object]) -> Path:
    """A folder of this name, filled by the worker that asks first; nobody may change it."""
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
