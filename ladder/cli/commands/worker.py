"""`ladder worker`: lends this machine to runs that other machines coordinate."""

from pathlib import Path
from typing import Annotated

from ladder.cli.options import (
    MOST_WORKERS,
    Certificates,
    Insecure,
    Sandbox,
    argument,
    option,
    whole,
)


def worker(
    *,
    address: Annotated[
        str, argument("ADDRESS", "Address of the scheduler: HOST:PORT or tls://HOST:PORT.")
    ],
    slots: Annotated[
        int | None,
        whole(
            "N",
            MOST_WORKERS,
            "Pairs of games to play at the same time.",
            show_default="the CPUs that this process may use",
        ),
    ] = None,
    name: Annotated[
        str,
        option(
            "NAME",
            "Name of this machine in runs.",
            envvar="LADDER_MACHINE",
            show_default="its host name",
        ),
    ] = "",
    until: Annotated[
        str | None,
        option(
            "TIME",
            "Lend this machine until then, as 18:00, 2026-11-20T18:00 or 2h: it then finishes the "
            "pairs in play and leaves.",
        ),
    ] = None,
    sandbox: Sandbox = None,
    certificates: Certificates = None,
    insecure: Insecure = False,
) -> int:
    """Lend this machine to runs that others start with --cluster, until Ctrl-C.

    Each slot is a process that plays one pair at a time, on a CPU of its own. A machine may join or
    leave at any time, and connects again after the scheduler was away. The first Ctrl-C lets it
    finish the pairs in play, the second one ends it at once, as SIGTERM does. Bots are copied to
    this user's cache. --sandbox takes the place of the run's own.
    """
    from ladder.cli.output import print_error
    from ladder.cli.parsing import parse_sandbox
    from ladder.errors import ExitCode
    from ladder.moments import parse_until
    from ladder.names import check_line
    from ladder.runs.cluster.workforce import need_cluster

    need_cluster()
    from ladder.match.process.cpus import allowed_cpus
    from ladder.runs.cluster.security import parse_endpoint
    from ladder.runs.cluster.serving import serve_worker

    check_line(name, "--name")
    words = parse_sandbox(sandbox)
    leaves_at = None if until is None else parse_until(until)
    endpoint = parse_endpoint(address, _folder(certificates), insecure=insecure, option="address")
    serve_worker(
        endpoint,
        slots=slots or allowed_cpus(),
        name=name or None,
        sandbox=words,
        report=print_error,
        leaves_at=leaves_at,
    )
    return ExitCode.DONE


def _folder(certificates: str | None) -> Path | None:
    return None if certificates is None else Path(certificates)
