"""Answers of bots: play their moves and make the stored record of them."""

from collections.abc import Sequence
from itertools import takewhile

from bots.protocol import Info
from db.records.games import LINE_PLIES, Thought
from engine.board import MAX_SIDE
from engine.errors import IllegalMove
from engine.position import Position, format_moves
from ladder.errors import BotIllegalMove

COLUMNS = range(MAX_SIDE)


def make_thought(elapsed_us: int, info: Info | None, cpu_us: int | None = None) -> Thought:
    """Return the stored record of a move: its times and the bot's report."""
    if info is None:
        return Thought(elapsed_us, cpu_us=cpu_us)
    return Thought(
        elapsed_us,
        info.value,
        info.simulations,
        info.depth,
        info.proven,
        cpu_us,
        line=expected_line(info.pv) if info.pv else "",
        nodes=info.nodes,
        distance=None if info.proven is None else info.distance,
    )


def expected_line(pv: Sequence[int]) -> str:
    """Return the stored part of a bot's expected line: the columns after its own move.

    A foreign bot may report any numbers; the line ends before the first that is not a column.
    """
    return format_moves(takewhile(COLUMNS.__contains__, pv[1 : LINE_PLIES + 1]))


def play_answer(position: Position, column: int) -> Position:
    """Return the position after a bot's move.

    Raises:
        BotIllegalMove: the column cannot be played.

    """
    try:
        return position.play(column)
    except IllegalMove as error:
        raise illegal_move_error(position, column) from error


def illegal_move_error(position: Position, column: int) -> BotIllegalMove:
    """Return the failure of a bot that plays an illegal column."""
    legal = ", ".join(str(column) for column in position.legal_moves())
    return BotIllegalMove(
        f"played column {column} at ply {position.ply} of "
        f"'{position.notation()}': legal columns were {legal}"
    )
