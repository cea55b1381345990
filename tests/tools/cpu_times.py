"""Writes the processor time of every test, and of every fixture, as lines of JSON.

A line holds the kind, the name, seconds of processor time, seconds by the clock, the seconds of
processor time that pytest's own process used, and the worker of pytest-xdist.

``python -m pytest -p tests.tools.cpu_times --cpu-times FILE ...``, then
``python -m tests.tools.cpu_times FILE`` prints the sums by file, by fixture and by test. The time
of processes that a test started counts, while they live and after they were waited for.
"""

import contextlib
import json
import os
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def cpu_s() -> float:
    """Return the processor seconds of this process and of all that it started."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    own = sum(usage.ru_utime + usage.ru_stime for usage in used)
    return own + sum(_ticks(child) for child in _children(os.getpid())) * TICK_S


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found += map(int, (task / "children").read_text().split())
    return found


def _ticks(pid: int) -> int:
    """Return the ticks of a process, of children it waited for, and of living children."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return sum(map(int, fields[11:15])) + sum(map(_ticks, _children(pid)))


class CpuTimes:
    """A pytest plugin that appends a line per phase of a test and per fixture."""

    def __init__(self, file: Path) -> None:
        self._file = file

    @contextlib.contextmanager
    def _measured(self, kind: str, name: str) -> Iterator[None]:
        cpu, wall, own = cpu_s(), time.monotonic(), time.process_time()
        try:
            yield
        finally:
            entry = [kind, name, round(cpu_s() - cpu, 3), round(time.monotonic() - wall, 3)]
            entry.append(round(time.process_time() - own, 3))
            with self._file.open("a") as out:
                out.write(json.dumps([*entry, os.environ.get("PYTEST_XDIST_WORKER", "")]) + "\n")

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Iterator[None]:
        """Measure what a test's fixtures do first."""
        with self._measured("setup", item.nodeid):
            yield

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        """Measure the test itself."""
        with self._measured("call", item.nodeid):
            yield

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        """Measure what the fixtures do last."""
        with self._measured("teardown", item.nodeid):
            yield

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: "pytest.FixtureDef[object]") -> Iterator[None]:
        """Measure one fixture."""
        with self._measured("fixture", f"{fixturedef.baseid}::{fixturedef.argname}"):
            return (yield)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option for the output file."""
    parser.addoption("--cpu-times", type=Path, help="append processor times to this file")


def pytest_configure(config: pytest.Config) -> None:
    """Measure if an output file is given."""
    file = config.getoption("--cpu-times")
    if file is not None:
        config.pluginmanager.register(CpuTimes(file.absolute()))


def main(file: str, longest: int = 60) -> None:
    """Print sums of processor time and wall time in seconds, largest first."""
    entries = [json.loads(line) for line in Path(file).read_text().splitlines()]
    sums: dict[str, dict[str, list[float]]] = {
        kind: defaultdict(lambda: [0.0, 0.0, 0]) for kind in ("file", "fixture", "test")
    }
    for kind, name, cpu, wall, *_ in entries:
        keys = [("fixture", name)]
        if kind != "fixture":
            keys = [("file", name.partition("::")[0]), ("test", name)]
        for key in keys:
            entry = sums[key[0]][key[1]]
            entry[0] += cpu
            entry[1] += wall
            entry[2] += kind in ("call", "fixture")
    for kind, by_name in sums.items():
        total = [sum(entry[place] for entry in by_name.values()) for place in range(3)]
        print(f"\n{kind:60} {total[0]:8.1f} cpu {total[1]:8.1f} wall {total[2]:6}")
        for name, entry in sorted(by_name.items(), key=lambda item: -item[1][0])[:longest]:
            print(f"{entry[0]:8.2f} cpu {entry[1]:8.2f} wall {entry[2]:5}  {name}")


if __name__ == "__main__":
    main(sys.argv[1], *map(int, sys.argv[2:]))
