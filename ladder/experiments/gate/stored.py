"""Stored gates and matches, with the results of gates computed again from their pairs."""

from db.records.games import GameQuery
from db.records.runs import OPTIONS, RunKind, RunRow, RunStatus, bots_in
from db.store import Store
from engine.result import Result
from ladder.experiments.engine import MEANINGLESS, UNFINISHED, judge_pairs
from ladder.experiments.gate.judge import GateJudge
from ladder.experiments.gate.question import GateTest
from ladder.experiments.gate.result import GateResult
from ladder.experiments.gate.session import GateOutcome
from ladder.experiments.gate.tally import GateBot, Tally
from ladder.results.standings.report_data import Reason, ShownGame, read_shown_games
from ladder.results.standings.standings import PairStanding

LOSSES_READ = 1000
"""Latest losses of a candidate among which the shortest are searched."""


def stored_bots(store: Store, run: RunRow) -> dict[str, GateBot]:
    """Return the bots of a run by name, with the revisions that played; empty if one is unknown."""
    listed = bots_in(run.settings)
    ids = {content: key for key, content in store.bots.contents().items()}
    if not set(listed.items()) <= set(ids):
        return {}
    return {name: GateBot(name, ids[name, content], content) for name, content in listed.items()}


def gate_of(store: Store, run: RunRow, status: RunStatus) -> GateOutcome | None:
    """Return a stored gate as its command does; None if its question or a bot is not readable.

    Its pairs are judged in the order of their numbers, as the gate did. Other pairs of the stream
    belong to repetitions of the gate.
    """
    test, bots = GateTest.from_settings(run.settings), stored_bots(store, run)
    word, _, rest = str(run.settings.get("pairing", "")).partition(":")
    candidate, _, words = rest.partition(":")
    baselines = words.split(",")
    if test is None or word != RunKind.GATE.value or not {candidate, *baselines} <= set(bots):
        return None
    judge = GateJudge(bots[candidate], [bots[name] for name in baselines], test)
    result = judge_pairs(judge, store.pairs.of_run(run.id)).result(
        invalid=MEANINGLESS if status is RunStatus.INVALID else "",
        unfinished=UNFINISHED.get(status, ""),
    )
    label = store.divisions.find(str(run.division_id)).label
    return GateOutcome(result, label, status in UNFINISHED, run_id=run.id)


def match_of(store: Store, run: RunRow) -> PairStanding | None:
    """Return the result of a stored match from the side of the bot that was named first."""
    pairs = store.pairs.of_run(run.id)
    if not pairs:
        return None
    names = {key: name for key, (name, _) in store.bots.contents().items()}
    a, b = names[pairs[0].a_revision], names[pairs[0].b_revision]
    if (run.settings.get(OPTIONS) or {}).get("a") == b:
        a, b = b, a
    counts = Tally()
    for pair in pairs:
        counts.count(pair, is_first=names[pair.a_revision] == a)
    wins, draws, losses = counts.wdl
    low, below, even, above, high = counts.pentanomial
    return PairStanding(
        a, b, wins, draws, losses, (low, below, even, above, high), sum(counts.distinct)
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
