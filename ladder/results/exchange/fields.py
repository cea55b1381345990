"""A game as named fields of text: the common part of CSV and PGN, which know only text."""

from collections.abc import Mapping

import msgspec

from db.records.exchange import ConditionsLine, GameLine
from ladder.results.exchange.numbered_game import ImportRefused

FIELDS = (
    "pair", "game", "kind", "first", "second", "board", "seed", "moves", "result", "termination",
    "opening_plies", "board_class", "first_hash", "second_hash", "run", "rated", "run_seed",
    "stream", "identity", "boards", "opening", "budget",
)  # fmt: skip
"""The fields of a `GameLine`; the last three are those of its division, the budget in JSON."""
NUMBERS = ("pair", "game", "seed", "opening_plies", "run", "run_seed")
OWN = ("rated", "boards", "opening", "budget")
"""Fields that a `GameLine` does not hold as they are written here."""
AUTO = "auto"
"""An opening of as many plies as the board class has by default."""
SET = "openings:"
"""Stands before the hash of a set of openings."""


def fields_of(line: GameLine) -> dict[str, str]:
    """A game without its thoughts and times, by the names of `FIELDS`."""
    own = {
        "boards": line.division.boards,
        "opening": _opening_text(line.division),
        "budget": msgspec.json.encode(line.division.budget).decode(),
        "rated": str(line.rated).lower(),
    }
    return {name: own[name] if name in own else str(getattr(line, name)) for name in FIELDS}


def game_of(name: str, number: int, fields: Mapping[str, str]) -> GameLine:
    """The game that fields stand for.

    Args:
        name: of the file, for messages.
        number: of its line.
        fields: all of `FIELDS`, and others that are ignored.

    Raises:
        ImportRefused: a field is out of its bounds.

    """
    plain = {field: fields[field] for field in FIELDS if field not in OWN}
    try:
        if fields["rated"] not in ("true", "false"):
            raise ImportRefused(name, number, f"rated is true or false, got {fields['rated']!r}")
        division = {
            "boards": fields["boards"],
            "budget": msgspec.json.decode(fields["budget"]),
            **_opening_fields(fields["opening"]),
        }
        numbers = {field: int(plain[field]) for field in NUMBERS}
        values = {**plain, **numbers, "rated": fields["rated"] == "true", "division": division}
        return msgspec.convert(values, GameLine)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ImportRefused(name, number, str(error)) from error


def _opening_text(division: ConditionsLine) -> str:
    if division.openings is not None:
        return f"{SET}{division.openings}"
    return AUTO if division.opening_plies is None else str(division.opening_plies)


def _opening_fields(text: str) -> dict[str, object]:
    if text.startswith(SET):
        return {"opening_plies": None, "openings": text.removeprefix(SET)}
    return {"opening_plies": None if text == AUTO else int(text)}
