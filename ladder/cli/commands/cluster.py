"""`ladder cluster`: a scheduler for machines that play together, and its certificates."""

from pathlib import Path
from typing import Annotated

from ladder.cli.help import CommandGroup
from ladder.cli.options import (
    Certificates,
    Insecure,
    argument,
    option,
    whole,
)

app = CommandGroup(help="Start a scheduler for many machines.")


@app.command("start")
def start(
    *,
    host: Annotated[str, option("HOST", "Address to listen at.")] = "127.0.0.1",
    port: Annotated[
        int, whole("PORT", 65535, "Port to listen at; 0 takes a free one.", least=0)
    ] = 8786,
    certificates: Certificates = None,
    insecure: Insecure = False,
) -> int:
    """Start a Dask scheduler that connects runs and machines, until Ctrl-C.

    The first line on standard output is its address, for `ladder worker` and for the option
    --cluster of runs. Without --certificates only this machine can connect.
    """
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
        raise UsageError(
            f"cannot listen at {endpoint.address}: {error}; choose another --port or --host"
        ) from error
    return ExitCode.DONE


@app.command("certificates")
def certificates(
    *,
    folder: Annotated[Path, argument("FOLDER", "Folder to write them to.")],
    days: Annotated[int, whole("N", 3650, "Days for which they are valid.")] = 365,
) -> int:
    """Make the TLS certificates of a cluster.

    Copy the folder to each machine and name it with --certificates. Machines without it cannot
    connect; a machine that has it may run programs on all others.
    """
    from ladder.cli.output import print_out
    from ladder.errors import ExitCode
    from ladder.runs.cluster.workforce import need_cluster

    need_cluster()
    from ladder.runs.cluster.certificates import make_certificates

    make_certificates(folder, days=days)
    print_out(
        f"{folder} holds ca.pem, node.pem and node-key.pem: copy the folder to each machine and "
        "name it there with --certificates; anyone who has it can run programs on all of them"
    )
    return ExitCode.DONE
