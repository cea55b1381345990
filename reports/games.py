"""One stored game: its heading, its positions, what the bots thought."""

from datetime import UTC, datetime
from typing import Any

import msgspec
from rich.console import Group, RenderableType
from rich.text import Text

from db.records import Thought
from db.rows import GameRow
from engine.board import parse_board
from engine.position import DIGITS, Position, format_moves
from engine.result import Result

STYLES = ("bold red", "bold yellow")
SIGNS = "XO"


def game_heading(row: GameRow) -> str:
    """Who played whom, on what, and how it ended."""
    winner = {Result.WIN: row.first, Result.LOSS: row.second}.get(row.result)
    ending = "draw" if winner is None else f"{winner} won"
    lines = [
        f"game {row.id}: {row.first} ({SIGNS[0]}) against {row.second} ({SIGNS[1]}) on {row.board}",
        f"{ending} by {row.termination.value.replace('_', ' ')} after {len(row.moves)} plies"
        + (f": {row.detail}" if row.detail else ""),
        f"{row.board} {format_moves(row.moves)}",
    ]
    return "\n".join(lines)


def ply_view(row: GameRow, ply: int) -> RenderableType:
    """The board after so many plies and what was told about the last of them."""
    position = Position.from_moves(parse_board(row.board), row.moves[:ply])
    return Group(Text(ply_line(row, ply)), board_text(position), Text(""))


def ply_line(row: GameRow, ply: int) -> str:
    """The last move and its statistics in a line."""
    if ply == 0:
        return "start"
    mover = row.first if ply % 2 else row.second
    head = f"ply {ply}: {mover} played column {row.moves[ply - 1]}"
    if ply <= row.opening_plies:
        return f"ply {ply}: opening, column {row.moves[ply - 1]}"
    place = ply - 1 - row.opening_plies
    if place >= len(row.thoughts):
        return head
    return f"{head} ({thought_text(row.thoughts[place])})"


def thought_text(thought: Thought) -> str:
    """Time, value, work, depth and proof, where they are known."""
    parts = [f"{thought.time_us / 1000:.1f} ms"]
    if thought.cpu_us is not None:
        parts.append(f"{thought.cpu_us / 1000:.1f} ms of CPU")
    if thought.value is not None:
        parts.append(f"value {thought.value:+.2f}")
    if thought.simulations is not None:
        parts.append(f"{thought.simulations:,} simulations or nodes")
    if thought.depth is not None:
        parts.append(f"depth {thought.depth}")
    if thought.proven is not None:
        parts.append(f"proven {thought.proven}")
    return ", ".join(parts)


def board_text(position: Position) -> Text:
    """The board in colours, the last move and a winning line marked."""
    board = position.board
    text = Text()
    last: tuple[int, int] | None = None
    if position.moves:
        column = position.moves[-1]
        rows = [row for row in range(board.rows) if position.owner(row, column) is not None]
        last = (rows[-1], column)
    line = position.winning_cells()
    for row in reversed(range(board.rows)):
        for column in range(board.columns):
            side = position.owner(row, column)
            if side is not None:
                style = STYLES[side]
                if (row, column) in line or (row, column) == last:
                    style += " reverse"
                text.append(SIGNS[side], style=style)
            elif (row, column) == board.forbidden:
                text.append("#", style="dim")
            else:
                text.append(".", style="dim")
            text.append(" ")
        text.append("\n")
    text.append(" ".join(DIGITS[: board.columns]), style="dim")
    return text


def game_document(row: GameRow) -> dict[str, Any]:
    """A game as plain data; what depends on the clock stands under `timing`."""
    return {
        "id": row.id,
        "pair": row.pair_id,
        "game": row.game,
        "first": row.first,
        "second": row.second,
        "board": row.board,
        "opening_plies": row.opening_plies,
        "seed": row.seed,
        "moves": format_moves(row.moves),
        "result": row.result.value,
        "termination": row.termination.value,
        "detail": row.detail,
        "timing": {
            "started": datetime.fromtimestamp(row.started_at, UTC).isoformat(),
            "duration_us": row.duration_us,
            "moves": [msgspec.to_builtins(_named(thought)) for thought in row.thoughts],
        },
    }


def _named(thought: Thought) -> dict[str, Any]:
    fields = ("time_us", "cpu_us", "value", "simulations", "depth", "proven")
    return {name: getattr(thought, name) for name in fields}
