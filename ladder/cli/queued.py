"""The entry point of a command that the service of the queue starts.

    python -m ladder.cli.queued SERVICE DESCRIPTOR WORKFORCE WORD ...

SERVICE is the service's process, DESCRIPTOR the socket to it, and WORKFORCE a JSON object: the
cluster's address, its certificates, and whether the connection is insecure. The rest is the command
line. It is played as if it had been started by hand, but with the share of the slots that the
service gives it; it dies with the service.
"""

import socket
import sys

from bots.parent_death import die_with_parent


def main() -> None:
    """Run a command of the queue and exit with its code."""
    service, descriptor, workforce, *words = sys.argv[1:]
    die_with_parent(int(service))
    sys.argv[1:] = words

    import json

    from ladder.cli.main import main as run
    from ladder.queue.link import Link, ShareMessage
    from ladder.queue.workforce import SharedWorkforce
    from ladder.runs.cluster.workforce import workforce_of

    link = Link(socket.socket(fileno=int(descriptor)), ShareMessage)
    run(SharedWorkforce(workforce_of(**json.loads(workforce)), link))


if __name__ == "__main__":
    main()
