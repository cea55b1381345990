"""Conversion between games and the columns of their table."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec
from sqlalchemy import BindParameter, Connection, bindparam, insert, select

from db.columns import insert_row
from db.models import GAME_SUMS, GAMES, LAST_OUTPUTS, PAIR_PLIES, PAIR_SUMS, PAIRS, Game
from db.records.games import GameRecord, LastOutput, SideSums
from db.records.pairs import PairStatus, find_offender, pair_content, signed_hash
from db.records.thought_blob import clamp_count
from engine.position import format_moves
from engine.result import Result

OF_PAIR = ("run_id", "division_id", "rated", "board", "board_class", "seed")
"""Columns of a game that repeat those of its pair."""
# Built once: building these statements would take a third of the time to store a pair.
_INSERT = insert(GAMES)
_PAIRS: BindParameter[Any] = bindparam("pairs", expanding=True)
_GAME_IDS = select(Game.pair_id, Game.id).where(Game.pair_id.in_(_PAIRS)).order_by(Game.game)


def game_values(pair: Mapping[Any, Any], game: GameRecord) -> dict[str, Any]:
    """Return a game's columns from those of its pair, without the pair's key."""
    players = (pair["a_revision_id"], pair["b_revision_id"])
    first, second = reversed(players) if game.swapped else players
    moves = format_moves(game.moves)
    # Bots may report any number; sums over millions of games must fit in 64 bits.
    sums = [clamp_count(each) for side in game.sides for each in msgspec.structs.astuple(side)]
    return {
        **{name: pair[name] for name in OF_PAIR},
        "game": int(game.swapped),
        "first_revision_id": first,
        "second_revision_id": second,
        "moves": moves,
        "opening_plies": len(pair["opening"]),
        "plies": len(moves),
        "line_hash": line_hash(pair["board"], moves),
        "result": game.result,
        "termination": game.termination,
        "detail": game.detail,
        "offender": find_offender(game.result, game.termination),
        "started_at": game.started,
        "duration_us": game.duration_us,
        "thoughts": game.thoughts,
        **dict(zip(GAME_SUMS, sums, strict=True)),
    }


def read_sides(game: Mapping[str, Any]) -> tuple[SideSums, SideSums]:
    """Return both players' sums from a stored game's columns."""
    sums, half = [game[name] for name in GAME_SUMS], len(GAME_SUMS) // 2
    return SideSums(*sums[:half]), SideSums(*sums[half:])


def insert_finished(
    connection: Connection, pair: Mapping[str, Any], games: Sequence[GameRecord]
) -> int:
    """Store a finished pair, given by column, with its games; return its key."""
    own = [game_values(pair, game) for game in games]
    values = {**pair, "status": PairStatus.FINISHED, **outcome_of(own)}
    key = insert_row(connection, PAIRS, values)
    own = [{**game, "pair_id": key} for game in own]
    insert_games(connection, own, [game.last_output for game in games])
    return key


def insert_games(
    connection: Connection,
    games: Sequence[Mapping[str, Any]],
    last_outputs: Sequence[LastOutput | None],
) -> None:
    """Store games, given by column, and the last output of the bots that failed in them."""
    connection.execute(_INSERT, games)
    failed = [
        (game["pair_id"], game["game"], output)
        for game, output in zip(games, last_outputs, strict=True)
        if output is not None
    ]
    if failed:
        ids = read_game_ids(connection, {pair for pair, _, _ in failed})
        rows = [_last_output_values(ids[pair][game], output) for pair, game, output in failed]
        connection.execute(insert(LAST_OUTPUTS), rows)


def read_game_ids(connection: Connection, pairs: Collection[int]) -> dict[int, tuple[int, ...]]:
    """Return the ids of the games of each pair that has any, in order."""
    found: dict[int, tuple[int, ...]] = {}
    for pair, game in connection.execute(_GAME_IDS, {"pairs": list(pairs)}):
        found[pair] = (*found.get(pair, ()), game)
    return found


def _last_output_values(game_id: int, output: LastOutput) -> dict[str, Any]:
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
    *PAIR_SUMS,
    *PAIR_PLIES,
)
"""Columns of a pair that follow from its games."""
OF_GAME = (
    *("pair_id", "game", "first_revision_id", "second_revision_id", "board", "moves", "plies"),
    *("result", "termination", "started_at", "duration_us"),
    *GAME_SUMS,
)
"""Columns of a game that `outcome_of` needs."""


def outcome_of(games: Sequence[GameValues]) -> dict[str, Any]:
    """Return the outcome of a pair by column.

    Args:
        games: game 0, in which A moved first, and game 1; only game 0 of a person against a bot.

    """
    first, second = games[0], games[1] if len(games) > 1 else None
    sums = [*read_sides(first)]
    if second is not None:
        of_b, of_a = read_sides(second)
        sums = [_sum(sums[0], of_a), _sum(sums[1], of_b)]
    values = {
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
    numbers = [number for side in sums for number in msgspec.structs.astuple(side)]
    plies = (first["plies"], None if second is None else second["plies"])
    return values | dict(zip((*PAIR_SUMS, *PAIR_PLIES), (*numbers, *plies), strict=True))


def _sum(one: SideSums, other: SideSums) -> SideSums:
    """Return the sums of a bot over both games."""
    return SideSums(
        one.moves + other.moves,
        one.time_us + other.time_us,
        max(one.max_us, other.max_us),
        one.simulations + other.simulations,
        one.searched_us + other.searched_us,
    )
