"""The engine of experiments: pairs are replayed and played into a judge until it has decided.

An experiment is a judge over numbered pairs. What is stored is given to it first, an interrupted
run is resumed, and the rest is played on one machine or many. Every kill and every resumption leads
to the same decision, because the judge sees the pairs in the order of their numbers.
"""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from db.records.bots import BotRow
from db.records.pairs import PlayedPair
from db.records.runs import RunRow, RunStatus
from db.store import Store
from ladder.errors import ExitCode, InvalidRun
from ladder.runs.decision import Judge
from ladder.runs.executor import Workforce
from ladder.runs.progress import RunEnding, Watcher
from ladder.runs.settings import Settings
from ladder.runs.start import THIS_MACHINE, NothingToResume, start_run

STOPPED, INVALID = "stopped", "invalid"
_EXIT_CODES = {
    **dict.fromkeys(("pass", "chosen", "found"), ExitCode.DONE),
    "regression": ExitCode.REGRESSION,
    INVALID: ExitCode.INVALID,
    STOPPED: ExitCode.STOPPED,
}
"""By verdict; every other one is that no decision was reached."""


def exit_code_of(verdict: str) -> ExitCode:
    """Return the exit code of a command whose experiment ended so."""
    return _EXIT_CODES.get(verdict, ExitCode.INCONCLUSIVE)


class ExperimentJudge(Judge):
    """The judge of an experiment whose run keeps a verdict."""

    @property
    @abstractmethod
    def verdict(self) -> str | None:
        """The verdict to be stored with the run after its end; None if the run keeps none."""


JudgeT = TypeVar("JudgeT", bound=Judge)


@dataclass(frozen=True, slots=True)
class ExperimentContext:
    """The place where experiments are played."""

    store: Store
    watcher: Watcher
    """Shows the runs."""
    workforce: Workforce = THIS_MACHINE
    """Plays the pairs."""


@dataclass(frozen=True, slots=True)
class Played:
    """The end of playing pairs into a judge."""

    run: RunRow | None = None
    """None if the run is invalid."""
    stopped: bool = False
    """Ctrl-C or SIGTERM came first; the same command resumes."""
    invalid: str = ""
    """Why the games mean nothing; empty if they do."""


def replay_pairs(judge: JudgeT, pairs: Iterable[PlayedPair]) -> JudgeT:
    """Give stored pairs to a judge in their order; return the judge."""
    for pair in pairs:
        judge.take(pair)
    return judge


def play(
    bench: ExperimentContext, settings: Settings, bots: Sequence[BotRow], judge: ExperimentJudge
) -> Played:
    """Play until the judge has decided, and store its verdict; an interrupted run is resumed.

    Raises:
        UsageError: see `ladder.runs.start.start_run`.

    """
    runs = bench.store.runs
    with runs.finishing_late():  # with its verdict, or not at all
        try:
            outcome = start_run(
                store=bench.store,
                settings=settings,
                bots=bots,
                watcher=bench.watcher,
                judge=judge,
                workforce=bench.workforce,
            )
        except InvalidRun as error:
            return Played(invalid=str(error))
        assert not isinstance(outcome, NothingToResume)  # noqa: S101 - only `run --resume` asks for it
        stopped = outcome.ending is RunEnding.STOPPED
        if judge.verdict is not None and not stopped:
            runs.set_verdict(outcome.run.id, judge.verdict)
    return Played(outcome.run, stopped)


def finished_run(runs: Iterable[RunRow], question: Mapping[str, object]) -> RunRow | None:
    """Return the first finished run that was asked the same question; None if there is none."""
    for run in runs:
        same = all(run.settings.get(key) == value for key, value in question.items())
        if run.status is RunStatus.FINISHED and same:
            return run
    return None
