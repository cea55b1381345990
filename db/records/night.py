"""A night: the steps that it asks about, and what it has answered."""

from enum import StrEnum

import msgspec

from db.records.record import Record
from db.records.run_settings import NightlySettings
from db.records.runs import RunKind, RunRow
from db.store import Store
from ladder.experiments.nightly.commits import SkippedCommit
from ladder.runs.choosers import Meeting
from ladder.stats.difference import Difference

SETTINGS = "nightly"
"""The settings key of a night."""


class NightVerdict(StrEnum):
    """The answers about a step, and about a night, worst first."""

    DROP = "drop"
    """It has lost more than is accepted."""
    UNDECIDED = "undecided"
    NO_DROP = "no drop"
    """It has not lost that much."""


class NightQuestion(msgspec.Struct, frozen=True):
    """When a step is answered."""

    max_drop: float = 20.0
    """Largest acceptable loss in Elo."""
    until_error: float = 10.0
    """The 95 % error in Elo at which a step may stay undecided."""


class Answer(msgspec.Struct, frozen=True):
    """What is known about a step."""

    verdict: NightVerdict = NightVerdict.UNDECIDED
    is_final: bool = False
    """Whether no further pairs are wanted."""
    difference: Difference = Difference()
    """The commit over its predecessor by all rated games."""
    record: Record = Record()
    """Their pairs against each other."""


class Night(msgspec.Struct, frozen=True, kw_only=True):
    """A night, as it is stored with its run."""

    name: str
    """The name of the bot, which those of its commits begin with."""
    branch: str
    question: NightQuestion
    steps: dict[str, str]
    """The predecessors by commit, as names of bots, oldest first."""
    meetings: tuple[Meeting, ...] = ()
    """Who meets whom in a round; the first of two is the commit that the pair is for."""
    tags: dict[str, str] = {}
    """Tags by bot."""
    commits: dict[str, int] = {}
    """Commits of the branch in each step: more than one if some between are not stored."""
    skipped: tuple[SkippedCommit, ...] = ()
    rewritten: str = ""
    """A sentence about stored commits that the branch has lost; else empty."""
    answers: dict[str, Answer] = {}
    """The answers by commit when the night has ended."""


def night_of_run(run: RunRow) -> Night | None:
    """Return the night that is stored with a run; None if there is no readable one."""
    kept = run.settings.nightly if isinstance(run.settings, NightlySettings) else None
    try:
        return msgspec.convert(kept, Night)
    except msgspec.ValidationError:
        return None


def nights_of(store: Store, name: str) -> list[tuple[RunRow, Night]]:
    """Return the runs and nights of a bot's commits, newest first."""
    found = ((run, night_of_run(run)) for run in store.runs.find(kind=RunKind.NIGHTLY))
    return [(run, night) for run, night in found if night is not None and night.name == name]
