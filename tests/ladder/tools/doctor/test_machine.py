"""Checks of the machine, compared with psutil."""

from pathlib import Path

import psutil
import pytest

from ladder.match.process.cgroups import ParentGroup
from ladder.tools.doctor.machine import Level, available_kb, check_limits


def test_available_memory_is_the_kernels_own_figure() -> None:
    """Both figures agree within a tenth of all memory, as processes come and go meanwhile."""
    memory = psutil.virtual_memory()
    assert abs(available_kb() * 1024 - memory.available) < memory.total / 10


@pytest.mark.parametrize(
    ("controllers", "expected"),
    [
        (("memory", "pids"), "the kernel enforces memory and processes"),
        ((), "have not the controllers memory and pids; under systemd, start `systemd-run"),
        (None, "may not create control groups (cgroup v2) here; under systemd"),
    ],
)
def test_the_enforcement_of_limits_is_reported(
    tmp_path: Path, controllers: tuple[str, ...] | None, expected: str
) -> None:
    """The report differs with control groups, without their controllers, and without any."""
    place = None if controllers is None else ParentGroup(str(tmp_path), controllers)
    finding = check_limits(place)
    assert finding.level is Level.OK
    assert expected in finding.text
