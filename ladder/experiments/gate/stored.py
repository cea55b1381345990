"""Stored gates and matches, with the results of gates computed again from their pairs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from db.records.games import GameQuery
from db.records.pairs import PlayedPair
from db.records.runs import OPTIONS, DivisionRow, RunKind, RunRow, RunStatus, bots_in
from db.store import Store
from engine.result import Result
from ladder.experiments.engine import MEANINGLESS, UNFINISHED, judge_pairs
from ladder.experiments.gate.judge import GateJudge
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import GateResult
from ladder.experiments.gate.session import GateOutcome
from ladder.experiments.gate.tally import GateBot, Tally
from ladder.results.overview.overview import TRIALS
from ladder.results.standings.report_data import Reason, ShownGame, read_shown_games
from ladder.results.standings.standings import PairStanding

TRIALS_READ = 20
"""Most gates and matches of a division that are read, the latest ones."""
LOSSES_READ = 1000
"""Latest losses of a candidate among which the shortest are searched."""


@dataclass(frozen=True, slots=True)
class HeadToHead:
    """A gate or a match, from the side of one bot."""

    run: RunRow
    bot: str
    """The candidate of a gate, the first bot of a match."""
    against: Sequence[str]
    standing: PairStanding
    """All games together, also those beyond a decision; `b` is the first opponent."""
    result: GateResult | None
    """The result of a gate, computed from its pairs; None for a match."""

    @property
    def verdict(self) -> str | None:
        """The stored verdict of a gate, or None."""
        return self.run.verdict


def trials_of(store: Store, division: DivisionRow) -> list[HeadToHead]:
    """Return the gates and matches of a division, latest first."""
    runs = [run for run in store.runs.find() if run.division_id == division.id]
    contents = store.bots.contents()
    trials = [run for run in runs if run.kind in TRIALS][:TRIALS_READ]
    return [_trial(store, run, contents) for run in trials]


def trial_of(store: Store, run: RunRow) -> HeadToHead:
    """Return one gate or match."""
    return _trial(store, run, store.bots.contents())


def outcome_of(store: Store, trial: HeadToHead) -> GateOutcome | None:
    """Return a stored gate as its command does; None if its question is not readable."""
    if trial.result is None:
        return None
    label = store.divisions.find(str(trial.run.division_id)).label
    return GateOutcome(trial.result, label, trial.run.status in UNFINISHED, run_id=trial.run.id)


def _trial(store: Store, run: RunRow, contents: Mapping[int, tuple[str, str]]) -> HeadToHead:
    pairs = store.pairs.of_run(run.id)
    revisions = {key for pair in pairs for key in (pair.a_revision, pair.b_revision)}
    listed = set(bots_in(run.settings).items())
    revisions |= {key for key, content in contents.items() if content in listed}
    bots = {key: GateBot(contents[key][0], key, contents[key][1]) for key in revisions}
    bot, against = _sides(run, pairs, bots)
    counts = Tally()
    for pair in pairs:
        counts.count(pair, is_first=bots[pair.a_revision].name == bot)
    wins, draws, losses = counts.wdl
    low, below, even, above, high = counts.pentanomial
    standing = PairStanding(
        bot,
        next(iter(against), ""),
        wins,
        draws,
        losses,
        (low, below, even, above, high),
        sum(counts.distinct),
    )
    return HeadToHead(run, bot, against, standing, _judge_gate(run, bot, against, bots, pairs))


def _sides(
    run: RunRow, pairs: Sequence[PlayedPair], bots: Mapping[int, GateBot]
) -> tuple[str, list[str]]:
    """Return the candidate of a gate, or the first bot of a match, and the opponents."""
    names = sorted({bot.name for bot in bots.values()})
    word, _, rest = str(run.settings.get("pairing", "")).partition(":")
    candidate, _, baselines = rest.partition(":")
    if word == RunKind.GATE.value and baselines:
        return candidate, baselines.split(",")
    given = run.settings.get(OPTIONS) or {}
    if {given.get("a"), given.get("b")} == set(names):
        return given["a"], [given["b"]]
    first = bots[pairs[0].a_revision].name if pairs else next(iter(names), "")
    return first, [name for name in names if name != first]


def _judge_gate(
    run: RunRow,
    candidate: str,
    against: Sequence[str],
    bots: Mapping[int, GateBot],
    pairs: Sequence[PlayedPair],
) -> GateResult | None:
    """Judge the pairs of the run in the order of their numbers, as the gate did.

    Other pairs of the stream belong to repetitions of the gate.
    """
    test = GateTest.from_settings(run.settings)
    by_name = {bot.name: bot for bot in bots.values()}
    if test is None or run.kind is not RunKind.GATE or not {candidate, *against} <= set(by_name):
        return None
    judge = GateJudge(by_name[candidate], [by_name[name] for name in against], test)
    invalid = MEANINGLESS if run.status is RunStatus.INVALID else ""
    return judge_pairs(judge, pairs).result(
        invalid=invalid, unfinished=UNFINISHED.get(run.status, "")
    )


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
    labels = {division.label: division.id for division in store.divisions.all()}
    if conditions not in labels or not number:
        return []
    chosen: dict[int, Reason] = {}
    for baseline in result.baselines:
        query = GameQuery(
            bot=result.candidate,
            opponent=baseline.name,
            result=Result.LOSS,
            division_id=labels[conditions],
            run_id=run_id,
        )
        lost = store.games.newest(query, LOSSES_READ)
        part = max(number // (3 * len(result.baselines)), 1)
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
