"""Dask within the process of a test."""

import gc
import warnings
from collections.abc import Iterator

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let Dask drop a socket whose connection was given up: its streams are not ours to close."""
    for item in items:
        if item.path.is_relative_to(__file__.rpartition("/")[0]):
            item.add_marker(pytest.mark.filterwarnings("ignore:unclosed <socket:ResourceWarning"))


@pytest.fixture(autouse=True, scope="module")
def _collect_sockets() -> Iterator[None]:
    """Collect such sockets here, and not during a test of something else."""
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()
