"""What a full database costs: a pair stored, and a report, with few and with a million games.

    python benchmarks/large_database.py [--games 1000000] [--small 1000] [--rounds 5]

Makes two databases in a temporary folder (copies of one filler game with other moves and seeds,
written in bulk), then times the transaction of a pair in both, in turn, by processor time and by
wall time, the report, the data of first pages of `ladder serve`, and the resident memory of a
process that does all of these.
"""

import argparse
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from bots.protocol import Budget
from db.records.games import GameQuery
from db.records.launch import Start
from db.records.pairs import (
    Entrant,
    PairPlan,
    PairRecord,
    PlannedPair,
)
from db.records.run_settings import StoredSettings
from db.records.runs import (
    Conditions,
    NewRun,
    RunKind,
)
from db.store import Store
from engine.seeds import SplitMix
from ladder.experiments.stored import read_run
from ladder.registry.builtins import sync_builtins
from ladder.results.pages import read_bot_page, read_overview
from ladder.runs.history import past_run
from tests.support.data.random_games import random_record
from tests.support.storing import finish_pair

BATCH = 20_000
"""Pairs of games written in one statement."""


def new_database(path: Path | str) -> int:
    """Create a database with all players and one run; return the run's id."""
    with Store.open(str(path)) as store:
        sync_builtins(store)
        return new_run(store)


def new_run(store: Store) -> int:
    """Store a run on `thu` boards; return its id."""
    run = NewRun(
        kind=RunKind.LADDER,
        rated=True,
        stream="bench",
        identity="bench",
        settings=StoredSettings(),
        seed=1,
        division_id=store.divisions.ensure(Conditions("thu", 0, {"time_ms": 100})).id,
    )
    return store.runs.create(run).id


def play_pairs(store: Store, run: int, count: int, start: int) -> list[tuple[float, float]]:
    """Store random pairs; return wall and processor microseconds of each transaction."""
    spent = []
    for plan, record in planned_pairs(store, run, count, start):
        wall, cpu = time.perf_counter(), time.process_time()
        finish_pair(store, plan, record)
        spent.append(((time.perf_counter() - wall) * 1e6, (time.process_time() - cpu) * 1e6))
    return spent


def planned_pairs(
    store: Store, run: int, count: int, start: int
) -> list[tuple[PairPlan, PairRecord]]:
    """Plan pairs and play random games for them without storing the games."""
    bots = [bot.revision.id for bot in store.bots.all()]
    random = SplitMix(start)

    def planned(number: int) -> PlannedPair:
        a = random.below(len(bots))
        b = (a + 1 + random.below(len(bots) - 1)) % len(bots)
        return PlannedPair(bots[a], bots[b], "9x9@4,4", "thu", (), number)

    rows = store.pairs.plan(run, count, planned)
    played = []
    for row in rows:
        begin = Start(argv=("null",), folder="/")
        budget = Budget(time_ms=100)
        plan = PairPlan(
            row,
            a=Entrant(row.a_revision, "a", begin, budget),
            b=Entrant(row.b_revision, "b", begin, budget),
        )
        played.append((plan, random_record(plan, random)))
    return played


def fill(path: Path, games: int) -> None:
    """Copy the stored pairs in bulk up to a number of games."""
    connection = sqlite3.connect(path)
    connection.execute("pragma synchronous=off")
    (pairs,) = connection.execute("select count(*) from pairs").fetchone()
    columns = {
        table: [row[1] for row in connection.execute(f"pragma table_info({table})")]
        for table in ("pairs", "games")
    }
    wanted = games // 2
    while pairs < wanted:
        batch = min(BATCH, wanted - pairs)
        (shift,) = connection.execute("select max(id) from pairs").fetchone()
        replaced = {"id": f"id + {shift}", "number": f"number + {shift}"}
        select = ", ".join(replaced.get(name, name) for name in columns["pairs"])
        connection.execute(
            f"insert into pairs ({', '.join(columns['pairs'])}) "  # noqa: S608 - our own names
            f"select {select} from pairs where id <= ?",
            (batch,),
        )
        replaced = {
            "id": f"id + {2 * shift}",
            "pair_id": f"pair_id + {shift}",
            # Every game another line, spread over the whole range like real hashes.
            "line_hash": "random()",
        }
        select = ", ".join(replaced.get(name, name) for name in columns["games"])
        connection.execute(
            f"insert into games ({', '.join(columns['games'])}) "  # noqa: S608
            f"select {select} from games where pair_id <= ?",
            (batch,),
        )
        connection.commit()
        (pairs,) = connection.execute("select count(*) from pairs").fetchone()
    connection.close()


def report_seconds(path: Path) -> float:
    """Return the seconds of the fastest of three `ladder report` processes."""
    times = []
    for _ in range(3):
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", "from ladder.cli.main import main; main()", "report"],
            env={**os.environ, "LADDER_DB": str(path)},
            stdout=subprocess.DEVNULL,
            check=True,
        )
        times.append(time.perf_counter() - begun)
    return min(times)


def page_seconds(path: Path) -> str:
    """Return the processor seconds in which the data of the first pages are read."""
    pages: dict[str, Callable[[Store], object]] = {
        "/": lambda store: read_overview(store, None),
        "/bots/v12": lambda store: read_bot_page(store, "v12", None),
        "/runs/1": lambda store: read_run(store, past_run(store, 1)),
        "/games": lambda store: store.games.newest(GameQuery(), 50),
    }
    spent = []
    with Store.follow(str(path)) as store:
        for page, read in pages.items():
            begun = time.process_time()
            read(store)
            spent.append(f"{page} {time.process_time() - begun:.2f} s")
    return ", ".join(spent)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--small", type=int, default=1_000)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--pairs", type=int, default=300)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".") as folder:
        paths = {size: Path(folder) / f"{size}.db" for size in (given.small, given.games)}
        runs = {}
        for size, path in paths.items():
            runs[size] = new_database(path)
            with Store.open(str(path)) as store:
                play_pairs(store, runs[size], given.small // 2, start=7)
            begun = time.perf_counter()
            fill(path, size)
            print(
                f"{size:>9,} games, {path.stat().st_size / 2**20:,.0f} MiB, "
                f"filled in {time.perf_counter() - begun:.0f} s"
            )
        stores = {size: Store.open(str(path)) for size, path in paths.items()}
        spent: dict[int, list[tuple[float, float]]] = {size: [] for size in paths}
        for size, store in stores.items():  # the first transaction prepares its statements
            play_pairs(store, runs[size], 5, start=1)
        for number in range(given.rounds):
            for size, store in stores.items():
                spent[size] += play_pairs(store, runs[size], given.pairs, start=100 + number)
        for what, place in (("wall", 0), ("processor", 1)):
            medians = {s: statistics.median(pair[place] for pair in spent[s]) for s in spent}
            means = {s: statistics.fmean(pair[place] for pair in spent[s]) for s in spent}
            small, large = given.small, given.games
            print(
                f"a pair, {what:>9}: median {medians[small]:.0f} and {medians[large]:.0f} us, "
                f"ratio {medians[large] / medians[small]:.2f}; mean {means[small]:.0f} and "
                f"{means[large]:.0f} us, ratio {means[large] / means[small]:.2f}"
            )
        for store in stores.values():
            store.close()
        print(
            f"report: {report_seconds(paths[given.small]):.2f} s and "
            f"{report_seconds(paths[given.games]):.2f} s"
        )
        print(f"data of pages: {page_seconds(paths[given.games])}")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"peak resident memory of this process, {peak:.0f} MiB")


if __name__ == "__main__":
    main()
