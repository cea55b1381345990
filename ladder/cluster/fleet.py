"""The machines of a cluster as the coordinator sees them, and the pairs that they are given.

Everything here runs in one thread and one asyncio loop. Each pair goes to a machine by name: the
fleet, not Dask's scheduler, decides which, because it knows which machines have a bot, which are
silent and which are set aside. A task that is bound to one worker is never stolen by another.
"""

import asyncio
import contextlib
import heapq
import secrets
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError as Cancelled
from concurrent.futures import Future
from typing import Any

import msgspec
from distributed import Client

from db.records.pairs import Entrant, PairPlan, PairRecord
from ladder.cluster import machine as tasks
from ladder.cluster.luggage import Luggage
from ladder.cluster.machine import MachineFacts, SlotDied
from ladder.cluster.machines import Copy, Machine, Pair, State, games_of, refusals
from ladder.cluster.security import Door
from ladder.cluster.slot import Prepared
from ladder.cluster.travel import ELSEWHERE, with_start
from ladder.errors import LadderError, UsageError
from ladder.harness_version import harness_version
from ladder.process.failures import in_one_line
from ladder.process.worker_pool import WorkerDied

CONNECT_S = 10.0
PAUSE_S = 1.0
"""Between two attempts to reach a scheduler, and between two looks at its machines."""
LOOK_AT = 200
"""Machines above which looks are further apart, in proportion."""
SILENT_S = 10.0
"""A machine of which the scheduler has heard nothing for so long gets no more pairs, and those that
it has are played elsewhere, too."""
MOST_FAILURES = 3
"""Machines on which the harness itself may fail at a pair before the run is given up."""
REFUSED_S = 20.0
"""How long a pair waits for a machine that does not refuse one of its bots."""
STALLS, SHARE = 8, 0.2
"""A machine is set aside when so many and such a share of its last attempts at games stalled."""
WINDOW, ATTEMPTS = 200, 20
"""The last attempts of a machine that count, and those of the others that must be there."""


Settle = Callable[["Future[PairRecord]", MachineFacts | None, PairRecord | BaseException], None]
"""Takes the answer to a pair to the runner's thread."""
Say = Callable[[str], None]


class Fleet:
    """Plays pairs on the machines of one scheduler until it is told to end.

    A pair that was given away may come back twice, from a machine that was taken for lost. The
    first record counts. With `compares` every further one is compared with it, and so is the first
    pair of each machine with another machine's.
    """

    def __init__(
        self,
        door: Door,
        luggage: Luggage,
        sides: Mapping[str, Entrant],
        *,
        stream: str,
        compares: bool,
        settle: Settle,
        say: Say,
        adapt: Callable[[PairPlan, Prepared], PairPlan] = lambda plan, _: plan,
    ) -> None:
        """Nothing is connected before `run`.

        Args:
            door: of the scheduler.
            luggage: the run's bots.
            sides: the same bots as sides of pairs.
            stream: of the run; part of each task's key.
            compares: whether equal plans must end in equal games.
            settle: called in the fleet's thread.
            say: takes a sentence for the user, in the fleet's thread.
            adapt: makes the plan of a pair for a machine.

        """
        self._door = door
        self._luggage = luggage
        self._sides = tuple(with_start(side, ELSEWHERE) for side in sides.values())
        self._prefix = f"ladder-{stream[:16]}"
        self._session = secrets.token_hex(4)
        self._compares = compares
        self._settle = settle
        self._say = say
        self._adapt = adapt
        self._client: Any = None
        self._machines: dict[str, Machine] = {}
        self._waiting: list[tuple[int, int, Pair]] = []
        """A heap by number; the second number only keeps pairs from being compared."""
        self._counted = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._is_ending = asyncio.Event()
        self.slots = 0
        """Of all machines that are ready."""

    # Called from its own loop only.

    def add(self, pair: Pair) -> None:
        """Have a pair played."""
        self._wait_again(pair)
        self._hand_out()

    def end(self) -> None:
        """Let go of all machines; `run` returns soon after."""
        self._is_ending.set()

    async def run(self) -> None:
        """Be connected, again and again, until `end`."""
        complained = False
        while not self._is_ending.is_set():
            try:
                async with Client(  # type: ignore[no-untyped-call]
                    self._door.address,
                    asynchronous=True,
                    security=self._door.security(),
                    timeout=CONNECT_S,
                    set_as_default=False,
                    name="ladder",
                ) as self._client:
                    if complained:
                        self._say(f"the scheduler at {self._door.address} answers again")
                    complained = False
                    await self._stay()
            except (OSError, TimeoutError) as error:
                if not complained:
                    self._say(
                        f"the scheduler at {self._door.address} does not answer "
                        f"({in_one_line(str(error)) or type(error).__name__}): tried again until "
                        "it does"
                    )
                complained = True
            else:
                if not self._is_ending.is_set():
                    complained = True
                    self._say(f"the connection to the scheduler at {self._door.address} is lost")
            finally:
                self._client = None
            await self._pause(PAUSE_S)

    async def _stay(self) -> None:
        """Watch the machines while the connection lasts."""
        try:
            await self._watch()
        finally:
            for machine in list(self._machines.values()):
                self._lose(machine, quietly=True)
            for task in self._tasks:
                task.cancel()

    async def _watch(self) -> None:
        waiting_since = time.monotonic()
        said = False
        while not self._is_ending.is_set() and self._client.status == "running":
            try:
                identity = await asyncio.wait_for(self._client.scheduler.identity(), CONNECT_S)
            except (TimeoutError, OSError):
                continue  # the client notices by itself when the connection is gone
            self._look(identity["workers"])
            self._hand_out()
            if not self._machines and not said and time.monotonic() > waiting_since + 2 * PAUSE_S:
                said = True
                self._say(
                    f"no machine has joined {self._door.address} yet: start "
                    f"`ladder worker {self._door.address}` on some"
                )
            await self._pause(PAUSE_S * max(1.0, len(self._machines) / LOOK_AT))

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._is_ending.wait(), seconds)

    # Machines.

    def _look(self, workers: Mapping[str, Mapping[str, Any]]) -> None:
        now = time.monotonic()
        for address, told in workers.items():
            machine = self._machines.get(address)
            if machine is None:
                machine = self._machines[address] = Machine(address, int(told["nthreads"]))
                self._spawn(self._welcome(machine))
            if told["last_seen"] != machine.last_seen:
                machine.last_seen, machine.heard = told["last_seen"], now
                if machine.state is State.SILENT:
                    machine.state = State.READY
                    self._count()
                    self._say(f"{machine.name} is heard again: {self._in_all()}")
            elif now > machine.heard + SILENT_S and machine.state is State.READY:
                machine.state = State.SILENT
                self._count()
                self._say(
                    f"{machine.name} is silent: what it has in play is played elsewhere too: "
                    f"{self._in_all()}"
                )
                for copy in machine.playing:
                    if not copy.pair.is_done:
                        self._wait_again(copy.pair)
        for address in self._machines.keys() - workers.keys():
            self._lose(self._machines[address])

    async def _welcome(self, machine: Machine) -> None:
        """Find out whether a machine fits, and make it ready."""
        try:
            machine.facts = await self._ask(machine, tasks.greet)
            own = harness_version()
            if machine.facts.harness != own["sources"]:
                raise _Unfit(
                    f"it has ladder {machine.facts.ladder} with harness {machine.facts.harness}, "
                    f"and this is {own['ladder']} with {own['sources']}: install the same version "
                    "on both"
                )
            archives = self._luggage.archives
            for name in await self._ask(machine, tasks.missing_archives, tuple(archives)):
                await self._ask(machine, tasks.keep_archive, name, archives[name])
            machine.prepared = await self._ask(
                machine, tasks.prepare, self._luggage.kit, self._sides
            )
            machine.facts = msgspec.structs.replace(
                machine.facts, speed=round(machine.prepared.speed, 1)
            )
            if len(machine.prepared.refused) == len(self._sides):
                raise _Unfit(next(iter(machine.prepared.refused.values())))
        except (Cancelled, asyncio.CancelledError):
            return
        except Exception as error:  # whatever another version of the program comes up with
            machine.state = State.REFUSED
            self._say(f"{machine.name} takes no part: {_sentence(error)}")
            return
        machine.state = State.READY
        machine.heard = time.monotonic()
        self._count()
        slots = counted(machine.slots, "slot")
        self._say(
            f"{machine.name} has joined with {slots} ({machine.facts.cpu}, "
            f"{machine.prepared.speed:.0f} M positions/s): {self._in_all()}"
        )
        for reason in machine.prepared.refused.values():
            self._say(f"{machine.name} does not play all bots: {reason}")
        self._hand_out()

    async def _ask(self, machine: Machine, function: Callable[..., Any], *words: Any) -> Any:
        """The result of a task on one machine."""
        self._counted += 1
        key = f"{self._prefix}-{function.__name__}-{self._session}-{self._counted}"
        future = self._client.submit(
            function, *words, key=key, pure=False, workers=[machine.address]
        )
        try:
            return await future
        finally:
            future.release()

    def _lose(self, machine: Machine, *, quietly: bool = False) -> None:
        """A machine is gone: its pairs are owed again."""
        self._machines.pop(machine.address, None)
        was, machine.state = machine.state, State.REFUSED
        for copy in list(machine.playing):
            self._drop(copy)
        self._count()
        if not quietly and was in (State.READY, State.SILENT):
            self._say(
                f"{machine.name} has left, and what it had in play is played elsewhere: "
                f"{self._in_all()}"
            )

    def _set_aside(self, machine: Machine, why: str) -> None:
        machine.state = State.SET_ASIDE
        for copy in list(machine.playing):
            self._drop(copy)
        self._count()
        self._say(f"{machine.name} is set aside, its pairs are played elsewhere: {why}")

    def _count(self) -> None:
        ready = [each for each in self._machines.values() if each.state is State.READY]
        self.slots = sum(machine.slots for machine in ready)

    def _in_all(self) -> str:
        ready = {each.name for each in self._machines.values() if each.state is State.READY}
        return f"{counted(len(ready), 'machine')}, {counted(self.slots, 'slot')}"

    # Pairs.

    def _wait_again(self, pair: Pair) -> None:
        self._counted += 1
        heapq.heappush(self._waiting, (pair.plan.number, self._counted, pair))

    def _hand_out(self) -> None:
        """Give away the pairs that wait, in the order of their numbers, as far as there is room."""
        if self._client is None or self._is_ending.is_set():
            return
        kept = []
        while self._waiting and any(each.room > 0 for each in self._machines.values()):
            entry = heapq.heappop(self._waiting)
            pair = entry[2]
            if pair.is_done or not (
                pair.future.running() or pair.future.set_running_or_notify_cancel()
            ):
                continue
            machine = self._best(pair)
            if machine is None:
                if not self._is_refused(pair):
                    kept.append(entry)
                continue
            self._give(pair, machine)
            self._check(pair, machine)
        for entry in kept:
            heapq.heappush(self._waiting, entry)

    def _is_refused(self, pair: Pair) -> bool:
        """Whether a pair was given up because all machines have refused it for long enough."""
        present = [each for each in self._machines.values() if each.state is not State.REFUSED]
        if any(each.prepared is None or each.takes(pair.plan) for each in present):
            pair.unwanted_since = None
            return False
        now = time.monotonic()
        if pair.unwanted_since is None:
            pair.unwanted_since = now
        if now < pair.unwanted_since + REFUSED_S:
            return False
        reasons = "; ".join(refusals(present, pair.plan))
        self._answer(
            pair, None, UsageError(f"no machine can play pair {pair.plan.number}: {reasons}")
        )
        return True

    def _answer(
        self, pair: Pair, machine: Machine | None, answer: PairRecord | BaseException
    ) -> None:
        pair.is_done = True
        self._settle(pair.future, None if machine is None else machine.facts, answer)

    def _best(self, pair: Pair) -> Machine | None:
        """The machine with the most room, for its size, that can play a pair and has not yet."""
        busy = {copy.machine for copy in pair.copies}
        able = [
            machine
            for machine in self._machines.values()
            if machine.room > 0
            and machine not in busy
            and machine.address not in pair.failed_on
            and machine.takes(pair.plan)
        ]
        return max(able, key=lambda each: each.room / each.slots, default=None)

    def _check(self, pair: Pair, machine: Machine) -> None:
        """Have a machine's first pair played on another one, too, where games must be equal."""
        if not self._compares or machine.is_checked:
            return
        other = self._best(pair)
        if other is not None:
            machine.is_checked = other.is_checked = True
            self._give(pair, other)

    def _give(self, pair: Pair, machine: Machine) -> None:
        copy = Copy(pair, machine)
        pair.copies.append(copy)
        machine.playing.add(copy)
        copy.task = self._spawn(self._play(copy))

    async def _play(self, copy: Copy) -> None:
        """Play a pair on one machine and take in what comes."""
        pair, machine = copy.pair, copy.machine
        self._counted += 1
        key = f"{self._prefix}-{pair.plan.number}-{self._session}-{self._counted}"
        assert machine.prepared is not None  # noqa: S101 - it is ready
        plan = self._adapt(_on_its_way(pair.plan), machine.prepared)
        begun = time.monotonic()
        future = self._client.submit(
            tasks.play,
            self._luggage.kit.key,
            plan,
            key=key,
            pure=False,
            workers=[machine.address],
            priority=-pair.plan.number,
        )
        try:
            record = await future
        except (Cancelled, asyncio.CancelledError):
            self._drop(copy)
        except Exception as error:
            self._fail(copy, error)
        else:
            self._take(copy, record, time.monotonic() - begun)
        finally:
            future.release()
        self._hand_out()

    def _take(self, copy: Copy, record: PairRecord, seconds: float) -> None:
        pair, machine = copy.pair, copy.machine
        if record.changed:
            self._fail(
                copy, LadderError(f"files in its cache have changed ({record.abort_reason})")
            )
            return
        self._remove(copy)
        machine.last_s = seconds
        self._note_stalls(machine, record)
        if not record.games and not pair.is_done:
            pair.failed_on.add(machine.address)
            if self._best(pair) is not None:
                self._wait_again(pair)
                return
        if not pair.is_done:
            pair.record, pair.by = record, machine
            self._answer(pair, machine, record)
        elif self._compares and pair.record is not None and record.games and pair.record.games:
            self._compare(pair, machine, record)

    def _compare(self, pair: Pair, machine: Machine, record: PairRecord) -> None:
        """Look whether a pair that was played twice was played alike."""
        assert pair.record is not None  # noqa: S101 - asked before
        assert pair.by is not None  # noqa: S101 - set with it
        if games_of(record) == games_of(pair.record):
            return
        names = " or ".join(dict.fromkeys((pair.plan.a.name, pair.plan.b.name)))
        self._say(
            f"pair {pair.plan.number} came out differently on {pair.by.name} and {machine.name}, "
            f"under a work budget: {names} does not play the same on the same seed, or one of the "
            "machines is bad"
        )

    def _fail(self, copy: Copy, error: Exception) -> None:
        """A pair could not be played to its end, for no reason of its bots."""
        pair, machine = copy.pair, copy.machine
        self._remove(copy)
        if pair.is_done:
            return
        if isinstance(error, SlotDied):
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
            self._wait_again(pair)
        if machine.state is State.READY:
            self._set_aside(machine, _sentence(error))

    def _note_stalls(self, machine: Machine, record: PairRecord) -> None:
        """Count the attempts at games; a machine that stalls while the others do not goes."""
        machine.attempts += [True] * record.aborts + [False] * len(record.games)
        del machine.attempts[:-WINDOW]
        if not record.aborts or machine.state is not State.READY:
            return
        stalled = sum(machine.attempts)
        others = [
            each
            for other in self._machines.values()
            if other is not machine and other.state is State.READY
            for each in other.attempts
        ]
        is_bad = stalled >= STALLS and stalled >= SHARE * len(machine.attempts)
        if is_bad and len(others) >= ATTEMPTS and sum(others) <= SHARE / 4 * len(others):
            self._set_aside(
                machine,
                f"it stalled at {stalled} of its last {len(machine.attempts)} attempts at a game, "
                "and the others do not",
            )

    def _drop(self, copy: Copy) -> None:
        """A copy comes to nothing; its pair is owed again when it was the last."""
        if copy not in copy.machine.playing:
            return
        self._remove(copy)
        if copy.task is not None and copy.task is not asyncio.current_task():
            copy.task.cancel()
        pair = copy.pair
        if not pair.is_done and not pair.copies:
            self._wait_again(pair)

    def _remove(self, copy: Copy) -> None:
        copy.machine.playing.discard(copy)
        with contextlib.suppress(ValueError):
            copy.pair.copies.remove(copy)

    def _spawn(self, work: Any) -> "asyncio.Task[None]":
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task


class _Unfit(Exception):
    """A machine cannot take part."""


def _on_its_way(plan: PairPlan) -> PairPlan:
    """A plan without this machine's paths."""
    return msgspec.structs.replace(
        plan, a=with_start(plan.a, ELSEWHERE), b=with_start(plan.b, ELSEWHERE)
    )


def _sentence(error: BaseException) -> str:
    return in_one_line(str(error)) or type(error).__name__


def counted(number: int, word: str) -> str:
    """A number of things in words."""
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
