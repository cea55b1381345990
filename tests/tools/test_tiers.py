"""Every test belongs to exactly one of `make test`, `make test-slow` and `make test-exhaustive`."""

import itertools
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MARKERS = ("slow", "very_slow", "exhaustive")


def selection(target: str) -> str:
    """Return the markers by which a target of the Makefile selects tests."""
    printed = subprocess.run(
        ["make", "--dry-run", "--always-make", target],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    (command,) = re.findall(r".*(?:-m pytest|retry_timed) .*-m .*", printed)
    words = shlex.split(command)
    assert not any(word.startswith(("tests/", "--ignore", "--deselect", "-k")) for word in words)
    return words[len(words) - words[::-1].index("-m")]


@pytest.fixture(scope="module")
def selected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """Collect each target's tests from a file with a test for every set of markers."""
    folder = tmp_path_factory.mktemp("tiers")
    sets = [marks for size in range(4) for marks in itertools.combinations(MARKERS, size)]
    tests = [
        "".join(f"@pytest.mark.{mark}\n" for mark in marks)
        + f"def test_{'_and_'.join(marks) or 'plain'}(): pass\n"
        for marks in sets
    ]
    (folder / "test_it.py").write_text("import pytest\n" + "\n".join(tests))
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  slow\n  very_slow\n  exhaustive\n")
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    # Loading the plugins would take five times as long as the rest.
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    found = {}
    for target in ("test-fast", "test", "test-slow", "test-exhaustive"):
        printed = subprocess.run(
            [*collect, "-m", selection(target)],
            cwd=folder, env=environment, capture_output=True, text=True, check=True,
        ).stdout  # fmt: skip
        found[target] = set(re.findall(r"::(test_\w+)", printed))
    found["all"] = {test for text in tests for test in re.findall(r"def (\w+)", text)}
    return found


@pytest.mark.slow
def test_no_test_is_in_two_tiers_or_in_none(selected: dict[str, set[str]]) -> None:
    """Whatever its markers, a test runs in exactly one tier."""
    tiers = [selected[target] for target in ("test", "test-slow", "test-exhaustive")]
    assert sum(map(len, tiers)) == len(set.union(*tiers))
    assert set.union(*tiers) == selected["all"]


@pytest.mark.slow
def test_the_fast_tests_are_those_without_a_marker(selected: dict[str, set[str]]) -> None:
    """`make test-fast` runs a part of `make test`."""
    assert selected["test-fast"] == {"test_plain"}
    assert "test_plain" in selected["test"]


@pytest.mark.slow
def test_continuous_integration_runs_both_tiers() -> None:
    """`.ci/run` runs `make check`, and that runs `make test` and `make test-slow`."""
    assert "make check" in (ROOT / ".ci" / "run").read_text()
    rule = re.search(r"^check:.*\n((?:\t.*\n)+)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert rule is not None
    assert re.findall(r"\$\(MAKE\) (\S+)", rule[1]) == ["test", "test-slow"]
