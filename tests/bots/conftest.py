"""Compile everything once, in processes side by side, before the tests of this folder."""

import subprocess
import sys

import pytest

from bots.catalogue import VERSIONS
from bots.warm import is_warm


@pytest.fixture(scope="session", autouse=True)
def compiled() -> None:
    if not is_warm(VERSIONS):
        subprocess.run([sys.executable, "-m", "bots.warm"], check=True)
