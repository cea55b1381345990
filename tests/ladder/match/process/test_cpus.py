"""One CPU for one pair: claims exclude each other and end with their process."""

import math
import os
import subprocess
import sys
import uuid
from collections.abc import Mapping
from pathlib import Path

import pytest

from ladder.match.process.cpus import busy_cpus, claimed_cpus
from tests.support.crowd import crowd_to_come

ROOT = Path(__file__).resolve().parents[4]
CLAIM = (
    "import os, sys; from ladder.match.process.cpus import claim_cpu; "
    "cpu = claim_cpu(sys.argv[1], quota=float(sys.argv[2])); "
    "print(cpu, sorted(os.sched_getaffinity(0)), flush=True); "
    "sys.stdin.read()"
)


@pytest.fixture
def prefix() -> str:
    """Return socket names that no other ladder on this machine uses."""
    return f"ladder-test-{uuid.uuid4().hex}"


def start(
    prefix: str, environment: Mapping[str, str] | None = None, quota: float = math.inf
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CLAIM, prefix, str(quota)],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def read(process: subprocess.Popen[str]) -> tuple[str, str]:
    assert process.stdout is not None
    cpu, _, affinity = process.stdout.readline().strip().partition(" ")
    return cpu, affinity


@pytest.mark.slow
def test_every_worker_gets_a_cpu_of_its_own_until_none_is_left(prefix: str, tmp_path: Path) -> None:
    """A freed CPU is claimed again; TMPDIR does not matter; a surplus worker is not pinned."""
    allowed = sorted(os.sched_getaffinity(0))
    folders = [tmp_path / str(number) for number in range(len(allowed) + 1)]
    for folder in folders:
        folder.mkdir()
    processes = [start(prefix, {"TMPDIR": str(folder)}) for folder in folders]
    claims = [read(process) for process in processes]
    taken = sorted(int(cpu) for cpu, _ in claims if cpu != "None")
    assert taken == allowed
    for cpu, affinity in claims:
        assert affinity == (str(allowed) if cpu == "None" else f"[{cpu}]")
    for process in processes:
        process.communicate()
    again = start(prefix)
    assert read(again)[0] == str(allowed[0])
    again.communicate()


def test_claimed_cpus_are_listed_until_the_claiming_process_ends(prefix: str) -> None:
    """The claim of another process is listed while that process lives."""
    assert claimed_cpus(prefix) == frozenset()
    process = start(prefix)
    cpu = int(read(process)[0])
    assert claimed_cpus(prefix) == {cpu}
    assert claimed_cpus(f"{prefix}-other") == frozenset()
    process.communicate()
    assert claimed_cpus(prefix) == frozenset()


def test_a_container_that_shares_its_cpus_claims_none(prefix: str) -> None:
    """Others use them too, and their claims are not visible: a small quota, or a whole node."""
    small = start(prefix, quota=0.5)
    assert read(small)[0] == "None"
    small.communicate()
    pod = start(prefix, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"})
    assert (read(pod)[0] == "None") == (len(os.sched_getaffinity(0)) == os.cpu_count())
    pod.communicate()


@pytest.mark.timed
@pytest.mark.slow
def test_a_busy_cpu_is_seen() -> None:
    """As one more of those that are busy, whatever else runs."""
    with crowd_to_come() as crowd:
        crowd.come(1)
        assert 0.8 <= busy_cpus() <= 1.0
