"""The settings of stored runs: a record for each kind, which alone reads and writes their JSON.

Stored settings name bots as the run began with them; the table `run_bots` leads these names to
revisions, and `StoredSettings.renamed` replaces them by the present ones when a run is read.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, Self

import msgspec
from msgspec import UNSET, Meta, UnsetType

from db.records.budget import Amounts, is_valid_budget, rename_in_budget
from db.records.night import Night
from db.records.rules import GameRules, Plies
from engine.board_class import parse_board_classes
from engine.errors import BoardError

NAMING = frozenset(
    {"a", "against", "b", "base", "bots", "candidate", "candidates", "clock", "overage", "pairing"}
    | {"time"}
)
"""Options of commands that name bots: alone, in lists, and with odds or a pairing."""
_WORD = re.compile(r"((?:\A|,)\s*(?:gauntlet:)?)([A-Za-z0-9._@+-]+)(?=\s*(?:,|=|\Z))")
"""A name in such an option."""
Names = Mapping[str, str]
"""New names of bots by their old ones."""
Elo = Annotated[float, Meta(ge=0, le=1000)]
Chance = Annotated[float, Meta(ge=1e-9, lt=0.5)]


class PausedStored(msgspec.Struct, frozen=True):
    """When and why a bot was paused."""

    games: int
    reason: str


class PairingWords(NamedTuple):
    """A stored pairing, such as ``gate:v2:v1,v0``."""

    rule: str
    candidate: str
    against: tuple[str, ...]


class StoredSettings(
    GameRules, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=False
):
    """The settings of a run of any kind. An imported run may lack each of them."""

    bots: Mapping[str, str] = {}
    """The content hashes of the bots by name."""
    kind: str | None = None
    rated: bool | None = None
    pairing: str = ""
    boards: str | None = None
    opening_plies: Plies | UnsetType | None = UNSET
    fixed_opening: Plies | None = None
    openings: str | None = None
    """Hash of a set of openings."""
    openings_file: str | None = None
    budget: Amounts | None = None
    seed_derivation: str | None = None
    limits: Mapping[str, int | None] | None = None
    sandbox: tuple[str, ...] | None = None
    margin_ms: int | None = None
    watchdog_s: float | None = None
    harness: Mapping[str, Any] | None = None
    """The versions of programs, and the processor."""
    options: Mapping[str, Any] | None = None
    """The command and its options, which are never exported, as they name files and hosts."""
    new: bool = False
    """Whether a former result was not taken, by ``--new``."""
    paused: Mapping[str, PausedStored] = {}
    """The paused bots by name."""
    dashboard: str | None = None
    """Address of the dashboard of the run's cluster."""
    job: int | None = None
    """The job of the queue whose command played the run."""

    @property
    def named(self) -> Mapping[str, str]:
        """The content hashes of all bots that the settings name."""
        return self.bots

    @property
    def pairing_words(self) -> PairingWords:
        """The parts of the pairing."""
        rule, _, rest = self.pairing.partition(":")
        candidate, _, against = rest.partition(":")
        return PairingWords(rule, candidate, tuple(against.split(",")) if against else ())

    def renamed(self, names: Names) -> Self:
        """Return the settings with bots renamed."""
        if not names:
            return self
        rule, *sides = self.pairing.split(":")
        return msgspec.structs.replace(
            self,
            bots={names.get(name, name): content for name, content in self.bots.items()},
            pairing=":".join([rule, *(_rename_words(side, names) for side in sides)]),
            budget=None if self.budget is None else rename_in_budget(self.budget, names),
            options=None if self.options is None else rename_in_options(self.options, names),
            paused={names.get(name, name): each for name, each in self.paused.items()},
        )

    def check(self) -> None:
        """Refuse boards and budgets that cannot be. Raises ValueError."""
        if self.boards is not None:
            try:
                parse_board_classes(self.boards)
            except BoardError as error:
                raise ValueError(str(error)) from error
        if self.budget is not None and not is_valid_budget(self.budget):
            raise ValueError(f"the settings have the invalid budget {dict(self.budget)}")


class LadderSettings(StoredSettings, frozen=True, kw_only=True, omit_defaults=True):
    """The settings of `ladder run`."""

    until_error: float | None = None


class MatchSettings(StoredSettings, frozen=True, kw_only=True, omit_defaults=True):
    """The settings of `ladder match`."""

    @property
    def sides(self) -> tuple[str, ...]:
        """The bots in the order of the command; that of their first names if it is not known."""
        options = self.options or {}
        given = (str(options.get("a")), str(options.get("b")))
        return given if set(given) == set(self.bots) else tuple(self.bots)


class PlaySettings(StoredSettings, frozen=True, kw_only=True, omit_defaults=True):
    """The settings of a game against a person."""


class StoredTest(msgspec.Struct, frozen=True, kw_only=True):
    """The question of a gate; `ladder.experiments.gate.question.GateTest` explains it."""

    max_drop: Elo
    min_gain: Elo
    alpha: Chance
    beta: Chance
    max_games: Annotated[int, Meta(ge=2)]
    model: Literal["logistic", "normalized"]
    early: Annotated[float, Meta(ge=0, lt=1)] = 0.0
    """Missing in those of earlier versions."""

    def __post_init__(self) -> None:
        if not self.max_drop and not self.min_gain:
            raise ValueError("a gate must ask for a drop or a gain")


class GateSettings(StoredSettings, frozen=True, kw_only=True, omit_defaults=True):
    """The settings of `ladder gate`, also at the end of a tuning."""

    question: StoredTest | None = None


class StoredField(msgspec.Struct, frozen=True, kw_only=True):
    """The question of a selection."""

    against: str | None
    indifference: Annotated[float, Meta(gt=0, le=1000)]
    confidence: Annotated[float, Meta(ge=0.5, le=0.9999)]
    max_games: int


class SelectSettings(StoredSettings, frozen=True, kw_only=True, omit_defaults=True):
    """The settings of `ladder select`."""

    select: StoredField | None = None

    def renamed(self, names: Names) -> Self:
        """Return the settings with bots renamed."""
        found, asked = super().renamed(names), self.select
        if asked is None or asked.against is None:
            return found
        against = names.get(asked.against, asked.against)
        select = msgspec.structs.replace(asked, against=against)
        return msgspec.structs.replace(found, select=select)


class NightlySettings(StoredSettings, frozen=True, kw_only=True, omit_defaults=True):
    """The settings of `ladder nightly`."""

    nightly: Night | None = None

    def renamed(self, names: Names) -> Self:
        """Return the settings with bots renamed."""
        found = super().renamed(names)
        night = None if self.nightly is None else self.nightly.renamed(names)
        return msgspec.structs.replace(found, nightly=night)


class StoredTuning(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The search of a tuning, which is part of its run's identity."""

    spec: str
    original: str
    """Content hash of the bot before the tuning."""
    parameters: tuple[str, ...]
    games: int
    pairs: int
    python: str | None = None
    files: tuple[str, ...] = ()


class TuneSettings(StoredSettings, frozen=True, kw_only=True, omit_defaults=True):
    """The settings of the search of `ladder tune`."""

    tuning: StoredTuning | None = None
    question: StoredTest | None = None
    """That of the gate at its end."""

    @property
    def named(self) -> Mapping[str, str]:
        """The bot of ``--base``, which is tuned; no bot plays under its name."""
        base = (self.options or {}).get("base")
        return {} if base is None or self.tuning is None else {str(base): self.tuning.original}


class StoredSearch(msgspec.Struct, frozen=True, kw_only=True):
    """The search that a run of a bisection belongs to, and its commit."""

    key: str
    """Equal for searches that can use each other's games."""
    seed: int
    spec: str
    commit: str
    good: str
    bad: str


class BisectSettings(StoredSettings, frozen=True, kw_only=True, omit_defaults=True):
    """The settings of a commit of `ladder bisect`."""

    bisect: StoredSearch | None = None
    bisect_result: Mapping[str, Any] | None = None
    """The present result of the search, with its first run alone."""


BY_KIND: Mapping[str, type[StoredSettings]] = {
    "ladder": LadderSettings,
    "match": MatchSettings,
    "gate": GateSettings,
    "select": SelectSettings,
    "nightly": NightlySettings,
    "tune": TuneSettings,
    "bisect": BisectSettings,
    "play": PlaySettings,
}
"""The settings of each `db.records.runs.RunKind`."""


def settings_of(kind: str, values: Mapping[str, object]) -> StoredSettings:
    """Return the settings of a run of a kind from JSON values.

    Raises:
        ValueError: a value is of another type or out of range.

    """
    try:
        return msgspec.convert(msgspec.to_builtins(values), BY_KIND[kind])
    except msgspec.ValidationError as error:
        raise ValueError(f"its settings cannot be read: {error}") from error


def exported(settings: StoredSettings) -> dict[str, Any]:
    """Return what other machines may know of settings, as JSON values."""
    found: dict[str, Any] = msgspec.to_builtins(msgspec.structs.replace(settings, options=None))
    return found


def rename_in_options(options: Mapping[str, Any], names: Names) -> dict[str, Any]:
    """Return the options of a command with bots renamed."""
    return {
        key: _rename_all(value, names) if key in NAMING else value for key, value in options.items()
    }


def _rename_all(value: Any, names: Names) -> Any:
    if isinstance(value, list | tuple):
        return [_rename_all(each, names) for each in value]
    return _rename_words(value, names) if isinstance(value, str) else value


def _rename_words(text: str, names: Names) -> str:
    """Return a list of names, each perhaps with an amount, with bots renamed."""
    return _WORD.sub(lambda found: found[1] + names.get(found[2], found[2]), text)
