"""How versions use their time: `python -m benchmarks.time_use DATABASE`.

Prints a Markdown table of the latest run, a row a UCT version: moves that the clock ended (those
without a proven result), what the version intends, their mean, and the longest of all its moves.
"""

import argparse
import statistics
from collections import defaultdict
from collections.abc import Iterable

from bots.catalogue import VERSIONS
from bots.uct.settings import Settings
from db.records.games import GameQuery, GameRow
from db.store import Store


def times_ms(games: Iterable[GameRow]) -> dict[str, list[tuple[float, bool]]]:
    """Return for each UCT version the times of all moves, and which results were not proven."""
    found: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for game in games:
        for ply, thought in enumerate(game.thoughts, game.opening_plies):
            name = game.second if ply % 2 else game.first
            if name in VERSIONS and VERSIONS[name].family == "uct":
                found[name].append((thought.time_us / 1000, thought.proven is None))
    return found


def intended_ms(name: str, budget_ms: int) -> float:
    """Return what a version intends to use of its budget."""
    return budget_ms * float(VERSIONS[name].options.get("clock_share", Settings().clock_share))


def row(name: str, budget_ms: int, moves: list[tuple[float, bool]]) -> str:
    """Return a version's row of the table."""
    open_ms = [ms for ms, is_open in moves if is_open]
    longest = max(ms for ms, _ in moves)
    if not open_ms:
        return f"| {name} | {len(moves)} | 0 | - | - | - | {longest:.1f} |"
    intended, mean = intended_ms(name, budget_ms), statistics.mean(open_ms)
    return (
        f"| {name} | {len(moves)} | {len(open_ms)} | {intended:.2f} | {mean:.2f} | "
        f"{mean - intended:+.2f} ms, {100 * (mean / intended - 1):+.1f} % | "
        f"{longest:.1f} |"
    )


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("database")
    with Store.open(parser.parse_args().database, create=False) as store:
        run = store.runs.latest()
        if run is None:
            parser.error("no run is stored there; play one with --time")
        division = store.divisions.find(str(run.division_id))
        if "time_ms" not in division.budget:
            parser.error(f"{division.label} was not played under --time")
        budget_ms = division.budget["time_ms"]
        found = times_ms(store.games.stream(GameQuery(run_id=run.id), thoughts=True))
    print(
        "| bot | moves | ended by the clock | intended, ms | mean, ms | difference | longest, ms |"
    )
    print("|---|---|---|---|---|---|---|")
    for name in (name for name in VERSIONS if name in found):
        print(row(name, budget_ms, found[name]))


if __name__ == "__main__":
    main()
