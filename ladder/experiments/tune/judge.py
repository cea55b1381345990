"""The judge of a tuning's search: it takes the pairs of a step and stores the step."""

import time
from collections.abc import Sequence

from db.records.pairs import PlayedPair
from db.records.record import Record
from db.records.runs import RunRow, TuningStepRow
from db.store import Store
from ladder.errors import InvalidRun
from ladder.experiments.tune.bots import TuningTask
from ladder.experiments.tune.spsa import Spsa
from ladder.runs.decision import Judge

FORFEITS_JUDGED = 20
"""Games after which the search ends if more than half of them were forfeited."""


def lead_of(pentanomial: Sequence[int]) -> int:
    """Return the games won by A minus the games lost."""
    return sum((place - 2) * count for place, count in enumerate(pentanomial))


class TuningJudge(Judge):
    """Gives the results of whole steps to a search."""

    keeps_planned = True  # the run ends with the verdict of its gate

    def __init__(self, store: Store, task: TuningTask, run: RunRow) -> None:
        """Resume the search where its stored steps left it.

        Args:
            store: The open database.
            task: The tuning.
            run: The run of the search.

        """
        self._store, self._task, self._run = store, task, run
        self.search = Spsa(task.template.parameters, steps=task.steps, seed=run.seed)
        self.steps = store.tuning_steps.of_run(run.id)
        for step in self.steps:
            self.search.add_result(lead_of(step.pentanomial))
        self._taken: list[PlayedPair] = []
        """The finished pairs of the step."""
        self._began = time.monotonic_ns()
        self._games = self._forfeited = 0

    @property
    def decided(self) -> bool:
        """Whether all steps are played."""
        return self.search.step >= self._task.steps

    @property
    def progress(self) -> str:
        """The present estimate."""
        texts = self._task.template.texts(self.search.estimate)
        return f"then a gate; {', '.join(f'{name} {text}' for name, text in texts.items())}"

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
        a, b = self.search.propose()
        self.search.add_result(lead_of(pentanomial))
        now = time.monotonic_ns()
        step = TuningStepRow(
            step=self.search.step,
            a=a,
            b=b,
            pentanomial=pentanomial,
            forfeits=forfeits,
            estimate=self.search.estimate,
            duration_us=(now - self._began) // 1000,
        )
        self._began = now
        self._store.tuning_steps.add(self._run.id, step)
        self.steps.append(step)
