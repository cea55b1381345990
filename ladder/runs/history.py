"""The list of past runs: title, status, games and verdict of each."""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec import UNSET

from db.records.run_settings import MatchSettings, PlaySettings, StoredSettings, TuneSettings
from db.records.runs import RunKind, RunRow, RunStatus
from db.store import Store
from ladder.names import counted
from ladder.runs.budgets import NAMED, Budgets
from ladder.runs.pairings import GATE, GAUNTLET
from ladder.runs.resume import find_dead


@dataclass(frozen=True, slots=True)
class PastRun:
    """A run in a list."""

    row: RunRow
    title: str
    """Bots, boards and budget in a line, such as ``v4 against v3, thu, 100 ms a move``."""
    division: str
    """The label of its division."""
    games: int
    """Finished games."""
    stalls: int
    """As in `PairRecord`, over all of its pairs."""
    status: RunStatus
    """The present status: a run whose process has died is interrupted, whatever is stored."""

    @property
    def has_died(self) -> bool:
        """Whether it is stored as running although no process plays it."""
        return self.row.status is RunStatus.RUNNING and self.status is RunStatus.INTERRUPTED

    @property
    def verdict(self) -> str | None:
        """The verdict of the experiment; None if the run has none."""
        if self.row.kind is RunKind.GATE and self.status is RunStatus.INVALID:
            return RunStatus.INVALID.value
        return self.row.verdict


def past_runs(store: Store) -> list[PastRun]:
    """Return all runs of a database, newest first."""
    games = {**store.games.count_by_run(), **store.tuning_steps.games_by_run()}
    stalls = store.games.count_stalls()
    labels = {division.id: division.label for division in store.divisions.all()}
    rows = store.runs.find()
    bots = store.bots.all(include_retired=True)
    kinds = {bot.name: bot.revision.budgets for bot in bots}
    dead = find_dead(store.run_lock, [row.id for row in rows if row.status is RunStatus.RUNNING])
    return [
        PastRun(
            row=row,
            title=run_title(row.settings, labels[row.division_id], kinds),
            division=labels[row.division_id],
            games=games.get(row.id, 0),
            stalls=stalls.get(row.id, 0),
            status=RunStatus.INTERRUPTED if row.id in dead else row.status,
        )
        for row in rows
    ]


def past_run(store: Store, run_id: int) -> PastRun:
    """Return one run. Raises UnknownRow."""
    row = store.runs.get(run_id)
    return next(run for run in past_runs(store) if run.row.id == row.id)


def run_title(settings: StoredSettings, division: str, kinds: Mapping[str, tuple[str, ...]]) -> str:
    """Return the players and the conditions of a run in a line.

    Args:
        settings: Its stored settings; an imported run may lack any of them.
        division: The label of its division, used if the conditions are missing.
        kinds: The kinds of budget that each bot supports, by name.

    """
    conditions = _conditions(settings, kinds) or division
    return ", ".join(part for part in (_players(settings), conditions) if part)


def _players(settings: StoredSettings) -> str:
    if isinstance(settings, TuneSettings):
        search = settings.tuning
        return "" if search is None else " ".join([search.spec, *search.parameters])
    if isinstance(settings, MatchSettings):
        return " against ".join(settings.sides)
    names = list(settings.bots)
    if isinstance(settings, PlaySettings):
        return " against ".join(names)
    pairing = settings.pairing_words
    if pairing.rule == GATE.name:
        again = " (asked again)" if settings.new else ""
        return f"{pairing.candidate} against {', '.join(pairing.against)}{again}"
    who = ", ".join(names) if len(names) <= NAMED else f"{len(names)} bots"
    if pairing.rule == GAUNTLET.name:
        who += f", gauntlet of {pairing.candidate}"
    elif pairing.rule:
        who += f", {pairing.rule} pairs"
    return who.removeprefix(", ")


def _conditions(settings: StoredSettings, kinds: Mapping[str, tuple[str, ...]]) -> str:
    """Return conditions in a line, such as ``thu, openings of 4 plies, 100 ms a move``.

    Empty if they are not stored.
    """
    plies, budget = settings.opening_plies, settings.budget
    if settings.boards is None or plies is UNSET or budget is None:
        return ""
    if settings.openings is not None:
        opening = f", {settings.openings_file or settings.openings} openings"
    else:
        opening = f", openings of {counted(plies, 'ply')}" if plies else ""
    end = "".join(f", {rule.heading.lower()} {rule.words}" for rule in settings.texts)
    bots = {name: kinds[name] for name in settings.bots if name in kinds}
    return f"{settings.boards}{opening}, {Budgets(dict(budget)).words_for(bots)}{end}"
