"""Load on `ladder serve`: pages that follow, requests, and a writer that stores pairs meanwhile.

    python -m benchmarks.server_load --pages 200 --pairs 50 --requests 100 --seconds 600

Tells how long storing a pair takes without and with the load, the latency of the requests, how many
updates the pages were sent, the server's memory at ten moments, and whether it is flat: whether the
median of the last three tenths of the time is less than 5 % above that of the three at its middle.
With `--games N` so many games are stored before. Requests are left out, and counted, while 50 wait
for an answer: a machine that cannot do the work would show its own queue as the server's memory.
"""

import argparse
import asyncio
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import psutil

from benchmarks.large_database import fill
from tests.support.data.league import Game, League

BOTS = tuple(f"s{number:02}" for number in range(20))
AT_ONCE = 50
"""Requests that wait for an answer."""
SAMPLES = 10
"""Of the server's memory, one at the end of each tenth of the time."""
FLAT = 0.05
"""Growth of the second half of the time, as a share, below which memory counts as flat."""
PATHS = ("/", "/games", "/games?bot=s03", "/games/7", "/runs/1", "/api/runs", "/api/games?limit=20")


def store_pairs(database: str, a_second: float, seconds: float) -> None:
    """Store pairs at a pace and print the milliseconds that each took."""
    with League(database) as league:
        league.revisions = {bot.name: bot.revision.id for bot in league.store.bots.all()}
        run = league.run()
        took, begun, number = [], time.perf_counter(), 0
        while (now := time.perf_counter()) - begun < seconds:
            if number / a_second > now - begun:
                time.sleep(0.001)
                continue
            a, b = BOTS[number % 20], BOTS[(number * 7 + 1) % 20]
            if a != b:
                start = time.perf_counter()
                league.pair(run, a, b, Game("1-0", plies=5), Game("0-1", plies=5))
                took.append(time.perf_counter() - start)
            number += 1
        league.end(run)
    took.sort()
    mean = 1000 * sum(took) / len(took)
    print(
        f"  stored {len(took)} pairs, {len(took) / seconds:.1f} a second; a pair took "
        f"{mean:.2f} ms, the slowest of a hundred {1000 * took[int(0.99 * len(took))]:.2f} ms",
        flush=True,
    )


@dataclass
class ClientCounts:
    """Measurements of the clients."""

    updates: int = 0
    latencies: list[float] = field(default_factory=list)
    failures: int = 0
    left_out: int = 0
    """Requests that were not made, as too many waited."""


async def follow(port: int, seen: ClientCounts) -> None:
    """Follow the stream of one page until cancelled."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/event-stream\r\n\r\n"
    writer.write(head.encode())
    try:
        while block := await reader.read(65536):
            seen.updates += block.count(b"event: update")
    finally:
        writer.close()


async def ask(port: int, path: str, seen: ClientCounts) -> None:
    """Send one request on a new connection."""
    begun = time.perf_counter()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        answer = await reader.read()
        writer.close()
    except OSError:
        seen.failures += 1
        return
    seen.latencies.append(time.perf_counter() - begun)
    seen.failures += not answer.startswith(b"HTTP/1.1 200")


async def load(port: int, pages: int, a_second: float, seconds: float) -> ClientCounts:
    """Follow with a number of pages and send requests at a pace."""
    seen = ClientCounts()
    following = [asyncio.create_task(follow(port, seen)) for _ in range(pages)]
    asked: set[asyncio.Task[None]] = set()
    begun, number = time.perf_counter(), 0
    while (now := time.perf_counter()) - begun < seconds:
        if number / a_second > now - begun:
            await asyncio.sleep(0.002)
            continue
        number += 1
        if len(asked) >= AT_ONCE:
            seen.left_out += 1
            continue
        task = asyncio.create_task(ask(port, PATHS[number % len(PATHS)], seen))
        asked.add(task)
        task.add_done_callback(asked.discard)
    for task in following:
        task.cancel()
    await asyncio.gather(*following, *asked, return_exceptions=True)
    return seen


async def load_and_sample(
    port: int, given: argparse.Namespace, process: psutil.Process
) -> tuple[ClientCounts, list[float]]:
    """Run the load; return the server's resident MiB at the end of each tenth of the time."""
    loading = asyncio.create_task(load(port, int(given.pages), given.requests, given.seconds))
    resident = []
    for _ in range(SAMPLES):
        await asyncio.sleep(given.seconds / SAMPLES)
        resident.append(process.memory_info().rss / 2**20)
    return await loading, resident


def growth(resident: Sequence[float]) -> float:
    """Return the growth over the second half of ten memory samples, as a share."""
    return median(resident[7:]) / median(resident[4:7]) - 1


def make_database(path: Path, games: int) -> None:
    """Make a database with bots and the games of a first run."""
    with League(path, *BOTS) as league:
        if not games:
            return
        run = league.run()
        for number, a in enumerate(BOTS):
            for b in BOTS[:number]:
                league.pair(run, a, b, Game("1-0", plies=5), Game("0-1", plies=5))
        league.end(run)
    fill(path, games)


def main() -> None:
    """Measure without the load, then with it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    for name, value in (("pages", 200), ("pairs", 50), ("requests", 100), ("seconds", 60)):
        parser.add_argument(f"--{name}", type=float, default=value)
    parser.add_argument("--games", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "load.db")
        make_database(Path(database), given.games)
        print("without the server:", flush=True)
        store_pairs(database, given.pairs, min(given.seconds, 60))
        command = [sys.executable, "-c", "from ladder.cli.main import main; main()", "serve"]
        with subprocess.Popen(
            [*command, "--db", database, "--port", "0"], stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            port = int(server.stdout.readline().strip().rstrip("/").rpartition(":")[2])
            process = psutil.Process(server.pid)
            asyncio.run(load(port, 5, 20, 3))  # warm
            before = process.memory_info().rss / 2**20
            print("with it:", flush=True)
            writer = multiprocessing.Process(
                target=store_pairs, args=(database, given.pairs, given.seconds)
            )
            writer.start()
            cpu = sum(process.cpu_times()[:2])
            seen, resident = asyncio.run(load_and_sample(port, given, process))
            cpu = sum(process.cpu_times()[:2]) - cpu
            writer.join()
            begun = time.perf_counter()
            server.send_signal(2)
            server.wait(60)
            ended = time.perf_counter() - begun
        print_counts(given, seen, cpu)
        moments = ", ".join(f"{each:.0f}" for each in resident)
        grown = growth(resident)
        print(f"  resident {before:.0f} MiB before; at each tenth of the time {moments}")
        print(f"  {'flat' if grown < FLAT else 'NOT flat'}: {grown:+.1%} in the second half")
        print(f"  it ended within {ended:.2f} s; left: {sorted(os.listdir(folder))}")


def print_counts(given: argparse.Namespace, seen: ClientCounts, cpu: float) -> None:
    """Print what the clients saw; `cpu` is the server's processor time in seconds."""
    seen.latencies.sort()
    count = len(seen.latencies)
    middle, slow = seen.latencies[count // 2], seen.latencies[int(0.99 * count)]
    print(f"  {count} requests, {seen.failures} failed, {seen.left_out} left out; half of them "
          f"within {1000 * middle:.0f} ms, 99 % within {1000 * slow:.0f} ms")  # fmt: skip
    print(f"  {seen.updates} updates to {given.pages:.0f} pages, "
          f"{seen.updates / given.pages / given.seconds:.2f} a second each")  # fmt: skip
    print(f"  the server used {cpu / given.seconds:.0%} of a CPU")


if __name__ == "__main__":
    main()
