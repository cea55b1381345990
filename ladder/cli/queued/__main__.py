"""The entry point of the process that starts the commands of the queue's service.

    python -m ladder.cli.queued SERVICE DESCRIPTOR MODULE ...

SERVICE is the service's process, and DESCRIPTOR the socket to it. The process loads the program and
the modules, and forks for each command. That is played as if it had been started by hand, but with
the share of the slots that the service gives it, and without defaults of a `ladder.toml`: those
were resolved when it was submitted.
"""

import contextlib
import importlib
import os
import select
import socket
import sys
from pathlib import Path

from bots.parent_death import die_with_parent
from ladder.cli.app import parser
from ladder.cli.main import main as run
from ladder.errors import ExitCode
from ladder.match.registry.placements import Placement, use_placements
from ladder.queue.command_server import serve_commands
from ladder.queue.link import Link, StartMessage
from ladder.queue.workforce import SharedWorkforce
from ladder.runs.cluster.shipped_cache import CacheLock
from ladder.runs.cluster.workforce import workforce_of
from ladder.runs.resume import reopen_own


def main() -> None:
    """Serve commands; in the process of one, run it and exit with its code."""
    service, descriptor, *modules = sys.argv[1:]
    die_with_parent(int(service))
    for module in modules:
        importlib.import_module(module)
    # Reading one command line loads what reading any of them needs.
    parser().commands["match"].make_context("match", ["a", "b"])
    control = socket.socket(fileno=int(descriptor))
    control.set_inheritable(False)
    run_command(serve_commands(control))


def run_command(link: Link) -> None:
    """Run the command that the service sends, and exit with its code."""
    while not (found := link.receive(StartMessage, 1)):
        if link.is_closed:  # the service has given the experiment up
            sys.exit(ExitCode.STOPPED)
        select.select([link.descriptor], [], [])
    (start,) = found
    placements = {
        revision: Placement(spec, Path(folder))
        for revision, (spec, folder) in start.placements.items()
    }
    lock = CacheLock({placed.folder for placed in placements.values()})
    whole = workforce_of(start.address, start.certificates, insecure=start.insecure)
    if Path(start.folder).is_dir():
        os.chdir(start.folder)
    os.environ["LADDER_DB"] = start.db  # not a word, which other users could read
    sys.argv[1:] = start.words
    with contextlib.closing(lock), use_placements(placements), reopen_own(start.run):
        run(SharedWorkforce(whole, link), reads_config=False)


if __name__ == "__main__":
    main()
