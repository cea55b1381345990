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

import psycopg

from benchmarks.large_database import BATCH, new_database, planned_pairs, play_pairs
from db.store import Store
from ladder.ratings.sequential_elo import rate_pair
from tests.support.postgresql import Server, why_none


def fill(server: Server, name: str, games: int) -> None:
    """Multiply the stored pairs of a database until there are so many games, in bulk."""
    with psycopg.connect(host=str(server.folder), user=server.user, dbname=name) as connection:
        connection.execute("SET synchronous_commit = off")
        columns = {
            table: [
                row[0]
                for row in connection.execute(
                    "SELECT column_name FROM information_schema.columns WHERE table_name = %s "
                    "ORDER BY ordinal_position",
                    [table],
                )
            ]
            for table in ("pairs", "games")
        }
        row = connection.execute("SELECT count(*), max(id) FROM pairs").fetchone()
        assert row is not None
        pairs, highest = row
        while pairs < games // 2:
            batch = min(BATCH, games // 2 - pairs, pairs)
            for table, replaced in (
                ("pairs", {"id": f"id + {highest}", "number": f"number + {highest}"}),
                (
                    "games",
                    {
                        "id": f"id + {2 * highest}",
                        "pair_id": f"pair_id + {highest}",
                        # Every game another line, spread over the whole range like real hashes.
                        "line_hash": "(2 * random() - 1) * 9.2e18",
                    },
                ),
            ):
                chosen = ", ".join(replaced.get(each, each) for each in columns[table])
                key = "id" if table == "pairs" else "pair_id"
                connection.execute(
                    f"INSERT INTO {table} ({', '.join(columns[table])}) "  # noqa: S608 - our names
                    f"SELECT {chosen} FROM {table} WHERE {key} <= {batch}"
                )
            pairs, highest = pairs + batch, 2 * highest if batch == pairs else highest + batch
            connection.commit()
        for table in ("pairs", "games"):
            connection.execute(
                f"SELECT setval('{table}_id_seq', (SELECT max(id) FROM {table}))"  # noqa: S608
            )
    with Store.open(server.url(name)) as store:
        store.aggregate.rebuild(rate_pair)
    server.execute("VACUUM ANALYZE", name)


def commit_us(server: Server, count: int) -> float:
    """The median of inserting one row and committing it, in microseconds."""
    server.execute("CREATE TABLE IF NOT EXISTS least (n integer)")
    spent = []
    with psycopg.connect(
        host=str(server.folder), user=server.user, dbname="postgres"
    ) as connection:
        for number in range(count):
            begun = time.perf_counter()
            connection.execute("INSERT INTO least VALUES (%s)", [number])
            connection.commit()
            spent.append((time.perf_counter() - begun) * 1e6)
    return statistics.median(spent)


def play_together(store: Store, run: int, count: int, together: int, start: int) -> float:
    """Store pairs, so many in a transaction; microseconds a pair."""
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
    """Everything that is printed."""
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
    """Two coordinators in one stream."""
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
