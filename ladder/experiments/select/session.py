"""The course of a selection: play until only one bot can be the best."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from db.records.run_settings import SelectSettings
from db.records.runs import division_label
from db.store import Store
from ladder.errors import ExitCode, UsageError
from ladder.experiments.engine import (
    OVER,
    ExperimentContext,
    RunEnd,
    exit_code_of,
    judge_pairs,
    play,
)
from ladder.experiments.kept import ended_run, result_of, stored_bots
from ladder.experiments.select.field import SelectQuestion, strengths
from ladder.experiments.select.judge import FieldJudge
from ladder.experiments.tally import JudgedBot
from ladder.names import counted
from ladder.runs.history import PastRun
from ladder.runs.lineup import Lineup
from ladder.stats.difference import Difference, Sign


class SelectionEnd(StrEnum):
    """The ends of a selection."""

    CHOSEN = "chosen"
    """One bot was chosen."""
    UNDECIDED = "undecided"
    """Several bots can still be the best."""
    INVALID = "invalid"
    """The baseline forfeits too often, too few bots can play, or the machine stalls."""
    STOPPED = "stopped"
    """Ctrl-C or SIGTERM came; the same command resumes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedBot:
    """A bot of the field in the result."""

    name: str
    difference: Difference
    """Over the leader, whose own is 0; without numbers for a failed bot, and without games."""
    games: int
    can_be_best: bool
    """Whether it is the leader, or not out and not clearly weaker than it."""
    is_alike: bool
    """Whether its Elo differs from that of the leader by less than the indifference."""
    reason: str
    """The reason if it failed; empty otherwise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectionOutcome:
    """The outcome of a selection."""

    choice: SelectionEnd
    reason: str
    question: SelectQuestion
    baseline: str | None
    players: tuple[RankedBot, ...]
    """The bots of the field, the strongest first and failed ones last."""
    games: int
    """Counted games."""
    conditions: str
    """The label of the division."""
    run_id: int | None = None
    """The run; None if it is invalid."""

    @property
    def exit_code(self) -> ExitCode:
        """The exit code of the command."""
        return exit_code_of(self.choice)

    @property
    def best(self) -> tuple[RankedBot, ...]:
        """The chosen bot and its equals; without a choice all bots that can be the best."""
        if self.choice is SelectionEnd.CHOSEN:
            return tuple(each for each in self.players if each.is_alike and not each.reason)
        return tuple(each for each in self.players if each.can_be_best)

    @property
    def dropped(self) -> tuple[RankedBot, ...]:
        """All other bots."""
        return tuple(each for each in self.players if each not in self.best)


def field_names(candidates: Sequence[str], against: str | None) -> tuple[str, ...]:
    """Return the names of all bots of a selection, the baseline last.

    Raises:
        UsageError: a bot is named twice, or there are fewer than two.

    """
    names = (*candidates, *(() if against is None else (against,)))
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"{name} is named twice: name each candidate and the baseline once")
    if len(names) < 2:
        raise UsageError("a selection needs at least two bots: name more, or a baseline")
    return names


def play_selection(
    context: ExperimentContext,
    lineup: Lineup,
    baseline: str | None,
    question: SelectQuestion,
) -> SelectionOutcome:
    """Play until there is a choice; an interrupted run is resumed.

    Args:
        context: The database, watcher and workforce.
        lineup: The settings of a run in which all bots meet each other, and the candidates with
            the baseline if there is one.
        baseline: The name of the baseline.
        question: The numbers of the selection.

    Raises:
        UsageError: see `ladder.runs.start.start_run`.

    """
    # In the order in which a run stores them, by which it chooses among equals when judged again.
    named = sorted(lineup.bots, key=lambda bot: bot.name)
    judge = FieldJudge([JudgedBot.of(bot) for bot in named], question, baseline)
    end = play(context, lineup, judge)
    if end.run is not None and not end.unfinished:
        found = selection_of(context.store, ended_run(context.store, end.run.id))
        assert found is not None  # noqa: S101 - it was just played
        return found
    selected = selected_of(judge, division_label(lineup.settings.division()), end)
    return replace(selected, run_id=None if end.run is None else end.run.id)


def selected_of(judge: FieldJudge, conditions: str, end: RunEnd = OVER) -> SelectionOutcome:
    """Return the present outcome.

    Args:
        judge: The judge, which has taken the pairs.
        conditions: The label of the division.
        end: The end of the run.

    """
    question, players = judge.question, _players(judge)
    named = f"after {counted(judge.counted, 'game')}"
    sure = f"{100 * question.confidence:.4g} % confidence"
    if end.invalid or judge.is_invalid:
        choice, reason = SelectionEnd.INVALID, end.invalid or "; ".join(judge.failed.values())
    elif judge.is_chosen:
        choice = SelectionEnd.CHOSEN
        reason = (
            f"no other is better than {players[0].name} by {question.indifference:g} Elo or more, "
            f"with {sure}, {named}"
        )
    else:
        choice = SelectionEnd.STOPPED if end.unfinished else SelectionEnd.UNDECIDED
        limit = f"{counted(question.games, 'game')} at most are allowed"
        if judge.is_exhausted:
            limit = "the games repeat: ask for longer openings or other boards"
        left = sum(each.can_be_best for each in players)
        likely = f"{left} can still be the best"
        if left < 2:
            likely = f"one leads, but {sure} needs more games"
        reason = f"no choice {named}: {likely}, and {end.unfinished or limit}"
    return SelectionOutcome(
        choice=choice,
        reason=reason,
        question=question,
        baseline=judge.baseline,
        players=players,
        games=judge.counted,
        conditions=conditions,
    )


def _players(judge: FieldJudge) -> tuple[RankedBot, ...]:
    counts, leader = judge.counts(), judge.leader
    found = strengths(counts)
    players = []
    for index, bot in enumerate(judge.bots):
        difference = Difference()
        if index == leader and judge.counted:
            difference = Difference(0.0, 0.0, 0.0, 0.5)
        elif index not in judge.failed and judge.counted:
            difference = found.difference(index, leader, counts)
        elo = difference.elo
        players.append(
            RankedBot(
                name=bot.name,
                difference=difference,
                games=judge.games_of(index),
                can_be_best=bool(judge.open[index]) and difference.verdict is not Sign.WEAKER,
                is_alike=elo is not None and elo > -judge.question.indifference,
                reason=judge.failed.get(index, ""),
            )
        )
    worst = float("-inf")

    def rank(each: RankedBot) -> tuple[bool, float]:
        elo = each.difference.elo
        # equals differ from the leader by rounding
        return each.name == judge.bots[leader].name, worst if elo is None else elo

    return tuple(sorted(players, key=rank)[::-1])


def selection_of(store: Store, past: PastRun) -> SelectionOutcome | None:
    """Return a stored selection; None if its question or a bot is not readable."""
    found = result_of(store, past, SelectionOutcome, judged_selection)
    return found and replace(found, conditions=past.division, run_id=past.row.id)


def judged_selection(store: Store, past: PastRun) -> SelectionOutcome | None:
    """Judge a stored selection; without the conditions and the number of its run."""
    run = past.row
    asked = run.settings.select if isinstance(run.settings, SelectSettings) else None
    bots = stored_bots(store, run)
    if asked is None or not bots or (asked.against is not None and asked.against not in bots):
        return None
    baseline = None if asked.against is None else bots[asked.against].name
    judge = judge_pairs(
        FieldJudge(list(bots.values()), SelectQuestion.of(asked), baseline),
        store.pairs.of_run(run.id),
    )
    return selected_of(judge, "", RunEnd.of(past))
