"""Compile everything once, in processes side by side, before the tests of this folder."""

import pytest

from bots.catalogue import VERSIONS
from bots.warm import warm


@pytest.fixture(scope="session", autouse=True)
def compiled() -> None:
    assert warm(list(VERSIONS))
