"""The engine of experiments: it gives stored and new pairs to a judge until the judge has decided.

An experiment has a question, a judge of numbered pairs that answers it, and an outcome of what the
judge has found and how its run has ended (`RunEnd`). Stored pairs come first, an interrupted run is
resumed, and the rest is played on this machine or a cluster. Kills and resumptions do not change
the decision, because the judge gets the pairs in the order of their numbers.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeVar

from db.records.pairs import PlayedPair
from db.records.runs import DivisionRow, RunRow, RunStatus
from db.store import Store
from ladder.errors import ExitCode, InvalidRun
from ladder.runs.decision import Judge
from ladder.runs.executor import Workforce
from ladder.runs.history import PastRun
from ladder.runs.lineup import Lineup
from ladder.runs.live import RunEnding, RunWatcher
from ladder.runs.settings import RunSettings
from ladder.runs.start import THIS_MACHINE, start_run

STOPPED, INVALID = "stopped", "invalid"
UNFINISHED = {
    RunStatus.RUNNING: "it is being played",
    RunStatus.INTERRUPTED: "it was stopped: the same command resumes it",
}
"""Why an experiment has no verdict yet, by the present status of its run."""
MEANINGLESS = "a bot failed too often or the machine stalled, so its games mean nothing"
"""Why a stored run is invalid if its pairs alone do not show it."""
_EXIT_CODES = {
    **dict.fromkeys(("pass", "chosen", "found", "no drop", "nothing new"), ExitCode.DONE),
    **dict.fromkeys(("regression", "no_gain", "drop"), ExitCode.REGRESSION),
    INVALID: ExitCode.INVALID,
    STOPPED: ExitCode.STOPPED,
}
"""Exit codes by verdict. Any other verdict exits with INCONCLUSIVE, also a bisection's `none`."""


def exit_code_of(verdict: str) -> ExitCode:
    """Return the exit code for a verdict."""
    return _EXIT_CODES.get(verdict, ExitCode.INCONCLUSIVE)


class ExperimentJudge(Judge):
    """The judge of an experiment whose verdict is stored with the run."""

    needs_all = True

    @property
    def verdict(self) -> str | None:
        """The verdict to store at the end of the run; None for no verdict."""
        return None


JudgeT = TypeVar("JudgeT", bound=Judge)


@dataclass(frozen=True, slots=True)
class ExperimentContext:
    """The database, watcher and workforce of an experiment."""

    store: Store
    watcher: RunWatcher
    workforce: Workforce = THIS_MACHINE


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How the run of an experiment has ended, just now or long ago."""

    run: RunRow | None = None
    """The run; None if it was found invalid just now, or if nothing was played."""
    invalid: str = ""
    """The reason why the games mean nothing; empty for a valid run."""
    unfinished: str = ""
    """Why there is no verdict yet; empty if the run is over."""

    @classmethod
    def of(cls, past: PastRun) -> "RunEnd":
        """Return the end of a stored run."""
        invalid = MEANINGLESS if past.status is RunStatus.INVALID else ""
        return cls(past.row, invalid, UNFINISHED.get(past.status, ""))


OVER = RunEnd()
"""The end of stored games, which no process plays now."""


def judge_pairs(judge: JudgeT, pairs: Iterable[PlayedPair]) -> JudgeT:
    """Give stored pairs to a judge in their order; return the judge."""
    for pair in pairs:
        judge.take(pair)
    return judge


def play(
    context: ExperimentContext,
    lineup: Lineup,
    judge: ExperimentJudge,
) -> RunEnd:
    """Play until the judge has decided, and store its verdict; an interrupted run is resumed.

    Raises:
        UsageError: see `ladder.runs.start.start_run`.

    """
    runs = context.store.runs
    with runs.deferring_finish():  # the end of the run and its verdict are stored together
        try:
            outcome = start_run(
                store=context.store,
                lineup=lineup,
                watcher=context.watcher,
                judge=judge,
                workforce=context.workforce,
            )
        except InvalidRun as error:
            return RunEnd(invalid=str(error))
        assert outcome is not None  # noqa: S101 - only `run --resume` asks for it
        stopped = outcome.ending is RunEnding.STOPPED
        if judge.verdict is not None and not stopped:
            runs.set_verdict(outcome.run.id, judge.verdict)
    return RunEnd(outcome.run, unfinished=UNFINISHED[RunStatus.INTERRUPTED] if stopped else "")


def division_of(store: Store, settings: RunSettings) -> DivisionRow | None:
    """Return the division of these conditions, if games were played in it."""
    wanted = settings.division()
    for division in store.divisions.all():
        if division.conditions == wanted:
            return division
    return None
