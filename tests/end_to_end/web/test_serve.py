"""`ladder serve` from its start to its end."""

import os
import select
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from db.store import Store
from tests.end_to_end.conftest import Ladder
from tests.support.waiting import eventually


@pytest.mark.slow
def test_the_first_line_is_the_address_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    """The first line is the address, and Ctrl-C ends the server with exit code 0."""
    Store.open(str(tmp_path / "ladder.db")).close()
    with subprocess.Popen(
        [sys.executable, "-c", "from ladder.cli.main import main; main()", "serve", "--port", "0"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert select.select([process.stdout], [], [], 60)[0]
        address = process.stdout.readline().strip()
        assert address.startswith("http://127.0.0.1:")
        with urllib.request.urlopen(address) as answer:  # noqa: S310
            assert answer.status == 200
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        print(f"ended within {time.monotonic() - begun:.2f} s")
        assert process.stdout.read() == ""
        assert process.stderr.read() == ""
    assert sorted(os.listdir(tmp_path)) == ["ladder.db", "ladder.db.locks"]


@pytest.mark.slow
def test_a_run_is_served_while_it_lasts(ladder: Ladder) -> None:
    """`run --serve` prints the address of the server, which ends with the run."""
    words = ("run", "--bots", "random,stupid", "--simulations", 1, "--boards", "6x7", "--serve")
    process = ladder.start(*words)

    def told() -> list[str]:
        lines = process.printed_lines(err=True)
        return [line.split(" at ")[1].split()[0] for line in lines if "watch the run at" in line]

    def shown() -> bytes:
        with urllib.request.urlopen(f"{told()[0]}api/runs") as answer:  # noqa: S310
            return bytes(answer.read())

    eventually(lambda: bool(told()))
    eventually(lambda: b'"running"' in shown())
    (address,) = told()
    done = ladder.interrupt(process)
    assert done.code == 130, done.err
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address)  # noqa: S310
