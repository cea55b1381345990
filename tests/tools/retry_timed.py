"""Run pytest, try failed tests that judge time once more, and report those that then pass as flaky.

``python -m tests.tools.retry_timed ARGUMENTS-OF-PYTEST``. A test marked ``timed`` judges the
processor time or the deadlines of real processes, and other programs on the machine may take the
processor away for longer than it allows. Such a failure counts when the test, run alone, fails
again. A failure of any other test counts at once, and so does every failure when there are more
than `MOST`. A test that passes at its second try is printed at the end, and once more at the end of
`make check`, by ``python -m tests.tools.retry_timed --print-flaky``.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

MOST = 5
"""Failures that a busy machine may explain; more of them have another cause."""
FLAKY = Path(".pytest_cache/flaky.txt")
"""The lines that were printed about flaky tests."""
KNOWN = Path("docs/flaky-tests.md")
"""Lists the known flaky tests with their causes and rates."""
FAILURES = "PYTEST_FAILURES"
"""Environment variable: the file to which the plugin `FailureLog` writes."""
TESTS_FAILED = 1
"""Exit code of pytest."""


class FailureLog:
    """A pytest plugin: writes every failed test, and whether it is marked ``timed``, to a file."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Write a failure as a line of JSON."""
        if report.failed:
            with self._file.open("a") as file:
                file.write(json.dumps([report.nodeid, "timed" in report.keywords]) + "\n")


def pytest_configure(config: pytest.Config) -> None:
    """Log failures in the process that all workers of pytest-xdist report to."""
    if FAILURES in os.environ and not hasattr(config, "workerinput"):
        config.pluginmanager.register(FailureLog(Path(os.environ[FAILURES])))


def run_pytest(*arguments: str) -> tuple[int, dict[str, bool]]:
    """Run pytest; return its exit code and the failed tests, each with whether it is timed."""
    command = [sys.executable, "-m", "pytest", "-p", "tests.tools.retry_timed", *arguments]
    with tempfile.NamedTemporaryFile("r") as failures:
        environment = {**os.environ, FAILURES: failures.name}
        code = subprocess.run(command, env=environment, check=False).returncode
        return code, dict(map(json.loads, failures))


def run_and_retry(*arguments: str) -> int:
    """Run pytest, and timed failures once more; return the exit code of the last run."""
    code, failed = run_pytest(*arguments)
    if code != TESTS_FAILED or not all(failed.values()) or not 0 < len(failed) <= MOST:
        return code
    print("\nOnce more, alone, because they judge time:", *failed, sep="\n  ", flush=True)
    code, failed_again = run_pytest("-q", *failed)
    report_flaky([test for test in failed if test not in failed_again])
    return code


def report_flaky(tests: list[str]) -> None:
    """Print tests that passed at their second try, and keep the lines for `print_flaky`."""
    known = KNOWN.read_text() if KNOWN.exists() else ""
    lines = []
    for test in tests:
        name = test.rpartition("::")[2].partition("[")[0]
        listed = "known" if name in known else f"not in {KNOWN} yet: add it with its cause"
        lines.append(f"flaky: {test} passed at its second try ({listed})\n")
    FLAKY.parent.mkdir(exist_ok=True)
    with FLAKY.open("a") as file:
        file.writelines(lines)
    sys.stdout.writelines(["\n", *lines])


def print_flaky() -> int:
    """Print the flaky tests of all runs since the last call."""
    if FLAKY.exists():
        sys.stdout.write(FLAKY.read_text())
        FLAKY.unlink()
    return 0


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(print_flaky() if words == ["--print-flaky"] else run_and_retry(*words))
