"""The entry point of a command that the service of the queue starts.

    python -m ladder.cli.queued SERVICE DESCRIPTOR SETUP WORD ...

SERVICE is the service's process, DESCRIPTOR the socket to it, and SETUP a `CommandSetup` in JSON.
The rest is the command line. It is played as if it had been started by hand, but with the share of
the slots that the service gives it, and without defaults of a `ladder.toml`: those were resolved
when it was submitted. It dies with the service.
"""

import contextlib
import socket
import sys
from pathlib import Path

from bots.parent_death import die_with_parent


def main() -> None:
    """Run a command of the queue and exit with its code."""
    service, descriptor, packed, *words = sys.argv[1:]
    die_with_parent(int(service))
    sys.argv[1:] = words

    import msgspec

    from ladder.cli.main import main as run
    from ladder.match.registry.placements import Placement, use_placements
    from ladder.queue.link import CommandSetup, Link, ShareMessage
    from ladder.queue.workforce import SharedWorkforce
    from ladder.runs.cluster.shipped_cache import CacheLock
    from ladder.runs.cluster.workforce import workforce_of

    setup = msgspec.json.decode(packed, type=CommandSetup)
    placements = {
        revision: Placement(spec, Path(folder))
        for revision, (spec, folder) in setup.placements.items()
    }
    lock = CacheLock({placed.folder for placed in placements.values()})
    whole = workforce_of(setup.address, setup.certificates, insecure=setup.insecure)
    end = socket.socket(fileno=int(descriptor))
    end.set_inheritable(False)
    link = Link(end, ShareMessage)
    with contextlib.closing(lock), use_placements(placements):
        run(SharedWorkforce(whole, link), reads_config=False)


if __name__ == "__main__":
    main()
