"""The search of a tuning as the judge of its run: the pairs of each step follow from the last one.

The pairs of two settings are played and not stored: a step is, when all of its pairs are done.
"""

import heapq
import time
from collections.abc import Sequence

from db.records.bots import BotRow, NewBot, RevisionRow
from db.records.pairs import (
    Entrant,
    FinishedPair,
    PairOutcome,
    PairPlan,
    PairRecord,
    PlayedPair,
)
from db.records.runs import RunRow
from db.records.tuning import TuningStepRow
from db.store import Store
from ladder.errors import InvalidRun, UsageError
from ladder.experiments.tune.parameters import Setting
from ladder.experiments.tune.spsa import Spsa
from ladder.experiments.tune.task import A, B, TuningTask
from ladder.match.specs.fingerprint import changed_files
from ladder.match.specs.start_command import make_entrant
from ladder.runs.decision import Judge, played_pair
from ladder.runs.pair_queue import PairSource
from ladder.runs.progress import LiveBot, LiveRun
from ladder.runs.start import schedule_of
from ladder.stats.sequential_elo import START

FORFEITS_JUDGED = 20
"""Games after which a bot that forfeits more than half of them is taken to be broken."""


def lead_of(pentanomial: Sequence[int]) -> int:
    """Return games won by A less games lost."""
    return sum((place - 2) * count for place, count in enumerate(pentanomial))


class TuningJudge(Judge, PairSource):
    """Asks a search for settings, and tells it their results. Also the source of their pairs."""

    keeps_planned = True  # the run ends with the verdict of its gate

    def __init__(
        self, store: Store, task: TuningTask, run: RunRow, original: BotRow | NewBot
    ) -> None:
        """Resume the search where its stored steps left it.

        Args:
            store: keeps the steps.
            task: what is searched.
            run: of the search.
            original: the bot before; boards, budgets and files are its.

        """
        super().__init__()
        self._store, self._task, self._run, self._original = store, task, run, original
        self.search = Spsa(task.template.parameters, steps=task.steps, seed=run.seed)
        self.steps = store.tuning_steps.of_run(run.id)
        for step in self.steps:
            self.search.tell(lead_of(step.pentanomial))
        self.sides = side_rows(task, original)
        self._schedule = schedule_of(task.side_settings, self.sides, run.seed)
        self._unfinished = 0
        """Pairs of the step that are neither finished nor given up."""
        self._settings: tuple[Setting, Setting] = ({}, {})
        self._counts, self._forfeits, self._began = [0] * 5, 0, 0
        self._games = self._forfeited = 0
        self.live = LiveRun(
            run_id=run.id,
            seed=run.seed,
            title=f"{task.template.title}; {task.conditions}",
            target_games=task.games,
            games_before=sum(step.games for step in self.steps),
            bots={bot.name: LiveBot(bot.name, START, START) for bot in self.sides},
            is_rated=False,
            estimate=self.search.estimate,
        )

    @property
    def decided(self) -> bool:
        """Whether all steps are played."""
        return self.search.step >= self._task.steps

    def take(self, pair: PlayedPair) -> None:
        """Do nothing: a step counts as a whole, in `finish`."""

    def next_pair(self, *, wanted: int | None, in_play: int) -> PairPlan | None:
        """Return the next pair of the step, or of the next step when all are done.

        Raises:
            UsageError: the bot's files have changed.
            SpecError: something that it is made of is gone.

        """
        del wanted
        if not self._waiting and not in_play and not self.decided:
            self._begin_step()
        return heapq.heappop(self._waiting)[1] if self._waiting else None

    def finish(self, played: Sequence[tuple[PairPlan, PairRecord]]) -> Sequence[FinishedPair]:
        """Count finished pairs.

        Raises:
            InvalidRun: most games were forfeited.

        """
        for plan, record in played:
            self._counts[sum(each.points2 for each in played_pair(plan, record).results)] += 1
            self._forfeits += sum(game.termination.is_forfeit for game in record.games)
            self._settle()
        return [FinishedPair(PairOutcome.STORED)] * len(played)

    def give_up(self, plan: PairPlan, record: PairRecord) -> str:
        """Leave a pair out of its step.

        Raises:
            UsageError: the bot's files have changed.

        """
        if record.changed:
            raise _changed(record.abort_reason)
        self._settle()
        return f"pair {plan.number} is left out of its step: {record.abort_reason}"

    def entrant(self, setting: Setting, side: BotRow) -> Entrant:
        """Return a setting as one side of a pair.

        Raises:
            UsageError: the bot's files have changed, or no budget serves it.
            SpecError: something that it is made of is gone.

        """
        task, revised = self._task, self._original.revision
        resolved = task.resolve(task.template.spec_at(setting))
        if resolved.launch.player is None:
            changed = changed_files(revised.files, resolved.files)
            if changed:
                raise _changed(", ".join(f"{name} {word}" for name, word in changed.items()))
        return make_entrant(
            resolved.launch,
            revision=side.revision.id,
            name=side.name,
            budget=task.settings.budgets.for_bot(task.template.spec, revised.budgets),
            restart=task.settings.restart,
            content=resolved.states,
            values=None if resolved.launch.player else task.template.texts(setting),
        )

    def _begin_step(self) -> None:
        self._settings = self.search.ask()
        self._counts, self._forfeits, self._began = [0] * 5, 0, time.monotonic_ns()
        self._unfinished = self._task.pairs
        a, b = map(self.entrant, self._settings, self.sides)
        settings = self._task.settings
        for number in range(self.search.step * self._task.pairs, self._next_step):
            pair = self._schedule.pair(number)
            plan = PairPlan(
                id=number,
                number=number,
                a=a,
                b=b,
                board=pair.board,
                board_class=pair.board_class,
                opening=pair.opening,
                seed=pair.seed,
                margin_ms=settings.margin_ms,
                watchdog_s=settings.watchdog_s,
            )
            self.requeue(plan)

    @property
    def _next_step(self) -> int:
        return (self.search.step + 1) * self._task.pairs

    def _settle(self) -> None:
        """Note that a pair is done; store the step after its last one."""
        self._unfinished -= 1
        if self._unfinished:
            return
        self._games += 2 * sum(self._counts)
        self._forfeited += self._forfeits
        if self._games >= FORFEITS_JUDGED and 2 * self._forfeited > self._games:
            raise InvalidRun(
                f"{self._forfeited} of {self._games} games were forfeited: the bot fails at most "
                "of these settings"
            )
        self.search.tell(lead_of(self._counts))
        step = TuningStepRow(
            step=self.search.step,
            a=self._settings[0],
            b=self._settings[1],
            pentanomial=tuple(self._counts),
            forfeits=self._forfeits,
            estimate=self.search.estimate,
            duration_us=(time.monotonic_ns() - self._began) // 1000,
        )
        self._store.tuning_steps.add(self._run.id, step)
        self.steps.append(step)
        self.live.estimate = self.search.estimate


def side_rows(task: TuningTask, original: BotRow | NewBot) -> list[BotRow]:
    """Return the two sides of every pair as bots, which are not stored."""
    resolved, revised = task.resolve(task.template.spec), original.revision
    return [
        BotRow(
            id=number,
            name=name,
            family=resolved.family,
            spec=task.template.spec,
            based_on=None,
            change="",
            created_at=0.0,
            retired_at=None,
            revision=RevisionRow(
                id=number,
                bot_id=number,
                number=1,
                content_hash=resolved.content_hash,
                launch=resolved.launch,
                budgets=revised.budgets,
                boards=revised.boards,
                files=resolved.files,
                created_at=0.0,
            ),
        )
        for number, name in enumerate((A, B), start=1)
    ]


def _changed(names: str) -> UsageError:
    return UsageError(
        f"the bot's files have changed since the tuning began ({names}): put the old ones back to "
        "resume it, or run the command again with --new for the new ones"
    )
