"""Passwords do not stand in the list of processes, which every user of a machine can read."""

import re
import socket
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Ladder

SECRET = "quince-marmalade-7"  # noqa: S105 - of no server
CALM_S = 300.0
"""Longest wait; only a failing test reaches it."""


def command_lines() -> dict[int, bytes]:
    """Return every process's command line, as any user of the machine may read it."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                found[int(entry.name)] = (entry / "cmdline").read_bytes()
            except OSError:
                continue  # it has ended
    return found


@pytest.mark.very_slow
@pytest.mark.parametrize(
    "url",
    [
        "postgresql+psycopg://ladder:{secret}@127.0.0.1:{port}/ladder",
        "postgresql+psycopg://ladder@127.0.0.1:{port}/ladder?password={secret}",
    ],
)
def test_no_process_shows_a_password(ladder: Ladder, url: str) -> None:
    """A command that waits for its server shows stars in place of the password."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        server.settimeout(CALM_S)
        place = url.format(secret=SECRET, port=server.getsockname()[1])
        process = ladder.start_fresh("report", "--db", place)
        connection, _ = server.accept()  # the command has started and connects to the server
        with connection:
            shown = command_lines()
            assert [number for number, line in shown.items() if SECRET.encode() in line] == []
            assert re.search(rb"[:=]\*{%d}" % len(SECRET), shown[process.pid]), shown[process.pid]
        process.terminate()
        out, err = process.communicate(timeout=CALM_S)
    assert SECRET not in out + err
