"""The outcome of a pair: what its row repeats of its games, so that lists need not read them."""

from collections.abc import Mapping, Sequence
from typing import Any

from db.derived.game_columns import read_sides
from db.records.pairs import pair_content
from db.records.sides import SideSums
from engine.result import Result

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
