"""One CPU for one pair: claims exclude each other and end with their process."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
CLAIM = (
    "import os, sys; from pathlib import Path; from ladder.process.cpus import claim_cpu; "
    "print(claim_cpu(Path(sys.argv[1])), sorted(os.sched_getaffinity(0)), flush=True); "
    "sys.stdin.read()"
)


def start(folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CLAIM, str(folder)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def read(process: subprocess.Popen[str]) -> tuple[str, str]:
    assert process.stdout is not None
    cpu, _, affinity = process.stdout.readline().strip().partition(" ")
    return cpu, affinity


def test_every_worker_gets_a_cpu_of_its_own_until_none_is_left(tmp_path: Path) -> None:
    """Two workers must not share a CPU; one too many stays free to move; a freed one is reused."""
    allowed = sorted(os.sched_getaffinity(0))
    processes = [start(tmp_path) for _ in range(len(allowed) + 1)]
    claims = [read(process) for process in processes]
    taken = sorted(int(cpu) for cpu, _ in claims if cpu != "None")
    assert taken == allowed
    for cpu, affinity in claims:
        assert affinity == (str(allowed) if cpu == "None" else f"[{cpu}]")
    for process in processes:
        process.communicate()
    again = start(tmp_path)
    assert read(again)[0] == str(allowed[0])
    again.communicate()
