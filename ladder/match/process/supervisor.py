# ruff: noqa: SIM105 - contextlib would cost milliseconds at every start of a bot
"""The small parent of one bot: starts it, limits it, and leaves nothing of it behind.

A program of its own, run with ``python -I -S``: it and the two small modules that it imports use
the standard library only, and of that only what loads quickly (``signal``, ``json`` and
``subprocess`` cost 5 to 13 ms each).

    harness --control pipe--> supervisor     its end ends the bot; see `ControlChannel`
    harness <--status pipe--- supervisor     one line per event, see `report`
    harness <==stdin, stdout==> bot          directly: no move passes through the supervisor
              supervisor <--stderr-- bot     into a log file with a cap

The supervisor is a child subreaper (Linux 3.4): every descendant whose parent ends becomes its
child, so that "no child left" (ECHILD) means that nothing of the bot is alive, not even what left
its session or forked twice. Where the kernel has the means, the bot cannot signal its supervisor
(`signal_scope`) and has a control group (`cgroups`). Should the supervisor be killed all the same,
the bot dies with it (PR_SET_PDEATHSIG) or is ended by the harness, to which every orphan goes
(`orphans`).
"""

import ctypes
import errno
import fcntl
import os
import resource
import select
import sys
import time

from ladder.match.process.cgroups import BotGroup, end_group
from ladder.match.process.procfs import (
    TICKS_S,
    cpu_clock,
    cpu_ticks,
    descendants,
    disk_kb,
    proportional_kb,
    read,
    resident_kb,
    waited_ns,
    written_kb,
)
from ladder.match.process.shared_memory import SharedMemory, Uncountable, mapped_kb
from ladder.match.process.signal_scope import renounce_privileges, scope_signals
from ladder.match.process.stderr_log import Log

NAME = b"ladder-guard"
"""The name of a supervisor among the processes (PR_SET_NAME)."""

UNSEEN_S = 0.02
"""CPU time of a group beyond that of its first process that shows that there were others."""
LAST_WORDS = 4000
"""Bytes of stderr reported to the harness."""
QUICKEST_S, SLOWEST_S = 0.02, 0.2
"""Bounds of the pause between two looks at what the bot uses."""
GROWTH_KB_S = 4 * 1024 * 1024
"""Memory can hardly grow faster than this, so the pause follows from what is left of the limit."""
SPARE_TASKS = 1024
"""Room below the kernel's limit of tasks for threads, other bots and whatever the user starts."""
PATIENCE_S = 10.0
"""How long a process may take to die of SIGKILL (one stuck in the kernel never does)."""
PR_SET_PDEATHSIG, PR_SET_NAME, PR_SET_CHILD_SUBREAPER = 1, 15, 36
SIGHUP, SIGINT, SIGKILL, SIGTERM = 1, 2, 9, 15
SIG_DFL, SIG_IGN, SIG_SETMASK = 0, 1, 2


def main(arguments: list[str]) -> None:
    """Run one bot: ``control=FD status=FD folder=DIR scratch=DIR [NAME=VALUE...] -- WORDS``.

    Further names are ``log`` (a file), ``group`` (the folder of a control group to be made),
    ``scoped`` (the bot may signal nothing but itself) and the limits.
    """
    cut = arguments.index("--")
    options = dict(word.split("=", 1) for word in arguments[:cut])
    control, status = int(options["control"]), int(options["status"])
    os.set_inheritable(control, False)
    os.set_inheritable(status, False)
    libc = ctypes.CDLL(None)
    for signal in (SIGHUP, SIGINT, SIGTERM):  # it ends when the harness wants it to
        libc.signal(signal, ctypes.c_void_p(SIG_IGN))
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(PR_SET_NAME, NAME, 0, 0, 0)
    scratch = options["scratch"]
    log = Log(options.get("log"))
    try:
        os.mkdir(scratch, 0o700)
        # For `ladder.match.process.leftovers`: freed however the supervisor ends. The bot's copy
        # closes at exec.
        held = os.open(scratch, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as failure:
        report(status, f"failed cannot make its scratch folder {scratch}: {failure.strerror}")
        return
    group = make_group(options)
    try:
        bot, stderr = start(libc, arguments[cut + 1 :], options["folder"], options, group)
        report(status, f"started {bot}")
        if group is not None and not group.is_entered:
            end_group(group.folder, 0)
            group = None
        orders = ControlChannel(control)
        supervise(bot, stderr, orders, status, log, Watch(options, group))
        all_ended = end_all(group)
        for line in orders.headings():
            log.head(line)
        log.drain(stderr)
        report(status, f"stderr {bytes(log.tail[-LAST_WORDS:]).hex()}")
        if all_ended:
            report(status, "gone")
    except CannotStart as failure:
        report(status, f"failed {failure}")
    except OSError as failure:
        report(status, f"failed the supervisor cannot work: {failure}")
    finally:
        end_all(group)
        log.flush()
        remove(scratch)


def make_group(options: dict[str, str]) -> BotGroup | None:
    """Make the bot's control group; None if there is to be none, or it cannot be made."""
    if "group" not in options:
        return None
    try:
        return BotGroup.make(options["group"], options)
    except OSError:
        return None


class CannotStart(Exception):
    """The sentence says why the bot's program cannot be started."""


def report(status: int, event: str) -> None:
    """Tell the harness an event: started, family (it has more than one process), failed, limit,
    exited, killed, stderr or gone, and the detail."""
    try:
        os.write(status, event.replace("\n", " ").encode("utf-8", "backslashreplace") + b"\n")
    except OSError:
        pass  # nobody listens any more


def start(
    libc: ctypes.CDLL,
    command: list[str],
    folder: str,
    options: dict[str, str],
    group: BotGroup | None,
) -> tuple[int, int]:
    """Start the bot on our stdin and stdout, which we let go; its pid and the end of its stderr.

    Raises:
        CannotStart: the folder or the program is missing or cannot be run.

    """
    parent = os.getpid()
    stderr_read, stderr_write = os.pipe()
    problem_read, problem_write = os.pipe()
    pid = -1 if group is None else group.fork(libc)
    if pid < 0:
        pid = os.fork()
    if pid == 0:
        step = "folder"
        try:
            become_bot(libc, parent, stderr_write, options)
            os.chdir(folder)
            renounce_privileges(libc, command[0])
            if "scoped" in options:
                scope_signals(libc)
            step = "program"
            os.execvp(command[0], command)  # noqa: S606 - the user's own command, no shell wanted
        except OSError as failure:
            os.write(problem_write, f"{step} {failure.errno}".encode())
        finally:
            os._exit(127)
    nothing = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1):  # only the bot holds its pipes, or the harness would never see EOF
        os.dup2(nothing, descriptor, inheritable=False)
    for descriptor in (nothing, stderr_write, problem_write):
        os.close(descriptor)
    problem = os.read(problem_read, 100).decode()  # empty once the program runs
    os.close(problem_read)
    if problem:
        os.close(stderr_read)
        step, number = problem.split()
        raise CannotStart(why_not(step, int(number), command[0], folder))
    os.set_blocking(stderr_read, False)
    return pid, stderr_read


def become_bot(libc: ctypes.CDLL, parent: int, stderr: int, options: dict[str, str]) -> None:
    """In the child, before exec: own session, dies with us, signals as new, limits, descriptors."""
    os.setsid()
    libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(127)
    for signal in range(1, 65):  # Python ignores SIGPIPE, and exec would hand that on
        libc.signal(signal, ctypes.c_void_p(SIG_DFL))
    libc.sigprocmask(SIG_SETMASK, ctypes.create_string_buffer(128), None)
    os.dup2(stderr, 2)
    # All other descriptors, `problem_write` too, close by themselves at exec.
    mib = 1024 * 1024
    if "processes" in options:
        # The kernel counts all tasks of the user, so this is no more than a stop for fork bombs.
        tasks = int(read("/proc/loadavg").split()[3].split(b"/")[1])
        options["tasks"] = str(tasks + int(options["processes"]) + SPARE_TASKS)
    for kind, name, unit in (
        (resource.RLIMIT_CORE, "core", 1),
        (resource.RLIMIT_NOFILE, "open_files", 1),
        (resource.RLIMIT_FSIZE, "file_mb", mib),
        (resource.RLIMIT_AS, "address_mb", mib),
        (resource.RLIMIT_NPROC, "tasks", 1),
    ):
        wanted = int(options.get(name, 0)) * unit
        if wanted or name == "core":
            _, most = resource.getrlimit(kind)
            if most != resource.RLIM_INFINITY:
                wanted = min(wanted, most)
            resource.setrlimit(kind, (wanted, wanted))


def why_not(step: str, number: int, program: str, folder: str) -> str:
    """A sentence that its author can act on."""
    if step == "folder":
        return f"cannot start {program}: cannot enter its folder {folder} ({os.strerror(number)})"
    reasons = {
        errno.ENOENT: f"no such file in {folder} or on PATH"
        if "/" not in program
        else f"no such file in {folder}, or the interpreter that its first line names is missing",
        errno.EACCES: "it is not executable (chmod +x makes it so)",
        errno.ENOEXEC: "it is neither a program of this machine nor a script that begins with #!",
    }
    return f"cannot start {program}: {reasons.get(number, os.strerror(number))}"


def supervise(
    bot: int, stderr: int, orders: "ControlChannel", status: int, log: Log, watch: "Watch"
) -> None:
    """Return when the bot has ended, has passed a limit, or the harness wants its end."""
    ended = os.pidfd_open(bot)
    poller = select.poll()
    poller.register(orders.control, 0)  # its end wakes us; a byte in it waits for the next look
    for descriptor in (stderr, ended):
        poller.register(descriptor, select.POLLIN)
    look = 0.0
    family_told = False
    while True:
        for descriptor, _ in poller.poll(max(0.0, look - time.monotonic()) * 1000):
            if descriptor == orders.control:
                kill_group(bot)
                return
            if descriptor == ended:
                kill_group(bot)
                _, code = os.waitpid(bot, 0)
                if passed := watch.out_of_memory():
                    report(status, f"limit {passed}")
                elif os.WIFSIGNALED(code):
                    report(status, f"killed {os.WTERMSIG(code)}")
                else:
                    report(status, f"exited {os.WEXITSTATUS(code)}")
                return
            for line in orders.headings():
                log.head(line)
            if log.read(stderr) == 0:
                poller.unregister(stderr)
        now = time.monotonic()
        if now < look:
            continue
        log.flush()
        reaped = reap_adopted(bot)
        passed = watch.passed(orders.a_game_began())
        if not family_told and (reaped or watch.has_children(bot)):
            family_told = True
            report(status, "family")
        if passed:
            report(status, f"limit {passed}")
            kill_group(bot)
            return
        look = now + watch.pause


class ControlChannel:
    """The lines that the harness writes into the control pipe; nobody is woken by them."""

    def __init__(self, control: int) -> None:
        os.set_blocking(control, False)
        self.control = control
        self.rest = b""
        self.began = False
        self.lines: list[bytes] = []

    def read(self) -> None:
        """Take the lines that have come: a game has begun, or a line is to head the log."""
        try:
            *lines, self.rest = (self.rest + os.read(self.control, 65536)).split(b"\n")
        except BlockingIOError:
            return
        for line in lines:
            if line == b"game":
                self.began = True
            elif line.startswith(b"head "):
                self.lines.append(line[5:])

    def a_game_began(self) -> bool:
        """Whether one has since the last call."""
        self.read()
        began, self.began = self.began, False
        return began

    def headings(self) -> list[bytes]:
        """The lines that have come for the log since the last call."""
        self.read()
        lines, self.lines = self.lines, []
        return lines


def reap_adopted(bot: int) -> bool:
    """Let go of ended orphans, and say whether there were any; `supervise` waits for the bot."""
    any_ended = False
    while True:
        info = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if info is None or info.si_pid == bot:
            return any_ended
        os.waitpid(info.si_pid, 0)
        any_ended = True


def end_all(group: BotGroup | None) -> bool:
    """Kill every descendant and remove the group; False if one withstands for PATIENCE_S."""
    if group is not None:
        end_group(group.folder, 0)  # all at once, so that none can flee
    me = os.getpid()
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for pid in descendants(me):
            kill(pid)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return group is None or end_group(group.folder, PATIENCE_S)
        time.sleep(0.0005)
    return False


def kill_group(bot: int) -> None:
    """SIGKILL for the bot and all in its process group, so that none can fork in between.

    The bot is not reaped yet, or its number could be another's.
    """
    try:
        os.killpg(bot, SIGKILL)
    except OSError:
        pass


def kill(pid: int) -> None:
    """SIGKILL, if it is still there."""
    try:
        os.kill(pid, SIGKILL)
    except OSError:
        pass


class Watch:
    """Looks at what the bot and its descendants use, and says when it is too much."""

    def __init__(self, options: dict[str, str], group: BotGroup | None) -> None:
        def limit(name: str, unit: int) -> int:
            return int(options.get(name, 2**40)) * unit

        self.memory_kb = limit("memory_mb", 1024)
        self.processes = limit("processes", 1)
        self.scratch_kb = limit("scratch_mb", 1024)
        self.written_kb = limit("written_mb", 1024)
        self.cpu_s = limit("cpu_s", 1)
        self.began_s: float | None = None
        """CPU time at the beginning of the game; None before the first."""
        self.scratch = options["scratch"]
        self.pause = SLOWEST_S
        """Seconds until the next look."""
        self.shared_kb = 0
        """Shared memory in KiB, by the last look at the pages themselves. Such a look is rare: it
        holds up the bot's own calls for memory as long as it lasts."""
        self.looks = 0
        self.group = group
        self.shared_memory = SharedMemory()
        self.pids: list[int] = []
        """The bot and its descendants at the last look."""

    def passed(self, a_game_began: bool) -> str:
        """The kind of the limit that is passed and a sentence about it; empty: none."""
        pids = self.pids = descendants(os.getpid(), self.processes)
        if len(pids) > self.processes:
            return f"processes over its limit of {self.processes} processes, threads not counted"
        if passed := self.out_of_memory():
            return passed
        if self.group is not None and not self.group.all_in(pids):
            return "group by moving a process out of its control group"
        try:
            held = self.shared_memory.held_kb(pids)
        except Uncountable as reason:
            return f"memory by {reason}"
        resident = resident_kb(pids)
        if held:  # what no process maps
            resident += max(0, held - mapped_kb(pids))
        used = resident - self.shared_kb
        self.looks += 1
        if used > self.memory_kb or (resident > self.memory_kb and self.looks % 10 == 0):
            pss, pss_shared = proportional_kb(pids)
            used = pss + max(0, held - pss_shared)
            self.shared_kb = max(0, resident - used)
            if used > self.memory_kb:
                return (
                    f"memory over its memory limit: {used // 1024} MiB resident in {len(pids)}"
                    f" process(es), {self.memory_kb // 1024} MiB allowed"
                )
        left = max(0, self.memory_kb - used)
        self.pause = min(SLOWEST_S, max(QUICKEST_S, left / GROWTH_KB_S))
        if written_kb(pids) > self.written_kb:
            return f"written over its limit of {self.written_kb // 1024} MiB written to disk"
        spent_s = self.used_cpu_s(pids)
        if a_game_began:
            self.began_s = spent_s
        if self.began_s is not None and spent_s - self.began_s > self.cpu_s:
            return f"cpu over its limit of {self.cpu_s} s CPU time in one game"
        if self.looks % 5 == 0 and disk_kb(self.scratch, self.scratch_kb) > self.scratch_kb:
            return f"scratch over its limit of {self.scratch_kb // 1024} MiB in its scratch folder"
        return ""

    def out_of_memory(self) -> str:
        """The limit passed, in the words of `passed`, if the kernel found so for the group."""
        if self.group is None:
            return ""
        if self.group.was_out_of_memory() or self.group.memory_kb() * 8 > self.memory_kb * 9:
            return (
                f"memory over its memory limit: the kernel counts more than the"
                f" {self.memory_kb // 1024} MiB allowed for its control group"
            )
        return ""

    def has_children(self, bot: int) -> bool:
        """Whether the bot has, or had, more than one process, as far as the last look tells."""
        if self.group is not None:
            try:
                own_s = time.clock_gettime(cpu_clock(bot))
            except OSError:  # it has ended
                return False
            if self.group.cpu_s() > own_s + UNSEEN_S:
                return True
        return len(self.pids) > 1 or waited_ns([bot]) > 0

    def used_cpu_s(self, pids: list[int]) -> float:
        """CPU time of these processes, of those they have waited for, and of those that we have.

        With a control group this includes processes that were never waited for.
        """
        reaped = resource.getrusage(resource.RUSAGE_CHILDREN)
        known = cpu_ticks(pids) / TICKS_S + reaped.ru_utime + reaped.ru_stime
        return known if self.group is None else max(known, self.group.cpu_s())


def remove(folder: str) -> None:
    """Delete a folder and what is in it, without following links; its users have ended."""
    try:
        os.rmdir(folder)
        return
    except OSError:
        pass
    try:
        os.chmod(folder, 0o700)
        with os.scandir(folder) as entries:
            listed = list(entries)
        for entry in listed:
            if entry.is_dir(follow_symlinks=False):
                remove(entry.path)
            else:
                os.unlink(entry.path)
        os.rmdir(folder)
    except (OSError, RecursionError):
        pass


def run() -> None:
    """The process's entry."""
    try:
        main(sys.argv[1:])
    finally:
        os._exit(0)  # nothing to tidy, and the harness waits for the end
