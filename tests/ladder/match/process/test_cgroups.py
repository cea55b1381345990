"""Control groups: where they may be made, what is written into them, and the end of all in one."""

import os
import subprocess
from pathlib import Path

import pytest

from db.records.launch import Limits
from ladder.match.process.cgroups import LEAF, cpu_quota, find_parent_group, make_group
from ladder.match.process.limits import LimitMonitor
from ladder.match.process.procfs import descendants
from tests.support.fakes import StartFake, open_game

HERE = find_parent_group()
needs_groups = pytest.mark.skipif(
    HERE is None, reason="this user may make no control groups: nothing is tested of them"
)


def hierarchy(folder: Path, *, path: str = "/user/session") -> tuple[Path, Path]:
    """Return a folder that acts as a hierarchy, and the file that names the group in it."""
    (folder / "own").write_text(f"4:memory:/other\n0::{path}\n")
    return folder / "mount", folder / "own"


def group(
    folder: Path, *, procs: str = "", enabled: str = "", offered: str = "memory pids"
) -> Path:
    """Return a folder with the files of a control group that is not the root."""
    folder.mkdir(parents=True)
    for name, text in {
        "cgroup.procs": procs,
        "cgroup.subtree_control": enabled,
        "cgroup.controllers": offered,
        "cgroup.type": "domain\n",
    }.items():
        (folder / name).write_text(text)
    return folder


def test_the_quota_is_the_smallest_of_all_groups_above(tmp_path: Path) -> None:
    """A pod's limit may be in its own group or above it; the root has none."""
    own = group(tmp_path / "mount/user/session")
    for inner, outer, quota in (
        ("max 100000", "max 100000", None), ("250000 100000", "max 100000", 2.5),
        ("800000 100000", "150000 50000", 3.0),
    ):  # fmt: skip
        (own / "cpu.max").write_text(inner + "\n")
        (own.parent / "cpu.max").write_text(outer + "\n")
        assert cpu_quota(*hierarchy(tmp_path)) == quota


def test_controllers_are_enabled_once_the_ladder_has_moved(tmp_path: Path) -> None:
    """Subgroups of a group with processes have no controllers, so the processes move first.

    Afterwards bots get their groups beside that of the ladder. Other programs are not moved.
    """
    folder = group(tmp_path / "mount/user/session", procs=f"{os.getpid()}\n")
    (folder / LEAF).mkdir()
    assert find_parent_group(*hierarchy(tmp_path)) == folder
    assert (folder / LEAF / "cgroup.procs").read_text() == str(os.getpid())
    assert (folder / "cgroup.subtree_control").read_text() == "+pids"  # the last one written
    (folder / "cgroup.subtree_control").write_text("memory pids")
    assert find_parent_group(*hierarchy(tmp_path, path=f"/user/session/{LEAF}")) == folder
    (folder / "cgroup.subtree_control").write_text("")
    with subprocess.Popen(["sleep", "600"], start_new_session=True) as other:
        (folder / "cgroup.procs").write_text(f"{os.getpid()}\n{other.pid}\n")
        assert find_parent_group(*hierarchy(tmp_path)) is None
        other.kill()
    for path in ("/user/elsewhere", "/../outside"):  # which this process cannot see
        assert find_parent_group(*hierarchy(tmp_path, path=path)) is None


def test_a_group_without_the_files_of_one_is_not_made(tmp_path: Path) -> None:
    """Nothing is left of it, so that the bot runs without."""
    assert not make_group(tmp_path, "bot", Limits(memory_mb=128))
    assert not (tmp_path / "bot").exists()
    assert not make_group(tmp_path / "no", "bot", Limits())


@pytest.mark.parametrize(("killed", "text"), [(0, ""), (2, "memory over its memory limit")])
def test_a_kill_for_the_memory_of_a_group_is_seen(tmp_path: Path, killed: int, text: str) -> None:
    """The kernel counts it in the group."""
    (tmp_path / "memory.events").write_text(f"low 0\nmax 7\noom 1\noom_kill {killed}\n")
    monitor = LimitMonitor({"memory_mb": "128", "group": str(tmp_path)})
    assert monitor.find_group_excess().startswith(text)
    assert bool(monitor.find_group_excess()) is bool(text)
    assert LimitMonitor({}).find_group_excess() == ""


@needs_groups
def test_a_bot_has_a_group_until_its_end(start_fake: StartFake) -> None:
    """All its processes are in it, the supervisor is not, and it is removed with them."""
    bot = start_fake("leaves-orphans")
    open_game(bot)
    folder = Path(bot.supervisor.group)
    pids = set(map(int, (folder / "cgroup.procs").read_text().split()))
    assert pids == set(descendants(bot.supervisor.popen.pid))
    assert len(pids) == 3
    bot.kill()
    assert not folder.exists()
