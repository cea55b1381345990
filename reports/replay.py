"""A stored game as plain data and as text: heading, positions, and the bots' statistics."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TypeVar

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from bots.champion import CHAMPION
from db.records.games import GameRow, Proof, Thought
from engine.board import parse_board
from engine.position import Position, format_moves
from engine.result import Result, Termination
from engine.solver.value import Outcome
from ladder.names import counted
from ladder.results.analysis.division import (
    GameTruth,
    format_bounds,
    format_columns,
    format_truth,
)
from ladder.results.analysis.verdict import UNBOUNDED, Bounds, Columns, best_bounds, distance_of
from ladder.tools.rerun import RepeatedMove
from ladder.visible import visible
from reports.layout.board import SIGNS, board_text
from reports.layout.format import iso_time, join_names, labelled, lines_of, text_of_lines, values_of

Value = TypeVar("Value")


def game_heading(row: GameRow) -> str:
    """Return the players, the board and the end of a game."""
    winner = {Result.WIN: row.first, Result.LOSS: row.second}.get(row.result)
    ending = "draw" if winner is None else f"{winner} won"
    by = f"{ending} by {row.termination.noun}"
    if row.termination is Termination.ABORTED:
        by = "not over"
    lines = [
        (f"game {row.id}: " if row.id else "")
        + f"{row.first} ({SIGNS[0]}) against {row.second} ({SIGNS[1]}) on {row.board}",
        *lines_of(
            f"{by} after {counted(len(row.moves), 'ply')}"
            + (f": {cause}" if (cause := cause_words(row)) else "")
        ),
        f"{row.board} {format_moves(row.moves)}",
    ]
    return text_of_lines(lines)


def adjudication_document(ply: int, proof: Proof | None) -> dict[str, Any] | None:
    """Return the proof that ended a game after a ply; None for a game that was played out."""
    return None if proof is None else {"ply": ply, **values_of(proof, "value", "distance")}


def cause_words(game: GameRow) -> str:
    """Return the cause of a forfeit, or the proof of an adjudicated game; empty for other games."""
    proof = game.proof
    if proof is None:
        return game.detail
    if proof.value is Result.DRAW:
        return "neither side can avoid a draw"
    return f"the win is at most {counted(proof.distance, 'ply')} away"


def last_output_text(row: GameRow) -> str:
    """Return the last messages and stderr of the bot that forfeited; empty if none are stored."""
    output = row.last_output
    if output is None:
        return ""
    offender = row.first if row.offender == 0 else row.second
    lines = [f"last messages with {offender} (> to the bot, < from it):"]
    lines += output.messages or ["none"]
    lines += ["", "its last output on stderr:", *(output.stderr or "none").rstrip().split("\n")]
    return text_of_lines(lines)


def ply_view(row: GameRow, ply: int, truth: GameTruth | None = None) -> RenderableType:
    """Lay out the board after `ply` plies, with the facts about the last one beside it."""
    rows = [*ply_facts(row, ply), *truth_facts(row, ply, truth)]
    facts = Text("\n".join(labelled(rows, 10, indent="")))
    board = board_text(Position.from_moves(parse_board(row.board), row.moves[:ply]))
    return Group(Text(ply_line(row, ply)), beside(board, facts), Text(""))


def beside(board: Text, panel: RenderableType) -> RenderableType:
    """Lay out a board and something else to its right."""
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    grid.add_row(board, panel)
    return grid


def ply_line(row: GameRow, ply: int) -> str:
    """Return the move that led to a ply, in a line."""
    if ply == 0:
        return "start"
    if ply <= row.opening_plies:
        return f"ply {ply}: opening, column {row.moves[ply - 1]}"
    return visible(f"ply {ply}: {_mover(row, ply)} played column {row.moves[ply - 1]}")


def ply_facts(row: GameRow, ply: int) -> list[tuple[str, str]]:
    """Return the statistics of the move that led to a ply, as labels and values."""
    thought, left_us = _at(row, ply, row.thoughts), _at(row, ply, row.left_us)
    facts = [] if thought is None else thought_facts(thought)
    return facts if left_us is None else [*facts, ("clock left", f"{left_us / 1000:,.0f} ms")]


def _at(row: GameRow, ply: int, values: Sequence[Value]) -> Value | None:
    """Return what belongs to a ply's move; None for opening moves, and if it is not stored."""
    place = ply - 1 - row.opening_plies
    return values[place] if 0 <= place < len(values) else None


def truth_facts(row: GameRow, ply: int, truth: GameTruth | None) -> list[tuple[str, str]]:
    """Return the true values of the columns before a ply's move, and its mistake, if known."""
    columns = None if truth is None else _at(row, ply, truth.columns)
    if truth is None or columns is None:
        return []
    place, facts = ply - 1 - row.opening_plies, []
    if best_bounds(columns).outcome is not None:
        facts.append(("true", format_truth(columns)))
    if (estimate := truth.estimate(place)) is not None:
        facts.append(("estimate", f"{estimate:+z.2f} by {CHAMPION}, not proven"))
    if any(format_columns(columns)):
        facts.append(("columns", columns_by_value(columns)))
    verdict = truth.verdicts[place]
    if verdict.is_mistake:
        turning = ", the turning point" if truth.turning_point == place else ""
        facts.append(("mistake", f"{verdict.before} to {verdict.after}{turning}"))
    return facts


def truth_summary(row: GameRow, truth: GameTruth) -> str:
    """Return the turning point of an analysed game in a sentence, or from where it is decided."""
    turning = truth.turning_point
    if turning is not None:
        return _turning_words(row, truth, turning)
    outcomes = [best_bounds(columns).outcome for columns in truth.columns]
    first = len(outcomes) - next(
        (place for place, outcome in enumerate(reversed(outcomes)) if outcome is None),
        len(outcomes),
    )
    if first == len(outcomes):
        return "The result is not proven at the end of this game."
    ply = row.opening_plies + first
    winner = {Outcome.WIN: _mover(row, ply + 1), Outcome.LOSS: _mover(row, ply)}
    result = winner.get(outcomes[first] or Outcome.DRAW)
    words = "is a draw" if result is None else f"is a win of {result}"
    if first == 0:
        return f"No move changed the result: from ply {ply} on the game {words}."
    # Earlier positions may be proven as well, so this says nothing of them.
    if outcomes[first] is Outcome.WIN and (others := _unproven(row, truth, first - 1)):
        is_or_are = "is" if len(others) == 1 else "are"
        return (
            f"Ply {ply}: {_mover(row, ply)} played column {row.moves[ply - 1]}, and from then on "
            f"the game {words}; {_listed(others)} {is_or_are} not proven to lose."
        )
    return f"From ply {ply} on the game {words}; the result just before is not proven."


def _unproven(row: GameRow, truth: GameTruth, place: int) -> list[int]:
    """Return the other columns before a move whose result is not proven."""
    played = row.moves[row.opening_plies + place]
    return [
        column
        for column, each in enumerate(truth.columns[place])
        if each is not None and each.outcome is None and column != played
    ]


def _turning_words(row: GameRow, truth: GameTruth, turning: int) -> str:
    ply = row.opening_plies + turning + 1
    column, columns = row.moves[ply - 1], truth.columns[turning]
    best = best_bounds(columns)
    right = [
        place
        for place, each in enumerate(columns)
        if each is not None
        and (each.low == best.low if best.is_exact else each.outcome is best.outcome)
    ]
    played = columns[column] or UNBOUNDED
    return (
        f"Turning point, ply {ply}: {_mover(row, ply)} played column {column}, which "
        f"{_verb(played, 1)}; {_listed(right)} {_verb(best, len(right))}."
    )


def _listed(columns: Sequence[int]) -> str:
    """Return the names of columns, such as ``columns 1, 2 and 5``."""
    names = join_names([str(column) for column in columns])
    return f"column {names}" if len(columns) == 1 else f"columns {names}"


def _verb(bounds: Bounds, count: int) -> str:
    """Return what columns with these bounds do, such as ``wins in 17 plies``."""
    verb = {Outcome.WIN: "win", Outcome.LOSS: "lose"}.get(bounds.outcome or Outcome.DRAW, "draw")
    distance = distance_of(bounds.low) if bounds.is_exact else None
    plies = "" if distance is None else f" in {counted(distance, 'ply')}"
    return f"{verb}{'s' if count == 1 else ''}{plies}"


def columns_by_value(columns: Columns) -> str:
    """Return the columns of each value, best value first, such as ``3: win 5, 0 1: draw``."""
    legal = {place: bounds for place, bounds in enumerate(columns) if bounds is not None}
    by_value: dict[str, list[int]] = {}
    for place in sorted(legal, key=lambda place: (-legal[place].low, place)):
        word = "unknown" if legal[place].outcome is None else format_bounds(legal[place])
        by_value.setdefault(word, []).append(place)
    return ", ".join(f"{' '.join(map(str, places))}: {word}" for word, places in by_value.items())


def thought_facts(thought: Thought) -> list[tuple[str, str]]:
    """Return time, value, work, speed, depth and proof as labels and values, as far as known."""
    facts = [("time", f"{thought.time_us / 1000:,.1f} ms")]
    if thought.cpu_us is not None:
        facts.append(("cpu", f"{thought.cpu_us / 1000:,.1f} ms"))
    if thought.value is not None:
        facts.append(("value", f"{thought.value:+z.2f}"))
    if thought.work is not None:
        facts.append(("searched", _work(thought)))
        if thought.time_us:
            facts.append(("speed", f"{thought.work * 1e6 / thought.time_us:,.0f} /s"))
    if thought.depth is not None:
        facts.append(("depth", str(thought.depth)))
    if thought.claim is not None:
        facts.append(("proven", thought.claim))
    if thought.line:
        facts.append(("expects", " ".join(thought.line)))
    return facts


def _work(thought: Thought) -> str:
    counts = {"simulations": thought.simulations, "nodes": thought.nodes}
    return ", ".join(f"{count:,} {unit}" for unit, count in counts.items() if count is not None)


def _mover(row: GameRow, ply: int) -> str:
    return row.first if ply % 2 else row.second


def game_document(row: GameRow, truth: GameTruth | None = None) -> dict[str, Any]:
    """Return the document of `ladder replay --json`; what depends on the clock is in `timing`.

    A game that is not stored has no `id`, `pair` and `game`: these are null, as is the `analysis`
    of a game that was not analysed.
    """
    output = row.last_output
    return {
        "id": row.id or None,
        "pair": row.pair_id or None,
        "game": row.game if row.id else None,
        **values_of(row, "first", "second", "board", "opening_plies", "seed"),
        "moves": format_moves(row.moves),
        **values_of(row, "result", "termination", "detail"),
        "adjudicated": adjudication_document(len(row.moves), row.proof),
        "analysis": None if truth is None else _analysis(row, truth),
        "timing": {
            "started": iso_time(row.started_at),
            "duration_us": row.duration_us,
            "moves": [_named(thought) for thought in row.thoughts],
            "left_us": list(row.left_us) or None,
            "last_words": output and {"stderr": output.stderr, "messages": list(output.messages)},
        },
    }


def rerun_document(moves: Sequence[RepeatedMove]) -> dict[str, Any]:
    """Return the JSON document of `ladder replay --rerun`."""
    return {"moves": [asdict(each) for each in moves]}


def rerun_text(moves: Sequence[RepeatedMove]) -> str:
    """Return the answers that differ from the stored moves, and their number."""
    different = [each for each in moves if each.now != each.stored]
    lines = [
        f"ply {each.ply}: stored {_answer(each.stored, 'no move')}, "
        f"now {_answer(each.now, 'resigns')}"
        for each in different
    ]
    return "\n".join([*lines, f"{len(different)} of {counted(len(moves), 'answer')} differ"])


def _answer(column: int | None, other: str) -> str:
    return other if column is None else f"column {column}"


def _analysis(row: GameRow, truth: GameTruth) -> dict[str, Any]:
    """Return the verdicts on the moves after the opening, with plies from 0."""
    moves = []
    for place, (columns, verdict) in enumerate(zip(truth.columns, truth.verdicts, strict=True)):
        best = best_bounds(columns)
        moves.append(
            {
                "ply": row.opening_plies + place,
                **_value(best),
                "best": [
                    column
                    for column, each in enumerate(columns)
                    if best.outcome is not None and each is not None and each.low == best.low
                ],
                "mistake": verdict.is_mistake,
                "columns": [each and _value(each) for each in columns],
                "estimate": truth.estimate(place),
            }
        )
    turning = truth.turning_point
    return {
        "turning_point": None if turning is None else row.opening_plies + turning,
        "summary": truth_summary(row, truth),
        "estimated_by": CHAMPION if any(each is not None for each in truth.estimates) else None,
        "moves": moves,
    }


def _value(bounds: Bounds) -> dict[str, Any]:
    """Return the outcome and its distance in plies, each null if it is unknown."""
    outcome = None if bounds.outcome is None else str(bounds.outcome)
    return {"value": outcome, "distance": distance_of(bounds.low) if bounds.is_exact else None}


def _named(thought: Thought) -> dict[str, Any]:
    stored = msgspec.structs.asdict(thought)
    return {**stored, "simulations": thought.work, "proven": thought.claim}
