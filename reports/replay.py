"""One stored game: its heading, its positions, and beside them what the bots thought."""

from datetime import UTC, datetime
from typing import Any

import msgspec
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from db.records.games import GameRow, HumanGameRow, LastWords, Thought
from engine.board import parse_board
from engine.position import Position, format_moves
from engine.result import Result
from ladder.visible import visible
from reports.layout.board import SIGNS, STYLES, board_text
from reports.layout.format import lines_of, text_of_lines
from reports.layout.table import plain_table

StoredGame = GameRow | HumanGameRow
"""A game of two bots or of a person and a bot."""


def game_heading(row: StoredGame) -> str:
    """The players, the board and the end of a game."""
    winner = {Result.WIN: row.first, Result.LOSS: row.second}.get(row.result)
    ending = "draw" if winner is None else f"{winner} won"
    lines = [
        f"game {row.id}: {row.first} ({SIGNS[0]}) against {row.second} ({SIGNS[1]}) on {row.board}",
        *lines_of(
            f"{ending} by {row.termination.value.replace('_', ' ')} after {len(row.moves)} plies"
            + (f": {row.detail}" if row.detail else "")
        ),
        f"{row.board} {format_moves(row.moves)}",
    ]
    return text_of_lines(lines)


def last_words_of(row: StoredGame) -> LastWords | None:
    """The last words of the bot that forfeited; None where none were kept."""
    return row.last_words if isinstance(row, GameRow) else None


def last_words_text(row: StoredGame) -> str:
    """The last messages with a bot that forfeited and its last words; empty where none are kept."""
    words = last_words_of(row)
    if words is None:
        return ""
    offender = row.first if isinstance(row, GameRow) and row.offender == 0 else row.second
    lines = [f"the last messages with {offender} (> to the bot, < from it):"]
    lines += words.messages or ["none"]
    lines += ["", "its last words on stderr:", *lines_of(words.stderr or "none")]
    return text_of_lines(lines)


def ply_view(row: StoredGame, ply: int) -> RenderableType:
    """The board after so many plies, and beside it what was told about the last of them."""
    facts = Text("\n".join(f"{name:<9} {told}" for name, told in ply_facts(row, ply)))
    return Group(Text(ply_line(row, ply)), beside(_board(row, ply), facts), Text(""))


def ply_screen(row: StoredGame, ply: int) -> RenderableType:
    """The board for a terminal that shows one ply at a time, and the moves around it."""
    return Group(
        Text(ply_line(row, ply)), Text(""), beside(_board(row, ply), moves_table(row, ply))
    )


def beside(board: Text, panel: RenderableType) -> RenderableType:
    """The board on the left and something else on the right."""
    grid = Table.grid(padding=(0, 3, 0, 0))
    grid.add_column(no_wrap=True)
    grid.add_column()
    grid.add_row(board, panel)
    return grid


def ply_line(row: StoredGame, ply: int) -> str:
    """The last move in a line."""
    if ply == 0:
        return "start"
    if ply <= row.opening_plies:
        return f"ply {ply}: opening, column {row.moves[ply - 1]}"
    return visible(f"ply {ply}: {_mover(row, ply)} played column {row.moves[ply - 1]}")


def ply_facts(row: StoredGame, ply: int) -> list[tuple[str, str]]:
    """The facts about the last move: names and values, in the order of showing them."""
    thought = _thought(row, ply)
    return [] if thought is None else thought_facts(thought)


def thought_facts(thought: Thought, *, unit: str = "simulations or nodes") -> list[tuple[str, str]]:
    """Return time, value, work, speed, depth and proof as texts, where they are known.

    `unit` is that of a count beside which no nodes are stored: games before 0.2 do not tell.
    """
    facts = [("time", f"{thought.time_us / 1000:,.1f} ms")]
    if thought.cpu_us is not None:
        facts.append(("cpu", f"{thought.cpu_us / 1000:,.1f} ms"))
    if thought.value is not None:
        facts.append(("value", f"{thought.value:+z.2f}"))
    if thought.work is not None:
        facts.append(("searched", _work(thought, unit)))
        if thought.time_us:
            facts.append(("a second", f"{thought.work * 1e6 / thought.time_us:,.0f}"))
    if thought.depth is not None:
        facts.append(("depth", str(thought.depth)))
    if thought.claim is not None:
        facts.append(("proven", thought.claim))
    if thought.line:
        facts.append(("expects", " ".join(thought.line)))
    return facts


def _work(thought: Thought, unit: str) -> str:
    if thought.nodes is None:
        return f"{thought.simulations:,} {unit}"
    nodes = f"{thought.nodes:,} nodes"
    return nodes if thought.simulations is None else f"{thought.simulations:,} simulations, {nodes}"


def moves_table(row: StoredGame, ply: int) -> Table:
    """The moves around one, which is marked; as many as the board has rows.

    What nobody told about any move of the game has no column.
    """
    thoughts = [_thought(row, number) for number in range(1, len(row.moves) + 1)]
    told = [[_cell(name, thought) for thought in thoughts] for name in COLUMNS]
    shown = [place for place, cells in enumerate(told) if any(cells)]
    table = plain_table(gap=1, header_style="dim")
    for name in ("ply", "", "col", *(COLUMNS[place] for place in shown)):
        table.add_column(name, justify="right", no_wrap=True)
    window = parse_board(row.board).rows
    first = max(1, min(ply - window // 2, len(row.moves) - window + 1))
    for number in range(first, min(first + window, len(row.moves) + 1)):
        side = (number - 1) % 2
        table.add_row(
            f">{number}" if number == ply else str(number),
            Text(SIGNS[side], style=STYLES[side]),
            str(row.moves[number - 1]),
            *(told[place][number - 1] for place in shown),
            style="bold" if number == ply else "",
        )
    return table


COLUMNS = ("time", "value", "sims", "depth", "proven")


def _cell(name: str, thought: Thought | None) -> str:
    """One fact of a move in few characters; empty when it is not known."""
    if thought is None:
        return ""
    match name:
        case "time":
            ms = thought.time_us / 1000
            if ms >= 9999.5:
                return f"{ms / 1000:.0f}s"
            return f"{ms:.0f}ms" if ms >= 9.95 else f"{ms:.1f}ms"
        case "value":
            return "" if thought.value is None else f"{thought.value:+z.2f}"
        case "sims":
            return "" if thought.work is None else short_count(thought.work)
        case "depth":
            return "" if thought.depth is None else str(thought.depth)
    return thought.claim or ""


def short_count(count: int) -> str:
    """A count in at most five characters: 950, 12.3k, 4.5M."""
    size, unit = float(count), ""
    for unit in ("", "k", "M", "G", "T"):  # noqa: B007 - the last one counts
        if size < 999.5:
            break
        size /= 1000
    return (
        f"{size:.0f}" if not unit else f"{size:.1f}{unit}" if size < 99.95 else f"{size:.0f}{unit}"
    )


def _board(row: StoredGame, ply: int) -> Text:
    return board_text(Position.from_moves(parse_board(row.board), row.moves[:ply]))


def _mover(row: StoredGame, ply: int) -> str:
    return row.first if ply % 2 else row.second


def _thought(row: StoredGame, ply: int) -> Thought | None:
    """The stored thought of a ply's move; None for an opening and where none is."""
    place = ply - 1 - row.opening_plies
    return row.thoughts[place] if 0 <= place < len(row.thoughts) else None


def game_document(row: StoredGame) -> dict[str, Any]:
    """A game as plain data; what depends on the clock stands under `timing`.

    A game of a person belongs to no pair: its `pair` and `game` are null.
    """
    words = last_words_of(row)
    return {
        "id": row.id,
        "pair": row.pair_id if isinstance(row, GameRow) else None,
        "game": row.game if isinstance(row, GameRow) else None,
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
            "moves": [_named(thought) for thought in row.thoughts],
            "last_words": words and {"stderr": words.stderr, "messages": list(words.messages)},
        },
    }


def _named(thought: Thought) -> dict[str, Any]:
    kept = msgspec.structs.asdict(thought)
    return {**kept, "simulations": thought.work, "proven": thought.claim}
