"""The process that starts the commands of a service.

Loading the program takes seconds of processor time, which a new experiment should not wait for. One
process loads it once, and a fork of that process plays each command.
"""

import contextlib
import gc
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterable
from typing import IO

from bots.parent_death import die_with_parent
from ladder.queue.link import Link, StateMessage
from ladder.signals import SIGNALS, current_stop

MODULE = "ladder.cli.queued"
"""The module that the process runs."""
LONGEST_REQUEST = 64
"""Most bytes of a request: the id of an entry, and a signal or 0 to start its command."""
DESCRIPTORS = 3
"""What a command gets: its socket to the service, and its files for stdout and stderr."""


class CommandServer:
    """The service's side: a child process, which dies with this one, and its commands with it."""

    def __init__(self, modules: Iterable[str]) -> None:
        """Start the process.

        Args:
            modules: The modules that it loads in advance.

        """
        self._end, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", MODULE, str(os.getpid()), str(theirs.fileno()), *modules],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # a Ctrl-C on the terminal is the service's business
            )

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def start_command(
        self, entry: int, link: socket.socket, output: IO[bytes], errors: IO[bytes]
    ) -> None:
        """Start a command as soon as the program is loaded.

        If the process has died, the other end of the link is closed instead.

        Args:
            entry: The id of its entry in the queue.
            link: The command's end of its link.
            output: The file of its stdout.
            errors: The file of its stderr.

        """
        self._send(f"{entry} 0", [link.fileno(), output.fileno(), errors.fileno()])

    def send_signal(self, entry: int, number: signal.Signals) -> None:
        """Send a signal to a command, unless it has ended: only its parent can be sure of that."""
        self._send(f"{entry} {number.value}")

    def _send(self, request: str, descriptors: Iterable[int] = ()) -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            socket.send_fds(self._end, [request.encode()], [*descriptors])

    def close(self) -> None:
        """End the process, whose commands have ended."""
        self._end.close()
        self._process.kill()
        self._process.wait()


def serve_commands(control: socket.socket) -> Link:
    """Fork for each command of the service; return the link of a command in its own process."""
    own_id = os.getpid()
    commands: dict[int, tuple[int, int, Link]] = {}
    """The entry, the process and the link of each, by a descriptor that is readable at its end."""
    gc.freeze()  # else each fork would copy the memory that its collections visit
    while True:
        ready, _, _ = select.select([control.fileno(), *commands], [], [])
        for ended in commands.keys() & set(ready):
            _, process, link = commands.pop(ended)
            _, status = os.waitpid(process, 0)
            link.send(StateMessage(code=os.waitstatus_to_exitcode(status)))
            link.close()
            os.close(ended)
        if control.fileno() not in ready:
            continue
        request, descriptors, _, _ = socket.recv_fds(
            control, LONGEST_REQUEST, DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
        )
        if not request:
            sys.exit()
        entry, number = map(int, request.split())
        if number:
            for known, process, _ in commands.values():
                if known == entry:
                    os.kill(process, number)
            continue
        # Python forgets a signal that arrives at the beginning of a fork.
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        process = os.fork()
        if not process:
            current_stop().listen()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        end, output, errors = descriptors
        link = Link(socket.socket(fileno=end))
        if not process:
            die_with_parent(own_id)
            os.setsid()
            control.close()
            for other_ended, (_, _, other) in commands.items():
                os.close(other_ended)
                other.close()
            os.dup2(output, 1)
            os.dup2(errors, 2)
        os.close(output)
        os.close(errors)
        if not process:
            return link
        commands[os.pidfd_open(process)] = entry, process, link
