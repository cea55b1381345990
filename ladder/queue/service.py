"""The service that plays the queue.

It plays nothing itself: it starts the ordinary commands of the experiments as child processes,
divides the slots among them, and stores their results. A command that was interrupted, by a kill of
any process or by the service, is started again and resumes its run. Several services may play one
queue: an entry is claimed in one transaction, and the entries of a service that has died, which its
lock shows, wait again.
"""

import contextlib
import os
import signal
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from db.errors import DatabaseError
from db.records.queue import EntryRequest, EntryRow, EntryState, NewService, ServiceRow
from db.store import ProcessLocks, Store
from ladder.errors import ExitCode, LadderError, Stopped
from ladder.queue.command import CommandResult, PlayedCommand
from ladder.queue.command_server import CommandServer
from ladder.queue.jobs import release_orphans
from ladder.queue.link import StartMessage
from ladder.queue.shares import divide_machines, entry_to_stop, next_entry, shares
from ladder.queue.slots import Slots
from ladder.runs.cluster.archive import unpack
from ladder.runs.cluster.shipped_cache import archives_folder, mark_used
from ladder.signals import current_stop

POLL_S = 0.25
"""Longest time between two looks at the queue."""
SEEN_S = 10.0
"""Seconds between two marks that the service is alive, and between two looks for dead services."""
TURN_S = 60.0
"""Seconds after which experiments move on among the machines of a cluster."""
STOP_S = 60.0
"""Seconds after which an interrupted command is killed."""
LOADED = ("ladder.cli.run_and_report", "ladder.experiments.gate.session")
CLUSTER = "ladder.runs.cluster.executor"
"""Modules that are loaded before a command is known."""
MOST_DEATHS = 3
"""Kills of a command without a further game after which its experiment has failed."""
IDLE, LOCAL = "analyze", "suite run"
"""The command that only uses CPUs that are idle, and the one that never uses a cluster."""


@dataclass(kw_only=True)
class QueueService:
    """Plays the queue of a database until a stop is requested. Used once."""

    store: Store
    db: str
    """The database for commands: an absolute path or a URL."""
    slots: Slots
    jobs: int
    """Most experiments at a time."""
    report: Callable[[str], None]
    """Takes one line for each event."""
    _playing: dict[int, PlayedCommand] = field(default_factory=dict)
    """The commands by their entries' ids."""
    _deaths: dict[int, tuple[int, int | None, int]] = field(default_factory=dict)
    """Kills in a row by entry, and its run and stored games at the last one."""
    _next_look: float = 0.0

    def run(self) -> None:
        """Play until a stop is requested; entries in play then wait to be resumed."""
        with contextlib.closing(self.store.service_lock()) as lock:
            self._row = self._start_service(lock)
            locks = contextlib.closing(self.store.run_lock())
            with current_stop().defer(), locks as self._locks:
                self._server = self._start_server()
                try:
                    while not current_stop().is_requested():
                        self._step()
                        self._wait()
                finally:
                    self._stop_all()
                    self._server.close()

    def _start_service(self, lock: ProcessLocks) -> ServiceRow:
        while True:
            row = self.store.queue.start_service(
                NewService(
                    host=socket.gethostname(),
                    pid=os.getpid(),
                    cluster=self.slots.cluster,
                    jobs=self.jobs,
                )
            )
            if lock.try_acquire(row.id):
                return row

    def _step(self) -> None:
        """Handle everything that has happened since the last step."""
        now = time.monotonic()
        if now >= self._next_look:
            self._next_look = now + SEEN_S
            self.store.queue.mark_service_seen(self._row.id)
            for entry in release_orphans(self.store):
                self.report(f"{_name(entry)} is {entry.state.value}: its service has died")
        self._collect()
        self._obey(now)
        self._start_entries()
        self._divide()

    def _wait(self) -> None:
        """Wait for the next event of a command, or until the queue should be looked at again."""
        descriptors = [command.descriptor for command in self._playing.values()]
        with contextlib.suppress(Stopped):  # the caller looks for that
            current_stop().wait_ready(*descriptors, timeout_s=POLL_S)

    # Commands.

    def _collect(self) -> None:
        """Store the runs and results of commands."""
        for entry_id, command in list(self._playing.items()):
            command.receive()
            if command.run_id is not None and command.run_id != command.entry.run_id:
                self.store.queue.set_run(entry_id, command.run_id)
            result = command.poll()
            if result is not None:
                command.close()
                del self._playing[entry_id]
                self._finish(command, result)

    def _finish(self, command: PlayedCommand, result: CommandResult) -> None:
        entry = command.entry
        deaths = self._count_deaths(command) if result.code < 0 else 0
        is_resumable = result.code == ExitCode.STOPPED or 0 < deaths < MOST_DEATHS
        if is_resumable or (result.code < 0 and command.is_ending):
            for released in self.store.queue.release([self._row.id], entry.id):
                why = "" if command.is_ending else f": its command was killed ({_cause(result)})"
                self.report(f"{_name(entry)} is {released.state.value}{why}")
            return
        message = result.message
        if result.code < 0:
            message = f"its command was killed {deaths} times in a row ({_cause(result)})"
        self._store_end(entry, result.code, result.output, message)

    def _count_deaths(self, command: PlayedCommand) -> int:
        """Return how often a command was killed without a further game, this time included."""
        games = 0 if command.run_id is None else self.store.games.count(command.run_id)
        deaths, *progress = self._deaths.get(command.entry.id, (0, None, 0))
        deaths = deaths + 1 if progress == [command.run_id, games] else 1
        self._deaths[command.entry.id] = deaths, command.run_id, games
        return deaths

    def _store_end(self, entry: EntryRow, code: int, output: str, message: str) -> None:
        ended = self.store.queue.finish(
            entry.id,
            self._row.id,
            exit_code=code,
            output=output,
            message="" if code in (0, 3, 4) else message,
        )
        if ended is not None:
            why = f": {ended.message}" if ended.message else ""
            self.report(f"{_name(entry)} is {ended.state.value}, exit code {code}{why}")

    def _obey(self, now: float) -> None:
        """Interrupt the commands that users have cancelled or paused, or that have lost a claim."""
        mine = {entry.id: entry for entry in self.store.queue.played_by(self._row.id)}
        for entry_id, command in list(self._playing.items()):
            entry = mine.get(entry_id)
            if entry is None:  # the lock was lost for a while: the entry waits, or another plays it
                command.kill()
                command.close()
                del self._playing[entry_id]
                self.report(
                    f"{_name(command.entry)} was released: the lock of this service was lost"
                )
                continue
            command.entry = entry
            if entry.request in (EntryRequest.CANCEL, EntryRequest.PAUSE):
                command.interrupt()
            if command.interrupted_at is not None and now > command.interrupted_at + STOP_S:
                command.kill()

    def _stop_all(self) -> None:
        """Interrupt all commands, and let their entries wait to be resumed."""
        for command in self._playing.values():
            command.interrupt()
        deadline = time.monotonic() + STOP_S
        while self._playing:
            self._collect()
            if time.monotonic() > deadline:
                for command in self._playing.values():
                    command.kill()
            time.sleep(POLL_S / 5)

    # The queue.

    def _start_entries(self) -> None:
        """Claim and start entries while there is room, and make room for authors without any."""
        waiting = self.store.queue.waiting()
        while waiting:
            everywhere = self.store.queue.find(states=[EntryState.PLAYING])
            if self._room() <= 0:
                self._make_room(waiting, everywhere)
                return
            chosen = next_entry(waiting, everywhere)
            if chosen is None:
                return
            waiting.remove(chosen)
            if chosen.id in self._playing:
                continue  # it was released a moment ago; `_obey` ends its command first
            if chosen.run_id is not None and self._locks.is_alive(chosen.run_id):
                continue  # a command of a service that has just died still saves
            claimed = self.store.queue.claim(chosen.id, self._row.id)
            if claimed is not None:
                self._start(claimed)

    def _room(self) -> int:
        """Return how many further experiments can be played."""
        playing = sum(not command.is_ending for command in self._playing.values())
        return min(self.jobs, self.slots.total) - playing

    def _make_room(self, waiting: list[EntryRow], everywhere: list[EntryRow]) -> None:
        """Interrupt one experiment if an author who plays none waits."""
        if any(command.is_ending for command in self._playing.values()):
            return
        own = [command.entry for command in self._playing.values()]
        entry = entry_to_stop(waiting, everywhere, own)
        if entry is not None:
            self.report(f"{_name(entry)} makes room for another author")
            self._playing[entry.id].interrupt()

    def _start(self, entry: EntryRow) -> None:
        try:
            placements = self._unpack_bots(entry)
        except (LadderError, DatabaseError, OSError) as error:
            self._store_end(entry, ExitCode.USAGE, "", str(error))
            return
        if not self._server.is_alive:
            self._server.close()
            self._server = self._start_server()
        message = StartMessage(
            words=entry.words,
            db=self.db,
            folder=entry.folder,
            address=self.slots.cluster,
            certificates=self.slots.certificates,
            insecure=self.slots.insecure,
            run=entry.run_id,
            placements=placements,
        )
        self._playing[entry.id] = PlayedCommand(entry, message, self._server)
        again = "resumes" if entry.run_id is not None else "starts"
        self.report(f"{_name(entry)} {again}: {' '.join(entry.words)} ({entry.author})")

    def _start_server(self) -> CommandServer:
        return CommandServer(LOADED if self.slots.cluster is None else (*LOADED, CLUSTER))

    def _unpack_bots(self, entry: EntryRow) -> dict[int, tuple[str, str]]:
        """Unpack the submitted bots; return the specification and the folder of each."""
        found = {}
        for bot in self.store.queue.bots(entry.id):
            if bot.archive is None:
                continue
            folder = archives_folder() / bot.archive
            if not folder.is_dir():
                unpack(self.store.queue.archive(bot.archive), folder)
            mark_used([folder])
            found[bot.revision_id] = (bot.spec, str(folder))
        return found

    # Slots.

    def _divide(self) -> None:
        """Give each command its share; slots move on only after they are free."""
        machines = self.slots.machines
        unshared = (IDLE,) if machines is None else (IDLE, LOCAL)
        own = {
            entry_id: command.entry
            for entry_id, command in self._playing.items()
            if not command.is_ending and command.entry.command not in unshared
        }
        others = [each for each in self._entries_of_others() if each.command not in unshared]
        given = shares([*own.values(), *others], self.slots.total)
        if machines is not None:
            divided = divide_machines(given, machines, int(time.time() / TURN_S))
            for entry_id in own:
                self._playing[entry_id].set_share(given[entry_id], divided[entry_id])
            return
        for entry_id in own:
            command = self._playing[entry_id]
            command.set_share(min(given[entry_id], command.share.slots))
        free = self.slots.total - sum(given[entry.id] for entry in others)
        free -= sum(command.held for command in self._playing.values())
        for entry_id in own:
            command = self._playing[entry_id]
            more = min(free, given[entry_id] - command.held)
            if more > 0:
                free -= more
                command.set_share(command.held + more)

    def _entries_of_others(self) -> list[EntryRow]:
        """Return the entries that other services play on the same machines."""
        same = {
            row.id
            for row in self.store.queue.services()
            if row.cluster == self._row.cluster
            and (row.cluster is not None or row.host == self._row.host)
        } - {self._row.id}
        playing = self.store.queue.find(states=[EntryState.PLAYING]) if same else []
        return [entry for entry in playing if entry.service_id in same]


def _name(entry: EntryRow) -> str:
    return f"experiment {entry.id}"


def _cause(result: CommandResult) -> str:
    return signal.Signals(-result.code).name
