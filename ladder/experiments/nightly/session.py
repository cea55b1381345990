"""The course of a night: compose its run, play until the steps are answered, and read it again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import msgspec

from db.records.aggregate import PairTableRow
from db.records.bots import BotRow
from db.records.night import Answer, Night, NightQuestion, NightVerdict, SkippedCommit
from db.records.record import Record
from db.records.run_settings import NightlySettings
from db.records.runs import DivisionRow, RunStatus, division_label
from db.store import Store
from ladder.errors import InvalidRun
from ladder.experiments.engine import (
    OVER,
    STOPPED,
    ExperimentContext,
    RunEnd,
    division_of,
    exit_code_of,
    play,
)
from ladder.experiments.lost_games import lost_games
from ladder.experiments.nightly.commits import (
    CommitLine,
    asked_in,
    commit_of,
    line_rows,
    nights_of,
)
from ladder.experiments.nightly.judge import NightJudge
from ladder.registry.builtins import OPPONENTS
from ladder.registry.entrants import choose_bots
from ladder.results.standings.division import read_division, standings_of_division
from ladder.results.standings.report_data import ShownGame
from ladder.results.standings.standings import Standings
from ladder.runs.choosers import Meeting
from ladder.runs.history import PastRun
from ladder.runs.lineup import Lineup, leave_out_unfit, line_up
from ladder.runs.pairings import NIGHTLY, LinePairing
from ladder.runs.resume import find_dead, hashes_of, is_unfinished, runs_like
from ladder.runs.settings import RunSettings
from ladder.stats.difference import Difference
from ladder.stats.own_rating import Rating

NOTHING_NEW = "nothing new"
"""The word of a night without a question."""


@dataclass(frozen=True, slots=True)
class PlannedNight:
    """A night that can be played."""

    night: Night
    settings: RunSettings
    lineup: Lineup | None
    """The bots; None if no step is asked about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRow:
    """A stored commit in the result."""

    row: BotRow
    tag: str
    answer: Answer | None
    """None if no night has asked."""
    rating: Rating | None
    is_asked: bool
    """Whether this night has asked about it."""

    @property
    def date(self) -> float:
        """The time of the commit in seconds since the epoch."""
        origin = self.row.revision.launch.origin
        return (origin and origin.committed_at) or self.row.created_at

    @property
    def verdict(self) -> NightVerdict | None:
        """The answer of this night; None if it has not asked."""
        return self.answer.verdict if self.answer and self.is_asked else None

    @property
    def difference(self) -> Difference:
        """The commit over its predecessor by all rated games."""
        return Difference(**self.answer.difference) if self.answer else Difference()


@dataclass(frozen=True, slots=True, kw_only=True)
class NightOutcome:
    """The outcome of a night."""

    night: Night
    rows: Sequence[CommitRow]
    """The stored commits of the line, oldest first."""
    conditions: str
    """The label of the division."""
    games: int = 0
    unfinished: str = ""
    """Why there is no verdict yet; empty if there is."""
    run_id: int | None = None

    @property
    def word(self) -> str:
        """The verdict in a word."""
        found = {row.verdict for row in self.rows}
        asked = next((each for each in NightVerdict if each in found), NOTHING_NEW)
        return STOPPED if self.unfinished else asked

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return exit_code_of(self.word)

    def with_verdict(self, verdict: NightVerdict) -> list[CommitRow]:
        """Return the commits that this night asked about and that have this answer."""
        return [row for row in self.rows if row.verdict is verdict]

    @property
    def wide_drops(self) -> Mapping[str, tuple[str, str]]:
        """The ends of the drops with further commits between, as hashes by bot."""
        hashes = {row.row.name: commit_of(row.row) for row in self.rows}
        lost = [row.row.name for row in self.with_verdict(NightVerdict.DROP)]
        steps = ((name, self.night.steps[name]) for name in lost if self.night.commits[name] > 1)
        return {name: (hashes[other], hashes[name]) for name, other in steps if other in hashes}


def plan_night(
    store: Store,
    line: CommitLine,
    settings: RunSettings,
    question: NightQuestion,
    against: Sequence[str] | None,
    skipped: Sequence[SkippedCommit],
) -> PlannedNight:
    """Return the night that answers every step without an answer.

    An interrupted one with the same steps is resumed as it was planned.

    Args:
        store: The open database.
        line: The line, whose new commits are stored.
        settings: The conditions of play; bots and pairing are set here.
        question: When a step is answered.
        against: Names of further opponents; None for two built-in players near the newest commit.
        skipped: The commits that were not stored now.

    Raises:
        UnknownBot: an opponent is not registered.
        UsageError: a bot cannot play under these conditions.

    """
    rows = [row for row in line.stored(store.bots.all()) if row.retired_at is None]
    division = division_of(store, settings)
    nights = [
        (run, night)
        for run, night in nights_of(store, line.name)
        if division and run.division_id == division.id and night.question == question
    ]
    known = {
        name
        for run, night in nights
        if not is_unfinished(run)  # else its answers were never shown
        for name, each in night.answers.items()
        if each.is_final
    }
    names = [row.name for row in rows]
    steps = {row.name: row.based_on for row in rows if row.based_on in names}
    asked = {name: other for name, other in steps.items() if other and name not in known}
    places = {row.name: line.places[commit_of(row)] for row in rows}
    on_branch = {row.name for row in line.stored(store.bots.all(include_retired=True))}
    last = next((night for _, night in nights if night.branch == line.branch), None)
    gone = [] if last is None else [name for name in last.steps if name not in on_branch]
    tags = {each: line.tags[each] for each in map(commit_of, rows) if each in line.tags}
    resumed = (night for run, night in nights if is_unfinished(run) and night.steps == asked)
    meetings, left_out = next(((each.meetings, each.skipped) for each in resumed), ((), ()))
    if asked and not meetings:
        older = [row for row in rows if row.name not in asked]
        tagged = [row.name for row in rows if commit_of(row) in tags][-1:]
        others = [*tagged, *_opponents(store, older, names, division, settings, against)]
        meetings = meetings_of(asked, others)
    night = Night(
        name=line.name,
        branch=line.branch,
        question=question,
        steps=asked,
        meetings=meetings,
        tags=tags,
        commits={name: places[name] - places[other] for name, other in asked.items()},
        skipped=tuple(dict.fromkeys((*left_out, *skipped))),
        rewritten=f"{line.branch} was rewritten: {', '.join(gone)} left its history, and a new "
        f"line begins with {next(iter(asked or names), 'nothing')}"
        if gone
        else "",
    )
    taking_part = dict.fromkeys(name for meeting in night.meetings for name in meeting)
    bots = choose_bots(store, list(taking_part), "against")
    pairing = LinePairing(NIGHTLY, opponents=night.meetings)
    settings = replace(settings, bots=tuple(taking_part), pairing=pairing)
    return PlannedNight(night, settings, line_up(store, settings, bots) if asked else None)


def play_night(context: ExperimentContext, planned: PlannedNight) -> NightOutcome:
    """Play until every step is answered, or the run ends; an interrupted night is resumed.

    Raises:
        UsageError: see `ladder.runs.start.start_run`.
        InvalidRun: bots or the machine fail too often.

    """
    store, night, lineup = context.store, planned.night, planned.lineup
    settings = planned.settings
    conditions = division_label(settings.division())
    if lineup is None:
        return outcome_of(store, night, conditions)
    division = division_of(store, settings)
    before = () if division is None else read_division(store, division).tables
    own = runs_like(store, settings, hashes_of(lineup.bots))
    for run in filter(is_unfinished, own[:1]):  # its pairs come again
        less = {_key_of(row): row.record for row in store.aggregate.of_run(run.id)}
        rest = [
            replace(row, record=row.record - less.get(_key_of(row), Record())) for row in before
        ]
        before = [row for row in rest if row.record.pairs]
    _drop_plans(store, night)
    everyone = store.bots.all(include_retired=True)
    judge = NightJudge(night, everyone, before)
    end = play(context, lineup, judge)
    if end.run is None:
        raise InvalidRun(end.invalid)
    judge.judge()
    ended = msgspec.structs.replace(night, answers=judge.answers)
    if not end.unfinished:
        store.runs.change_settings(end.run.id, nightly=ended)
        store.runs.set_verdict(end.run.id, judge.verdict)
    return outcome_of(store, ended, conditions, end)


def _key_of(row: PairTableRow) -> tuple[int, int, str]:
    return row.a_revision, row.b_revision, row.board_class


def _drop_plans(store: Store, night: Night) -> None:
    """End the nights that others have stopped and that had other steps; their games count."""
    others = [
        run.id
        for run, each in nights_of(store, night.name)
        if is_unfinished(run) and each.branch == night.branch and each.steps != night.steps
    ]
    for run in find_dead(store.run_lock, others):
        store.pairs.drop([pair.id for pair in store.pairs.planned(run)])
        store.runs.set_status(run, RunStatus.FINISHED)


def outcome_of(store: Store, night: Night, conditions: str, end: RunEnd = OVER) -> NightOutcome:
    """Return the outcome of a night, with all stored commits of its line."""
    divisions = (each for each in store.divisions.all() if each.label == conditions)
    division, nights = next(divisions, None), nights_of(store, night.name)
    answers: dict[str, Answer] = {}
    for run, other in reversed(nights):
        if division and run.division_id == division.id and other.question == night.question:
            answers |= {name: each for name, each in other.answers.items() if each.is_final}
    answers |= night.answers
    standings = _standings(store, division)
    ratings = {} if standings is None else {bot.name: bot.rating for bot in standings.bots}
    known = {row.name: row for row in store.bots.all()}
    line = [
        CommitRow(
            row=row,
            tag=night.tags.get(commit_of(row), ""),
            answer=answers.get(row.name),
            rating=ratings.get(row.name),
            is_asked=row.name in night.steps,
        )
        for row in line_rows(known.values(), night.name, asked_in(nights) | {*night.steps})
    ]
    line.sort(key=lambda each: (each.date, each.row.id))
    shown, name = list[str](), line[-1].row.name if line else ""
    while name in known and name not in shown:
        shown.append(name)
        name = known[name].based_on or ""
    return NightOutcome(
        night=night,
        rows=[each for each in line if each.row.name in {*shown, *night.steps}],
        conditions=conditions,
        games=0 if end.run is None else store.games.count(end.run.id),
        unfinished=end.unfinished,
        run_id=None if end.run is None else end.run.id,
    )


def night_of(store: Store, past: PastRun) -> NightOutcome | None:
    """Return a stored night; None if it is not readable."""
    kept = past.row.settings
    night = kept.nightly if isinstance(kept, NightlySettings) else None
    if night is None:
        return None
    return outcome_of(store, night, past.division, RunEnd.of(past))


def games_of_night(store: Store, outcome: NightOutcome, number: int) -> list[ShownGame]:
    """Return games that the newest compared commit has lost against its predecessor."""
    for row in reversed(outcome.rows):
        if row.answer is not None and row.row.based_on:
            name, against = row.row.name, [row.row.based_on]
            return lost_games(store, outcome.conditions, name, against, number)
    return []


def _standings(store: Store, division: DivisionRow | None) -> Standings | None:
    """Return the rating list of the conditions; None before the first game under them."""
    if division is None:
        return None
    return standings_of_division(store, read_division(store, division))


def _opponents(
    store: Store,
    older: Sequence[BotRow],
    names: Sequence[str],
    division: DivisionRow | None,
    settings: RunSettings,
    against: Sequence[str] | None,
) -> list[str]:
    """Return the best of the answered commits, and further bots."""
    standings = _standings(store, division)
    elo = {} if standings is None or standings.pool is None else standings.pool.elo
    rated = [row.name for row in older if row.name in elo]
    best = sorted(rated, key=lambda name: -elo[name])[:1]
    if against is None:
        bots = {row.name: row for row in store.bots.all() if row.name in OPPONENTS}
        fit = leave_out_unfit(settings, [bots[name] for name in OPPONENTS if name in bots], ())[0]
        known = [elo[name] for name in names if name in elo]
        against = bracket([row.name for row in fit], elo, known[-1] if known else None)
    return [*best, *against]


def bracket(players: Sequence[str], elo: Mapping[str, float], middle: float | None) -> list[str]:
    """Return two players with a rating below and above another, as far as they are known.

    Args:
        players: Their names, weakest first.
        elo: Known ratings by name; the next player without one stands in beyond them.
        middle: The rating between; None if it is unknown.

    """
    place = len(players) // 2
    if middle is not None:
        above = [place for place, name in enumerate(players) if elo.get(name, -1e9) > middle]
        rated = [place for place, name in enumerate(players) if name in elo]
        place = next(iter(above), max(rated, default=place - 1) + 1)
    start = max(min(place - 1, len(players) - 2), 0)
    return list(players[start : start + 2])


def meetings_of(steps: Mapping[str, str], others: Sequence[str]) -> tuple[Meeting, ...]:
    """Return a round: each commit plays half of its pairs against its predecessor."""
    found: list[Meeting] = []
    for name, before in steps.items():
        further = [other for other in dict.fromkeys(others) if other not in (name, before)]
        found += [(name, before)] * max(len(further), 1)
        found += [(name, other) for other in further]
    return tuple(found)
