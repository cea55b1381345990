"""Divisions and runs, on their way into the store and out of it.

Times are seconds since the epoch, durations microseconds, results from the side that is named.
Importing this module loads no database code.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from db.records.budget import budget_label, rename_in_budget
from engine.board import BoardClass
from engine.result import Termination

BEST = "best: "
"""The beginning of the verdict of a choice that was made; the bot's name follows."""
OPTIONS = "options"
"""The key of a run's settings that holds its command and options; missing in older runs."""
SELECT = "select"
"""The key of a choice among the settings of its run."""


class RunKind(StrEnum):
    """The command that a run was started by."""

    LADDER = "ladder"
    MATCH = "match"
    GATE = "gate"
    TUNE = "tune"
    """Has steps (`db.records.tuning`) and no pairs."""
    BISECT = "bisect"
    """One commit of a bisection, against the good one."""
    SELECT = "select"


class RunStatus(StrEnum):
    """The state of a run. A `running` one whose lock is free has died."""

    RUNNING = "running"
    INTERRUPTED = "interrupted"
    FINISHED = "finished"
    INVALID = "invalid"


# Conditions and runs.


FIXED_OPENING = 4
"""Plies of an opening without a number on a fixed board, where games would otherwise repeat."""


def plies_of_opening(opening_plies: int | None, board_class: BoardClass) -> int:
    """Return the length of a random opening on a board class.

    None means 0 plies where boards vary and `FIXED_OPENING` elsewhere. Stored divisions of both
    kinds of boards mean these numbers, so another default must be given as a number.
    """
    if opening_plies is not None:
        return opening_plies
    return 0 if board_class.varies else FIXED_OPENING


class Conditions(NamedTuple):
    """The conditions that games must share to be compared."""

    boards: str
    """The canonical list of board classes."""
    opening_plies: int | None
    """None: each board class has its own default, or the openings are those of a set."""
    budget: Mapping[str, int]
    """Such as ``{"time_ms": 100}``; each bot gets the first kind that it supports, and an amount of
    its own where there is one (`db.records.budget`)."""
    openings: str | None = None
    """The hash of a set of openings; None: they are drawn at random."""


HASH_SHOWN = 12
"""Digits of a set's hash that stand in a label."""


def division_label(
    boards: str, opening_plies: int | None, budget: Mapping[str, int], openings: str | None = None
) -> str:
    """Conditions in short, such as ``6x7+4/100ms``: boards, opening plies, budget.

    A set of openings stands there with the beginning of its hash:
    ``6x7+openings:1f2e3d4c5b6a/100ms``.
    """
    if openings is not None:
        opening = f"+openings:{openings[:HASH_SHOWN]}"
    elif opening_plies == 0:
        opening = ""
    else:
        opening = f"+{'auto' if opening_plies is None else opening_plies}"
    return f"{boards}{opening}/{budget_label(budget)}"


@dataclass(frozen=True, slots=True)
class DivisionRow:
    """The conditions under which games can be compared."""

    id: int
    label: str
    """Short and unique, such as ``6x7+4/100ms``."""
    boards: str
    """The canonical list of board classes."""
    opening_plies: int | None
    """None: each board class has its own default, or the openings are those of a set."""
    budget: Mapping[str, int]
    """Such as ``{"time_ms": 100}``; each bot gets the first kind that it supports."""
    openings: str | None = None
    """The hash of a set of openings; None: they are drawn at random."""

    @property
    def conditions(self) -> Conditions:
        """The conditions without id and label."""
        return Conditions(self.boards, self.opening_plies, self.budget, self.openings)


@dataclass(frozen=True, slots=True)
class NewRun:
    """A run to be started."""

    kind: RunKind
    rated: bool
    stream: str
    """Hash of what identifies the run, seed included: such runs continue each other."""
    identity: str
    """Hash of the run's settings without the seed."""
    settings: Mapping[str, Any]
    """All that identifies the run, bots with their content hashes included; JSON values only."""
    seed: int
    division_id: int
    target_games: int | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run as it is stored."""

    id: int
    kind: RunKind
    rated: bool
    stream: str
    identity: str
    settings: Mapping[str, Any]
    seed: int
    division_id: int
    target_games: int | None
    status: RunStatus
    started_at: float
    ended_at: float | None
    note: str
    verdict: str | None
    """Of a gate: pass, regression, inconclusive or invalid; None: no gate, or not decided yet."""
    renamed: Mapping[str, str] = field(default_factory=dict)
    """Current names of bots that were renamed since, by the names in what identifies the run;
    `settings` and `verdict` hold the current ones."""


@dataclass(frozen=True, slots=True)
class SideTally:
    """The results of one revision in the games of a run."""

    revision: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    """Losses by its own failure."""


@dataclass(frozen=True, slots=True)
class ForfeitTally:
    """The games of a run that one revision lost by one kind of failure."""

    revision: int
    termination: Termination
    games: int
    game: int
    """The id of the first of them."""
    detail: str
    """The cause of the first, in words."""


@dataclass(frozen=True, slots=True)
class RunTally:
    """The finished games of a run in sums."""

    sides: tuple[SideTally, ...]
    """One for each revision that has games."""
    forfeits: tuple[ForfeitTally, ...]
    played_s: float
    """Seconds for which games were in play, pauses of up to a minute between them included."""


def bots_in(settings: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the content hash of each bot by name; empty where an imported run has none."""
    bots = settings.get("bots")
    return bots if isinstance(bots, Mapping) else {}


def rename_in_settings(settings: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return settings in which bots have other names.

    Args:
        settings: of a run; an imported one may lack any of them.
        names: the new names by the old ones.

    """
    changed = dict(settings)
    if bots := bots_in(settings):
        changed["bots"] = {names.get(name, name): content for name, content in bots.items()}
    if isinstance(pairing := settings.get("pairing"), str):
        kind, *sides = pairing.split(":")
        changed["pairing"] = ":".join([kind, *(_listed(side, names) for side in sides)])
    if isinstance(budget := settings.get("budget"), Mapping):
        changed["budget"] = rename_in_budget(budget, names)
    choice = settings.get(SELECT)
    if isinstance(choice, Mapping) and choice.get("against") in names:
        changed[SELECT] = {**choice, "against": names[choice["against"]]}
    return changed


def rename_in_verdict(verdict: str | None, names: Mapping[str, str]) -> str | None:
    """Return a verdict in which the chosen bot has another name."""
    if verdict is None or not verdict.startswith(BEST):
        return verdict
    name = verdict.removeprefix(BEST)
    return BEST + names.get(name, name)


def _listed(names: str, new: Mapping[str, str]) -> str:
    return ",".join(new.get(name, name) for name in names.split(","))
