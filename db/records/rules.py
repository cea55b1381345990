"""Rules of a game besides those of the board, which every record of conditions contains."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple, Self

import msgspec
from msgspec import Meta

from engine.layout import MAX_SIDE

Plies = Annotated[int, Meta(ge=0, le=MAX_SIDE**2)]


class RuleText(NamedTuple):
    """A rule that holds, in words."""

    label: str
    """In a division's label, such as ``adjudicate12``."""
    heading: str
    """Such as ``Adjudicated``; with `words` a sentence's end."""
    words: str
    """Such as ``within 12 plies of a proven end``."""


class GameRules(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """What ends games besides the board. A field's name is its key in JSON; None: no such rule.

    Each rule has its words in `texts`, an option of its name in `ladder.cli.run_options`, the
    referee's part in `ladder.match.game.referee`, and the check of a stored game in
    `db.invariants`.
    """

    adjudicate: Annotated[int, Meta(ge=1, le=MAX_SIDE**2)] | None = None
    """Plies within which a proven end ends the game at once; None if games are played out."""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Self:
        """Return the rules among other values by name, such as options; 0 is no rule."""
        return cls(**{name: values.get(name) or None for name in RULES})

    @property
    def rules(self) -> "GameRules":
        """The rules alone, without what a record adds to them."""
        return GameRules(**{name: getattr(self, name) for name in RULES})

    @property
    def given(self) -> dict[str, int]:
        """The rules that hold by their names."""
        values = ((name, getattr(self, name)) for name in RULES)
        return {name: value for name, value in values if value is not None}

    @property
    def texts(self) -> list[RuleText]:
        """The rules that hold in words, in the order of a division's label."""
        found = []
        if (plies := self.adjudicate) is not None:
            within = f"within {plies} {'ply' if plies == 1 else 'plies'} of a proven end"
            found.append(RuleText(f"adjudicate{plies}", "Adjudicated", within))
        return found


RULES = GameRules.__struct_fields__
"""The names of the rules."""
