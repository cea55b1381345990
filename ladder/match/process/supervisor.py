# ruff: noqa: SIM105 - contextlib would cost milliseconds at every start of a bot
"""The parent process of one bot: starts it, enforces its limits, and kills everything it started.

This is a program of its own, run with ``python -I -S``. It and the small modules that it imports
use only fast parts of the standard library (``signal``, ``json`` and ``subprocess`` would cost 5 to
13 ms each).

    harness --control pipe--> supervisor     nothing is written; closing it ends the bot
    harness <--status pipe--- supervisor     one line per event, see `report`
    harness <==stdin, stdout==> bot          direct: no move passes through the supervisor
              supervisor <--stderr-- bot     into a log file of limited size

The supervisor is a child subreaper (Linux 3.4): each descendant whose parent ends becomes its
child. So when it has no child left (ECHILD), nothing of the bot is alive, not even a process that
left the session or forked twice. Where this user may create control groups, the bot has one
(`limits`). If the supervisor is killed, the bot dies with it (PR_SET_PDEATHSIG), and the harness
inherits and kills its descendants (`orphans`).
"""

import ctypes
import errno
import fcntl
import os
import select
import sys
import time

from ladder.match.process.limits import (
    LimitMonitor,
    end_group,
    enter_group,
    limit_process,
    make_group,
)
from ladder.match.process.procfs import descendants

NAME = b"ladder-guard"
"""Process name of a supervisor (PR_SET_NAME)."""

HEAD = TAIL = 64 * 1024
"""Bytes of stderr logged from its beginning and from its end."""
REPORTED_STDERR = 4000
"""Bytes of stderr reported to the harness."""
PATIENCE_S = 10.0
"""How long to wait for processes to die of SIGKILL; one that hangs in the kernel never does."""
PR_SET_PDEATHSIG, PR_SET_NAME, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 15, 36, 38
SIGHUP, SIGINT, SIGKILL, SIGTERM = 1, 2, 9, 15
SIG_DFL, SIG_IGN, SIG_SETMASK = 0, 1, 2


def main(arguments: list[str]) -> None:
    """Run one bot: ``control=FD status=FD folder=DIR scratch=DIR [NAME=VALUE...] -- WORDS``.

    Further names are ``copy`` (a folder that is copied into the scratch folder as ``files``),
    ``log`` (a file), ``group`` (the folder of a new control group) and the limits.
    """
    separator = arguments.index("--")
    options = dict(word.split("=", 1) for word in arguments[:separator])
    control, status = int(options["control"]), int(options["status"])
    os.set_inheritable(control, False)
    os.set_inheritable(status, False)
    libc = ctypes.CDLL(None)
    become_supervisor(libc)
    scratch = options["scratch"]
    try:
        make_scratch(scratch)
        if "copy" in options:
            import shutil

            shutil.copytree(options["copy"], f"{scratch}/files", symlinks=True)
            make_writable(scratch)
    except OSError as failure:
        report(status, f"broken cannot fill the scratch folder {scratch}: {failure.strerror}")
        remove(scratch)
        return
    group = options.get("group", "")
    if group and not make_group(group, options):
        group = options["group"] = ""
    try:
        bot, stderr = start(libc, arguments[separator + 1 :], options["folder"], options)
        report(status, f"started {bot}")
        log = Log(stderr, options.get("log", ""))
        supervise(bot, control, status, log, LimitMonitor(options))
        all_ended = end_all(group)
        log.finish()
        report(status, f"stderr {log.tail[-REPORTED_STDERR:].hex()}")
        if all_ended:
            report(status, "gone")
    except CannotStart as failure:
        report(status, f"failed {failure}")
    except OSError as failure:
        report(status, f"broken its supervisor failed: {failure}")
    finally:
        end_all(group)
        remove(scratch)


def become_supervisor(libc: ctypes.CDLL) -> None:
    """Adopt all descendants of this process, ignore signals and set its name."""
    for signal in (SIGHUP, SIGINT, SIGTERM):  # only the harness decides when the bot ends
        libc.signal(signal, ctypes.c_void_p(SIG_IGN))
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(PR_SET_NAME, NAME, 0, 0, 0)


def make_scratch(folder: str) -> None:
    """Create the bot's scratch folder, and lock it until this process ends.

    The lock shows `ladder.match.process.leftovers` that the folder is in use. The kernel frees it
    however the supervisor ends, and the bot's copy closes at exec.

    Raises:
        OSError: the folder cannot be created.

    """
    os.mkdir(folder, 0o700)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class CannotStart(Exception):
    """The bot's program cannot be started, for the reason in the message."""


def report(status: int, event: str) -> None:
    """Report an event to the harness as one line: its kind, a space and its detail.

    The kinds are those that `SupervisorReport.apply` reads, such as ``started 4711`` or
    ``memory over its memory limit: ...``.
    """
    try:
        os.write(status, event.replace("\n", " ").encode("utf-8", "backslashreplace") + b"\n")
    except OSError:  # the harness has closed the pipe
        pass


def start(
    libc: ctypes.CDLL, command: list[str], folder: str, options: dict[str, str]
) -> tuple[int, int]:
    """Start the bot on this process's stdin and stdout, which are replaced by /dev/null here.

    Returns:
        The bot's process id and the reading end of its stderr.

    Raises:
        CannotStart: the folder or the program is missing or cannot be run.

    """
    parent = os.getpid()
    stderr_read, stderr_write = os.pipe()
    problem_read, problem_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        step = "folder"
        try:
            become_bot(libc, parent, stderr_write, options)
            os.chdir(folder)
            step = "program"
            os.execvp(command[0], command)  # noqa: S606 - the user's own command, without a shell
        except OSError as failure:
            os.write(problem_write, f"{step} {failure.errno}".encode())
        finally:
            os._exit(127)
    nothing = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1):  # the harness sees EOF only if no other process has the bot's pipes
        os.dup2(nothing, descriptor, inheritable=False)
    for descriptor in (nothing, stderr_write, problem_write):
        os.close(descriptor)
    problem = os.read(problem_read, 100).decode()  # empty when exec succeeds and closes the pipe
    os.close(problem_read)
    if problem:
        os.close(stderr_read)
        step, number = problem.split()
        raise CannotStart(explain_failed_start(step, int(number), command[0], folder))
    os.set_blocking(stderr_read, False)
    return pid, stderr_read


def become_bot(libc: ctypes.CDLL, parent: int, stderr: int, options: dict[str, str]) -> None:
    """Prepare the child for exec: session, signals, stderr, limits and privileges.

    No setuid program such as sudo gains rights for the bot (`no_new_privs`), which could then start
    processes that this user cannot kill.
    """
    os.setsid()
    libc.prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0)
    if os.getppid() != parent:  # the supervisor ended before the line above
        os._exit(127)
    for signal in range(1, 65):  # Python ignores SIGPIPE, which exec would pass on
        libc.signal(signal, ctypes.c_void_p(SIG_DFL))
    libc.sigprocmask(SIG_SETMASK, ctypes.create_string_buffer(128), None)
    os.dup2(stderr, 2)
    # All other descriptors, including `problem_write`, close by themselves at exec.
    limit_process(options)
    if group := options.get("group"):
        enter_group(group)
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def explain_failed_start(step: str, number: int, program: str, folder: str) -> str:
    """Return why a program cannot be started and what to do about it."""
    if step == "folder":
        return f"cannot start {program}: cannot enter its folder {folder} ({os.strerror(number)})"
    reasons = {
        errno.ENOENT: f"no such file in {folder} or on PATH"
        if "/" not in program
        else f"no such file in {folder}, or no interpreter of its first line",
        errno.EACCES: "it is not executable (chmod +x makes it so)",
        errno.ENOEXEC: "it is neither a program of this machine nor a script that begins with #!",
    }
    return f"cannot start {program}: {reasons.get(number, os.strerror(number))}"


class Log:
    """The head and the tail of stderr in a file, created with the first byte."""

    def __init__(self, stderr: int, path: str) -> None:
        self.stderr = stderr
        self.path = path
        self.length = 0
        """Bytes read so far."""
        self.tail = b""
        """The last of them."""

    def read(self) -> int:
        """Log what is in the pipe; return the number of bytes: 0 at its end, -1 if it is empty."""
        try:
            data = os.read(self.stderr, 65536)
        except BlockingIOError:
            return -1
        self.write(data[: max(0, HEAD - self.length)])
        self.length += len(data)
        self.tail = (self.tail + data)[-TAIL:]
        if len(data) > 32768:
            time.sleep(0.001)  # so that a flood of output does not keep a processor busy
        return len(data)

    def finish(self) -> None:
        """Log the rest after all writers have ended, with the tail behind the head."""
        while self.read() > 0:
            pass
        tail = self.tail[-max(1, self.length - HEAD) :]
        if self.length > HEAD:
            left_out = self.length - HEAD - len(tail)
            self.write(f"\n[... {left_out} bytes left out ...]\n".encode() * bool(left_out) + tail)

    def write(self, data: bytes) -> None:
        """Append to the file."""
        if self.path and data:
            try:
                with open(self.path, "ab") as file:
                    file.write(data)
            except OSError:
                self.path = ""  # a full disk must not cost the bot its game


def supervise(bot: int, control: int, status: int, log: Log, monitor: LimitMonitor) -> None:
    """Log and limit the bot until it ends, exceeds a limit or the harness closes `control`."""
    bot_pidfd = os.pidfd_open(bot)
    poller = select.poll()
    poller.register(control, 0)  # its end wakes the poll
    for descriptor in (log.stderr, bot_pidfd):
        poller.register(descriptor, select.POLLIN)
    next_check = 0.0
    while True:
        for descriptor, _ in poller.poll(max(0.0, next_check - time.monotonic()) * 1000):
            if descriptor == control:
                kill_process_group(bot)
                return
            if descriptor == bot_pidfd:
                kill_process_group(bot)
                _, code = os.waitpid(bot, 0)
                if exceeded := monitor.find_group_excess():
                    report(status, exceeded)
                elif os.WIFSIGNALED(code):
                    report(status, f"killed {os.WTERMSIG(code)}")
                else:
                    report(status, f"exited {os.WEXITSTATUS(code)}")
                return
            if log.read() == 0:
                poller.unregister(log.stderr)
        now = time.monotonic()
        if now < next_check:
            continue
        reap_adopted(bot)
        if exceeded := monitor.find_excess():
            report(status, exceeded)
            kill_process_group(bot)
            return
        next_check = now + monitor.pause_s


def reap_adopted(bot: int) -> None:
    """Reap ended descendants other than the bot."""
    while True:
        info = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        if info is None or info.si_pid == bot:
            return
        os.waitpid(info.si_pid, 0)


def end_all(group: str) -> bool:
    """Kill every descendant and remove the group; return False if one survives PATIENCE_S."""
    if group:
        end_group(group, 0)  # kills all at the same moment, so that none can fork away
    me = os.getpid()
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for pid in descendants(me):
            kill(pid)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return not group or end_group(group, PATIENCE_S)
        time.sleep(0.0005)
    return False


def kill_process_group(bot: int) -> None:
    """Kill the bot's process group at one moment, so that none of it can fork in between.

    The bot must not be reaped yet, or its process id could belong to another process.
    """
    try:
        os.killpg(bot, SIGKILL)
    except OSError:
        pass


def kill(pid: int) -> None:
    """Kill a process if it still exists."""
    try:
        os.kill(pid, SIGKILL)
    except OSError:
        pass


def make_writable(folder: str) -> None:
    """Allow this user to change a folder and all that it holds, without following links."""
    os.chmod(folder, 0o700)
    for place, folders, names in os.walk(folder):  # goes into folders after the loop below
        for name in (*folders, *names):
            path = os.path.join(place, name)
            if not os.path.islink(path):
                os.chmod(path, os.stat(path).st_mode | (0o700 if name in folders else 0o200))


def remove(folder: str) -> None:
    """Delete a folder and its content without following links, as far as possible."""
    try:
        make_writable(folder)
        for place, folders, names in os.walk(folder, topdown=False):
            for name in (*folders, *names):
                path = os.path.join(place, name)
                is_folder = name in folders and not os.path.islink(path)
                os.rmdir(path) if is_folder else os.unlink(path)
        os.rmdir(folder)
    except (OSError, RecursionError):
        pass


def run() -> None:
    """Run the supervisor's process."""
    try:
        main(sys.argv[1:])
    finally:
        os._exit(0)  # skips the interpreter's cleanup, for which the harness would wait
