"""What it costs a run that pages can show its games while they are played.

    python -m benchmarks.broadcast [--games 4000] [--rounds 9] [--concurrency 1]

Plays null games alternately: without broadcast, with one but no listener, and with a process that
reads everything, as `ladder serve` does while a page shows boards. Prints the middle of the rounds
and each ratio to the first, by processor time of the whole run as well.
"""

import argparse
import os
import select
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from statistics import median

from ladder.match.game.broadcast import BroadcastListener
from ladder.tools.bench.harness import bench_harness

WAYS = ("off", "no listener", "a listener")


def listen(channel: str) -> None:
    """Read all positions until standard input ends, then print how many arrived."""
    listener = BroadcastListener(channel)
    print("ready", flush=True)
    came = 0
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        while listener.receive() is not None:
            came += 1
        if sys.stdin in ready:
            break
    print(came)


@contextmanager
def listening(channel: str) -> Iterator[None]:
    """Start a process that listens while the block runs."""
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.broadcast", "--listen", channel],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield
        finally:
            process.stdin.close()
            print(f"  (it received {process.stdout.read().strip()} positions)")


def measured(way: str, games: int, concurrency: int) -> tuple[float, float]:
    """Return games per second, and microseconds of processor time per ply of run and bots."""
    channel = None if way == "off" else f"benchmark.{os.getpid()}.{way}"
    before = os.times()
    speed = bench_harness(games=games, concurrency=concurrency, channel=channel)
    after = os.times()
    cpu = sum(after[:4]) - sum(before[:4])
    return speed.games_per_second, cpu / (20 * games) * 1e6


def main() -> None:
    """Measure by turns and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--listen", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.listen:
        listen(given.listen)
        return
    found: dict[str, list[tuple[float, float]]] = {way: [] for way in WAYS}
    with listening(f"benchmark.{os.getpid()}.{WAYS[2]}"):
        for turn in range(given.rounds):
            for place in range(len(WAYS)):
                way = WAYS[(turn + place) % len(WAYS)]
                found[way].append(measured(way, given.games, given.concurrency))
    speed = {way: median(each[0] for each in found[way]) for way in WAYS}
    cpu = {way: median(each[1] for each in found[way]) for way in WAYS}
    for way in WAYS:
        print(
            f"{way}: {speed[way]:.0f} games a second ({speed[way] / speed[WAYS[0]] - 1:+.2%}), "
            f"{cpu[way]:.2f} us of processor time a ply ({cpu[way] / cpu[WAYS[0]] - 1:+.2%})"
        )


if __name__ == "__main__":
    main()
