"""What drawn openings bring: `python -m benchmarks.openings [A] [B] [--games N] [--plies K]`.

Plays A against B on the standard board with random openings and with openings that are drawn to be
even, under equal simulations, and prints a Markdown table: the share of pairs that decide something
(that one bot wins by points), the first mover's score, draws, and the games that a gate of each
against the other needs. Everything is played in a folder that vanishes, with a fixed seed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

LADDER = (sys.executable, "-c", "from ladder.cli.main import main; main()")
RANDOM_PLIES = 4


def ladder(folder: Path, *words: object) -> Any:
    """Return a command's document; a gate's exit code is its verdict and no failure."""
    command = [*LADDER, *map(str, words), "--json"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if not done.stdout.startswith("{"):
        raise SystemExit(done.stderr)
    return json.loads(done.stdout)


def measured(folder: Path, options: argparse.Namespace, openings: tuple[object, ...]) -> str:
    """Return one row of the table."""
    play = ("--boards", "6x7", "--simulations", options.simulations, "--seed", 1, *openings)
    report = ladder(folder, "match", options.a, options.b, "--games", options.games, *play)
    report = report["report"]
    penta = report["pairs_table"][0]["pentanomial"]
    decided = 1 - penta[2] / sum(penta)
    cells = [f"{decided:.1%}", f"{report['first_mover_score']:.1%}", f"{report['draw_rate']:.1%}"]
    for candidate, baseline in ((options.a, options.b), (options.b, options.a)):
        gate = ladder(folder, "gate", candidate, "--against", baseline, *play)
        cells.append(f"{gate['games']} ({gate['verdict']})")
    return " | ".join(cells)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("a", nargs="?", default="v8")
    parser.add_argument("b", nargs="?", default="v4")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--plies", type=int, default=8, help="of the drawn openings")
    parser.add_argument("--count", type=int, default=200, help="drawn openings")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        draw = ("openings", "make", "even.txt", "--boards", "6x7", "--plies", options.plies)
        ladder(folder, *draw, "--count", options.count, "--balanced", "--seed", 1)
        rows = {
            f"random, {RANDOM_PLIES} plies": ("--opening-plies", RANDOM_PLIES),
            f"random, {options.plies} plies": ("--opening-plies", options.plies),
            f"even, {options.plies} plies": ("--openings", "even.txt"),
        }
        gates = f"gate {options.a} against {options.b} | gate {options.b} against {options.a}"
        print(f"| openings | pairs that decide | first mover | draws | {gates} |")
        print("|---|---|---|---|---|---|")
        for title, openings in rows.items():
            print(f"| {title} | {measured(folder, options, openings)} |", flush=True)


if __name__ == "__main__":
    main()
