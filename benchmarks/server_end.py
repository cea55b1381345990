"""How long `ladder serve` takes from Ctrl-C to its end, with bots that think and pages that follow.

    python -m benchmarks.server_end [--games 4] [--pages 50] [--rounds 5]

Begins games of people against v20 that thinks for a minute, and opens streams; then sends SIGINT
and waits for the server and for every process that it had started. Prints the wall time of each
round and the server's processor time after the signal.
"""

import argparse
import json
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import psutil

from db.store import Store
from ladder.match.registry.builtins import sync_builtins


def begin_game(address: str) -> None:
    """Start a game in which the bot moves first and thinks for a minute."""
    with urllib.request.urlopen(address) as answer:  # noqa: S310 - of this machine
        found = re.search(r'name="ladder-token" content="([^"]+)"', answer.read().decode())
    assert found
    wish = {"bot": "v20", "kind": "time_ms", "amount": 60_000, "side": "second"}
    request = urllib.request.Request(  # noqa: S310
        address + "play",
        data=json.dumps(wish).encode(),
        headers={"X-Ladder-Token": found[1]},
    )
    urllib.request.urlopen(request).close()  # noqa: S310


def follow(port: int) -> socket.socket:
    """Open a page's stream and leave it open."""
    stream = socket.create_connection(("127.0.0.1", port))
    head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/event-stream\r\n\r\n"
    stream.sendall(head.encode())
    stream.recv(4096)
    return stream


def round_of(database: str, games: int, pages: int) -> tuple[float, float, int]:
    """Return seconds to the end, the server's processor seconds, and the number of bots."""
    command = [sys.executable, "-c", "from ladder.cli.main import main; main()", "serve"]
    with subprocess.Popen(
        [*command, "--db", database, "--port", "0", "--players", str(games)],
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        port = int(address.rstrip("/").rpartition(":")[2])
        for _ in range(games):
            begin_game(address)
        streams = [follow(port) for _ in range(pages)]
        process = psutil.Process(server.pid)
        deadline = time.monotonic() + 120
        while len(process.children(recursive=True)) < 2 * games:
            assert time.monotonic() < deadline, "the bots have not started"
            time.sleep(0.1)
        time.sleep(1.0)
        children = process.children(recursive=True)
        before = sum(process.cpu_times()[:2])
        begun = time.perf_counter()
        server.send_signal(signal.SIGINT)
        spent = before
        while server.poll() is None:
            try:
                spent = sum(process.cpu_times()[:2])
            except psutil.Error:
                break
            time.sleep(0.005)
        server.wait()
        _, alive = psutil.wait_procs(children, timeout=10)
        took = time.perf_counter() - begun
        for stream in streams:
            stream.close()
        assert not alive, alive
    return took, spent - before, len(children)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in (("games", 4), ("pages", 50), ("rounds", 5)):
        parser.add_argument(f"--{name}", type=int, default=value)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "end.db")
        with Store.open(database) as store:
            sync_builtins(store)
        for _ in range(given.rounds):
            took, cpu, bots = round_of(database, given.games, given.pages)
            print(
                f"ended {took:.2f} s after the signal with all of its {bots} processes; the "
                f"server used {cpu:.2f} s of processor time"
            )


if __name__ == "__main__":
    main()
