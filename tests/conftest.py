"""What holds for all tests: nothing of them comes into the user's own folders."""

import gc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.browser import chromium
from tests.support.shared import VARIABLE, session_folder

HERE = Path(__file__).parent
SLOW = (
    "end_to_end",  # real commands
    "reports/html", "ladder/web",  # a browser
    "bots/alphabeta", "bots/c4ai/test_c4ai_values.py", "bots/uct/test_memory.py",
    "bots/uct/test_proofs.py", "bots/uct/test_rollout.py", "bots/test_tactics.py",
    "db/test_db_exchange.py", "db/connection/test_db_opening.py",
    "db/connection/test_db_probe.py", "db/connection/test_db_processes.py",
    "db/connection/test_db_server.py",
    "ladder/cli/test_stored_programs.py", "engine/test_gains.py", "engine/test_lanes.py", "fuzz",
    "ladder/results/analysis/test_session.py", "ladder/runs/cluster/test_fleet.py",
    "ladder/match/foreign", "ladder/match/game", "ladder/tools/play/test_game.py",
    "ladder/match/process",  # real processes that hang, starve and die
    "ladder/stats/test_agreement.py", "ladder/stats/test_clusters.py",
)  # fmt: skip
"""Folders and files whose tests take long together, though few of them take seconds."""
TIMED = (
    "end_to_end",
    "ladder/match/foreign",
    "ladder/match/game",
    "ladder/match/process",
    "ladder/runs",
    "ladder/web",
)
"""Folders whose tests judge the processor time or the deadlines of real processes."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark as slow what `make test-fast` leaves out as a whole, and as timed what judges time.

    Exhaustive tests run only where they are asked for.
    """
    files = {item.path for item in items}
    for marker, folders in ((pytest.mark.slow, SLOW), (pytest.mark.timed, TIMED)):
        places = [HERE / place for place in folders]
        marked = {file for file in files if any(map(file.is_relative_to, places))}
        for item in items:
            if item.path in marked:
                item.add_marker(marker)
    if "exhaustive" not in config.option.markexpr:
        kept = [item for item in items if item.get_closest_marker("exhaustive") is None]
        left = set(items) - set(kept)
        config.hook.pytest_deselected(items=list(left))
        items[:] = kept


def pytest_collection() -> None:
    """Thousands of tests come, and none goes: looking for garbage among them takes a second."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What has been collected stays to the end: no later collection, and no fork, looks at it."""
    gc.enable()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def state_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The ladder's state of this user is a folder of the tests, also for their processes."""
    with pytest.MonkeyPatch.context() as patch:
        folder = session_folder(tmp_path_factory)
        patch.setenv(VARIABLE, str(folder))
        patch.setenv("LADDER_STATE", str(folder / "state"))
        yield


@pytest.fixture(scope="session", autouse=True)
def awake() -> Iterator[None]:
    """A command that runs in the process of the tests does not make it idle for all that follow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ladder.match.process.cpus.lower_priority", lambda: None)
        yield


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One Chromium for all tests of a worker, for Playwright bears no second; else they skip."""
    with chromium() as started:
        yield started
