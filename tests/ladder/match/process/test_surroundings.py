"""What a bot process finds around it, and what is left when the harness dies."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ladder.errors import BotTimeout
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.supervisor import HEAD, TAIL, make_scratch
from ladder.match.process.supervisor_client import PACKAGES
from tests.support.fakes import StartFake, await_none, first_move, open_game
from tests.support.waiting import eventually


def read_report(bot: BotProcess) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(bot.hello(10).version)
    return report


def test_a_bot_gets_a_clean_environment(
    start_fake: StartFake, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PATH and LANG are kept, HOME and TMPDIR are the scratch folder, nothing else is inherited."""
    monkeypatch.setenv("SECRET", "token")
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    monkeypatch.setenv("OMP_NUM_THREADS", "8")
    bot = start_fake("reports-environment")
    environment = read_report(bot)["environment"]
    assert environment.pop("LC_CTYPE", "") in ("", "C.UTF-8")  # Python sets it in the C locale
    assert environment == {
        "PATH": os.environ["PATH"],
        "LANG": os.environ.get("LANG", "C.UTF-8"),
        "HOME": str(bot.supervisor.scratch),
        "TMPDIR": str(bot.supervisor.scratch),
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "NUMBA_NUM_THREADS": "1",
        "FAKE_BOT_MARK": mark,
    }


def test_a_bot_inherits_only_its_three_pipes(start_fake: StartFake, tmp_path: Path) -> None:
    """No other descriptor, no blocked or ignored signal, a session of its own."""
    leaked = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(leaked, True)
    former = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1})
    ignored = signal.signal(signal.SIGUSR2, signal.SIG_IGN)
    try:
        bot = start_fake("reports-environment")
        report = read_report(bot)
    finally:
        os.close(leaked)
        signal.pthread_sigmask(signal.SIG_SETMASK, former)
        signal.signal(signal.SIGUSR2, ignored)
    assert sorted(report["descriptors"]) == ["0", "1", "2"]
    assert all(target.startswith("pipe:") for target in report["descriptors"].values())
    assert int(report["blocked"], 16) == 0
    of_python = 1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1)
    # The C library reserves signals 32 and 33, which may be ignored since before the tests.
    of_libc = 1 << (32 - 1) | 1 << (33 - 1)
    assert int(report["ignored"], 16) & ~of_python & ~of_libc == 0
    bot.supervisor.wait(lambda: bot.supervisor.pid, 10)
    assert report["session"] == report["pid"] == bot.supervisor.pid
    assert report["limits"]["RLIMIT_CORE"] == [0, 0]
    assert 1024 < report["limits"]["RLIMIT_NPROC"][0] < 2**24
    assert report["folder"] == str(tmp_path)
    assert report["scratch_mode"] == 0o700


def await_removal(scratch: Path) -> None:
    """Wait until a folder is removed, which takes time after the end of its bot."""
    eventually(lambda: not scratch.exists())


@pytest.mark.slow
def test_the_scratch_folder_is_removed_with_its_content(
    start_fake: StartFake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deep and unreadable folders and links are removed, the targets of links are not.

    The end of a bot does not wait for it.
    """
    os.mkfifo(tmp_path / "fifo")
    remove = tmp_path / "rm"
    remove.write_text(f'#!/bin/sh\ntimeout 10 cat {tmp_path}/fifo > /dev/null\nexec /bin/rm "$@"\n')
    remove.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    bot = start_fake("fills-scratch")
    open_game(bot)
    with pytest.raises(BotTimeout):
        first_move(bot, 0.5)
    assert bot.supervisor.popen.returncode == 0
    assert bot.supervisor.scratch.exists()
    (tmp_path / "fifo").write_text("go on\n")
    await_removal(bot.supervisor.scratch)
    assert Path("/etc/passwd").exists()


def test_a_copy_of_a_bots_files_has_no_link_to_what_was_compiled(tmp_path: Path) -> None:
    """What Python compiles from a changed copy is for no other process; a bot's own stays."""
    files = tmp_path / "files"
    (files / "own" / "__pycache__").mkdir(parents=True)
    (files / "__pycache__").symlink_to(tmp_path)
    os.close(make_scratch(str(tmp_path / "scratch"), str(files)))
    copy = tmp_path / "scratch" / "files"
    assert [*copy.rglob("*")] == [copy / "own", copy / "own" / "__pycache__"]


def test_a_flood_of_errors_is_cut_in_the_middle_of_the_log(start_fake: StartFake) -> None:
    """The log keeps its head and its tail, and names the number of bytes left out."""
    bot = start_fake("floods-errors")
    open_game(bot)
    with pytest.raises(BotTimeout):
        first_move(bot, 0.4)
    assert bot.supervisor.log_path is not None
    log = bot.supervisor.log_path.read_bytes()
    assert HEAD + TAIL < len(log) < HEAD + TAIL + 100
    assert b"bytes left out" in log[HEAD : HEAD + 100]


def test_a_log_is_created_with_the_first_output(start_fake: StartFake) -> None:
    """A quiet bot has none."""
    for mode, content in (("honest", ""), ("exits-at-once", "cannot find my weights\n")):
        bot = start_fake(mode)
        bot.quit(10)
        log = bot.supervisor.log_path
        assert log is not None
        assert (log.read_text() if log.exists() else "") == content


HARNESS = """
import sys, time
from pathlib import Path
from tests.support.fakes import fake_start, open_game
from bots.protocol import MoveAsk
from ladder.match.process.bot_process import BotProcess
from tests.support.unconfined import UNCONFINED
mode, folder, mark, moment = sys.argv[1:]
bot = BotProcess.start(
    fake_start(mode, folder=Path(folder), mark=mark), UNCONFINED
)
if moment == "started":
    print(bot.supervisor.scratch, flush=True)
open_game(bot)
print(bot.supervisor.scratch, flush=True)
bot.ask_move(MoveAsk(ply=0, moves=()), 60)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "moment", "how"),
    [
        ("leaves-orphans", "open", signal.SIGKILL),
        ("hangs-in-move", "open", signal.SIGTERM),
        ("honest", "started", signal.SIGKILL),
    ],
)
def test_no_process_survives_the_harness(
    tmp_path: Path, mark: str, mode: str, moment: str, how: signal.Signals
) -> None:
    """A harness killed at any moment leaves no process of its bots, and no scratch folder."""
    command = [sys.executable, "-c", HARNESS, mode, str(tmp_path), mark, moment]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=PACKAGES) as harness:
        assert harness.stdout is not None
        scratch = Path(harness.stdout.readline().decode().strip())
        harness.send_signal(how)
        harness.wait()
    assert await_none(mark, 1.0) == []
    await_removal(scratch)


def test_interrupts_at_the_terminal_do_not_reach_the_bot(start_fake: StartFake) -> None:
    """Supervisors ignore SIGINT, SIGHUP and SIGTERM: only the harness ends a bot."""
    bot = start_fake("honest")
    open_game(bot)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(bot.supervisor.popen.pid, number)
    first_move(bot)
    assert os.getsid(bot.supervisor.popen.pid) == bot.supervisor.popen.pid != os.getsid(0)


def test_the_supervisor_loads_little() -> None:
    """Every start of a bot loads it, so it imports few modules."""
    code = (
        "import sys; sys.path.append(sys.argv[1]); import ladder.match.process.supervisor;"
        "print(' '.join(sys.modules))"
    )
    command = [sys.executable, "-I", "-S", "-c", code, PACKAGES]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert not {"signal", "enum", "json", "re", "subprocess", "contextlib", "msgspec"} & {*output}
