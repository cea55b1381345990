"""A night of `ladder nightly`, as it is stored with its run."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from db.records.record import Record


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
    difference: Mapping[str, float | None] = {}
    """The commit over its predecessor by all rated games (`ladder.stats.difference.Difference`)."""
    record: Record = Record()
    """Their pairs against each other."""


class SkippedCommit(msgspec.Struct, frozen=True):
    """A commit that is not stored."""

    commit: str
    subject: str
    reason: str


class Night(msgspec.Struct, frozen=True, kw_only=True):
    """The steps that a night asks about, and what it has answered."""

    name: str
    """The name of the bot, which those of its commits begin with."""
    branch: str
    question: NightQuestion
    steps: dict[str, str]
    """The predecessors by commit, as names of bots, oldest first."""
    meetings: tuple[tuple[str, str], ...] = ()
    """Who meets whom in a round; the first of two is the commit that the pair is for."""
    tags: dict[str, str] = {}
    """Tags by the hash of their commit."""
    commits: dict[str, int] = {}
    """Commits of the branch in each step: more than one if some between are not stored."""
    skipped: tuple[SkippedCommit, ...] = ()
    rewritten: str = ""
    """A sentence about stored commits that the branch has lost; else empty."""
    answers: dict[str, Answer] = {}
    """The answers by commit when the night has ended."""

    def renamed(self, names: Mapping[str, str]) -> "Night":
        """Return the night with bots renamed."""

        def new(name: str) -> str:
            return names.get(name, name)

        return msgspec.structs.replace(
            self,
            steps={new(name): new(other) for name, other in self.steps.items()},
            meetings=tuple((new(name), new(other)) for name, other in self.meetings),
            commits={new(name): count for name, count in self.commits.items()},
            answers={new(name): answer for name, answer in self.answers.items()},
        )
