"""A game as named text fields, for CSV and PGN."""

from collections.abc import Mapping

import msgspec

from db.records.exchange import AdjudicationLine, ConditionsLine, GameLine
from db.records.games import Proof
from engine.result import Termination
from ladder.results.exchange.numbered_game import ImportRefused

FIELDS = (
    "pair", "game", "kind", "first", "second", "board", "seed", "moves", "result", "termination",
    "opening_plies", "board_class", "first_hash", "second_hash", "run", "rated", "run_seed",
    "stream", "identity", "boards", "opening", "budget",
)  # fmt: skip
"""The fields of a `GameLine`; the last three describe its division, the budget in JSON."""
ADJUDICATE, ADJUDICATED = "adjudicate", "adjudicated"
MORE_FIELDS = (ADJUDICATE, ADJUDICATED)
"""Fields that files of earlier versions lack, empty where games are played out: plies of the
division's adjudication, and the proof of an adjudicated game, such as ``win 7``."""
NUMBERS = ("pair", "game", "seed", "opening_plies", "run", "run_seed")
CONVERTED = ("rated", "boards", "opening", "budget")
"""Fields with another form in a `GameLine`."""
AUTO = "auto"
"""Stands for the board class's default opening plies; `fixed_opening` follows if it is given."""
SET = "openings:"
"""Prefix of the hash of a set of openings."""


def format_fields(line: GameLine) -> dict[str, str]:
    """Return a game without its times and thoughts, by the names of both lists of fields."""
    own = {
        "boards": line.division.boards,
        "opening": _opening_text(line.division),
        "budget": msgspec.json.encode(line.division.budget).decode(),
        "rated": str(line.rated).lower(),
        ADJUDICATE: str(line.division.adjudicate or ""),
        ADJUDICATED: "" if line.adjudicated is None else line.adjudicated.proof.text,
    }
    names = (*FIELDS, *MORE_FIELDS)
    return {name: own[name] if name in own else str(getattr(line, name)) for name in names}


def parse_game(name: str, number: int, fields: Mapping[str, str]) -> GameLine:
    """Return the game in text fields.

    Args:
        name: the file's name, for messages.
        number: the line's number, for messages.
        fields: all of `FIELDS`, and perhaps some of `MORE_FIELDS`; others are ignored.

    Raises:
        ImportRefused: a field is invalid.

    """
    plain = {field: fields[field] for field in FIELDS if field not in CONVERTED}
    try:
        if fields["rated"] not in ("true", "false"):
            raise ImportRefused(
                name, number, f"rated must be true or false, got {fields['rated']!r}"
            )
        division = {
            "boards": fields["boards"],
            "budget": msgspec.json.decode(fields["budget"]),
            **_opening_fields(fields["opening"]),
        }
        if plies := fields.get(ADJUDICATE):
            division["adjudicate"] = int(plies)
        numbers = {field: int(plain[field]) for field in NUMBERS}
        values = {**plain, **numbers, "rated": fields["rated"] == "true", "division": division}
        if proof := Proof.of(Termination(fields["termination"]), fields.get(ADJUDICATED, "")):
            values["adjudicated"] = AdjudicationLine.of(len(fields["moves"]), proof)
        return msgspec.convert(values, GameLine, from_attributes=True)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise ImportRefused(name, number, str(error)) from error


def _opening_text(division: ConditionsLine) -> str:
    if division.openings is not None:
        return f"{SET}{division.openings}"
    if division.opening_plies is None:
        return f"{AUTO}{'' if division.fixed_opening is None else division.fixed_opening}"
    return str(division.opening_plies)


def _opening_fields(text: str) -> dict[str, object]:
    if text.startswith(SET):
        return {"opening_plies": None, "openings": text.removeprefix(SET)}
    if text.startswith(AUTO):
        fixed = text.removeprefix(AUTO)
        return {"opening_plies": None, "fixed_opening": int(fixed) if fixed else None}
    return {"opening_plies": int(text)}
