"""Gates: play until the judge has decided, decide from stored games, or read what is stored."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from db.records.bots import BotRow
from db.records.games import GameQuery
from db.records.pairs import PlayedPair
from db.records.results import reference
from db.records.run_settings import MatchSettings
from db.records.runs import DivisionRow, RunRow, RunStatus, division_label
from db.store import Store
from engine.result import Result
from ladder.errors import UsageError
from ladder.experiments.engine import (
    MEANINGLESS,
    STOPPED,
    UNFINISHED,
    ExperimentContext,
    exit_code_of,
    judge_pairs,
    play,
)
from ladder.experiments.gate.judge import GateJudge
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import GateResult, Verdict
from ladder.experiments.gate.tally import GateBot, Tally
from ladder.experiments.kept import ended_run, result_of
from ladder.registry.entrants import find_bot
from ladder.results.standings.head_to_head import HeadToHead
from ladder.results.standings.report_data import Reason, ShownGame, read_shown_games
from ladder.runs.history import PastRun, past_run
from ladder.runs.pairings import GATE, Pairing
from ladder.runs.resume import finished_run, hashes_of
from ladder.runs.settings import RunSettings

LOSSES_READ = 1000
"""Latest losses of a candidate among which the shortest are searched."""


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
        baselines = [GateBot.of(bot) for bot in self.baselines]
        return GateJudge(GateBot.of(self.candidate), baselines, self.test)

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


def play_gate(context: ExperimentContext, task: GateTask) -> GateOutcome:
    """Play until there is a verdict; an interrupted gate is resumed.

    Raises:
        UsageError: see `ladder.runs.start.start_run`.

    """
    judge = task.judge()
    played = play(context, task.settings, task.bots, judge)
    if played.run is not None and not played.stopped:
        gated = gate_of(context.store, ended_run(context.store, played.run.id))
        assert gated is not None  # noqa: S101 - it was just played
        return replace(gated, asked_before=asked_before(context.store, played.run))
    unfinished = UNFINISHED[RunStatus.INTERRUPTED] if played.stopped else ""
    result = judge.result(invalid=played.invalid, unfinished=unfinished)
    is_open = played.stopped and result.verdict is Verdict.INCONCLUSIVE
    if played.run is None:
        return GateOutcome(result, task.conditions, is_open)
    former = asked_before(context.store, played.run)
    return GateOutcome(result, task.conditions, is_open, run_id=played.run.id, asked_before=former)


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


def division_of(store: Store, settings: RunSettings) -> DivisionRow | None:
    """Return the division of these conditions, if games were played in it."""
    wanted = settings.division()
    for division in store.divisions.all():
        if division.conditions == wanted:
            return division
    return None


def stored_bots(store: Store, run: RunRow) -> dict[str, GateBot]:
    """Return the bots of a run by name, each called by the reference to the revision that played.

    Empty if one is unknown.
    """
    listed = run.settings.bots
    ids = {content: key for key, content in store.bots.contents().items()}
    if not set(listed.items()) <= set(ids):
        return {}
    found = {name: ids[name, content] for name, content in listed.items()}
    return {name: GateBot(reference(key), key, listed[name]) for name, key in found.items()}


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
    run, status = past.row, past.status
    test, bots = GateTest.of(run.settings), stored_bots(store, run)
    _, candidate, baselines = run.settings.pairing_words
    if test is None or not {candidate, *baselines} <= set(bots):
        return None
    judge = GateJudge(bots[candidate], [bots[name] for name in baselines], test)
    return judge_pairs(judge, store.pairs.of_run(run.id)).result(
        invalid=MEANINGLESS if status is RunStatus.INVALID else "",
        unfinished=UNFINISHED.get(status, ""),
    )


def match_of(store: Store, past: PastRun) -> HeadToHead | None:
    """Return the result of a stored match from the side of the bot that was named first."""
    return result_of(store, past, HeadToHead, judged_match)


def judged_match(store: Store, past: PastRun) -> HeadToHead | None:
    """Count the pairs of a stored match; None if there are none."""
    pairs = store.pairs.of_run(past.row.id)
    if not pairs:
        return None
    names = {key: name for key, (name, _) in store.bots.contents().items()}
    a, b = pairs[0].a_revision, pairs[0].b_revision
    settings = past.row.settings
    if isinstance(settings, MatchSettings) and settings.sides == (names[b], names[a]):
        a, b = b, a
    counts = Tally()
    for pair in pairs:
        counts.count(pair, is_first=pair.a_revision == a)
    return HeadToHead(reference(a), reference(b), counts.counted)


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


def lost_games(
    store: Store,
    conditions: str,
    bot: str,
    against: Sequence[str],
    number: int,
    *,
    run_id: int | None = None,
) -> list[ShownGame]:
    """Return lost games of a bot against others, as `games_of_gate` does."""
    labels = {division.label: division.id for division in store.divisions.all()}
    if conditions not in labels or not number:
        return []
    chosen: dict[int, Reason] = {}
    for opponent in against:
        query = GameQuery(
            bot=bot,
            opponent=opponent,
            result=Result.LOSS,
            division_id=labels[conditions],
            run_id=run_id,
        )
        lost = store.games.newest(query, LOSSES_READ)
        part = max(number // (3 * len(against)), 1)
        failed = [game.id for game in lost if game.termination.is_forfeit]
        short = sorted(lost, key=lambda game: (game.plies, -game.id))
        for ids, reason in (
            (failed, Reason.FORFEIT),
            ([game.id for game in short], Reason.SHORT),
            ([game.id for game in lost], Reason.LATEST),
        ):
            fresh = [key for key in ids if key not in chosen]
            chosen |= dict.fromkeys(fresh[:part], reason)
    return read_shown_games(store, dict(list(chosen.items())[:number]))
