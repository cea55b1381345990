"""Checks of the machine, compared with psutil."""

from pathlib import Path

import pytest

from ladder.tools.doctor.machine import Level, check_limits


@pytest.mark.parametrize(
    ("has_groups", "expected"),
    [
        (True, "the kernel enforces memory and processes"),
        (False, "may not create control groups (cgroup v2) with the controllers memory and pids"),
    ],
)
def test_the_enforcement_of_limits_is_reported(
    tmp_path: Path, has_groups: bool, expected: str
) -> None:
    """The report differs with control groups and without them."""
    finding = check_limits(tmp_path if has_groups else None)
    assert finding.level is Level.OK
    assert expected in finding.text
