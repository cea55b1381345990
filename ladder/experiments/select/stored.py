"""Stored selections, with their history computed again from the pairs."""

from collections.abc import Mapping
from dataclasses import dataclass

from db.records.runs import SELECT, RunRow, RunStatus
from db.store import Store
from ladder.experiments.engine import MEANINGLESS, UNFINISHED
from ladder.experiments.gate.tally import GateBot
from ladder.experiments.select.judge import FieldJudge
from ladder.experiments.select.question import SelectQuestion
from ladder.experiments.select.session import SelectionOutcome, selected_of

MOMENTS = 60
"""Most points of the history, the last one included."""


@dataclass(frozen=True, slots=True)
class Moment:
    """The strengths after some games."""

    games: int
    elo: Mapping[str, tuple[float, float]]
    """Elo against the final leader and half of the 95 % interval, by name; bots with unknown ones
    are left out."""


@dataclass(frozen=True, slots=True)
class StoredSelection:
    """A stored selection."""

    selected: SelectionOutcome
    course: tuple[Moment, ...]


def selection_of(store: Store, run: RunRow, status: RunStatus) -> StoredSelection | None:
    """Return a stored selection; None if its question or a bot is not readable.

    Args:
        store: The open database.
        run: A run of the kind `select`.
        status: The present status of the run.

    """
    question = SelectQuestion.from_settings(run.settings)
    ids = {content: key for key, content in store.bots.contents().items()}
    listed = run.settings.get("bots")
    if question is None or not isinstance(listed, Mapping):
        return None
    if any(content not in ids for content in listed.items()):
        return None
    bots = [GateBot(name, ids[name, content], content) for name, content in listed.items()]
    judge = FieldJudge(bots, question, run.settings[SELECT]["against"])
    pairs = store.pairs.of_run(run.id)
    step = max(-(-len(pairs) // MOMENTS), 1)
    found = []
    for taken, pair in enumerate(pairs, start=1):
        judge.take(pair)
        if judge.counted and (taken % step == 0 or taken == len(pairs)):
            found.append((judge.counted, judge.strengths()))
    leader = judge.leader if judge.counted else 0
    course = [
        Moment(
            games,
            {
                bot.name: (float(known.elo[index] - known.elo[leader]), error)
                for index, bot in enumerate(bots)
                if (error := judge.error95(known, index, leader)) is not None
            },
        )
        for games, known in found
    ]
    label = store.divisions.find(str(run.division_id)).label
    invalid = MEANINGLESS if status is RunStatus.INVALID else ""
    selected = selected_of(judge, label, invalid=invalid, stopped=UNFINISHED.get(status, ""))
    return StoredSelection(selected, tuple(course))


def with_history(store: Store, selected: SelectionOutcome) -> StoredSelection:
    """Return a selection with its history, if its run is stored."""
    run = None if selected.run_id is None else store.runs.get(selected.run_id)
    stored = None if run is None else selection_of(store, run, run.status)
    return StoredSelection(selected, () if stored is None else stored.course)
