"""The settings of a run: its task, and the part of them that identifies it."""

import hashlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

import msgspec

from bots.protocol import MARGIN_MS, READY_S, WATCHDOG_S
from db.records.launch import DEFAULT_LIMITS
from db.records.restart import Restart
from db.records.runs import OPTIONS, Conditions, RunKind, plies_of_opening
from engine.board import BoardClass, format_board_classes
from ladder.match.openings.openings_file import NamedOpenings
from ladder.match.process.confinement import Confinement
from ladder.pair_seeds import CURRENT, SeedDerivation
from ladder.runs.budgets import MOST_MOVES, Budgets
from ladder.runs.schedule import (
    Pairing,
)

DERIVATION = "seed_derivation"
"""The key of a run's settings that names its derivation of seeds; missing in older runs."""
TIME = "time_ms"
"""The name of the budget by the clock, under which the margin counts."""


class ResumePolicy(StrEnum):
    """The treatment of an interrupted run of the same identity."""

    AUTO = "auto"
    """Finish it if there is one, else start a new one."""
    ONLY = "only"
    """Finish it if there is one, else do nothing."""
    NEVER = "never"
    """Start a new one in any case."""


LIMIT_OPTIONS = {
    "memory_mb": "--memory",
    "open_files": "--open-files",
    "processes": "--processes",
    "scratch_mb": "--scratch",
    "cpu_s": "--cpu-time",
}
"""The limits that the user may set, and their options."""


def cpu_limit(budgets: Budgets, margin_ms: int, watchdog_s: float) -> int:
    """Return the limit of CPU time for a game, in seconds, where none is given.

    Twice what the clock leaves the longest game: enough for a second busy thread, or for thinking
    on the opponent's time, and no more.
    """
    time_ms = budgets.longest_ms
    move_s = watchdog_s if time_ms is None else (time_ms + margin_ms) / 1000
    return math.ceil(2 * (READY_S + MOST_MOVES * move_s))


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """One run as the user asked for it."""

    bots: tuple[str, ...]
    """Names of registered bots."""
    boards: tuple[BoardClass, ...]
    budgets: Budgets
    pairing: Pairing
    opening_plies: int | None = None
    """None: the default of each board class."""
    openings: NamedOpenings | None = None
    """None: they are drawn at random."""
    seed: int | None = None
    games: int | None = None
    """Finished games after which the run ends; an odd number is rounded up."""
    seconds: float | None = None
    """Wall time after which the run ends."""
    concurrency: int = 1
    """Pairs played at the same time."""
    restart: Restart | None = None
    """Overrides how often each bot's process is renewed."""
    pin: bool = True
    """Each worker and its bots on one CPU, where there are enough."""
    margin_ms: int = MARGIN_MS
    """How late a move may be under a time budget."""
    watchdog_s: float = WATCHDOG_S
    """How long a move may take under a work budget."""
    confinement: Confinement
    """Of every bot; without a limit of CPU time `confinement_in_force` finds one."""
    kind: RunKind = RunKind.LADDER
    rated: bool = True
    resume_policy: ResumePolicy = ResumePolicy.AUTO
    note: str = ""
    """The user's words about the run; no part of what identifies it."""
    scale_time: bool = False
    """Whether machines of a cluster get time in proportion to how slow they are."""
    experiment: Mapping[str, object] = field(default_factory=dict)
    """What else identifies the run; JSON values only."""
    options: Mapping[str, object] = field(default_factory=dict)
    """The command and all of its options, by which the run is resumed; JSON values only."""
    derivation: SeedDerivation = CURRENT
    """How pairs follow from the seed; an older one only for a run that was begun with it."""

    @property
    def target_games(self) -> int | None:
        """The number of games rounded up to whole pairs."""
        return None if self.games is None else self.games + self.games % 2

    @property
    def confinement_in_force(self) -> Confinement:
        """The bounds of the bots, a limit of CPU time included."""
        limits = self.confinement.limits
        if limits.cpu_s is not None:
            return self.confinement
        cpu_s = cpu_limit(self.budgets, self.margin_ms, self.watchdog_s)
        return replace(self.confinement, limits=msgspec.structs.replace(limits, cpu_s=cpu_s))

    def division(self) -> Conditions:
        """Boards, openings and budgets: what games must share to be compared."""
        return Conditions(
            format_board_classes(self.boards),
            self.resolved_opening,
            dict(self.budgets.amounts),
            None if self.openings is None else self.openings.set.content_hash,
        )

    @property
    def resolved_opening(self) -> int | None:
        """Plies of the opening on every board of the run.

        None when the defaults differ, or a set of openings decides.
        """
        if self.openings is not None:
            return None
        plies = {plies_of_opening(self.opening_plies, board) for board in self.boards}
        return plies.pop() if len(plies) == 1 else None

    def with_older_derivations(self) -> "Iterator[Settings]":
        """Yield these settings, then the same under each older derivation of seeds.

        A stored run to resume is searched in this order; a new run takes the first.
        """
        yield self
        if self.derivation is SeedDerivation.KEYED:
            yield replace(self, derivation=SeedDerivation.MIXED)

    def describe(self, hashes: Mapping[str, str]) -> dict[str, object]:
        """The identity of the run besides its seed, as plain data.

        Limits, the sandbox, and the margin or watchdog that its budgets bring into play stand there
        where they differ from the defaults: they can turn a game into a forfeit, so a run is not
        gone on with under others.

        Args:
            hashes: the content hash of every bot by name.

        """
        description: dict[str, object] = {
            "kind": str(self.kind),
            "rated": self.rated,
            "bots": {name: hashes[name] for name in sorted(self.bots)},
            "pairing": str(self.pairing),
            "boards": format_board_classes(self.boards),
            "opening_plies": self.resolved_opening,
            "budget": dict(self.budgets.amounts),
        }
        if self.derivation is not SeedDerivation.MIXED:  # the runs before it have no such key
            description[DERIVATION] = str(self.derivation)
        if self.openings is not None:
            description["openings"] = self.openings.set.content_hash
        limits, sandbox = self.confinement.limits, self.confinement.sandbox
        given = {name: getattr(limits, name) for name in LIMIT_OPTIONS}
        other = {
            name: each for name, each in given.items() if each != getattr(DEFAULT_LIMITS, name)
        }
        if other:
            description["limits"] = other
        if sandbox:
            description["sandbox"] = list(sandbox)
        by_the_clock = TIME in self.budgets.amounts
        if by_the_clock and self.margin_ms != MARGIN_MS:
            description["margin_ms"] = self.margin_ms
        if by_the_clock and self.scale_time:
            description["scale_time"] = True
        if not by_the_clock and self.watchdog_s != WATCHDOG_S:
            description["watchdog_s"] = self.watchdog_s
        return {**description, **self.experiment}

    def surroundings(self) -> dict[str, object]:
        """The settings that are kept with the run beside its identity, such as all limits."""
        confinement = self.confinement_in_force
        limits = msgspec.structs.asdict(confinement.limits)
        kept: dict[str, object] = {
            "limits": limits,
            "sandbox": list(confinement.sandbox),
            "margin_ms": self.margin_ms,
            "watchdog_s": self.watchdog_s,
        }
        if self.openings is not None:
            kept["openings_file"] = self.openings.name
        return {**kept, **self.kept}

    @property
    def kept(self) -> dict[str, object]:
        """The settings that a resumed run takes from the new command."""
        return {OPTIONS: dict(self.options)} if self.options else {}


def identity_hash(description: Mapping[str, object], seed: int | None = None) -> str:
    """32 hex digits that two runs share exactly when their descriptions (and seeds) are equal."""
    text = msgspec.json.encode({"run": description, "seed": seed}, order="sorted")
    return hashlib.sha256(text).hexdigest()[:32]
