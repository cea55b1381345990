"""Solved positions as plain data and as text."""

from collections.abc import Sequence
from typing import Any

from engine.position import DIGITS, format_moves
from engine.solver.value import Outcome, Solution, Value, best_columns
from ladder.tools.solve import SolveResult
from reports.layout.format import to_json_line


def solved_document(solved: SolveResult) -> dict[str, Any]:
    """Return the document of `ladder solve --json`."""
    position, solution = solved.position, solved.solution
    return {
        "board": str(position.board),
        "moves": format_moves(position.moves),
        **_solution_document(solution, weak=solved.options.weak),
        "nodes": solved.nodes,
        "seconds": round(solved.seconds, 6),
        "columns": None
        if solved.columns is None
        else [
            None if found is None else _solution_document(found, weak=solved.options.weak)
            for found in solved.columns
        ],
    }


def _solution_document(solution: Solution, *, weak: bool) -> dict[str, Any]:
    answered = solution.is_exact or (weak and solution.outcome is not None)
    return {
        "value": None if solution.outcome is None else str(solution.outcome),
        "distance": solution.distance,
        "bounds": None
        if answered
        else {
            "at_least": str(solution.low.outcome),
            "at_most": str(solution.high.outcome),
            "at_least_distance": solution.low.distance,
            "at_most_distance": solution.high.distance,
        },
    }


def solved_line(solved: SolveResult, *, json: bool) -> str:
    """Return the line of a position of a file, as text or as a JSON document."""
    return to_json_line(solved_document(solved)) if json else _line(solved)


def _line(solved: SolveResult) -> str:
    values = _words(solved.solution, weak=solved.options.weak)
    if solved.columns is not None:
        values += "  " + _columns_line(solved.columns, weak=solved.options.weak)
    return f"{solved.position.notation()}: {values}"


def solved_text(solved: SolveResult) -> str:
    """Return a solved position as text: picture, value, columns, work."""
    position, weak = solved.position, solved.options.weak
    side = "first" if position.to_move == 0 else "second"
    lines = [
        position.picture(),
        f"{position.board}, {'XO'[position.to_move]} (the {side} player) is to move: "
        f"{_words(solved.solution, weak=weak)}",
    ]
    if solved.columns is not None:
        best = best_columns(solved.columns)
        for column, found in enumerate(solved.columns):
            words = "full" if found is None else _words(found, weak=weak)
            lines.append(f"  {DIGITS[column]}  {words}{'  best' if column in best else ''}")
    rate = f", {solved.nodes / solved.seconds / 1e6:.2f} million/s" if solved.nodes else ""
    lines.append(f"{solved.nodes:,} nodes, {solved.seconds:.3f} s{rate}")
    return "\n".join(lines)


def _columns_line(columns: Sequence[Solution | None], *, weak: bool) -> str:
    return ", ".join(
        f"{DIGITS[column]} {'full' if found is None else _words(found, weak=weak)}"
        for column, found in enumerate(columns)
    )


def _words(solution: Solution, *, weak: bool) -> str:
    if solution.is_exact:
        return _value(solution.low)
    if weak and solution.outcome is not None:
        return str(solution.outcome)
    return _bounds(solution)


def _bounds(solution: Solution) -> str:
    """Return bounds in words; a distance that is only a bound is named as one."""
    low, high = solution.low, solution.high
    if low.outcome == high.outcome and low.distance is not None and high.distance is not None:
        soon, late = sorted((low.distance, high.distance))
        return f"{low.outcome} in {soon} to {late} plies"
    worst = {
        Outcome.WIN: f"win in at most {low.distance} plies",
        Outcome.DRAW: "draw or win",
        Outcome.LOSS: f"no loss in less than {low.distance} plies",
    }[low.outcome]
    best = {
        Outcome.WIN: f"no win in less than {high.distance} plies",
        Outcome.DRAW: "no win",
        Outcome.LOSS: f"loss in at most {high.distance} plies",
    }[high.outcome]
    return f"not decided: {worst}, {best}"


def _value(value: Value) -> str:
    plies = "" if value.distance is None else " ply" if value.distance == 1 else " plies"
    return f"{value}{plies}"
