"""`ladder cluster`: a scheduler for machines that play together, and its certificates."""

from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.help import HelpGroup
from ladder.cli.options import Certificates, Insecure

app = typer.Typer(
    cls=HelpGroup,
    name="cluster",
    no_args_is_help=True,
    help="A scheduler for many machines, and certificates.",
)


@app.command("start")
def start(
    *,
    host: Annotated[
        str, typer.Option(metavar="HOST", help="The address to listen at.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="PORT", min=0, max=65535, help="0: any.")] = 8786,
    certificates: Certificates = None,
    insecure: Insecure = False,
) -> int:
    """Start a Dask scheduler, until Ctrl-C; the first line on standard output is its address."""
    from ladder.cli.output import print_out
    from ladder.errors import ExitCode, UsageError
    from ladder.runs.cluster.workforce import need_cluster

    need_cluster()
    from ladder.runs.cluster.security import parse_endpoint
    from ladder.runs.cluster.serving import serve_scheduler

    folder = None if certificates is None else Path(certificates)
    place = f"[{host}]" if ":" in host else host
    endpoint = parse_endpoint(f"{place}:{port}", folder, insecure=insecure, option="host")
    try:
        serve_scheduler(endpoint, print_out)
    except OSError as error:
        raise UsageError(f"nothing can listen at {endpoint.address}: {error}") from error
    return ExitCode.DONE


@app.command("certificates")
def certificates(
    *,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where they are written.")],
    days: Annotated[
        int, typer.Option(metavar="N", min=1, max=3650, help="How long they are valid.")
    ] = 365,
) -> int:
    """Make a private set of TLS certificates, to be copied to every machine of the cluster."""
    from ladder.cli.output import print_out
    from ladder.errors import ExitCode
    from ladder.runs.cluster.workforce import need_cluster

    need_cluster()
    from ladder.runs.cluster.certificates import make_certificates

    make_certificates(folder, days=days)
    print_out(
        f"{folder} holds ca.pem, node.pem and node-key.pem: copy the folder to each machine and "
        "give --certificates there; whoever has it may run programs on all of them"
    )
    return ExitCode.DONE
