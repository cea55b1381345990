"""A game as named text fields, for CSV and PGN."""

from datetime import UTC, datetime

import msgspec

from db.records.exchange import ConditionsLine, GameLine

FIELDS = (
    "pair", "game", "kind", "first", "second", "board", "seed", "moves", "result", "termination",
    "opening_plies", "board_class", "first_hash", "second_hash", "run", "rated", "run_seed",
    "stream", "identity", "boards", "opening", "budget", "adjudicate", "adjudicated", "date",
)  # fmt: skip
"""The fields of a game; from `boards` to `adjudicate` those of its division, the budget in JSON.

`adjudicated` is the proof of an adjudicated game, such as ``win 7``; `date` is the day of its
start in UTC.
"""


def format_fields(line: GameLine) -> dict[str, str]:
    """Return a game without its times and thoughts, by the names of `FIELDS`."""
    own = {
        "boards": line.division.boards,
        "opening": _opening_text(line.division),
        "budget": msgspec.json.encode(line.division.budget).decode(),
        "rated": str(line.rated).lower(),
        "adjudicate": str(line.division.adjudicate or ""),
        "adjudicated": "" if line.adjudicated is None else line.adjudicated.proof.text,
        "date": datetime.fromtimestamp(line.timing.started, UTC).strftime("%Y-%m-%d"),
    }
    return {name: own[name] if name in own else str(getattr(line, name)) for name in FIELDS}


def _opening_text(division: ConditionsLine) -> str:
    if division.openings is not None:
        return f"openings:{division.openings}"
    if division.opening_plies is None:
        return f"auto{'' if division.fixed_opening is None else division.fixed_opening}"
    return str(division.opening_plies)
