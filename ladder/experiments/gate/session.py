"""Running a gate: play until the judge has decided, or judge what is stored."""

from collections.abc import Sequence
from dataclasses import dataclass

from db.records.bots import BotRow
from db.records.runs import DivisionRow, RunRow, division_label
from db.store import Store
from ladder.errors import UsageError
from ladder.experiments.engine import STOPPED, Bench, exit_code_of, play, replayed
from ladder.experiments.gate.judge import GateJudge
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import GateResult, Verdict
from ladder.experiments.gate.tally import GateBot
from ladder.names import unknown_bot
from ladder.runs.schedule import (
    Pairing,
    PairingKind,
)
from ladder.runs.settings import Settings


@dataclass(frozen=True, slots=True)
class Gated:
    """The result of a gate and the conditions of its games."""

    result: GateResult
    conditions: str
    """The label of the division."""
    stopped: bool = False
    """By Ctrl-C or SIGTERM before there was a verdict; the same command resumes."""
    earlier: tuple["Gated", ...] = ()
    """The stages before this one, of a gate in stages."""
    stages: int = 1
    """How many were asked for; each is tested at its part of the chance to fail an equal bot."""
    run_id: int | None = None
    """The run whose games were judged; None: all stored ones, or those of a run that is invalid."""

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return exit_code_of(STOPPED if self.stopped else self.result.verdict)


def gate_pairing(candidate: str, against: str, *, rated: bool = False) -> Pairing:
    """The pairing of a gate from a name and the words of ``--against``.

    Raises:
        UsageError: a baseline is missing or named twice, or is the candidate of a rated gate.

    """
    words = tuple(word.strip() for word in against.split(","))
    if not all(words):
        raise UsageError(f"--against is a comma-separated list of names, got {against!r}")
    if len(set(words)) < len(words):
        raise UsageError(f"--against names a bot twice: {against}")
    if rated and candidate in words:
        raise UsageError("--rated: a bot's games against itself cannot be rated")
    return Pairing(PairingKind.GATE, candidate, words)


def contestants(
    store: Store, candidate: str, against: Sequence[str]
) -> tuple[BotRow, tuple[BotRow, ...]]:
    """The candidate and its baselines, which may include itself.

    Raises:
        UnknownBot: one is not registered.

    """
    known = {bot.name: bot for bot in store.bots.all()}
    for where, name in (("CANDIDATE", candidate), *(("--against", name) for name in against)):
        if name not in known:
            raise unknown_bot(name, known, where)
    return known[candidate], tuple(known[name] for name in against)


def entered(candidate: BotRow, baselines: Sequence[BotRow]) -> list[BotRow]:
    """All bots of a gate, each once."""
    return list({bot.name: bot for bot in (candidate, *baselines)}.values())


def judge_of(candidate: BotRow, baselines: Sequence[BotRow], test: GateTest) -> GateJudge:
    """Return a judge that has seen no pair yet."""
    return GateJudge(_gate_bot(candidate), [_gate_bot(bot) for bot in baselines], test)


def _gate_bot(bot: BotRow) -> GateBot:
    return GateBot(bot.name, bot.revision.id, bot.revision.content_hash)


def play_gate(
    bench: Bench,
    settings: Settings,
    candidate: BotRow,
    baselines: Sequence[BotRow],
    test: GateTest,
) -> Gated:
    """Play until there is a verdict; an interrupted gate is resumed.

    Args:
        bench: where it is played.
        settings: of a run whose pairing is that of a gate.
        candidate: the bot in question.
        baselines: what it is measured against.
        test: what is asked.

    Raises:
        UsageError: see `ladder.runs.start.start_run`.

    """
    judge = judge_of(candidate, baselines, test)
    played = play(bench, settings, entered(candidate, baselines), judge)
    result = judge.result(invalid=played.invalid, stopped=played.stopped)
    is_open = played.stopped and result.verdict is Verdict.INCONCLUSIVE
    run_id = None if played.run is None else played.run.id
    return Gated(result, conditions_of(settings), is_open, run_id=run_id)


def gate_of_run(
    store: Store,
    settings: Settings,
    candidate: BotRow,
    baselines: Sequence[BotRow],
    test: GateTest,
    run: RunRow,
) -> Gated:
    """Return the gate of a finished run, judged from its stored pairs."""
    judge = replayed(judge_of(candidate, baselines, test), store.pairs.of_run(run.id))
    return Gated(judge.result(), conditions_of(settings), run_id=run.id)


def judge_stored(
    *,
    store: Store,
    settings: Settings,
    candidate: BotRow,
    baselines: Sequence[BotRow],
    test: GateTest,
) -> Gated:
    """Decide from the games that are stored under these conditions, without playing."""
    judge = judge_of(candidate, baselines, test)
    division = _division(store, settings)
    if division is not None:
        revisions = [bot.revision.id for bot in baselines]
        replayed(judge, store.pairs.between(division.id, candidate.revision.id, revisions))
    return Gated(judge.result(), conditions_of(settings))


def conditions_of(settings: Settings) -> str:
    """Boards, opening and budget in short."""
    return division_label(*settings.division())


def _division(store: Store, settings: Settings) -> DivisionRow | None:
    """The division of these conditions, if games were played in it."""
    wanted = settings.division()
    for division in store.divisions.all():
        if division.conditions == wanted:
            return division
    return None
