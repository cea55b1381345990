"""Prints branch coverage by room from a JSON report of coverage: ``... coverage_by_room FILE``."""

import json
import sys
from collections import Counter
from pathlib import Path


def main(file: str) -> None:
    """A line per folder, least covered first, with its least covered modules."""
    total: dict[str, Counter[str]] = {}
    worst: dict[str, list[tuple[float, str]]] = {}
    for name, entry in json.loads(Path(file).read_text())["files"].items():
        room, summary = str(Path(name).parent), entry["summary"]
        counts = total.setdefault(room, Counter())
        for key in ("covered_lines", "num_statements", "covered_branches", "num_branches"):
            counts[key] += summary[key]
        worst.setdefault(room, []).append((summary["percent_covered"], Path(name).name))
    for room, counts in sorted(total.items(), key=lambda item: share(item[1])):
        least = ", ".join(f"{name} {percent:.0f}" for percent, name in sorted(worst[room])[:3])
        print(
            f"{share(counts):6.1f} %  {room:24} {counts['num_statements']:5} statements  ({least})"
        )


def share(counts: Counter[str]) -> float:
    """Statements and branches that ran, in percent of all."""
    all_of_them = counts["num_statements"] + counts["num_branches"]
    return 100 * (counts["covered_lines"] + counts["covered_branches"]) / max(all_of_them, 1)


if __name__ == "__main__":
    main(sys.argv[1])
