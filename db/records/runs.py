"""Records of divisions and runs. Times are seconds since the epoch."""

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from db.errors import TooNew
from db.records.budget import Amounts, budget_label
from db.records.rules import GameRules, Plies
from db.records.run_settings import StoredSettings
from engine.board_class import BoardClass
from engine.result import Termination

BEST = "best: "
"""Prefix of the verdict of `ladder select`; the chosen bot's name follows."""


class RunKind(StrEnum):
    """The command that started a run."""

    LADDER = "ladder"
    MATCH = "match"
    GATE = "gate"
    TUNE = "tune"
    """A tuning: has steps (`db.records.runs`) instead of pairs."""
    BISECT = "bisect"
    """One commit of a bisection against the good commit."""
    SELECT = "select"
    NIGHTLY = "nightly"
    """The rated games of the new commits of a branch."""
    PLAY = "play"
    """One game of a person against a bot."""

    @property
    def games_per_pair(self) -> int:
        """Games of a finished pair."""
        return 1 if self is RunKind.PLAY else 2


class RunStatus(StrEnum):
    """The state of a run. A `running` one whose lock is free was killed."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"
    INVALID = "invalid"


FIXED_OPENING = 4
"""Default opening plies for board classes with few boards, where games could repeat."""
OMITTED_FIXED_OPENING = 4
"""The value of `Conditions.fixed_opening` that keys, labels, settings and exports omit.

Older versions knew no other value and wrote none, so it must not change.
"""


def plies_of_opening(
    opening_plies: int | None, board_class: BoardClass, fixed_opening: int = FIXED_OPENING
) -> int:
    """Return the number of plies of a random opening on a board class.

    None means 0 plies on a class with so many boards that games do not repeat, else
    `fixed_opening`.
    """
    if opening_plies is not None:
        return opening_plies
    return 0 if board_class.is_large else fixed_opening


class Conditions(GameRules, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The conditions that games must share to be compared; also the division of an export."""

    boards: str
    """The canonical list of board classes."""
    opening_plies: Plies | None
    """None for each board class's default, or if the openings come from a set."""
    budget: Amounts
    """Amounts such as ``{"time_ms": 100}``; each bot gets the first kind that it supports, and odds
    if it has any (`db.records.budget`)."""
    openings: Annotated[str, Meta(pattern=r"\A[0-9a-f]{32}\Z")] | None = None
    """Hash of a set of openings; None for random openings."""
    fixed_opening: Plies | None = None
    """Opening plies for board classes with a single board, such as ``6x7``; None if
    `opening_plies` or `openings` decides."""

    @property
    def has_one_opening(self) -> bool:
        """Whether exactly one of `opening_plies`, `openings` and `fixed_opening` is given."""
        given = (self.opening_plies, self.openings, self.fixed_opening)
        return sum(each is not None for each in given) == 1

    @property
    def other_fixed_opening(self) -> int | None:
        """The value of `fixed_opening` that keys, labels, settings and exports must contain."""
        fixed = self.fixed_opening
        return None if fixed == OMITTED_FIXED_OPENING else fixed

    @property
    def exported(self) -> "Conditions":
        """The conditions as keys and exports contain them."""
        return msgspec.structs.replace(self.conditions, fixed_opening=self.other_fixed_opening)

    def plies_on(self, board_class: BoardClass) -> int:
        """Return the plies of random openings on a board class."""
        fixed = FIXED_OPENING if self.fixed_opening is None else self.fixed_opening
        return plies_of_opening(self.opening_plies, board_class, fixed)

    @classmethod
    def of_key(cls, key: str) -> "Conditions":
        """Return the conditions of a division's key. Raises ValueError, or TooNew."""
        return _conditions_of(key)

    @property
    def imported(self) -> "Conditions":
        """The conditions that were exported so."""
        if (self.opening_plies, self.openings, self.fixed_opening) != (None, None, None):
            return self
        return msgspec.structs.replace(self, fixed_opening=OMITTED_FIXED_OPENING)

    @property
    def conditions(self) -> "Conditions":
        """The conditions without the id and label of a division."""
        return Conditions(**{name: getattr(self, name) for name in Conditions.__struct_fields__})


@lru_cache(maxsize=1024)
def _conditions_of(key: str) -> Conditions:
    try:
        return msgspec.json.decode(key, type=Conditions).imported
    except msgspec.DecodeError as error:
        with contextlib.suppress(msgspec.DecodeError):
            values = msgspec.json.decode(key, type=dict[str, Any])
            if unknown := sorted(values.keys() - set(Conditions.__struct_fields__)):
                raise TooNew(
                    "the database has games under a condition that this version does not know "
                    f"({', '.join(unknown)}): update this program"
                ) from error
        raise ValueError(f"its division is invalid: {error}") from error


SHIPPED_OPENINGS = {
    "c7fec1e0bae6e0f0cd6ea630a0dbeb82": "balanced",
    "e97eeafe784af5db76ee1201600bc1f1": "balanced",
    "c473fcb6f4a720df655be0c69bfdae34": "balanced",
}
"""Names of shipped opening sets by their hashes: for ``thu``, for ``6x7``, and for both."""
HASH_SHOWN = 12
"""Digits of an opening set's hash in a division's label."""


def division_label(conditions: Conditions) -> str:
    """Return a label of boards, openings and budget, such as ``6x7+4/100ms``.

    A set of openings that is shipped has its name: ``thu+balanced/100ms``. Of any other the label
    contains the beginning of the hash: ``6x7+openings:1f2e3d4c5b6a/100ms``.
    Rules come last: ``thu/100ms/adjudicate12``.
    """
    if conditions.openings is not None:
        hashed = f"openings:{conditions.openings[:HASH_SHOWN]}"
        opening = f"+{SHIPPED_OPENINGS.get(conditions.openings, hashed)}"
    elif conditions.opening_plies is None:
        plies = conditions.other_fixed_opening
        opening = f"+auto{'' if plies is None else plies}"
    else:
        opening = f"+{conditions.opening_plies}" if conditions.opening_plies else ""
    rules = "".join(f"/{rule.label}" for rule in conditions.texts)
    return f"{conditions.boards}{opening}/{budget_label(conditions.budget)}{rules}"


class DivisionRow(Conditions, frozen=True, kw_only=True):
    """Rating conditions: games of one division can be compared."""

    id: int
    label: str
    """Unique short name, such as ``6x7+4/100ms``."""


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run to be started."""

    kind: RunKind
    rated: bool
    stream: str
    """Hash of the settings and the seed. Runs of one stream share its pair numbers."""
    identity: str
    """Hash of the settings without the seed."""
    settings: StoredSettings
    """Those of its kind (`db.records.run_settings`)."""
    seed: int
    division_id: int
    target_games: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class PausedBot:
    """A bot that was paused during a run."""

    name: str
    games: int
    """Its games in the run when it was paused."""
    reason: str
    """Words that follow the bot's name, such as ``could not be started``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow(NewRun):
    """A stored run."""

    id: int
    status: RunStatus
    started_at: float
    ended_at: float | None
    verdict: str | None
    """See `db.models`; None if there is no verdict yet."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Current names of renamed bots by their names when the run began; `settings` and `verdict`
    hold the current names."""

    @property
    def paused(self) -> list[PausedBot]:
        """The bots that were paused, those that could not play to the end of the run."""
        stored = self.settings.paused.items()
        return [PausedBot(name, each.games, each.reason) for name, each in stored]


@dataclass(frozen=True, slots=True)
class ForfeitTally:
    """The games of a run that one revision lost by one kind of failure."""

    revision: int
    termination: Termination
    games: int
    game: int
    """Id of the first of them."""
    detail: str
    """Cause of the first."""


def rename_in_verdict(verdict: str | None, names: Mapping[str, str]) -> str | None:
    """Return a verdict with the chosen bot renamed."""
    if verdict is None or not verdict.startswith(BEST):
        return verdict
    name = verdict.removeprefix(BEST)
    return BEST + names.get(name, name)


@dataclass(frozen=True, slots=True)
class OpeningSetRow:
    """A stored set of openings."""

    content_hash: str
    """32 hex digits."""
    name: str
    """Name of the file that it was read from."""
    lines: str
    """Sorted openings, one per line, such as ``6x7 3342``."""


Setting = Mapping[str, float]
"""Values by parameter name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningStepRow:
    """The result of pairs between two parameter settings of a bot."""

    step: int
    """From 1."""
    a: Setting
    """The setting that moves first in game 0 of every pair."""
    b: Setting
    pentanomial: tuple[int, ...]
    """Pairs by the points of `a`: 0, 1/2, 1, 3/2, 2."""
    forfeits: int
    """Games that one of the two forfeited."""
    estimate: Setting
    """Values estimated after the step."""
    duration_us: int
    """Wall time of the step."""

    @property
    def games(self) -> int:
        """Number of finished games."""
        return 2 * sum(self.pentanomial)
