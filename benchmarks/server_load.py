"""Load on `ladder serve`: pages that follow, requests, and a writer that stores pairs meanwhile.

    python -m benchmarks.server_load --pages 200 --pairs 50 --requests 100 --seconds 600

Tells how long storing a pair takes without and with the load, the latency of the requests, how many
updates the pages were sent, and the memory of the server at the beginning and the end.
"""

import argparse
import asyncio
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.support.league import Game, League

BOTS = tuple(f"s{number:02}" for number in range(20))
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
class Told:
    """What the clients saw."""

    updates: int = 0
    latencies: list[float] = field(default_factory=list)
    failures: int = 0


async def follow(port: int, told: Told) -> None:
    """One page that follows until it is cancelled."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/event-stream\r\n\r\n"
    writer.write(head.encode())
    try:
        while block := await reader.read(65536):
            told.updates += block.count(b"event: update")
    finally:
        writer.close()


async def ask(port: int, path: str, told: Told) -> None:
    """One request on a connection of its own."""
    begun = time.perf_counter()
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n"
        writer.write(head.encode())
        answer = await reader.read()
        writer.close()
    except OSError:
        told.failures += 1
        return
    told.latencies.append(time.perf_counter() - begun)
    told.failures += not answer.startswith(b"HTTP/1.1 200")


async def load(port: int, pages: int, a_second: float, seconds: float) -> Told:
    """Follow with so many pages and ask at a pace."""
    told = Told()
    following = [asyncio.create_task(follow(port, told)) for _ in range(pages)]
    asked: set[asyncio.Task[None]] = set()
    begun, number = time.perf_counter(), 0
    while (now := time.perf_counter()) - begun < seconds:
        if number / a_second > now - begun:
            await asyncio.sleep(0.002)
            continue
        task = asyncio.create_task(ask(port, PATHS[number % len(PATHS)], told))
        asked.add(task)
        task.add_done_callback(asked.discard)
        number += 1
    for task in following:
        task.cancel()
    await asyncio.gather(*following, *asked, return_exceptions=True)
    return told


def main() -> None:
    """Measure without the load, then with it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    for name, value in (("pages", 200), ("pairs", 50), ("requests", 100), ("seconds", 60)):
        parser.add_argument(f"--{name}", type=float, default=value)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = str(Path(folder) / "load.db")
        League(database, *BOTS).store.close()
        writing = (database, given.pairs, given.seconds)
        print("without the server:", flush=True)
        alone = multiprocessing.Process(target=store_pairs, args=writing)
        alone.start()
        alone.join()
        command = [sys.executable, "-c", "from ladder.cli.main import main; main()", "serve"]
        with subprocess.Popen(
            [*command, "--db", database, "--port", "0"], stdout=subprocess.PIPE, text=True
        ) as server:
            assert server.stdout is not None
            port = int(server.stdout.readline().strip().rstrip("/").rpartition(":")[2])
            process = psutil.Process(server.pid)
            asyncio.run(load(port, 5, 20, 3))  # warm
            before = process.memory_info().rss
            print("with it:", flush=True)
            writer = multiprocessing.Process(target=store_pairs, args=writing)
            writer.start()
            cpu = sum(process.cpu_times()[:2])
            told = asyncio.run(load(port, int(given.pages), given.requests, given.seconds))
            cpu = sum(process.cpu_times()[:2]) - cpu
            writer.join()
            after = process.memory_info().rss
            begun = time.perf_counter()
            server.send_signal(2)
            server.wait(10)
            ended = time.perf_counter() - begun
        told.latencies.sort()
        count = len(told.latencies)
        middle, slow = told.latencies[count // 2], told.latencies[int(0.99 * count)]
        print(f"  {count} requests, {told.failures} failed; half of them within "
              f"{1000 * middle:.0f} ms, 99 % within {1000 * slow:.0f} ms")  # fmt: skip
        print(f"  {told.updates} updates to {given.pages:.0f} pages, "
              f"{told.updates / given.pages / given.seconds:.2f} a second each")  # fmt: skip
        print(f"  the server used {cpu / given.seconds:.0%} of a CPU; "
              f"{before >> 20} MiB before, {after >> 20} MiB after")  # fmt: skip
        print(f"  it ended within {ended:.2f} s; left: {sorted(os.listdir(folder))}")


if __name__ == "__main__":
    main()
