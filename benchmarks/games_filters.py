"""How long `ladder serve` takes to answer each filter of its page of games.

    python -m benchmarks.games_filters [--games 1000000] [--bots 20] [--keep FOLDER]

Makes a database as `benchmarks.report_page` does, and prints for each filter the median and the
slowest of some searches, by wall time and by processor time.
"""

import argparse
import tempfile
import time
from pathlib import Path
from statistics import median

from benchmarks.report_page import make
from db.records.games import GameQuery
from db.store import Store
from engine.result import Result, Termination
from ladder.results.overview.search import search

PAGE = 50
ROUNDS = 15
FILTERS = {
    "none": GameQuery(),
    "bot": GameQuery(bot="bot03"),
    "both bots": GameQuery(bot="bot03", opponent="bot07"),
    "bot, won": GameQuery(bot="bot03", result=Result.WIN),
    "both bots, lost": GameQuery(bot="bot03", opponent="bot07", result=Result.LOSS),
    "bot, moved first": GameQuery(bot="bot03", moved_first=True),
    "draws": GameQuery(result=Result.DRAW),
    "forfeits": GameQuery(forfeit=True),
    "bot, lost by forfeit": GameQuery(bot="bot03", result=Result.LOSS, forfeit=True),
    "ending that no game has": GameQuery(termination=Termination.MEMORY),
    "board class": GameQuery(board="thu"),
    "board that no game has": GameQuery(board="12x12"),
    "at most 8 plies": GameQuery(longest=8),
    "at least 75 plies": GameQuery(shortest=75),
    "both bots, at least 75 plies": GameQuery(bot="bot03", opponent="bot07", shortest=75),
    "run": GameQuery(run_id=1),
    "division": GameQuery(division_id=1),
    "since now": GameQuery(since=time.time()),
    "the oldest page of a bot": GameQuery(bot="bot03", before=500),
    "a deep page": GameQuery(before=500_000),
    "upsets of two bots": GameQuery(won_by={1: frozenset({(1, 2)})}),
}


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--bots", type=int, default=20)
    parser.add_argument("--keep", type=Path, help="keep the database in this folder")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=".") as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder.resolve() / f"{given.games}.db"
        if not path.exists():
            make(path, given.bots, given.games)
        Store.open(str(path)).close()  # a kept one may be of an older version
        store = Store.follow(str(path))
        for name, query in FILTERS.items():
            walls, cpus = [], []
            for _ in range(ROUNDS):
                begun, cpu = time.perf_counter(), time.process_time()
                found = search(store, query, PAGE)
                walls.append(1000 * (time.perf_counter() - begun))
                cpus.append(1000 * (time.process_time() - cpu))
            assert not found.is_cut
            print(
                f"{name}: {len(found.games)} games, median {median(walls):.1f} ms, slowest "
                f"{max(walls):.1f} ms, processor time {median(cpus):.1f} ms"
            )
        store.close()


if __name__ == "__main__":
    main()
