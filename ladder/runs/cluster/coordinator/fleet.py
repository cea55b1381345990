"""The fleet: it assigns pairs to machines and collects their records.

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
from ladder.runs.cluster.bot_bundle import BotBundle
from ladder.runs.cluster.coordinator.admission import admit
from ladder.runs.cluster.coordinator.assignments import HOSTING, Assignment, Machine, Pair, State
from ladder.runs.cluster.coordinator.checks import MachineChecks
from ladder.runs.cluster.coordinator.connection import PAUSE_S, ReportEvent, SchedulerConnection
from ladder.runs.cluster.coordinator.deadlines import time_limit_s
from ladder.runs.cluster.coordinator.machines import MOST_SLOTS, SILENT_S, Machines, counted
from ladder.runs.cluster.coordinator.pending import PendingPairs
from ladder.runs.cluster.coordinator.record_check import FalseRecord, checked_record
from ladder.runs.cluster.coordinator.stalls import check_stalls
from ladder.runs.cluster.machine import TASKS, MachineFacts, MachineTasks, SlotDied
from ladder.runs.cluster.security import SchedulerEndpoint
from ladder.runs.cluster.shipping import ELSEWHERE, with_start
from ladder.runs.cluster.slot import Prepared
from ladder.runs.executor import MachineEvent

POLL_MACHINES = 200
"""Machines above which polls are further apart, in proportion to their number."""
MOST_FAILURES = 3
"""A failure of the harness ends the run once this many machines stalled or failed at its pair."""
MOST_DEATHS = 3
"""Slot deaths in a row after which a machine is set aside if another is ready. Below
`health.DEATHS_IN_A_ROW`, so that one bad machine does not end the run."""
ALONE_S = 2.0
"""Seconds without any machine after which this is reported."""
UNREADY_S = 5.0
"""Seconds of preparation after which a machine is reported as getting ready."""

Deliver = Callable[["Future[PairRecord]", MachineFacts | None, PairRecord | BaseException], None]
"""Passes the result of a pair to the runner's thread."""


class Fleet:
    """Plays pairs on the machines of one scheduler until `end`.

    The first record of a pair counts. With `compares`, each further one is compared with it, and
    the first pair of each machine and one in
    `checks.CHECK_EVERY` are played twice for that.
    """

    def __init__(
        self,
        endpoint: SchedulerEndpoint,
        bot_bundle: BotBundle,
        sides: Mapping[str, Entrant],
        *,
        stream: str,
        compares: bool,
        deliver: Deliver,
        report: ReportEvent,
        scale_plan: Callable[[PairPlan, Prepared], PairPlan] = lambda plan, _: plan,
        replay: Callable[[PairPlan], PairRecord] | None = None,
        alone_s: float = ALONE_S,
        unready_s: float = UNREADY_S,
        silent_s: float = SILENT_S,
        poll_s: float = PAUSE_S,
        time_limit: Callable[[PairPlan, Machine], float] = time_limit_s,
        tasks: MachineTasks = TASKS,
    ) -> None:
        """Prepare a fleet, which connects in `run`.

        Args:
            endpoint: The address of the scheduler.
            bot_bundle: The bots of the run.
            sides: The same bots as sides of pairs.
            stream: The stream of the run, part of each task's key.
            compares: Whether equal plans must give equal games.
            deliver: Takes results; called in the fleet's thread.
            report: Takes events for the user; called in the fleet's thread.
            scale_plan: Adapts the time of a plan to a machine.
            replay: Plays a pair on this machine where no second machine can; called in a thread
                of its own. None if this machine plays no pairs.
            alone_s: Seconds without any machine after which this is reported.
            unready_s: Seconds of preparation after which a machine is reported.
            silent_s: Seconds without a heartbeat after which a machine is silent.
            poll_s: Seconds between two polls of the machines.
            time_limit: Seconds after which a pair on a machine is overdue.
            tasks: The functions that are called on machines.

        """
        self._connection = SchedulerConnection(endpoint, stream, report)
        self._bot_bundle = bot_bundle
        self._sides = tuple(with_start(side, ELSEWHERE) for side in sides.values())
        self._compares = compares
        self._deliver = deliver
        self._report = report
        self._scale_plan = scale_plan
        self._machines = Machines(silent_s)
        self._pending = PendingPairs(self._machines)
        self._replay = replay
        own = None
        if replay is not None:
            own = Machine("the coordinator", MOST_SLOTS, state=State.READY)
        self._checks = MachineChecks(self._machines, compares=compares, own=own)
        self._banned: dict[str, str] = {}
        """Reasons for which machines were set aside for good, by name."""
        self._spawned: set[asyncio.Task[None]] = set()
        self._unready = 0
        """Machines that took long to get ready at the last poll."""
        self._alone_s = alone_s
        self._unready_s = unready_s
        self._poll_s = poll_s
        self._time_limit = time_limit
        self._tasks = tasks

    @property
    def slots(self) -> int:
        """Slots of all ready machines. May be read by another thread."""
        return self._machines.slots

    @property
    def hostless(self) -> int:
        """Number of pairs that no machine hosts now. May be read by another thread."""
        return self._pending.hostless

    # Called from its own loop only.

    def add(self, pair: Pair) -> None:
        """Queue a pair."""
        self._pending.add(pair)
        self._assign_pairs()

    def end(self) -> None:
        """Disconnect; `run` returns soon after."""
        self._connection.end()

    async def run(self) -> None:
        """Play pairs until `end`, and reconnect whenever the connection is lost."""
        await self._connection.maintain(self._serve)

    async def _serve(self) -> None:
        """Play pairs while the connection lasts."""
        try:
            await self._poll_machines()
        finally:
            for machine in self._machines:
                self._remove_machine(machine)
            for task in self._spawned:
                task.cancel()

    async def _poll_machines(self) -> None:
        patience = time.monotonic() + self._alone_s
        while not self._connection.is_ending:
            try:
                workers = await self._connection.workers()
            except ConnectionError:
                return
            if workers is not None:
                self._update_machines(workers)
                for pair, error in self._pending.take_hostless(time.monotonic()):
                    self._finish_pair(pair, None, error)
                self._assign_pairs()
                self._report_unready()
            if patience and time.monotonic() > patience:
                patience = 0.0
                if not len(self._machines):
                    self._warn(
                        f"no machine has joined {self._connection.address} yet: start "
                        f"`ladder worker {self._connection.address}` on some"
                    )
            pause_s = self._poll_s * max(1.0, len(self._machines) / POLL_MACHINES)
            await self._connection.pause(pause_s)
        if self._machines.joining:
            self._inform(
                f"{counted(self._machines.joining, 'machine')} still getting ready: the "
                "preparation continues for the next run"
            )

    # Machines.

    def _update_machines(self, workers: Mapping[str, Mapping[str, Any]]) -> None:
        now = time.monotonic()
        changes = self._machines.update(workers, now)
        for machine in changes.new:
            machine.is_verified = not self._compares
            machine.admission = self._spawn(self._admit(machine))
        for machine in changes.lending:
            self._handle_offer(machine)
        for machine in changes.recovered:
            self._inform(f"{machine.name} answers again: {self._machines.describe()}")
        for machine in changes.silent:
            self._warn(
                f"{machine.name} does not answer: its pairs are also played elsewhere: "
                f"{self._machines.describe()}"
            )
            for assignment in machine.playing:
                if not assignment.pair.is_done:
                    self._pending.add(assignment.pair)
        for machine in changes.left:
            took_part = machine.state in HOSTING and machine.prepared and machine.hosts_any
            has_pairs = machine.playing or machine.state is not State.RESERVED
            self._remove_machine(machine)
            if took_part:
                pairs = ", and its pairs are played elsewhere" if has_pairs else ""
                self._inform(f"{machine.name} has left{pairs}: {self._machines.describe()}")
        for machine in self._machines:
            if machine.state is State.RESERVED:
                self._take_back(machine)
            elif machine.state is not State.READY:
                continue
            late = [assignment for assignment in machine.playing if now > assignment.due]
            if late:
                numbers = ", ".join(str(assignment.pair.plan.number) for assignment in late)
                self._set_aside(
                    machine, f"it exceeded all time limits and has not sent back pair {numbers}"
                )

    async def _admit(self, machine: Machine) -> None:
        """Check and prepare a machine that joined."""

        async def ask(function: Callable[..., Any], *arguments: Any) -> Any:
            key = self._connection.new_key(function.__name__)
            return await self._connection.ask(machine.address, function, *arguments, key=key)

        try:
            await admit(
                machine,
                ask,
                self._bot_bundle,
                self._sides,
                tasks=self._tasks,
                rename=self._rename_duplicate,
                banned=self._banned,
            )
        except (Cancelled, asyncio.CancelledError):
            return
        except Exception as error:  # another version of the program may raise anything
            machine.reason = _describe_error(error)
            self._machines.set_state(machine, State.REFUSED)
            self._warn(f"{machine.name} takes no part: {machine.reason}")
            return
        assert machine.prepared is not None  # noqa: S101 - set by `admit`
        assert machine.facts is not None  # noqa: S101 - set by `admit`
        self._machines.set_state(machine, State.READY)
        machine.last_heartbeat = time.monotonic()
        reasons = list(machine.prepared.refused.values())
        if not machine.slots:
            more = f" ({counted(len(reasons) - 1, 'more bot')})" if len(reasons) > 1 else ""
            self._warn(f"{machine.name} takes no part: {reasons[0]}{more}")
            return
        for reason in reasons:
            self._warn(f"{machine.name} does not play all bots: {reason}")
        self._inform(
            f"{machine.name} has joined with {counted(machine.slots, 'slot')} "
            f"({machine.facts.cpu}, {machine.prepared.speed:.0f} M positions/s): "
            f"{self._machines.describe()}"
        )
        self._assign_pairs()

    def _handle_offer(self, machine: Machine) -> None:
        """Report a machine that lends other slots; stop preparing it if it lends none."""
        if machine.state is State.RESERVED and machine.admission is not None:
            machine.admission.cancel()
        offer = machine.offer
        if offer is not None and (machine.prepared is not None or not machine.lent):
            reason = f" ({offer.reason})" if offer.reason else ""
            self._inform(
                f"{machine.name} lends {machine.lent} of {counted(offer.total, 'slot')}{reason}: "
                f"{self._machines.describe()}"
            )

    def _take_back(self, machine: Machine) -> None:
        """Cancel the assignments that a machine without slots has not begun."""
        if machine.offer is not None:
            begun = {*machine.offer.playing, *machine.offer.finished}
            for assignment in list(machine.playing):
                if assignment.key not in begun:
                    self._cancel(assignment)

    def _rename_duplicate(self, machine: Machine) -> None:
        """Rename a machine whose name another host has, and warn."""
        given = machine.name
        if self._machines.rename_duplicate(machine):
            self._warn(
                f"another machine is also named {given}: this one is shown as {machine.name}; "
                "`ladder worker ADDRESS --name NAME` gives it another name"
            )

    def _report_unready(self) -> None:
        """Report the number of machines that take long to get ready, when it has grown."""
        since = time.monotonic() - self._unready_s
        slow = sum(
            each.state is State.JOINING and each.first_seen < since for each in self._machines
        )
        if slow > self._unready:
            self._inform(
                f"{counted(slow, 'machine')} getting ready: compiling players and trying bots"
            )
        self._unready = slow

    def _remove_machine(self, machine: Machine) -> None:
        """Forget a machine that has left, and requeue its pairs."""
        self._machines.remove(machine)
        for assignment in list(machine.playing):
            self._cancel(assignment)

    def _set_aside(self, machine: Machine, reason: str) -> None:
        machine.reason = reason
        self._machines.set_state(machine, State.SET_ASIDE)
        for assignment in list(machine.playing):
            self._cancel(assignment)
        self._warn(
            f"{machine.name} is set aside, and its pairs are played elsewhere: {reason}: "
            f"{self._machines.describe()}"
        )

    def _ban(self, name: str, reason: str) -> None:
        """Set a machine aside for good, even if it joins again."""
        self._banned[name] = reason
        for machine in self._machines:
            if machine.name == name and machine.state in HOSTING:
                stored = f"; its {counted(machine.stored_pairs, 'earlier pair')} stay stored"
                self._set_aside(machine, f"{reason}{stored if machine.stored_pairs else ''}")

    # Pairs.

    def _assign_pairs(self) -> None:
        """Assign pending pairs in the order of their numbers, as far as machines have capacity."""
        if not self._connection.is_open:
            return
        for pair, machine in self._pending.take():
            self._assign(pair, machine)
            other = self._checks.arrange(pair, machine)
            if other is not None:
                self._assign(pair, other)

    def _finish_pair(
        self, pair: Pair, machine: Machine | None, result: PairRecord | BaseException
    ) -> None:
        pair.is_done = True
        self._deliver(pair.future, None if machine is None else machine.facts, result)

    def _requeue(self, pair: Pair) -> None:
        """Queue a pair again if it has no result and no machine plays it."""
        if not pair.is_done and not pair.assignments:
            self._pending.add(pair)

    def _assign(self, pair: Pair, machine: Machine) -> None:
        plan = pair.plan
        if machine is not self._checks.own:
            assert machine.prepared is not None  # noqa: S101 - it is ready
            plan = self._scale_plan(_without_paths(pair.plan), machine.prepared)
        assignment = Assignment(
            pair,
            machine,
            due=time.monotonic() + self._time_limit(plan, machine),
            key=self._connection.new_key(plan.number),
        )
        pair.assignments.append(assignment)
        machine.playing.add(assignment)
        for each in {machine, *pair.compared}:
            self._machines.update_capacity(each)
        assignment.task = self._spawn(self._play(assignment, plan))

    async def _play(self, assignment: Assignment, plan: PairPlan) -> None:
        """Play a pair on one machine and handle its result."""
        begun = time.monotonic()
        try:
            record = await self._request_record(assignment, plan)
        except (Cancelled, asyncio.CancelledError):
            self._cancel(assignment)
        except Exception as error:
            self._handle_failure(assignment, error)
        else:
            seconds = time.monotonic() - begun
            try:
                self._handle_record(assignment, checked_record(record, plan, seconds), seconds)
            except FalseRecord as error:
                self._remove(assignment)
                self._requeue(assignment.pair)
                self._ban(assignment.machine.name, str(error))
        self._assign_pairs()

    async def _request_record(self, assignment: Assignment, plan: PairPlan) -> object:
        """Have a machine play a pair; return its answer, which is not checked yet."""
        machine = assignment.machine
        if machine is self._checks.own and self._replay is not None:
            return await asyncio.get_running_loop().run_in_executor(None, self._replay, plan)
        return await self._connection.ask(
            machine.address,
            self._tasks.play,
            self._bot_bundle.manifest.key,
            plan,
            key=assignment.key,
            priority=-plan.number,
        )

    def _handle_record(self, assignment: Assignment, record: PairRecord, seconds: float) -> None:
        pair, machine = assignment.pair, assignment.machine
        if record.changed:
            changed = f"files in its cache have changed ({record.abort_reason})"
            self._handle_failure(assignment, LadderError(changed))
            return
        machine.last_pair_s = seconds
        self._remove(assignment)
        machine.deaths = 0
        reason = check_stalls(machine, record, self._machines)
        if reason is not None:
            self._set_aside(machine, reason)
        if pair.is_done:
            self._compare(pair, machine, record)
            return
        if not record.games:
            pair.failed_on.add(machine.address)
            if self._machines.most_idle(pair) is not None:
                self._pending.add(pair)
                return
        pair.record, pair.played_by = record, machine
        machine.stored_pairs += 1
        self._finish_pair(pair, machine, record)
        if record.games and pair.needs_replay and self._checks.own is not None:
            self._assign(pair, self._checks.own)

    def _handle_failure(self, assignment: Assignment, error: Exception) -> None:
        """Handle a pair that could not be played, for no reason of its bots."""
        pair, machine = assignment.pair, assignment.machine
        self._remove(assignment)
        if machine is self._checks.own:
            self._checks.lose_own(pair)
            self._warn(f"the coordinator cannot repeat pairs: {_describe_error(error)}")
            return
        is_dead = isinstance(error, SlotDied)
        machine.deaths = machine.deaths + 1 if is_dead else 0
        if machine.deaths >= MOST_DEATHS and self._machines.ready != [machine]:
            self._requeue(pair)
            self._set_aside(machine, f"the processes of its slots were killed {MOST_DEATHS} times")
            return
        if pair.is_done:
            return
        if is_dead:
            if not pair.assignments:
                self._finish_pair(pair, machine, WorkerDied())
            return
        pair.failed_on.add(machine.address)
        if len(pair.failed_on) >= MOST_FAILURES:
            sentence = (
                f"pair {pair.plan.number} cannot be played on any machine: {_describe_error(error)}"
            )
            self._finish_pair(pair, machine, LadderError(sentence))
            return
        self._requeue(pair)
        if machine.state is State.READY:
            self._set_aside(machine, _describe_error(error))

    def _cancel(self, assignment: Assignment) -> None:
        """Cancel an assignment; requeue its pair if it was the last one."""
        if assignment not in assignment.machine.playing:
            return
        self._remove(assignment)
        if assignment.task is not None and assignment.task is not asyncio.current_task():
            assignment.task.cancel()
        self._requeue(assignment.pair)

    def _remove(self, assignment: Assignment) -> None:
        assignment.machine.playing.discard(assignment)
        with contextlib.suppress(ValueError):
            assignment.pair.assignments.remove(assignment)
        for machine in {assignment.machine, *assignment.pair.compared}:
            self._machines.update_capacity(machine)

    def _compare(self, pair: Pair, machine: Machine, record: PairRecord) -> None:
        """Compare a pair that was played twice, and ban a machine that is found to be wrong."""
        found = self._checks.compare(pair, machine, record)
        for sentence in found.warnings:
            self._warn(sentence)
        if found.next_machine is not None:
            self._assign(pair, found.next_machine)
        if found.bad is not None:
            self._ban(found.bad.name, found.reason)

    # The rest.

    def _inform(self, sentence: str) -> None:
        self._report(MachineEvent(sentence))

    def _warn(self, sentence: str) -> None:
        self._report(MachineEvent(sentence, is_warning=True))

    def _spawn(self, work: Any) -> "asyncio.Task[None]":
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._spawned.add(task)
        task.add_done_callback(self._spawned.discard)
        return task


def _without_paths(plan: PairPlan) -> PairPlan:
    """Return a plan without this machine's paths."""
    return msgspec.structs.replace(
        plan, a=with_start(plan.a, ELSEWHERE), b=with_start(plan.b, ELSEWHERE)
    )


def _describe_error(error: BaseException) -> str:
    return to_one_line(str(error)) or type(error).__name__
