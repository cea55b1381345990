"""`ladder cluster`: a scheduler for machines that play together, its certificates and machines."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from ladder.cli.help import CommandGroup
from ladder.cli.options import (
    DEFAULT_SCHEDULER,
    MOST_WORKERS,
    Certificates,
    Insecure,
    Json,
    Scheduler,
    argument,
    option,
    whole,
)

if TYPE_CHECKING:
    from ladder.runs.cluster.security import SchedulerEndpoint

app = CommandGroup(help="Start a scheduler for many machines; show, drain and reserve machines.")
Machine = Annotated[
    str, argument("MACHINE", "Name or address of the machine, as `ladder cluster status` shows it.")
]


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


@app.command("status")
def status(
    *,
    cluster: Scheduler = DEFAULT_SCHEDULER,
    certificates: Certificates = None,
    insecure: Insecure = False,
    json: Json = False,
) -> int:
    """Show the machines of a cluster: their slots, their speed, and what each plays.

    A machine that a run has refused or set aside, or that is reserved, is shown with the reason.
    """
    from ladder.cli.output import show_table
    from ladder.errors import ExitCode

    endpoint = _endpoint(cluster, certificates, insecure=insecure)
    from ladder.runs.cluster.status import read_status
    from reports.cluster.status import print_status, status_document

    show_table(read_status(endpoint), status_document, print_status, json=json)
    return ExitCode.DONE


@app.command("drain")
def drain(
    *,
    machine: Machine,
    cluster: Scheduler = DEFAULT_SCHEDULER,
    certificates: Certificates = None,
    insecure: Insecure = False,
) -> int:
    """Give a machine no new pairs until `ladder cluster release`.

    The pairs in play are finished. All runs follow, and the machine stays connected.
    """
    endpoint = _endpoint(cluster, certificates, insecure=insecure)
    return _reserve(endpoint, machine, slots=None, until=None)


@app.command("reserve")
def reserve(
    *,
    machine: Machine,
    until: Annotated[
        str, option("TIME", "End of the reservation, as 18:00, 2026-11-20T18:00 or 2h from now.")
    ],
    slots: Annotated[
        int | None,
        whole("N", MOST_WORKERS, "Slots to reserve.", show_default="all"),
    ] = None,
    cluster: Scheduler = DEFAULT_SCHEDULER,
    certificates: Certificates = None,
    insecure: Insecure = False,
) -> int:
    """Keep slots of a machine free of new pairs until a time.

    The pairs in play are finished. Another reservation of the machine is replaced.
    """
    from ladder.moments import parse_until

    end = parse_until(until)
    endpoint = _endpoint(cluster, certificates, insecure=insecure)
    return _reserve(endpoint, machine, slots=slots, until=end)


@app.command("release")
def release(
    *,
    machine: Machine,
    cluster: Scheduler = DEFAULT_SCHEDULER,
    certificates: Certificates = None,
    insecure: Insecure = False,
) -> int:
    """Lend all slots of a machine again, after `drain` or `reserve`."""
    endpoint = _endpoint(cluster, certificates, insecure=insecure)
    return _reserve(endpoint, machine, slots=0, until=None)


def _reserve(
    endpoint: "SchedulerEndpoint", machine: str, *, slots: int | None, until: float | None
) -> int:
    """Reserve slots of a machine (None: all; 0: release it) and print what it lends."""
    from ladder.cli.output import print_out
    from ladder.errors import ExitCode
    from ladder.runs.cluster.lending import Reservation
    from ladder.runs.cluster.run_view import user_and_host
    from ladder.runs.cluster.status import reserve as change
    from reports.cluster.status import lending_line

    reservation = None if slots == 0 else Reservation(user_and_host(), slots, until)
    for each in change(endpoint, machine, reservation):
        print_out(lending_line(each))
    return ExitCode.DONE


def _endpoint(address: str, certificates: str | None, *, insecure: bool) -> "SchedulerEndpoint":
    """Return the scheduler of the options. Raises UsageError."""
    from ladder.runs.cluster.workforce import endpoint_of

    return endpoint_of(address, certificates, insecure=insecure, option="cluster")
