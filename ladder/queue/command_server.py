"""The process that starts the commands of a service.

Loading the program takes seconds of processor time, which a new experiment should not wait for. One
process loads it once, and a fork of that process plays each command.
"""

import contextlib
import gc
import os
import select
import socket
import subprocess
import sys
from collections.abc import Iterable
from typing import IO

from bots.parent_death import die_with_parent
from ladder.queue.link import Link, StateMessage

MODULE = "ladder.cli.queued"
"""The module that the process runs."""
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

    def start_command(self, link: socket.socket, output: IO[bytes], errors: IO[bytes]) -> None:
        """Start a command as soon as the program is loaded.

        If the process has died, the other end of the link is closed instead.

        Args:
            link: The command's end of its link.
            output: The file of its stdout.
            errors: The file of its stderr.

        """
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            socket.send_fds(
                self._end, [b"start"], [link.fileno(), output.fileno(), errors.fileno()]
            )

    def close(self) -> None:
        """End the process, whose commands have ended."""
        self._end.close()
        self._process.kill()
        self._process.wait()


def serve_commands(control: socket.socket) -> Link:
    """Fork for each command of the service; return the link of a command in its own process."""
    own_id = os.getpid()
    links: dict[int, tuple[int, Link]] = {}
    """The process and the link of each command, by a descriptor that is readable at its end."""
    gc.freeze()  # else each fork would copy the memory that its collections visit
    while True:
        ready, _, _ = select.select([control.fileno(), *links], [], [])
        for ended in links.keys() & set(ready):
            process, link = links.pop(ended)
            _, status = os.waitpid(process, 0)
            link.send(StateMessage(code=os.waitstatus_to_exitcode(status)))
            link.close()
            os.close(ended)
        if control.fileno() not in ready:
            continue
        request, descriptors, _, _ = socket.recv_fds(
            control, 16, DESCRIPTORS, socket.MSG_CMSG_CLOEXEC
        )
        if not request:
            sys.exit()
        process = os.fork()
        end, output, errors = descriptors
        link = Link(socket.socket(fileno=end))
        if not process:
            die_with_parent(own_id)
            os.setsid()
            control.close()
            for other_ended, (_, other) in links.items():
                os.close(other_ended)
                other.close()
            os.dup2(output, 1)
            os.dup2(errors, 2)
        os.close(output)
        os.close(errors)
        if not process:
            return link
        link.send(StateMessage(process=process))
        links[os.pidfd_open(process)] = process, link
