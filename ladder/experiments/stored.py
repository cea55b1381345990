"""A stored run with the result of its experiment, and the check of results against the pairs."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from db.records.games import GameQuery
from db.records.record import Wdl
from db.records.runs import DivisionRow, ForfeitTally, PausedBot, RunKind
from db.store import Store
from engine.result import Result
from ladder.errors import UsageError
from ladder.experiments.bisect.result import BisectResult
from ladder.experiments.bisect.session import bisection_of
from ladder.experiments.gate.result import GateResult
from ladder.experiments.gate.session import GateOutcome, gate_of, judged_gate
from ladder.experiments.kept import ENDED, Judged
from ladder.experiments.match import judged_match, match_of
from ladder.experiments.nightly.session import NightOutcome, night_of
from ladder.experiments.select.session import SelectionOutcome, judged_selection, selection_of
from ladder.experiments.tune.session import TuningOutcome, tuning_of
from ladder.results.standings.head_to_head import HeadToHead
from ladder.runs.history import PastRun, past_runs

TRIALS = (RunKind.GATE, RunKind.MATCH)
TRIALS_READ = 20
"""Most gates and matches of a division that are read, the latest ones."""
ORDER = (Result.WIN, Result.DRAW, Result.LOSS)
RunResult = (
    HeadToHead | GateOutcome | SelectionOutcome | BisectResult | TuningOutcome | NightOutcome
)
"""The result of a match or an experiment."""
READERS: Mapping[RunKind, Callable[[Store, PastRun], RunResult | None]] = {
    RunKind.MATCH: match_of,
    RunKind.GATE: gate_of,
    RunKind.SELECT: selection_of,
    RunKind.BISECT: bisection_of,
    RunKind.TUNE: tuning_of,
    RunKind.NIGHTLY: night_of,
}
"""The function that reads the result of each kind of run."""
JUDGED: Mapping[RunKind, tuple[type, Judged[Any]]] = {
    RunKind.MATCH: (HeadToHead, judged_match),
    RunKind.GATE: (GateResult, judged_gate),
    RunKind.SELECT: (SelectionOutcome, judged_selection),
}
"""What the runs keep whose pairs are all stored, and its judge."""
SAME = 1e-6
"""Relative difference of equal numbers that other machines or libraries have computed."""


@dataclass(frozen=True, slots=True)
class BotOfRun:
    """A bot in one run."""

    name: str
    results: Wdl = Wdl()  # noqa: RUF009 - it is frozen
    forfeits: int = 0
    """Games that it forfeited; they are among the losses."""
    paused: PausedBot | None = None
    """When and why it was paused; None if it played to the end."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as it is shown."""

    past: PastRun
    bots: Sequence[BotOfRun]
    """The bots, that with the best score first."""
    forfeits: Sequence[tuple[str, ForfeitTally]]
    """Forfeits by bot and kind."""
    result: RunResult | None
    """The result; None for other runs, and if it is not readable."""


def read_run(store: Store, past: PastRun) -> StoredRun:
    """Return a run with its result."""
    lost = store.games.forfeits(past.row.id)
    names = {key: name for key, (name, _) in store.bots.contents().items()}
    paused = {bot.name: bot for bot in past.row.paused}
    found: dict[str, BotOfRun] = {
        name: BotOfRun(name, paused=paused.get(name)) for name in past.row.settings.bots
    }
    results: dict[int, Wdl] = {}
    for row in store.aggregate.of_run(past.row.id):
        wdl = row.record.wdl
        for revision, own in ((row.a_revision, wdl), (row.b_revision, wdl.mirrored)):
            results[revision] = results.get(revision, Wdl()).plus(own)
    if past.row.kind is RunKind.PLAY:  # one game, which no table of pairs counts
        for game in store.games.newest(GameQuery(run_id=past.row.id), 1):
            wdl = Wdl(*(game.result is each for each in ORDER))
            results |= {game.first_revision: wdl, game.second_revision: wdl.mirrored}
    for revision, own in results.items():
        name = names[revision]
        forfeits = sum(each.games for each in lost if each.revision == revision)
        found[name] = BotOfRun(name, own, forfeits, paused.get(name))
    bots = sorted(found.values(), key=lambda bot: (-_score(bot), bot.name))
    by_bot = [(names[each.revision], each) for each in lost]
    read = READERS.get(past.row.kind)
    return StoredRun(past, bots, by_bot, None if read is None else read(store, past))


def trials_of(store: Store, division: DivisionRow) -> list[StoredRun]:
    """Return the gates and matches of a division, latest first."""
    found = [
        past
        for past in past_runs(store)
        if past.row.kind in TRIALS and past.row.division_id == division.id
    ]
    return [read_run(store, past) for past in found[:TRIALS_READ]]


def check_result(kind: RunKind, facts: Mapping[str, Any]) -> None:
    """Refuse an imported result of another kind. Raises ValueError."""
    if kind not in JUDGED:
        raise ValueError(f"a run of the kind {kind.value} has no result")
    try:
        msgspec.convert(facts, JUDGED[kind][0])
    except (msgspec.ValidationError, UsageError) as error:
        raise ValueError(f"the result of its run is not readable: {error}") from error


def wrong_results(store: Store) -> Iterator[tuple[PastRun, str, dict[str, Any]]]:
    """Judge the pairs of all runs that keep a result again.

    Yields:
        The runs whose pairs give another one, the first fact that differs, and the right result.

    """
    for past in past_runs(store):
        kept = store.runs.result(past.row.id) if past.row.kind in JUDGED else None
        if kept is None or past.status not in ENDED:
            continue
        kind, judge = JUDGED[past.row.kind]
        judged = judge(store, past)
        right = None if judged is None else msgspec.to_builtins(judged)
        try:
            found = msgspec.to_builtins(msgspec.convert(kept, kind))
        except (msgspec.ValidationError, UsageError):
            found = None
        fact = "it is not readable" if found is None else _difference(found, right, "")
        if right is not None and fact:
            yield past, fact, right


def _difference(kept: Any, right: Any, key: str) -> str:
    """Return the first fact that differs, such as ``its games are 12, its pairs give 14``."""
    if isinstance(kept, dict) and isinstance(right, dict) and kept.keys() == right.keys():
        parts = [(f"{key} {name}".strip(), kept[name], right[name]) for name in kept]
    elif (
        isinstance(kept, list | tuple) and isinstance(right, type(kept)) and len(kept) == len(right)
    ):
        parts = [(key, one, other) for one, other in zip(kept, right, strict=True)]
    elif isinstance(kept, float) and isinstance(right, float):
        same = math.isclose(kept, right, rel_tol=SAME, abs_tol=SAME)
        return "" if same else f"its {key} is {kept:g}, its pairs give {right:g}"
    else:
        return "" if kept == right else f"its {key} is {kept!r}, its pairs give {right!r}"
    return next(filter(None, (_difference(one, other, name) for name, one, other in parts)), "")


def _score(bot: BotOfRun) -> float:
    score = bot.results.score
    return -1.0 if score is None else score
