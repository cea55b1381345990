"""The list of past runs: title, status, games and verdict of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from db.records.rules import GameRules
from db.records.runs import OPTIONS, RunKind, RunRow, RunStatus
from db.store import Store
from ladder.names import counted
from ladder.runs.budgets import Budgets
from ladder.runs.pairings import GATE, GAUNTLET
from ladder.runs.resume import TUNING, find_dead
from ladder.runs.settings import NEW

NAMED = 3
"""Most bots that a title names; of more it gives the number."""


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
    excused: int
    """How often a move or pair was repeated because the machine had delayed a bot."""
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
    excused = store.games.count_aborts()
    labels = {division.id: division.label for division in store.divisions.all()}
    rows = store.runs.find()
    dead = find_dead(store.run_lock, [row.id for row in rows if row.status is RunStatus.RUNNING])
    return [
        PastRun(
            row=row,
            title=run_title(row.kind, row.settings, labels[row.division_id]),
            division=labels[row.division_id],
            games=games.get(row.id, 0),
            excused=excused.get(row.id, 0),
            status=RunStatus.INTERRUPTED if row.id in dead else row.status,
        )
        for row in rows
    ]


def past_run(store: Store, run_id: int) -> PastRun:
    """Return one run. Raises UnknownRow."""
    row = store.runs.get(run_id)
    return next(run for run in past_runs(store) if run.row.id == row.id)


def run_title(kind: RunKind, settings: Mapping[str, Any], division: str) -> str:
    """Return the players and the conditions of a run in a line.

    Args:
        kind: The kind of the run.
        settings: Its stored settings; an imported run may lack any of them.
        division: The label of its division, used if the conditions are missing.

    """
    try:
        conditions = _conditions(settings)
    except (KeyError, TypeError, ValueError, AttributeError):
        conditions = division
    return ", ".join(part for part in (_players(kind, settings), conditions) if part)


def _players(kind: RunKind, settings: Mapping[str, Any]) -> str:
    if kind is RunKind.TUNE:
        search = settings.get(TUNING) or {}
        return " ".join([search.get("spec", ""), *search.get("parameters", ())])
    names = list(settings.get("bots") or ())
    word, _, rest = str(settings.get("pairing") or "").partition(":")
    if word == GATE.name:
        candidate, _, against = rest.partition(":")
        again = " (asked again)" if settings.get(NEW) else ""
        return f"{candidate} against {against.replace(',', ', ')}{again}"
    if kind is RunKind.PLAY:
        return " against ".join(names)
    if kind is RunKind.MATCH:
        options = settings.get(OPTIONS) or {}
        as_given = [str(options.get(side)) for side in "ab"]  # stored names have no order
        return " against ".join(as_given if set(as_given) == set(names) else names)
    who = ", ".join(names) if len(names) <= NAMED else f"{len(names)} bots"
    if word == GAUNTLET.name:
        who += f", gauntlet of {rest}"
    elif word:
        who += f", {word} pairs"
    return who.removeprefix(", ")


def _conditions(settings: Mapping[str, Any]) -> str:
    """Return conditions in a line, such as ``thu, openings of 4 plies, 100 ms a move``."""
    plies, chosen = settings["opening_plies"], settings.get("openings")
    if chosen is not None:
        opening = f", {settings.get('openings_file') or chosen} openings"
    else:
        opening = f", openings of {counted(plies, 'ply')}" if plies else ""
    rules = GameRules.of(settings).texts
    end = "".join(f", {rule.heading.lower()} {rule.words}" for rule in rules)
    return f"{settings['boards']}{opening}, {Budgets(dict(settings['budget']))}{end}"
