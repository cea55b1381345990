"""The settings of a run, and the part of them that identifies it."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import msgspec

from bots.protocol import MARGIN_MS, WATCHDOG_S
from db.records.budget import rename_in_budget
from db.records.launch import DEFAULT_LIMITS, Restart
from db.records.rules import GameRules
from db.records.runs import FIXED_OPENING, Conditions, RunKind, plies_of_opening
from engine.board_class import BoardClass, format_board_classes
from ladder.match.process.sandbox import Confinement
from ladder.openings.openings_file import NamedOpenings
from ladder.pair_seeds import DERIVATION
from ladder.runs.budgets import Budgets
from ladder.runs.pairings import Pairing


class ResumePolicy(StrEnum):
    """What to do with an interrupted run of the same identity."""

    AUTO = "auto"
    """Resume it if there is one, else start a new run."""
    ONLY = "only"
    """Resume it if there is one, else do nothing."""
    NEVER = "never"
    """Start a new run in any case."""


LIMIT_NAMES = {
    "memory_mb": "memory",
    "open_files": "open_files",
    "processes": "processes",
}
"""The option of each limit, by the field of `db.records.launch.Limits`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """The settings of one run."""

    bots: tuple[str, ...]
    """Names of registered bots."""
    boards: tuple[BoardClass, ...]
    budgets: Budgets
    pairing: Pairing
    opening_plies: int | None = None
    """Plies of random openings; None for the default of each board class."""
    fixed_opening: int = FIXED_OPENING
    """Default opening plies on a board class of one board; others may have 0."""
    openings: NamedOpenings | None = None
    """The set of openings; None for random ones."""
    rules: GameRules = field(default_factory=GameRules)
    seed: int | None = None
    games: int | None = None
    """Finished games after which the run ends; an odd number is rounded up."""
    seconds: float | None = None
    """Wall time after which the run ends."""
    concurrency: int = 1
    """Pairs played at the same time."""
    restart: Restart | None = None
    """When to restart bot processes; None for each bot's own rule."""
    pin: bool = True
    """Whether each worker and its bots share one CPU, if there are enough."""
    margin_ms: int = MARGIN_MS
    """Time by which a move may exceed a time budget."""
    watchdog_s: float = WATCHDOG_S
    """Longest time of a move under a work budget."""
    confinement: Confinement
    """The limits and sandbox of every bot."""
    kind: RunKind = RunKind.LADDER
    rated: bool = True
    resume_policy: ResumePolicy = ResumePolicy.AUTO
    note: str = ""
    """The user's note about the run, which is no part of its identity."""
    experiment: Mapping[str, object] = field(default_factory=dict)
    """Further settings that identify the run; JSON values only."""
    options: Mapping[str, object] = field(default_factory=dict)
    """The command and its resolved options, for resuming; JSON values only."""

    def renamed(self, names: Mapping[str, str]) -> "RunSettings":
        """Return the settings with bots renamed; `names` maps old names to new ones."""
        return replace(
            self,
            bots=tuple(names.get(name, name) for name in self.bots),
            pairing=self.pairing.renamed(names),
            budgets=Budgets(rename_in_budget(self.budgets.amounts, names)),
        )

    @property
    def target_games(self) -> int | None:
        """The games of the run, rounded up to whole pairs; None without a target."""
        return None if self.games is None else self.games + self.games % 2

    @property
    def adjudicated_boards(self) -> tuple[BoardClass, ...]:
        """The boards whose games are adjudicated."""
        return () if self.rules.adjudicate is None else self.boards

    def division(self) -> Conditions:
        """Return boards, openings and budgets, which comparable games share."""
        plies = self.resolved_opening
        return Conditions(
            format_board_classes(self.boards),
            plies,
            dict(self.budgets.amounts),
            None if self.openings is None else self.openings.set.content_hash,
            self.fixed_opening if plies is None and self.openings is None else None,
            **self.rules.given,
        )

    @property
    def resolved_opening(self) -> int | None:
        """Plies of the random openings on all boards of the run.

        None if the boards have different defaults, or if the openings are those of a set.
        """
        if self.openings is not None:
            return None
        plies = {self.plies_on(board) for board in self.boards}
        return plies.pop() if len(plies) == 1 else None

    def plies_on(self, board: BoardClass) -> int:
        """Return the plies of random openings on a board class."""
        return plies_of_opening(self.opening_plies, board, self.fixed_opening)

    def identity(self, hashes: Mapping[str, str]) -> dict[str, object]:
        """Return what identifies the run besides its seed, as JSON values.

        Limits, the sandbox, and the margin or watchdog of its budgets are included where they
        differ from the defaults: they can turn a game into a forfeit, so a run with other limits
        is another run.

        Args:
            hashes: The content hash of every bot by name.

        """
        identity: dict[str, object] = {
            "kind": str(self.kind),
            "rated": self.rated,
            "bots": {name: hashes[name] for name in sorted(self.bots)},
            "pairing": str(self.pairing),
            "boards": format_board_classes(self.boards),
            "opening_plies": self.resolved_opening,
            "budget": dict(self.budgets.amounts),
            "seed_derivation": DERIVATION,
        }
        if self.openings is not None:
            identity["openings"] = self.openings.set.content_hash
        if (fixed := self.division().other_fixed_opening) is not None:
            identity["fixed_opening"] = fixed
        identity |= self.rules.given
        limits = {name: getattr(self.confinement.limits, name) for name in LIMIT_NAMES}
        changed = {
            name: limit for name, limit in limits.items() if limit != getattr(DEFAULT_LIMITS, name)
        }
        if changed:
            identity["limits"] = changed
        if self.confinement.sandbox:
            identity["sandbox"] = list(self.confinement.sandbox)
        if self.budgets.is_timed and self.margin_ms != MARGIN_MS:
            identity["margin_ms"] = self.margin_ms
        if not self.budgets.is_timed and self.watchdog_s != WATCHDOG_S:
            identity["watchdog_s"] = self.watchdog_s
        return {**identity, **self.experiment}

    def other_settings(self) -> dict[str, object]:
        """Return the settings that are stored beside the identity, such as all limits."""
        other: dict[str, object] = {
            "limits": msgspec.structs.asdict(self.confinement.limits),
            "sandbox": list(self.confinement.sandbox),
            "margin_ms": self.margin_ms,
            "watchdog_s": self.watchdog_s,
        }
        if self.resume_policy is ResumePolicy.NEVER:
            other["new"] = True
        if self.openings is not None:
            other["openings_file"] = self.openings.name
        return {**other, **self.command_settings}

    @property
    def command_settings(self) -> dict[str, object]:
        """The settings that a resumed run takes from the command that resumes it."""
        return {"options": dict(self.options)} if self.options else {}


def identity_hash(description: Mapping[str, object], seed: int | None = None) -> str:
    """Return 32 hex digits that are equal for equal descriptions (and seeds)."""
    text = msgspec.json.encode({"run": description, "seed": seed}, order="sorted")
    return hashlib.sha256(text).hexdigest()[:32]
