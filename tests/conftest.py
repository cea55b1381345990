"""Fixtures for all tests: folders of their own instead of the user's."""

import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import Tabs, chromium
from tests.support.shared import VARIABLE, session_folder

# As the command line sets it, before anything loads numpy.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def pytest_collection() -> None:
    """Keep the garbage collector off while tests are collected: it would take a second."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Exempt the collected tests from later garbage collections, also in forks."""
    gc.enable()
    gc.freeze()


def pytest_make_parametrize_id(val: object) -> str | None:
    """Show the words or options of a case in its id, where pytest would only number it."""
    if isinstance(val, dict):
        values, name = list(val.values()), " ".join(f"{key}={part}" for key, part in val.items())
    elif isinstance(val, (list, tuple)):
        values, name = list(val), " ".join(map(str, val))
    else:
        return None
    is_plain = all(part is None or isinstance(part, (str, int, float)) for part in values)
    return name if is_plain and name.isprintable() and 0 < len(name) <= 60 else None


@pytest.fixture(scope="session", autouse=True)
def environment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Set the environment of the session, also for child processes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(VARIABLE, str(session_folder(tmp_path_factory)))
        # Else a manager of Python versions, a script, would start with every `python3`.
        interpreters = Path(sys.executable).resolve().parent
        if (interpreters / "python3").exists():
            patch.setenv("PATH", f"{interpreters}:{os.environ['PATH']}")
        yield


@pytest.fixture(scope="session", autouse=True)
def normal_priority() -> Iterator[None]:
    """Keep commands from idle priority, at which they may wait for hours, and check that.

    A process under `nice` keeps its priority.
    """
    if os.getpriority(os.PRIO_PROCESS, 0) == 0:
        os.nice(1)
    yield
    assert os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK == os.SCHED_OTHER


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium per worker, as Playwright allows no second; without one the tests skip."""
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def tabs(browser: Any) -> Iterator[Tabs]:
    """Return the tabs of the browser, for one test after another."""
    tabs = Tabs(browser)
    yield tabs
    tabs.close()
