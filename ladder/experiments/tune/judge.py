"""The judge of a tuning's search, which also plans the pairs of each step from the last result.

Pairs are played and not stored; a step is stored when all of its pairs are done.
"""

import time
from collections.abc import Sequence
from dataclasses import replace

import msgspec

from db.records.bots import BotRow
from db.records.pairs import Entrant, PairPlan, PairRecord, PlayedPair, StoredGames
from db.records.record import Record
from db.records.runs import RunRow, TuningStepRow
from db.store import Store
from ladder.errors import InvalidRun
from ladder.experiments.tune.bots import A, B, TuningTask
from ladder.experiments.tune.parameters import ParameterValues
from ladder.experiments.tune.spsa import Spsa
from ladder.registry.specs.start_command import make_entrant
from ladder.runs.decision import Judge
from ladder.runs.live import LiveBot, LiveRun
from ladder.runs.pair_order import PairSource
from ladder.runs.schedule import Schedule
from ladder.runs.stored_pairs import make_plan

FORFEITS_JUDGED = 20
"""Games after which the search ends if more than half of them were forfeited."""


def lead_of(pentanomial: Sequence[int]) -> int:
    """Return the games won by A minus the games lost."""
    return sum((place - 2) * count for place, count in enumerate(pentanomial))


class TuningJudge(Judge, PairSource):
    """Plays the settings that a search proposes, and returns their results to it."""

    keeps_planned = True  # the run ends with the verdict of its gate

    def __init__(self, store: Store, task: TuningTask, run: RunRow, original: BotRow) -> None:
        """Resume the search where its stored steps left it.

        Args:
            store: The open database.
            task: The tuning.
            run: The run of the search.
            original: The bot before the tuning.

        """
        super().__init__()
        self._store, self._task, self._run, self._original = store, task, run, original
        self.search = Spsa(task.template.parameters, steps=task.steps, seed=run.seed)
        self.steps = store.tuning_steps.of_run(run.id)
        for step in self.steps:
            self.search.add_result(lead_of(step.pentanomial))
        self.sides = side_rows(task, original)
        self._schedule = Schedule(task.side_settings, self.sides, run.seed)
        self._step_values: tuple[ParameterValues, ParameterValues] = ({}, {})
        self._taken: list[PlayedPair] = []
        """The finished pairs of the step."""
        self._began = 0
        self._games = self._forfeited = 0
        self.live = LiveRun(
            run_id=run.id,
            seed=run.seed,
            title=f"{task.template.title}; {task.conditions}",
            target_games=task.games,
            games_before=sum(step.games for step in self.steps),
            bots={bot.name: LiveBot(bot.name) for bot in self.sides},
            is_rated=False,
            estimate=self.search.estimate,
        )

    @property
    def decided(self) -> bool:
        """Whether all steps are played."""
        return self.search.step >= self._task.steps

    def take(self, pair: PlayedPair) -> None:
        """Take a pair; store the step after its last one.

        Raises:
            InvalidRun: most games were forfeited.

        """
        self._taken.append(pair)
        if len(self._taken) < self._task.pairs:
            return
        pairs, self._taken = self._taken, []
        pentanomial = Record.total(each.record for each in pairs).pentanomial
        forfeits = sum(len(each.forfeits) for each in pairs)
        self._games += 2 * len(pairs)
        self._forfeited += forfeits
        if self._games >= FORFEITS_JUDGED and 2 * self._forfeited > self._games:
            raise InvalidRun(
                f"{self._forfeited} of {self._games} games were forfeited: the bot fails with most "
                "of these values; narrow the ranges of the parameters"
            )
        self.search.add_result(lead_of(pentanomial))
        step = TuningStepRow(
            step=self.search.step,
            a=self._step_values[0],
            b=self._step_values[1],
            pentanomial=pentanomial,
            forfeits=forfeits,
            estimate=self.search.estimate,
            duration_us=(time.monotonic_ns() - self._began) // 1000,
        )
        self._store.tuning_steps.add(self._run.id, step)
        self.steps.append(step)
        self.live.estimate = self.search.estimate

    def planned(self) -> Sequence[PairPlan]:
        """Return nothing: an unfinished step is played again."""
        return ()

    def finished(self) -> Sequence[PlayedPair]:
        """Return nothing: whole steps are stored."""
        return ()

    def draw(self, wanted: int | None, *, is_idle: bool) -> Sequence[PairPlan]:
        """Return the pairs of the next step, once all of this one are played.

        Raises:
            SpecError: a program of the bot is missing.

        """
        del wanted
        if not is_idle:
            return ()
        self._step_values, self._began = self.search.propose(), time.monotonic_ns()
        a, b = map(self.entrant, self._step_values, self.sides)
        first = self.search.step * self._task.pairs
        return [
            make_plan(self._schedule.pair(number)._replace(id=number), a, b, self._task.settings)
            for number in range(first, first + self._task.pairs)
        ]

    def can_play(self, plan: PairPlan) -> bool:
        """Return True: no bot is paused, it loses instead."""
        del plan
        return True

    def drop(self, plans: Sequence[PairPlan]) -> None:
        """Do nothing: no pair is stored."""

    def finish(self, played: Sequence[tuple[PairPlan, PairRecord]]) -> Sequence[StoredGames]:
        """Store nothing: `take` stores whole steps."""
        return [()] * len(played)

    def give_up(self, plan: PairPlan, record: PairRecord) -> None:
        """Do nothing: an unfinished step is played again."""

    def entrant(self, values: ParameterValues, side: BotRow) -> Entrant:
        """Return values of the parameters as one side of a pair.

        Raises:
            UsageError: the bot supports no budget.
            SpecError: a program of the bot is missing.

        """
        task, revision = self._task, self._original.revision
        launch = task.launch_at(revision.launch, values)
        return make_entrant(
            launch,
            revision=side.revision.id,
            name=side.name,
            budget=task.settings.budgets.for_bot(task.template.spec, revision.budgets),
            restart=task.settings.restart,
            values=None if launch.player else task.template.texts(values),
            kinds=revision.budgets,
        )


def side_rows(task: TuningTask, original: BotRow) -> list[BotRow]:
    """Return the two sides of every pair as bots that are not stored."""
    launch = original.revision.launch
    if not launch.is_own:  # with the placeholders, which each pair fills in
        command = task.template.command_at(launch.command, task.template.placeholders)
        launch = msgspec.structs.replace(launch, command=command)
    return [
        replace(
            original,
            id=number,
            name=name,
            spec=task.template.spec,
            revision=replace(original.revision, id=number, bot_id=number, launch=launch),
        )
        for number, name in enumerate((A, B), start=1)
    ]
