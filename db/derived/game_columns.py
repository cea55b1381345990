"""How the parts of a game lie in the columns of a stored one."""

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from db.records.games import LastOutput
from db.records.sides import SideSums
from db.records.thought_blob import bounded
from engine.result import Result, Termination

FIRST = tuple(f"first_{name}" for name in SideSums.__struct_fields__)
SECOND = tuple(f"second_{name}" for name in SideSums.__struct_fields__)
"""The columns of the first and of the second player's sums, in the order of `SideSums`."""


def outcome_columns(
    board: str, moves: str, result: Result, termination: Termination
) -> dict[str, Any]:
    """Return the columns of a game that follow from its moves and its end."""
    return {
        "board": board,
        "moves": moves,
        "plies": len(moves),
        "line_hash": line_hash(board, moves),
        "result": result.value,
        "termination": termination.value,
        "offender": offender_of(result, termination),
    }


def columns_of(sides: tuple[SideSums, SideSums]) -> dict[str, int]:
    """The values of FIRST and SECOND."""
    first, second = sides
    # Bots report what they like; the sums of millions of games must fit 64 bits.
    return {
        "first_moves": first.moves,
        "first_time_us": first.time_us,
        "first_max_us": first.max_us,
        "first_simulations": bounded(first.simulations),
        "first_searched_us": first.searched_us,
        "second_moves": second.moves,
        "second_time_us": second.time_us,
        "second_max_us": second.max_us,
        "second_simulations": bounded(second.simulations),
        "second_searched_us": second.searched_us,
    }


def sides_of(game: Mapping[str, Any]) -> tuple[SideSums, SideSums]:
    """The sums of both players from a stored game's values by column."""
    return SideSums(*map(game.__getitem__, FIRST)), SideSums(*map(game.__getitem__, SECOND))


def offender_of(result: Result, termination: Termination) -> int | None:
    """The player that lost by failing: 0 the first, 1 the second, None nobody."""
    if not termination.is_forfeit:
        return None
    return 0 if result is Result.LOSS else 1


def last_words_values(game_id: int, words: LastOutput) -> dict[str, Any]:
    """The row of a forfeited game's last words."""
    messages = "\n".join(" ".join(message.splitlines()) for message in words.messages)
    return {
        "game_id": game_id,
        "stderr": words.stderr.replace("\0", "\ufffd"),  # PostgreSQL keeps no zero in a text
        "messages": messages.replace("\0", "\ufffd"),
    }


def last_words_of(row: Any) -> LastOutput | None:
    """The last words of a row that has the columns of its game's, or nulls."""
    if row.stderr is None:
        return None
    return LastOutput(row.stderr, tuple(row.messages.split("\n")) if row.messages else ())


def line_hash(board: str, moves: str) -> int:
    """A signed 64-bit number that equal games share."""
    digest = blake2b(f"{board} {moves}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)
