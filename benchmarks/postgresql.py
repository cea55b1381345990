"""What a pair costs on PostgreSQL: a local server whose every commit waits for the disk.

    python benchmarks/postgresql.py [--games 1000000] [--small 1000] [--pairs 300] [--rounds 7]

Starts a server of its own in a temporary folder, with PostgreSQL's defaults (`fsync` and
`synchronous_commit` on), fills two databases in bulk, and stores pairs in both in turn: one pair a
transaction, and ten. Beside them stands the least that a transaction can cost there: one row
inserted and committed.
"""

import argparse
import statistics
import subprocess
import sys
import time
from typing import Any

import psycopg

from benchmarks.large_database import new_database, planned_pairs, play_pairs
from db.store import Store
from ladder.stats.sequential_elo import rate_pair
from tests.support.postgresql import Server, why_none


def fill(server: Server, name: str, games: int) -> None:
    """Copy the stored pairs of a database in bulk up to a number of games.

    Keys and indexes are made at the end, each in one go. The derived tables stay as they are: a
    pair moves the same rows of them.
    """
    with connect(server, name) as connection:
        row = connection.execute("SELECT count(*), max(id), max(number) FROM pairs").fetchone()
        assert row is not None
        pairs, highest, last = row
        wanted = games // 2 - pairs
        if wanted <= 0:
            return
        connection.execute("SET maintenance_work_mem = '256MB'")
        indexes = [made for (made,) in connection.execute(_INDEXES)]
        keys = list(connection.execute(_KEYS))
        for table, key, _ in reversed(keys):  # those that point at others before the others
            connection.execute(f"ALTER TABLE {table} DROP CONSTRAINT {key}")
        for made in indexes:
            connection.execute(f"DROP INDEX {made.split()[made.split().index('INDEX') + 1]}")
        copies = f"generate_series(1, {-(-wanted // pairs)}) AS copy"
        for table, key, replaced in (
            (
                "pairs",
                "id",
                {"id": f"id + copy * {highest}", "number": f"number + copy * {last + 1}"},
            ),
            (
                "games",
                "pair_id",
                {
                    "id": f"id + copy * {2 * highest}",
                    "pair_id": f"pair_id + copy * {highest}",
                    # Every game another line, spread over the whole range like real hashes.
                    "line_hash": "(2 * random() - 1) * 9.2e18",
                },
            ),
        ):
            columns = [column for (column,) in connection.execute(_COLUMNS, [table])]
            chosen = ", ".join(replaced.get(each, each) for each in columns)
            connection.execute(
                f"INSERT INTO {table} ({', '.join(columns)}) "  # noqa: S608 - our own names
                f"SELECT {chosen} FROM {table}, {copies} "
                f"WHERE {replaced[key]} <= {highest + wanted} ORDER BY copy, {table}.id"
            )
            connection.execute(
                f"SELECT setval('{table}_id_seq', (SELECT max(id) FROM {table}))"  # noqa: S608
            )
        for table, key, made in keys:
            connection.execute(f"ALTER TABLE {table} ADD CONSTRAINT {key} {made}")
        for made in indexes:
            connection.execute(made)
    server.execute("VACUUM ANALYZE", name)
    server.execute("CHECKPOINT")  # else it would be written while pairs are measured


_COLUMNS = (
    "SELECT column_name FROM information_schema.columns WHERE table_name = %s "
    "ORDER BY ordinal_position"
)
_INDEXES = (
    "SELECT pg_get_indexdef(indexrelid) FROM pg_index "
    "WHERE indrelid IN ('pairs'::regclass, 'games'::regclass) "
    "AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)"
)
_KEYS = (
    "SELECT conrelid::regclass::text, conname, pg_get_constraintdef(oid) FROM pg_constraint "
    "WHERE 'pairs'::regclass IN (conrelid, confrelid) "
    "OR 'games'::regclass IN (conrelid, confrelid) ORDER BY contype = 'f'"
)
"""Keys, before those that point at them."""


def connect(server: Server, name: str) -> "psycopg.Connection[Any]":
    """Connect to one of a server's databases."""
    return psycopg.connect(host=str(server.folder), user=server.user, dbname=name)


def commit_us(server: Server, count: int) -> float:
    """Return the median time of inserting and committing one row, in microseconds."""
    server.execute("CREATE TABLE IF NOT EXISTS least (n integer)")
    spent = []
    with connect(server, "postgres") as connection:
        for number in range(count):
            begun = time.perf_counter()
            connection.execute("INSERT INTO least VALUES (%s)", [number])
            connection.commit()
            spent.append((time.perf_counter() - begun) * 1e6)
    return statistics.median(spent)


def play_together(store: Store, run: int, count: int, together: int, start: int) -> float:
    """Store pairs, several per transaction; return microseconds per pair."""
    played = planned_pairs(store, run, count, start)
    begun = time.perf_counter()
    for place in range(0, count, together):
        store.pairs.finish_all(played[place : place + together], rate_pair)
    return (time.perf_counter() - begun) * 1e6 / count


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--small", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--pairs", type=int, default=300)
    parser.add_argument("--play", nargs=3, help=argparse.SUPPRESS)  # a second coordinator
    given = parser.parse_args()
    if given.play:
        where, run, start = given.play
        with Store.open(where) as store:
            play_pairs(store, int(run), given.pairs * given.rounds, int(start))
        return
    reason = why_none()
    if reason is not None:
        sys.exit(reason)
    server = Server.make({"shared_buffers": "256MB"})
    try:
        server.start()
        measure(server, given)
    finally:
        server.remove()


def measure(server: Server, given: argparse.Namespace) -> None:
    """Measure and print everything."""
    sizes = (given.small, given.games)
    runs, stores = {}, {}
    for size in sizes:
        name = f"games_{size}"
        server.execute(f"CREATE DATABASE {name}")
        runs[size] = new_database(server.url(name))
        with Store.open(server.url(name)) as store:
            play_pairs(store, runs[size], given.small // 2, start=7)
        begun = time.perf_counter()
        fill(server, name, size)
        print(f"{size:>9,} games, filled in {time.perf_counter() - begun:.0f} s")
        stores[size] = Store.open(server.url(name))
    print(f"one row inserted and committed: {commit_us(server, 300):.0f} us")
    one: dict[int, list[float]] = {size: [] for size in sizes}
    ten: dict[int, list[float]] = {size: [] for size in sizes}
    processor: dict[int, list[float]] = {size: [] for size in sizes}
    for size in sizes:  # the server prepares a statement when it comes for the fifth time
        play_pairs(stores[size], runs[size], 10, start=1)
    for number in range(given.rounds):
        for size in sizes:
            spent = play_pairs(stores[size], runs[size], given.pairs, start=100 + number)
            one[size] += [wall for wall, _ in spent]
            processor[size] += [cpu for _, cpu in spent]
            count = given.pairs // 10 * 10
            ten[size].append(play_together(stores[size], runs[size], count, 10, 900 + number))
    for words, found in (("one pair a transaction", one), ("ten", ten)):
        small, large = (statistics.median(found[size]) for size in sizes)
        means = [statistics.fmean(found[size]) for size in sizes]
        print(
            f"{words}: median {small:.0f} and {large:.0f} us a pair, ratio {large / small:.2f}; "
            f"{1e6 / means[0]:.0f} and {1e6 / means[1]:.0f} pairs a second"
        )
    mine = [statistics.median(processor[size]) for size in sizes]
    print(f"processor time of the coordinator: {mine[0]:.0f} and {mine[1]:.0f} us a pair")
    for store in stores.values():
        store.close()
    two_at_once(server, runs[given.small], given)


def two_at_once(server: Server, run: int, given: argparse.Namespace) -> None:
    """Measure two coordinators in one stream."""
    url = server.url(f"games_{given.small}")
    command = [sys.executable, "-m", "benchmarks.postgresql", "--pairs", str(given.pairs)]
    command += ["--rounds", str(given.rounds)]
    before = time.perf_counter()
    both = [
        subprocess.Popen([*command, "--play", url, str(run), str(start)]) for start in (5000, 6000)
    ]
    for each in both:
        each.wait()
    spent = time.perf_counter() - before
    print(
        f"two coordinators at once, starts included: {2 * given.pairs * given.rounds / spent:.0f}"
    )


if __name__ == "__main__":
    main()
