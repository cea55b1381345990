"""Lose the connection to a server, or the server itself, in many commits; nothing may be lost.

    python -m benchmarks.lost_commits [--losses 200] [--restarts 20]

Starts a PostgreSQL server of its own, on which a killed server keeps what was committed.
"""

import argparse
import shutil
import time

from db.store import Store
from tests.support.lost_commits import lose_commits
from tests.support.postgresql import SAFE, Server


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--losses", type=int, default=200)
    parser.add_argument("--restarts", type=int, default=20)
    given = parser.parse_args()
    server = Server.make(SAFE)
    try:
        server.start()
        server.execute("CREATE DATABASE losing")
        Store.open(server.url("losing")).close()
        begun = time.monotonic()
        counts = lose_commits(server, server.url("losing"), given.losses, restarts=given.restarts)
        spent = time.monotonic() - begun
        server.stop("immediate")
    finally:
        shutil.rmtree(server.folder)
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items()))
    print(f"{kinds}: every pair planned and stored once, in {spent:.0f} s")


if __name__ == "__main__":
    main()
