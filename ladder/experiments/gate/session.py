"""Gates: play until the judge has decided, decide from stored games, or read what is stored."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from db.records.bots import BotRow
from db.records.pairs import PlayedPair
from db.records.runs import RunRow, RunStatus, division_label
from db.store import Store
from ladder.errors import UsageError
from ladder.experiments.engine import (
    STOPPED,
    UNFINISHED,
    ExperimentContext,
    RunEnd,
    division_of,
    exit_code_of,
    judge_pairs,
    play,
)
from ladder.experiments.gate.judge import GateJudge
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import GateResult, Verdict
from ladder.experiments.kept import ended_run, result_of, stored_bots
from ladder.experiments.lost_games import lost_games
from ladder.experiments.tally import JudgedBot
from ladder.registry.entrants import find_bot
from ladder.results.standings.report_data import ShownGame
from ladder.runs.history import PastRun, past_run
from ladder.runs.lineup import Lineup
from ladder.runs.pairings import GATE, Pairing
from ladder.runs.resume import finished_run, hashes_of
from ladder.runs.settings import RunSettings


@dataclass(frozen=True, slots=True)
class GateOutcome:
    """The outcome of a gate and the conditions of its games."""

    result: GateResult
    conditions: str
    """The label of the division."""
    stopped: bool = False
    """Whether there is no verdict yet: after Ctrl-C or SIGTERM, the same command resumes."""
    run_id: int | None = None
    """The judged run; None for an invalid run, or if all stored games were judged."""
    answered_at: float | None = None
    """When the stored run ended that has answered the question; None for a new answer."""
    asked_before: tuple[tuple[int, str], ...] = ()
    """The earlier runs with the same question, and their verdicts."""

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return exit_code_of(STOPPED if self.stopped else self.result.verdict)


def gate_pairing(candidate: str, against: str, *, rated: bool = False) -> Pairing:
    """Return the pairing of a gate against a comma-separated list of baselines.

    Raises:
        UsageError: a baseline is missing or named twice, or is the candidate of a rated gate.

    """
    words = tuple(word.strip() for word in against.split(","))
    if not all(words):
        raise UsageError(
            f"must be a comma-separated list of names, got {against!r}", option="against"
        )
    if len(set(words)) < len(words):
        raise UsageError(f"a bot is named twice: {against}", option="against")
    if rated and candidate in words:
        raise UsageError(
            "the games of a bot against itself cannot be rated: leave it out of the baselines",
            option="rated",
        )
    return Pairing(GATE, candidate, words)


@dataclass(frozen=True, slots=True)
class GateTask:
    """A gate to be played or decided, with its registered bots."""

    settings: RunSettings
    """The settings of the run, with the pairing of a gate."""
    candidate: BotRow
    baselines: Sequence[BotRow]
    """The baselines, which may include the candidate."""
    test: GateTest

    @property
    def bots(self) -> list[BotRow]:
        """All bots, each once."""
        return list({bot.name: bot for bot in (self.candidate, *self.baselines)}.values())

    @property
    def conditions(self) -> str:
        """The label of the division."""
        return division_label(self.settings.division())

    def judge(self) -> GateJudge:
        """Return a new judge."""
        baselines = [JudgedBot.of(bot) for bot in self.baselines]
        return GateJudge(JudgedBot.of(self.candidate), baselines, self.test)

    def decided_by(self, pairs: Iterable[PlayedPair], run_id: int | None = None) -> GateOutcome:
        """Return the outcome of the gate on stored pairs.

        Args:
            pairs: The pairs in their order.
            run_id: The run that played them; None for several runs.

        """
        result = judge_pairs(self.judge(), pairs).result()
        return GateOutcome(result, self.conditions, run_id=run_id)


def gate_task(store: Store, settings: RunSettings, test: GateTest) -> GateTask:
    """Return a gate between the registered bots that the pairing names.

    Raises:
        UnknownBot: a bot is not registered, or is retired.

    """
    candidate = find_bot(store, str(settings.pairing.candidate), "candidate")
    baselines = [find_bot(store, name, "against") for name in settings.pairing.against]
    return GateTask(settings, candidate, baselines, test)


def play_gate(context: ExperimentContext, task: GateTask, lineup: Lineup) -> GateOutcome:
    """Play until there is a verdict; an interrupted gate is resumed.

    Args:
        context: The database, watcher and workforce.
        task: The gate.
        lineup: Its bots.

    Raises:
        UsageError: see `ladder.runs.start.start_run`.

    """
    judge = task.judge()
    end = play(context, lineup, judge)
    if end.run is None:
        return GateOutcome(judge.result(end), task.conditions)
    former = asked_before(context.store, end.run)
    if not end.unfinished:
        gated = gate_of(context.store, ended_run(context.store, end.run.id))
        assert gated is not None  # noqa: S101 - it was just played
        return replace(gated, asked_before=former)
    result = judge.result(end)
    is_open = result.verdict is Verdict.INCONCLUSIVE
    return GateOutcome(result, task.conditions, is_open, run_id=end.run.id, asked_before=former)


def find_answer(store: Store, task: GateTask) -> GateOutcome | None:
    """Return the stored verdict on the same question with the same seed.

    An inconclusive gate that may now play more games is reopened instead, to be resumed.
    """
    run = finished_run(store, task.settings, hashes_of(task.bots), task.test.is_asked_by)
    if run is None:
        return None
    former = GateTest.of(run.settings) or task.test
    if run.verdict == Verdict.INCONCLUSIVE and former.games < task.test.games:
        store.runs.set_status(run.id, RunStatus.INTERRUPTED)
        return None
    answer = gate_of(store, past_run(store, run.id))
    return answer and replace(
        answer, answered_at=run.ended_at or run.started_at, asked_before=asked_before(store, run)
    )


def asked_before(store: Store, run: RunRow) -> tuple[tuple[int, str], ...]:
    """Return the runs before this one that asked the same, and their verdicts, oldest first."""
    asked = GateTest.of(run.settings)
    return tuple(
        (each.id, each.verdict)
        for each in reversed(store.runs.find(identity=run.identity, renamed=run.renamed))
        if each.id < run.id and each.verdict and asked is not None and asked.is_asked_by(each)
    )


def judge_stored(store: Store, task: GateTask) -> GateOutcome:
    """Decide from the games that are stored under these conditions, without playing."""
    division, pairs = division_of(store, task.settings), []
    if division is not None:
        revisions = [bot.revision.id for bot in task.baselines]
        pairs = store.pairs.between(division.id, task.candidate.revision.id, revisions)
    return task.decided_by(pairs)


def gate_of(store: Store, past: PastRun) -> GateOutcome | None:
    """Return a stored gate as its command does; None if its question or a bot is not readable."""
    result = result_of(store, past, GateResult, judged_gate)
    if result is None:
        return None
    return GateOutcome(result, past.division, past.status in UNFINISHED, run_id=past.row.id)


def judged_gate(store: Store, past: PastRun) -> GateResult | None:
    """Judge a stored gate.

    Its pairs are judged in the order of their numbers, as the gate did. Other pairs of the stream
    belong to repetitions of the gate.
    """
    run = past.row
    test, bots = GateTest.of(run.settings), stored_bots(store, run)
    _, candidate, baselines = run.settings.pairing_words
    if test is None or not {candidate, *baselines} <= set(bots):
        return None
    judge = GateJudge(bots[candidate], [bots[name] for name in baselines], test)
    return judge_pairs(judge, store.pairs.of_run(run.id)).result(RunEnd.of(past))


def games_of_gate(
    store: Store, conditions: str, result: GateResult, number: int, *, run_id: int | None = None
) -> list[ShownGame]:
    """Return lost games of the candidate: its forfeits, its shortest losses and its latest ones.

    Args:
        store: The open database.
        conditions: The label of the division.
        result: The result of the gate.
        number: Most games to return.
        run_id: The run whose games count; None for all games of the division.

    """
    against = [baseline.name for baseline in result.baselines]
    return lost_games(store, conditions, result.candidate, against, number, run_id=run_id)
