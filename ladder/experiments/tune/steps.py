"""The pairs of a tuning's steps, between two settings of one bot: played and not stored."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec

from db.records.bots import BotRow
from db.records.pairs import Entrant, PairPlan
from ladder.experiments.tune.bots import A, B, TuningTask
from ladder.experiments.tune.parameters import ParameterValues
from ladder.experiments.tune.spsa import Spsa
from ladder.registry.specs.start_command import make_entrant
from ladder.runs.pair_order import PairSource
from ladder.runs.schedule import Schedule
from ladder.runs.stored_pairs import make_plan


class StepPairs(PairSource):
    """Draws the pairs of each step between the settings that a search proposes."""

    def __init__(self, task: TuningTask, search: Spsa, seed: int, original: BotRow) -> None:
        """Prepare the pairs of a run.

        Args:
            task: The tuning.
            search: The search, which stands at the step to be played.
            seed: The seed of the run.
            original: The bot before the tuning.

        """
        self._task, self._search, self._original = task, search, original
        self.sides = side_rows(task, original)
        self._schedule = Schedule(task.side_settings, self.sides, seed)

    def draw(self, wanted: int | None, *, is_idle: bool) -> Sequence[PairPlan]:
        """Return the pairs of the next step, once all of this one are played.

        Raises:
            SpecError: a program of the bot is missing.

        """
        del wanted
        if not is_idle:
            return ()
        a, b = map(self.entrant, self._search.propose(), self.sides)
        first = self._search.step * self._task.pairs
        return [
            make_plan(self._schedule.pair(number)._replace(id=number), a, b, self._task.settings)
            for number in range(first, first + self._task.pairs)
        ]

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
    """Return the two sides of every pair: the original under two names, without values."""
    launch = original.revision.launch
    if not launch.is_own:  # with the placeholders, which each pair fills in
        command = task.template.command_at(launch.command, task.template.placeholders)
        launch = msgspec.structs.replace(launch, command=command)
    return [
        replace(
            original,
            name=name,
            spec=task.template.spec,
            revision=replace(original.revision, launch=launch),
        )
        for name in (A, B)
    ]
