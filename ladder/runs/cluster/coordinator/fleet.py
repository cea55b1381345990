"""The fleet: pairs go to machines by name, records come back.

Everything here runs in one thread and one asyncio loop. The fleet, not Dask's scheduler, decides
which machine plays a pair, because it knows which of them have a bot, are silent or are set aside.
A task that is bound to one worker is never stolen by another.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError as Cancelled
from concurrent.futures import Future
from typing import Any

import msgspec

from db.records.pairs import Entrant, PairPlan, PairRecord
from ladder.errors import LadderError
from ladder.match.process.failures import to_one_line
from ladder.match.process.worker_pool import WorkerDied
from ladder.runs.cluster import machine as tasks
from ladder.runs.cluster.bot_bundle import BotBundle
from ladder.runs.cluster.coordinator.contradictions import Contradictions
from ladder.runs.cluster.coordinator.due import allowed_s
from ladder.runs.cluster.coordinator.link import PAUSE_S, Link, Say
from ladder.runs.cluster.coordinator.machines import (
    HOSTING,
    MOST_SLOTS,
    Assignment,
    Machine,
    Machines,
    Pair,
    State,
    counted,
)
from ladder.runs.cluster.coordinator.record_check import FalseRecord, checked_record
from ladder.runs.cluster.coordinator.residuals import Residuals
from ladder.runs.cluster.coordinator.stalls import note_stalls
from ladder.runs.cluster.coordinator.waiting import Waiting
from ladder.runs.cluster.coordinator.welcome import welcome
from ladder.runs.cluster.machine import MachineFacts, SlotDied
from ladder.runs.cluster.security import SchedulerEndpoint
from ladder.runs.cluster.shipping import ELSEWHERE, with_start
from ladder.runs.cluster.slot import Prepared
from ladder.runs.executor import MachineEvent

LOOK_AT = 200
"""Machines above which looks are further apart, in proportion."""
MOST_FAILURES = 3
"""Machines on which the harness itself may fail at a pair before the run is given up."""
MOST_DEATHS = 3
"""Deaths of its slots without a record between them after which a machine is set aside, while
others play: fewer than a run takes."""
UNREADY_S = 5.0
"""The user is informed of machines that take longer to get ready."""
CHECK_EVERY = 100
"""Pairs of a machine, of which one is played on another machine, too, where games must be equal."""

Settle = Callable[["Future[PairRecord]", MachineFacts | None, PairRecord | BaseException], None]
"""Takes the answer to a pair to the runner's thread."""


class Fleet:
    """Plays pairs on the machines of one scheduler until it is told to end.

    A pair that was given away may come back twice, from a machine that was taken for lost. The
    first record counts. With `compares` every further one is compared with it, and so is the first
    pair of each machine, and one in `CHECK_EVERY`, with another machine's.
    """

    def __init__(
        self,
        endpoint: SchedulerEndpoint,
        bot_bundle: BotBundle,
        sides: Mapping[str, Entrant],
        *,
        stream: str,
        compares: bool,
        settle: Settle,
        say: Say,
        adapt: Callable[[PairPlan, Prepared], PairPlan] = lambda plan, _: plan,
        replay: Callable[[PairPlan], PairRecord] | None = None,
    ) -> None:
        """Nothing is connected before `run`.

        Args:
            endpoint: of the scheduler.
            bot_bundle: the run's bots.
            sides: the same bots as sides of pairs.
            stream: of the run; part of each task's key.
            compares: whether equal plans must end in equal games.
            settle: called in the fleet's thread.
            say: takes news for the user, in the fleet's thread.
            adapt: makes the plan of a pair for a machine.
            replay: plays a pair on this machine, where games must be equal and no other machine
                can tell which one is wrong; called in a thread of its own. None: it cannot.

        """
        self._link = Link(endpoint, stream, say)
        self._bot_bundle = bot_bundle
        self._sides = tuple(with_start(side, ELSEWHERE) for side in sides.values())
        self._compares = compares
        self._settle = settle
        self._say = say
        self._adapt = adapt
        self._machines = Machines()
        self._waiting = Waiting(self._machines)
        self._residuals = Residuals()
        self._replay = replay
        self._own: Machine | None = None
        """This machine, as one that plays a pair again."""
        if replay is not None:
            self._own = Machine("the coordinator", slots=MOST_SLOTS, state=State.READY)
        self._contradictions = Contradictions(self._own)
        self._barred: dict[str, str] = {}
        """Why machines of these names are not wanted back."""
        self._tasks: set[asyncio.Task[None]] = set()
        self._unready = 0
        """Machines that took long to get ready when the user was last informed."""

    @property
    def slots(self) -> int:
        """Of all machines that are ready. May be read by another thread."""
        return self._machines.slots

    @property
    def hostless(self) -> int:
        """Number of pairs that no machine hosts now. May be read by another thread."""
        return self._waiting.hostless

    # Called from its own loop only.

    def add(self, pair: Pair) -> None:
        """Have a pair played."""
        self._waiting.add(pair)
        self._hand_out()

    def end(self) -> None:
        """Let go of all machines; `run` returns soon after."""
        self._link.end()

    async def run(self) -> None:
        """Be connected, again and again, until `end`."""
        await self._link.keep(self._stay)

    async def _stay(self) -> None:
        """Watch the machines while the connection lasts."""
        try:
            await self._watch()
        finally:
            for machine in self._machines:
                self._lose(machine)
            for task in self._tasks:
                task.cancel()

    async def _watch(self) -> None:
        patience = time.monotonic() + 2 * PAUSE_S
        while not self._link.is_ending:
            try:
                workers = await self._link.workers()
            except ConnectionError:
                return
            if workers is not None:
                self._look(workers)
                for pair, error in self._waiting.take_hostless(time.monotonic()):
                    self._answer(pair, None, error)
                self._hand_out()
                self._note_unready()
            if patience and time.monotonic() > patience:
                patience = 0.0
                if not len(self._machines):
                    self._warn(
                        f"no machine has joined {self._link.address} yet: start "
                        f"`ladder worker {self._link.address}` on some"
                    )
            await self._link.pause(PAUSE_S * max(1.0, len(self._machines) / LOOK_AT))
        if self._machines.joining:
            self._tell(
                f"{counted(self._machines.joining, 'machine')} still getting ready: the "
                "preparation continues for the next run"
            )

    # Machines.

    def _look(self, workers: Mapping[str, Mapping[str, Any]]) -> None:
        now = time.monotonic()
        changes = self._machines.look(workers, now)
        for machine in changes.new:
            machine.is_proven = not self._compares
            self._spawn(self._welcome(machine))
        for machine in changes.heard:
            self._tell(f"{machine.name} is heard again: {self._machines.in_all()}")
        for machine in changes.silent:
            self._warn(
                f"{machine.name} is silent: what it has in play is played elsewhere too: "
                f"{self._machines.in_all()}"
            )
            for copy in machine.playing:
                if not copy.pair.is_done:
                    self._waiting.add(copy.pair)
        for machine in changes.left:
            was_there = machine.state in HOSTING and machine.slots > 0
            self._lose(machine)
            if was_there:
                self._tell(
                    f"{machine.name} has left, and what it had in play is played elsewhere: "
                    f"{self._machines.in_all()}"
                )
        for machine in self._machines.ready:
            late = [copy for copy in machine.playing if now > copy.due]
            if late:
                numbers = ", ".join(str(copy.pair.plan.number) for copy in late)
                self._set_aside(
                    machine, f"longer than all limits allow it has not sent back pair {numbers}"
                )

    async def _welcome(self, machine: Machine) -> None:
        """Find out whether a machine fits, and make it ready."""

        async def ask(function: Callable[..., Any], *words: Any) -> Any:
            return await self._link.ask(machine.address, function, *words, key=function.__name__)

        try:
            await welcome(
                machine,
                ask,
                self._bot_bundle,
                self._sides,
                rename=self._rename_duplicate,
                barred=self._barred,
            )
        except (Cancelled, asyncio.CancelledError):
            return
        except Exception as error:  # whatever another version of the program comes up with
            self._machines.set_state(machine, State.REFUSED)
            self._warn(f"{machine.name} takes no part: {_sentence(error)}")
            return
        assert machine.prepared is not None  # noqa: S101 - it was welcomed
        assert machine.facts is not None  # noqa: S101 - likewise
        self._machines.set_state(machine, State.READY)
        machine.heard = time.monotonic()
        reasons = list(machine.prepared.refused.values())
        if not machine.slots:
            more = f" ({counted(len(reasons) - 1, 'more bot')})" if len(reasons) > 1 else ""
            self._warn(f"{machine.name} takes no part: {reasons[0]}{more}")
            return
        for reason in reasons:
            self._warn(f"{machine.name} does not play all bots: {reason}")
        self._tell(
            f"{machine.name} has joined with {counted(machine.slots, 'slot')} "
            f"({machine.facts.cpu}, {machine.prepared.speed:.0f} M positions/s): "
            f"{self._machines.in_all()}"
        )
        self._hand_out()

    def _rename_duplicate(self, machine: Machine) -> None:
        """Give a machine another name if it has that of another host, and warn."""
        given = machine.name
        if self._machines.rename_duplicate(machine):
            self._warn(
                f"another machine is also named {given}: this one is shown as {machine.name}; "
                "start `ladder worker` with --name to choose"
            )

    def _note_unready(self) -> None:
        """Say that machines take long to get ready, when they are more than before."""
        since = time.monotonic() - UNREADY_S
        slow = sum(each.state is State.JOINING and each.seen < since for each in self._machines)
        if slow > self._unready:
            self._tell(
                f"{counted(slow, 'machine')} getting ready: players are compiled and bots tried"
            )
        self._unready = slow

    def _lose(self, machine: Machine) -> None:
        """A machine is gone: its pairs are owed again."""
        self._machines.forget(machine)
        for copy in list(machine.playing):
            self._drop(copy)

    def _set_aside(self, machine: Machine, why: str) -> None:
        self._machines.set_state(machine, State.SET_ASIDE)
        for copy in list(machine.playing):
            self._drop(copy)
        self._warn(
            f"{machine.name} is set aside, its pairs are played elsewhere: {why}: "
            f"{self._machines.in_all()}"
        )

    def _bar(self, name: str, why: str) -> None:
        """Set a machine aside for good, also when it comes back."""
        self._barred[name] = why
        for machine in self._machines:
            if machine.name == name and machine.state in HOSTING:
                stored = f"; {counted(machine.answered, 'earlier pair')} of it stay stored"
                self._set_aside(machine, f"{why}{stored if machine.answered else ''}")

    # Pairs.

    def _hand_out(self) -> None:
        """Give away the pairs that wait, in the order of their numbers, as far as there is room."""
        if not self._link.is_open:
            return
        for pair, machine in self._waiting.take():
            self._give(pair, machine)
            self._check(pair, machine)

    def _answer(
        self, pair: Pair, machine: Machine | None, answer: PairRecord | BaseException
    ) -> None:
        pair.is_done = True
        self._settle(pair.future, None if machine is None else machine.facts, answer)

    def _check(self, pair: Pair, machine: Machine) -> None:
        """Have a pair played on another machine, too, when it is time to compare this one."""
        if not self._compares or not self._contradictions.concerns(pair):
            self._trust(machine)
            return
        machine.unchecked -= 1
        if machine.unchecked >= 0 and machine.is_proven:
            return
        other = self._machines.roomiest(pair) or self._own
        if other is None:
            self._trust(machine)  # no machine can be compared with it
            return
        pair.compared += (machine, other)
        for each in (machine, other):
            each.unchecked, each.check = CHECK_EVERY, pair
        self._give(pair, other)

    def _trust(self, machine: Machine) -> None:
        """Let a machine play as many pairs as it has slots."""
        machine.is_proven = True
        self._machines.note_room(machine)

    def _give(self, pair: Pair, machine: Machine) -> None:
        plan = pair.plan
        if machine is not self._own:
            assert machine.prepared is not None  # noqa: S101 - it is ready
            plan = self._adapt(_on_its_way(pair.plan), machine.prepared)
        copy = Assignment(pair, machine, due=time.monotonic() + allowed_s(plan, machine))
        pair.copies.append(copy)
        machine.playing.add(copy)
        for each in {machine, *pair.compared}:
            self._machines.note_room(each)
        copy.task = self._spawn(self._play(copy, plan))

    async def _play(self, copy: Assignment, plan: PairPlan) -> None:
        """Play a pair on one machine and take in what comes."""
        begun = time.monotonic()
        try:
            record = await self._answer_of(copy.machine, plan)
        except (Cancelled, asyncio.CancelledError):
            self._drop(copy)
        except Exception as error:
            self._fail(copy, error)
        else:
            seconds = time.monotonic() - begun
            try:
                self._take(copy, checked_record(record, plan, seconds), seconds)
            except FalseRecord as error:
                self._refuse(copy, str(error))
        self._hand_out()

    async def _answer_of(self, machine: Machine, plan: PairPlan) -> object:
        """Have a machine play a pair; whatever it answers."""
        if machine is self._own and self._replay is not None:
            return await asyncio.get_running_loop().run_in_executor(None, self._replay, plan)
        return await self._link.ask(
            machine.address,
            tasks.play,
            self._bot_bundle.manifest.key,
            plan,
            key=plan.number,
            priority=-plan.number,
        )

    def _refuse(self, copy: Assignment, why: str) -> None:
        """Set a machine aside for good whose record cannot be true; its pairs are played again."""
        self._remove(copy)
        if not copy.pair.is_done and not copy.pair.copies:
            self._waiting.add(copy.pair)
        self._bar(copy.machine.name, why)

    def _take(self, copy: Assignment, record: PairRecord, seconds: float) -> None:
        pair, machine = copy.pair, copy.machine
        if record.changed:
            changed = f"files in its cache have changed ({record.abort_reason})"
            self._fail(copy, LadderError(changed))
            return
        machine.last_s = seconds
        self._remove(copy)
        machine.deaths = 0
        why = note_stalls(machine, record, self._machines)
        if why is not None:
            self._set_aside(machine, why)
        if pair.is_done:
            if self._compares and record.games and pair.record is not None and pair.record.games:
                self._compare(pair, machine, record)
            return
        if not record.games:
            pair.failed_on.add(machine.address)
            if self._machines.roomiest(pair) is not None:
                self._waiting.add(pair)
                return
        pair.record, pair.by = record, machine
        machine.answered += 1
        self._answer(pair, machine, record)
        if record.games and machine is not self._own:
            self._note_results(machine, pair, record)

    def _fail(self, copy: Assignment, error: Exception) -> None:
        """A pair could not be played to its end, for no reason of its bots."""
        pair, machine = copy.pair, copy.machine
        self._remove(copy)
        if machine is self._own:
            self._own = None
            self._warn(f"pairs cannot be played again by the coordinator: {_sentence(error)}")
            if not pair.is_done and not pair.copies:
                self._waiting.add(pair)
            return
        is_dead = isinstance(error, SlotDied)
        machine.deaths = machine.deaths + 1 if is_dead else 0
        if machine.deaths >= MOST_DEATHS and self._machines.ready != [machine]:
            if not pair.is_done and not pair.copies:
                self._waiting.add(pair)
            self._set_aside(machine, f"the processes of its slots were killed {MOST_DEATHS} times")
            return
        if pair.is_done:
            return
        if is_dead:
            if not pair.copies:
                self._answer(pair, machine, WorkerDied())
            return
        pair.failed_on.add(machine.address)
        if len(pair.failed_on) >= MOST_FAILURES:
            sentence = (
                f"pair {pair.plan.number} cannot be played on any machine: {_sentence(error)}"
            )
            self._answer(pair, machine, LadderError(sentence))
            return
        if not pair.copies:
            self._waiting.add(pair)
        if machine.state is State.READY:
            self._set_aside(machine, _sentence(error))

    def _drop(self, copy: Assignment) -> None:
        """A copy comes to nothing; its pair is owed again when it was the last."""
        if copy not in copy.machine.playing:
            return
        self._remove(copy)
        if copy.task is not None and copy.task is not asyncio.current_task():
            copy.task.cancel()
        pair = copy.pair
        if not pair.is_done and not pair.copies:
            self._waiting.add(pair)

    def _remove(self, copy: Assignment) -> None:
        copy.machine.playing.discard(copy)
        with contextlib.suppress(ValueError):
            copy.pair.copies.remove(copy)
        for machine in {copy.machine, *copy.pair.compared}:
            self._machines.note_room(machine)

    # What records tell of their machines.

    def _compare(self, pair: Pair, machine: Machine, record: PairRecord) -> None:
        """Look whether a pair that was played twice was played alike, and if not, whose fault."""
        ready = [*self._machines.ready, *([] if self._own is None else [self._own])]
        found = self._contradictions.compare(pair, machine, record, ready)
        for each in found.cleared:
            self._trust(each)
        for sentence in found.sentences:
            self._warn(sentence)
        if found.further is not None:
            self._give(pair, found.further)
        if found.bad is not None:
            self._bar(found.bad.name, found.why)

    def _note_results(self, machine: Machine, pair: Pair, record: PairRecord) -> None:
        """Count a pair; a machine whose results the others' do not explain goes."""
        out = self._residuals.note(machine.name, pair.plan, record)
        if out is not None:
            hint = "" if self._compares else "; machines of unequal speed want --scale-time"
            self._bar(out.machine, f"{out.why}{hint}")

    # The rest.

    def _tell(self, sentence: str) -> None:
        self._say(MachineEvent(sentence))

    def _warn(self, sentence: str) -> None:
        self._say(MachineEvent(sentence, is_warning=True))

    def _spawn(self, work: Any) -> "asyncio.Task[None]":
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


def _on_its_way(plan: PairPlan) -> PairPlan:
    """A plan without this machine's paths."""
    return msgspec.structs.replace(
        plan, a=with_start(plan.a, ELSEWHERE), b=with_start(plan.b, ELSEWHERE)
    )


def _sentence(error: BaseException) -> str:
    return to_one_line(str(error)) or type(error).__name__
