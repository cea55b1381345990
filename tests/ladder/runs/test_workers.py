"""The pool of worker processes, and what is left when its owner is killed."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
OWNER = """
import os, signal
from ladder.match.process.sandbox import BUILT_IN_ONLY
from ladder.runs.workers import Workers
if __name__ == "__main__":
    workers = Workers(1, pin=False, confinement=BUILT_IN_ONLY)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.slow
def test_a_worker_loads_little() -> None:
    """Its start is paid by every run: a worker knows the records of pairs, and no database."""
    code = "import sys, ladder.runs.workers; print(' '.join(sys.modules))"
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert not {"sqlalchemy", "sqlite3", "numpy", "numba", "scipy", "asyncio"} & {*loaded.split()}


@pytest.mark.slow
def test_a_killed_owner_leaves_no_message(tmp_path: Path) -> None:
    """Nothing is printed on the user's terminal, by no process that it started."""
    script = tmp_path / "owner.py"
    script.write_text(OWNER)
    owner = subprocess.Popen(
        [sys.executable, str(script)],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        stderr=subprocess.PIPE,
    )
    _, complaints = owner.communicate()  # until all that hold the pipe have ended, too
    assert owner.returncode == -signal.SIGKILL
    assert complaints == b""
