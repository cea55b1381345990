"""Conversion between games and the columns of their table."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, insert, select

from db.models import GAMES, LAST_OUTPUTS, Game
from db.records.games import GameRecord, LastOutput, SideSums
from db.records.pairs import pair_content, signed_hash
from db.records.thought_blob import clamp_count
from engine.position import format_moves
from engine.result import Result, Termination

FIRST_COLUMNS = tuple(f"first_{name}" for name in SideSums.__struct_fields__)
SECOND_COLUMNS = tuple(f"second_{name}" for name in SideSums.__struct_fields__)
"""Columns of the first and the second player's sums, in the order of `SideSums`."""


_INSERT = insert(GAMES)


def game_values(pair: Mapping[Any, Any], game: GameRecord) -> dict[str, Any]:
    """Return a game's columns from those of its pair, without the pair's key."""
    players = (pair["a_revision_id"], pair["b_revision_id"])
    first, second = reversed(players) if game.swapped else players
    return {
        **{name: pair[name] for name in ("run_id", "division_id", "rated", "board_class", "seed")},
        "game": int(game.swapped),
        "first_revision_id": first,
        "second_revision_id": second,
        "opening_plies": len(pair["opening"]),
        "detail": game.detail,
        "started_at": game.started,
        "duration_us": game.duration_us,
        "thoughts": game.thoughts,
        **outcome_columns(pair["board"], format_moves(game.moves), game.result, game.termination),
        **side_columns(game.sides),
    }


def outcome_columns(
    board: str, moves: str, result: Result, termination: Termination
) -> dict[str, Any]:
    """Return the columns that follow from a game's moves and ending."""
    return {
        "board": board,
        "moves": moves,
        "plies": len(moves),
        "line_hash": line_hash(board, moves),
        "result": result,
        "termination": termination,
        "offender": find_offender(result, termination),
    }


def side_columns(sides: tuple[SideSums, SideSums]) -> dict[str, int]:
    """Return the columns of both players' sums."""
    # Bots may report any number; sums over millions of games must fit in 64 bits.
    return {
        f"{label}_{name}": clamp_count(getattr(sums, name))
        for label, sums in zip(("first", "second"), sides, strict=True)
        for name in SideSums.__struct_fields__
    }


def read_sides(game: Mapping[str, Any]) -> tuple[SideSums, SideSums]:
    """Return both players' sums from a stored game's columns."""
    first, second = (
        SideSums(*(game[name] for name in names)) for names in (FIRST_COLUMNS, SECOND_COLUMNS)
    )
    return first, second


def find_offender(result: Result, termination: Termination) -> int | None:
    """Return the player that forfeited: 0 for the first, 1 for the second, else None."""
    if not termination.is_forfeit:
        return None
    return 0 if result is Result.LOSS else 1


def insert_games(
    connection: Connection,
    games: Sequence[Mapping[str, Any]],
    last_outputs: Sequence[LastOutput | None],
) -> None:
    """Store games, given by column, and the last output of the bots that failed in them."""
    connection.execute(_INSERT, games)
    failed = {
        (game["pair_id"], game["game"]): output
        for game, output in zip(games, last_outputs, strict=True)
        if output is not None
    }
    if failed:
        pairs = {pair for pair, _ in failed}
        query = select(Game.id, Game.pair_id, Game.game).where(Game.pair_id.in_(pairs))
        rows = [
            last_output_values(row.id, failed[row.pair_id, row.game])
            for row in connection.execute(query)
            if (row.pair_id, row.game) in failed
        ]
        connection.execute(insert(LAST_OUTPUTS), rows)


def last_output_values(game_id: int, output: LastOutput) -> dict[str, Any]:
    """Return the row for the last output in a forfeited game."""
    messages = "\n".join(" ".join(message.splitlines()) for message in output.messages)
    return {
        "game_id": game_id,
        "stderr": output.stderr.replace("\0", "\ufffd"),  # PostgreSQL allows no zero byte in a text
        "messages": messages.replace("\0", "\ufffd"),
    }


def read_last_output(row: Any) -> LastOutput | None:
    """Return the last output from the columns of a row; None if they are null."""
    if row.stderr is None:
        return None
    return LastOutput(row.stderr, tuple(row.messages.split("\n")) if row.messages else ())


def line_hash(board: str, moves: str) -> int:
    """Return a signed 64-bit hash of board and moves."""
    return signed_hash(f"{board} {moves}")


GameValues = Mapping[str, Any]
"""A game's values by column."""

OUTCOME = (
    *("first_result", "second_result", "first_termination", "second_termination"),
    *("started_at", "duration_us", "content"),
    *(f"{side}_{name}" for side in "ab" for name in SideSums.__struct_fields__),
)
"""Columns of a pair that follow from its games."""
OF_GAME = (
    *("pair_id", "game", "first_revision_id", "second_revision_id", "board", "moves"),
    *("result", "termination", "started_at", "duration_us"),
    *(f"{side}_{name}" for side in ("first", "second") for name in SideSums.__struct_fields__),
)
"""Columns of a game that `outcome_of` needs."""


def outcome_of(games: Sequence[GameValues]) -> dict[str, Any]:
    """Return the outcome of a pair by column.

    Args:
        games: game 0, in which A moved first, and game 1; only game 0 of a person against a bot.

    """
    first, second = games[0], games[1] if len(games) > 1 else None
    a, b = read_sides(first)
    if second is not None:
        of_b, of_a = read_sides(second)
        a, b = _sum(a, of_a), _sum(b, of_b)
    values: dict[str, Any] = {
        "first_result": first["result"],
        "second_result": None if second is None else Result(second["result"]).mirrored,
        "first_termination": first["termination"],
        "second_termination": None if second is None else second["termination"],
        "started_at": min(game["started_at"] for game in games),
        "duration_us": sum(game["duration_us"] for game in games),
        "content": pair_content(
            first["board"],
            tuple(game["moves"] for game in games),
            lower_first=first["first_revision_id"] <= first["second_revision_id"],
        ),
    }
    for side, sums in (("a", a), ("b", b)):
        for name in SideSums.__struct_fields__:
            values[f"{side}_{name}"] = getattr(sums, name)
    return values


def _sum(one: SideSums, other: SideSums) -> SideSums:
    """Return the sums of a bot over both games."""
    return SideSums(
        one.moves + other.moves,
        one.time_us + other.time_us,
        max(one.max_us, other.max_us),
        one.simulations + other.simulations,
        one.searched_us + other.searched_us,
    )
