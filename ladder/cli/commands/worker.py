"""`ladder worker`: lends this machine to runs that other machines coordinate."""

from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.options import MOST_WORKERS, Certificates, Insecure, Sandbox


def worker(
    *,
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="The scheduler's: HOST:PORT.")],
    slots: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=MOST_WORKERS,
            help="Pairs at the same time. [default: the CPUs allowed]",
        ),
    ] = None,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="Of this machine. [default: its host's]")
    ] = "",
    sandbox: Sandbox = None,
    certificates: Certificates = None,
    insecure: Insecure = False,
) -> int:
    """Play pairs here for runs that are started elsewhere with --cluster, until Ctrl-C.

    It connects again when the scheduler was away. Bots that come here are kept in the user's cache.
    """
    from ladder.cli.output import print_error
    from ladder.cli.parsing import sandbox_of
    from ladder.errors import ExitCode
    from ladder.names import check_line
    from ladder.runs.cluster.workforce import need_cluster

    need_cluster()
    from ladder.match.process.cpus import allowed_cpus, check_claims
    from ladder.runs.cluster.security import parse_endpoint
    from ladder.runs.cluster.serving import serve_worker

    check_line(name, "--name")
    check_claims()
    words = sandbox_of(sandbox)
    endpoint = parse_endpoint(address, _folder(certificates), insecure=insecure, option=None)
    serve_worker(
        endpoint,
        slots=slots or allowed_cpus(),
        name=name or None,
        sandbox=words,
        report=print_error,
    )
    return ExitCode.DONE


def _folder(certificates: str | None) -> Path | None:
    return None if certificates is None else Path(certificates)
