"""Plays the steps of a tuning: the pairs of two settings, in a run's workers."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from db.records.bots import BotRow, NewBot
from db.records.pairs import Entrant, PairPlan, PairRecord
from engine.result import Result
from ladder.errors import InvalidRun, UsageError
from ladder.experiments.tune.parameters import Setting
from ladder.experiments.tune.task import TuningTask
from ladder.match.process.failures import in_one_line
from ladder.match.process.worker_pool import WorkerDied
from ladder.match.specs.fingerprint import changed_files
from ladder.match.specs.start_command import entrant_of
from ladder.runs.decision import played_pair
from ladder.runs.executor import PairExecutor
from ladder.runs.schedule import Pairing, PairingKind, Schedule
from ladder.signals import check_stop

TICK_S = 0.2
A, B = 1, 2
"""Revisions of the two settings: none of them is stored."""
DEATHS_IN_A_ROW = 5
EMPTY_IN_A_ROW = 3
"""Steps without a finished pair after which the machine is taken to stall."""
FORFEITS_JUDGED = 20
"""Games after which a bot that forfeits more than half of them is taken to be broken."""


@dataclass(frozen=True, slots=True)
class Played:
    """The finished pairs of a step."""

    pentanomial: tuple[int, ...]
    """Pairs by the points of A: 0, 1/2, 1, 3/2, 2."""
    forfeits: int
    duration_us: int


def lead_of(pentanomial: Sequence[int]) -> int:
    """Games won by A less games lost."""
    return sum((place - 2) * count for place, count in enumerate(pentanomial))


class StepPlayer:
    """Plays steps; keeps what must hold over all of them."""

    def __init__(
        self,
        task: TuningTask,
        original: BotRow | NewBot,
        *,
        seed: int,
        workers: PairExecutor,
        tick: Callable[[PairRecord | None], None],
        warn: Callable[[str], None],
    ) -> None:
        """Nothing is played before `play`.

        Args:
            task: what is searched.
            original: the bot before; boards, budgets and files are its.
            seed: of the tuning.
            workers: play the pairs; closed by the caller.
            tick: told every pair that was played, and None when some time has passed.
            warn: told what the user should know.

        """
        self._task = task
        self._original = original
        self._workers = workers
        self._tick = tick
        self._warn = warn
        boards = original.revision.boards
        self._schedule = Schedule(
            bots={"a": A, "b": B},
            pairing=Pairing(PairingKind.GATE, "a", ("b",)),
            boards=task.settings.boards,
            opening_plies=task.settings.opening_plies,
            seed=seed,
            plays={} if boards is None else {"a": boards, "b": boards},
            openings=None if task.settings.openings is None else task.settings.openings.set,
            derivation=task.settings.derivation,
        )
        self._deaths = 0
        self._empty = 0
        self._games = 0
        self._forfeits = 0
        self._kinds: set[str] = set()

    def play(self, step: int, a: Setting, b: Setting) -> Played:
        """The pairs of a step, 1 and up; those that the machine spoils are left out.

        Raises:
            Stopped: the user wants the command to end; the step is lost.
            UsageError: the bot's files have changed.
            InvalidRun: bots fail or the machine stalls so that the search means nothing.

        """
        began = time.monotonic_ns()
        plans = self._plans(step, a, b)
        counts, forfeits = [0] * 5, 0
        for plan, record in self._records(plans):
            self._tick(record)
            if not record.games:
                self._warn(f"a pair was given up: {record.abort_reason}")
                continue
            counts[sum(result.points2 for result in played_pair(plan, record).results)] += 1
            forfeits += self._failures(plan, record)
        self._check(sum(counts), forfeits)
        return Played(tuple(counts), forfeits, (time.monotonic_ns() - began) // 1000)

    def entrant(self, setting: Setting, revision: int) -> Entrant:
        """A setting as one side of a pair.

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
        return entrant_of(
            resolved.launch,
            revision=revision,
            name="a" if revision == A else "b",
            budget=task.settings.budgets.for_bot(task.template.spec, revised.budgets),
            restart=task.settings.restart,
            content=resolved.states,
        )

    def _plans(self, step: int, a: Setting, b: Setting) -> list[PairPlan]:
        settings, count = self._task.settings, self._task.pairs
        sides = self.entrant(a, A), self.entrant(b, B)
        plans = []
        for number in range((step - 1) * count, step * count):
            pair = self._schedule.pair(number)
            plans.append(
                PairPlan(
                    id=number,
                    number=number,
                    a=sides[0],
                    b=sides[1],
                    board=pair.board,
                    board_class=pair.board_class,
                    opening=pair.opening,
                    seed=pair.seed,
                    margin_ms=settings.margin_ms,
                    watchdog_s=settings.watchdog_s,
                )
            )
        return plans

    def _records(self, plans: Sequence[PairPlan]) -> Iterator[tuple[PairPlan, PairRecord]]:
        """The pairs as they are finished."""
        check_stop()
        playing: dict[Future[PairRecord], PairPlan] = {
            self._workers.submit(plan): plan for plan in plans
        }
        while playing:
            self._workers.wait(TICK_S)
            self._tick(None)
            check_stop()
            for future in [each for each in playing if each.done()]:
                plan = playing.pop(future)
                try:
                    record = future.result()
                except WorkerDied:
                    self._note_death()
                    playing[self._workers.submit(plan)] = plan
                    continue
                if record.changed:
                    raise _changed(record.abort_reason)
                self._deaths = 0
                yield plan, record

    def _note_death(self) -> None:
        self._deaths += 1
        if self._deaths >= DEATHS_IN_A_ROW:
            raise InvalidRun(
                "worker processes keep dying: look for a full memory or a killing process, then "
                "run the same command to go on"
            )
        self._warn("a worker process died; it is replaced and its pair is played again")

    def _failures(self, plan: PairPlan, record: PairRecord) -> int:
        """The forfeited games of a pair; the first of each kind is told."""
        failed = [game for game in record.games if game.termination.is_forfeit]
        for game in failed:
            if game.termination not in self._kinds:
                self._kinds.add(game.termination)
                first, second = (plan.b, plan.a) if game.swapped else (plan.a, plan.b)
                loser = first if game.result is Result.LOSS else second
                self._warn(
                    f"a setting lost a game by {game.termination.replace('_', ' ')}: "
                    f"{in_one_line(game.detail)}"
                    + (f" (`{loser.player}`)" if loser.player is not None else "")
                )
        return len(failed)

    def _check(self, pairs: int, forfeits: int) -> None:
        """Hold the finished and forfeited games against their limits. Raises InvalidRun."""
        self._empty = 0 if pairs else self._empty + 1
        if self._empty >= EMPTY_IN_A_ROW:
            raise InvalidRun(
                f"{EMPTY_IN_A_ROW} steps in a row had no pair that the machine let be played: wait "
                "until it is less busy, then run the same command to go on"
            )
        self._games += 2 * pairs
        self._forfeits += forfeits
        if self._games >= FORFEITS_JUDGED and 2 * self._forfeits > self._games:
            raise InvalidRun(
                f"{self._forfeits} of {self._games} games were forfeited: the bot fails at most of "
                "these settings, as said above"
            )


def _changed(names: str) -> UsageError:
    return UsageError(
        f"the bot's files have changed since the tuning began ({names}): put the old ones back to "
        "go on with it, or run the command again with --new for the new ones"
    )
