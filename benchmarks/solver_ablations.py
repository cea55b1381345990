"""What each idea of the solver is worth: `python -m benchmarks.solver_ablations [IDEA...]`.

Builds the search for boards in one word once for each idea, with that idea left out, and prints
nodes and processor time on empty boards and middle games of the standard board, the table emptied
before each position. Compiling takes some 10 to 20 seconds an idea.
"""

import argparse
import time
from collections.abc import Callable
from types import ModuleType, SimpleNamespace
from typing import Any, cast

from engine.board import parse_board
from engine.compiled import inlined
from engine.position import Position
from engine.seeds import SplitMix
from engine.solver import kernels, search, word, word_table
from engine.solver import solver as solver_module
from engine.solver.book import NO_BOOK
from engine.solver.solver import Solver

SEED = 2026
BOARDS = ("6x5", "5x6", "6x6")
MIDDLE_GAMES = 60
MIDDLE_PLIES = 16


@inlined
def _first(cells: Any, *_rest: Any) -> Any:
    return cells


@inlined
def _none(*_sets: Any) -> int:
    return 0


@inlined
def _yes(*_sets: Any) -> bool:
    return True


def _without_counts(solver: Solver) -> None:
    solver._memories[0].weights[:] = 0


IDEAS: dict[str, dict[str, Any]] = {
    "all ideas": {},
    # every dead stone is marked, so that it keeps its colour in the key
    "dead stones": {"open_lines": _first},
    "mirrored positions are one": {"mirrored": _first},
    "replies in the column": {"connects": _yes},
    "order: fours with two stones": {"begun_fours": _none},
    "order: open fours of the other side": {"fours": _none},
    "order: fours of a cell": {"solver": _without_counts},
    "soon windows": {"SOON": 1000},
    "table near the end": {"NEAR_CELLS": 0},
    "prefetch": {"fetch": _none},
}
"""Left out: functions of the layout or the table, or constants, in place of the real ones."""


def questions() -> list[tuple[str, list[Position]]]:
    """Return the positions of each column of the table."""
    standard, random = parse_board("6x7"), SplitMix(SEED)
    middle = []
    while len(middle) < MIDDLE_GAMES:
        position = Position(standard)
        while position.ply < MIDDLE_PLIES and not position.is_over:
            position = position.play(random.choice(position.legal_moves()))
        if not position.is_over:
            middle.append(position)
    empty = [(f"empty {text}", [Position(parse_board(text))]) for text in BOARDS]
    return [*empty, (f"6x7, ply {MIDDLE_PLIES}", middle)]


def measure(changes: dict[str, Any], asked: list[Position]) -> tuple[float, float]:
    """Return nodes and processor seconds per position."""
    solver = Solver(asked[0].board, book=NO_BOOK)
    change: Callable[[Solver], None] = changes.get("solver", lambda _solver: None)
    change(solver)
    solver.prepare()
    solver.clear()
    began = time.process_time()
    nodes = sum(found.nodes for found in solver.solve_all(asked))
    return nodes / len(asked), (time.process_time() - began) / len(asked)


def main() -> None:
    """Measure and print a table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ideas", nargs="*", help=f"of {', '.join(IDEAS)}; default all")
    options = parser.parse_args()
    columns = questions()
    print("| left out | " + " | ".join(f"{name}: nodes | time" for name, _ in columns) + " |")
    print("|---" * (1 + 2 * len(columns)) + "|")
    soon, near, real = search.SOON, solver_module.NEAR_CELLS, kernels.solve_on_word
    for idea in options.ideas or IDEAS:
        changes = IDEAS[idea]
        layout = cast("ModuleType", SimpleNamespace(**{**vars(word), **changes}))
        table = cast("ModuleType", SimpleNamespace(**{**vars(word_table), **changes}))
        search.SOON = changes.get("SOON", soon)
        solver_module.NEAR_CELLS = changes.get("NEAR_CELLS", near)
        kernels.solve_on_word = search.solve_on(layout, table)
        cells = []
        for _, asked in columns:
            nodes, seconds = measure(changes, asked)
            cells.append(f"{nodes:,.0f} | {seconds * 1e3:,.1f} ms")
        print(f"| {'nothing' if not changes else idea} | " + " | ".join(cells) + " |", flush=True)
    kernels.solve_on_word = real


if __name__ == "__main__":
    main()
