# ruff: noqa: SIM105 - contextlib would cost milliseconds at every start of a bot
"""The parent process of one bot: starts it, enforces its limits, and kills everything it started.

This is a program of its own, run with ``python -I -S``. It and the small modules that it imports
use only fast parts of the standard library (``signal``, ``json`` and ``subprocess`` would cost 5 to
13 ms each).

    harness <----socket----> supervisor      one line per event, see `report`; its end ends the bot
    harness <==stdin, stdout==> bot          direct: no move passes through the supervisor
              supervisor <--stderr-- bot     into a log file of limited size

The supervisor is a child subreaper (Linux 3.4): each descendant whose parent ends becomes its
child. So when it has no child left (ECHILD), nothing of the bot is alive, not even a process that
left the session or forked twice. If the supervisor is killed, the bot dies with it
(PR_SET_PDEATHSIG), and the harness kills the other processes (`leftovers`).
"""

import ctypes
import errno
import fcntl
import os
import select
import sys
import time

from ladder.match.process.failed_start import explain_failed_start
from ladder.match.process.limits import LimitMonitor, limit_process
from ladder.match.process.procfs import descendants

HEAD = TAIL = 64 * 1024
"""Bytes of stderr logged from its beginning and from its end."""
REPORTED_STDERR = 4000
"""Bytes of stderr reported to the harness."""
PATIENCE_S = 10.0
"""How long to wait for processes to die of SIGKILL; one that hangs in the kernel never does."""
CLEANUP_S = 0.1
"""How long the end of a bot may wait for the removal of its files, which then continues alone."""
PR_SET_PDEATHSIG, PR_SET_NAME, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 15, 36, 38
SIGHUP, SIGINT, SIGKILL, SIGTERM = 1, 2, 9, 15
MACHINE_ERRORS = (
    errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM, errno.ENOSPC, errno.EIO,
)  # fmt: skip
"""Errors at the start of a program that are no fault of it."""
SIG_DFL, SIG_IGN, SIG_SETMASK = 0, 1, 2


def main(arguments: list[str]) -> None:
    """Run one bot: ``socket=FD folder=DIR scratch=DIR [NAME=VALUE...] -- WORDS``.

    Further names are ``copy`` (a folder that is copied into the scratch folder as ``files``),
    ``log`` (a file), ``group`` (the folder of the bot's control group) and the limits.
    """
    separator = arguments.index("--")
    options = dict(word.split("=", 1) for word in arguments[:separator])
    socket, scratch, group = int(options["socket"]), options["scratch"], options.get("group", "")
    os.set_inheritable(socket, False)
    libc = ctypes.CDLL(None)
    for signal in (SIGHUP, SIGINT, SIGTERM):  # only the harness decides when the bot ends
        libc.signal(signal, ctypes.c_void_p(SIG_IGN))
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    libc.prctl(PR_SET_NAME, b"ladder-guard", 0, 0, 0)
    log = handle = None
    try:
        handle = make_scratch(scratch, options.get("copy", ""))
        bot, stderr = start(libc, socket, arguments[separator + 1 :], options)
        report(socket, f"started {bot}")
        log = Log(stderr, options.get("log", ""))
        supervise(bot, socket, log, LimitMonitor(options))
    except OSError as failure:
        report(socket, f"broken its supervisor failed: {failure}")
    all_ended = end_all(group)
    if log is not None:
        log.finish()
        report(socket, f"stderr {log.tail[-REPORTED_STDERR:].hex()}")
    if all_ended:
        report(socket, "gone")
    if handle is not None:
        os.set_inheritable(handle, True)  # locked until the removal ends, which may take longer
    remove(scratch, CLEANUP_S)


def make_scratch(folder: str, copied: str) -> int:
    """Create the bot's scratch folder with a copy of its files; return the handle of its lock.

    The lock shows `ladder.match.process.leftovers` that the folder is in use. The kernel frees it
    however the supervisor ends, and the bot's copy closes at exec. Raises OSError.
    """
    os.mkdir(folder, 0o700)
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if copied:
        import shutil

        shutil.copytree(copied, f"{folder}/files", symlinks=True, ignore=links_to_compiled)
        call("chmod", "-R", "u+w", folder)
    return handle


def links_to_compiled(folder: str, names: list[str]) -> list[str]:
    """Return the name of the link to what Python compiles from the files of an unpacked folder.

    A copy lacks it (`shutil.copytree`'s ``ignore``): its files may change.
    """
    name = "__pycache__"
    return [name] if name in names and os.path.islink(f"{folder}/{name}") else []


def report(socket: int, event: str) -> None:
    """Report an event to the harness as one line: its kind, a space and its detail.

    The kinds are those that `SupervisorClient.read_reports` reads, such as ``started 4711`` or
    ``memory over its memory limit: ...``.
    """
    try:
        os.write(socket, event.replace("\n", " ").encode("utf-8", "backslashreplace") + b"\n")
    except OSError:  # the harness has closed it
        pass


def start(
    libc: ctypes.CDLL, socket: int, command: list[str], options: dict[str, str]
) -> tuple[int, int]:
    """Start the bot on this process's stdin and stdout, which are replaced by /dev/null here.

    If its program cannot be started, its process reports why, and ends. Raises OSError.

    Returns:
        The bot's process id and the reading end of its stderr.

    """
    parent, folder = os.getpid(), options["folder"]
    stderr_read, stderr_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        step = ""
        try:
            become_bot(libc, parent, stderr_write, options)
            step = "folder"
            os.chdir(folder)
            step = "program"
            os.execvp(command[0], command)  # noqa: S606 - the user's own command, without a shell
        except OSError as failure:
            if step and failure.errno not in MACHINE_ERRORS:
                reason = explain_failed_start(step, failure.errno or 0, command[0], folder)
                report(socket, f"failed cannot start {command[0]}: {reason}")
            else:
                report(socket, f"broken its supervisor failed: {failure}")
        finally:
            os._exit(127)
    nothing = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1):  # the harness sees EOF only if no other process has the bot's pipes
        os.dup2(nothing, descriptor, inheritable=False)
    os.close(nothing)
    os.close(stderr_write)
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
    # All other descriptors close by themselves at exec.
    limit_process(options)
    if group := options.get("group"):
        write(f"{group}/cgroup.procs", "0")
    libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


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


def supervise(bot: int, socket: int, log: Log, monitor: LimitMonitor) -> None:
    """Log and limit the bot until it ends, exceeds a limit or the harness ends the connection."""
    bot_pidfd = os.pidfd_open(bot)
    poller = select.poll()
    for descriptor in (socket, log.stderr, bot_pidfd):
        poller.register(descriptor, select.POLLIN)
    next_check = 0.0
    while True:
        for descriptor, _ in poller.poll(max(0.0, next_check - time.monotonic()) * 1000):
            if descriptor == socket:
                kill(-bot)
                return
            if descriptor == bot_pidfd:
                kill(-bot)
                code = os.waitstatus_to_exitcode(os.waitpid(bot, 0)[1])
                ended = f"killed {-code}" if code < 0 else f"exited {code}"
                report(socket, monitor.find_group_excess() or ended)
                return
            if log.read() == 0:
                poller.unregister(log.stderr)
        now = time.monotonic()
        if now < next_check:
            continue
        reap_adopted(bot)
        if exceeded := monitor.find_excess():
            report(socket, exceeded)
            kill(-bot)
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
        try:
            write(f"{group}/cgroup.kill", "1")  # all at the same moment: none can fork away
        except OSError:
            pass
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        for pid in descendants(os.getpid()):
            kill(pid)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            try:
                os.rmdir(group)
            except OSError:  # without a group, or with a subgroup that the bot has made
                pass
            return True
        time.sleep(0.0005)
    return False


def kill(pid: int) -> None:
    """Kill a process if it still exists; or, if negative, a process group.

    A bot's group is killed at one moment, so that none of it can fork in between. The bot must not
    be reaped yet, or its process id could belong to another process.
    """
    try:
        os.kill(pid, SIGKILL)
    except OSError:
        pass


def write(path: str, text: str) -> None:
    """Write into a file of a control group. Raises OSError."""
    with open(path, "w", encoding="ascii") as file:
        file.write(text)


def remove(folder: str, patience_s: float = PATIENCE_S) -> None:
    """Delete a folder and its content as far as possible.

    A removal that takes longer than `patience_s` continues after the call, and after the harness;
    init reaps its process.
    """
    try:
        os.rmdir(folder)  # bots seldom leave anything in it
    except FileNotFoundError:
        pass
    except OSError:
        program = 'exec 2> /dev/null; chmod -R u+rwx "$0"; rm -rf "$0"'
        call("sh", "-c", program, folder, patience_s=patience_s)


def call(*command: str, patience_s: float = float("inf")) -> None:
    """Run a program of the system if it is there, and wait for its end for up to `patience_s`."""
    try:
        pid = os.posix_spawnp(command[0], command, os.environ)
    except OSError:
        return
    deadline = time.monotonic() + patience_s
    while not os.waitpid(pid, os.WNOHANG)[0] and time.monotonic() < deadline:
        time.sleep(0.001)


def run() -> None:
    """Run the supervisor's process."""
    try:
        main(sys.argv[1:])
    finally:
        os._exit(0)  # skips the interpreter's cleanup, for which the harness would wait
