"""Runs pytest, and once more, alone, what failed of the tests that judge time.

``python -m tests.tools.second_round ARGUMENTS-OF-PYTEST``. A test marked ``timed`` judges the
processor time or the deadlines of real processes. Other tests, and other users of the machine,
may take the processor away for longer than it allows. Such a failure counts when the test fails
again with nothing beside it, as a defect does. Any other failure counts at once, and so does every
failure when there are more than `MOST`. The first failures stay on the screen.
"""

import json
import subprocess
import sys
from pathlib import Path

MOST = 5
"""Failures that a busy machine may explain; more of them have another cause."""
FAILED = Path(".pytest_cache/v/cache/lastfailed")
TESTS_FAILED, NOTHING_COLLECTED = 1, 5
"""Exit codes of pytest."""


def pytest(*arguments: str, quiet: bool = False) -> int:
    """The exit code of a pytest of its own."""
    output = subprocess.DEVNULL if quiet else None
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], stdout=output).returncode


def main(*arguments: str) -> int:
    """The exit code of the first round, or of the second where a busy machine may be the cause."""
    code = pytest(*arguments)
    if code != TESTS_FAILED:
        return code
    failed = list(json.loads(FAILED.read_text()))
    others = pytest("--last-failed", "--collect-only", "-q", "-m", "not timed", quiet=True)
    if len(failed) > MOST or others != NOTHING_COLLECTED:
        return code
    print("\nOnce more, alone, for others ran beside it:", *failed, sep="\n  ", flush=True)
    return pytest("--last-failed", "-m", "timed")


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
