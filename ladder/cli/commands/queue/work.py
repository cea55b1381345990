"""`ladder queue work`: the service that plays the queue."""

from typing import TYPE_CHECKING, Annotated

from ladder.cli.options import (
    DEFAULT_DATABASE,
    Certificates,
    ClusterAddress,
    Database,
    Insecure,
    whole,
)

if TYPE_CHECKING:
    from ladder.queue.slots import Slots

MOST_JOBS = 100


def work(
    *,
    jobs: Annotated[
        int,
        whole("N", MOST_JOBS, "Most experiments at a time; they share the machines."),
    ] = 4,
    cluster: ClusterAddress = None,
    certificates: Certificates = None,
    insecure: Insecure = False,
    db: Database = DEFAULT_DATABASE,
) -> int:
    """Play the experiments of the queue, until Ctrl-C or SIGTERM.

    Each is the ordinary command in a process of its own, with a run in the database as if it had
    been started by hand. The slots are divided between the authors, and then by priority among the
    experiments of each. Several services may play one queue. An experiment that is interrupted,
    even by a kill, waits again and is resumed.
    """
    from ladder.cli.database import open_store
    from ladder.cli.output import print_error
    from ladder.errors import ExitCode
    from ladder.queue.service import QueueService

    slots = _slots(cluster, certificates, insecure=insecure)
    try:
        with open_store(db, create=True, sync=True) as store:
            where = "this machine" if slots.cluster is None else f"the cluster {slots.cluster}"
            print_error(f"playing the queue on {where}, at most {jobs} experiments at a time")
            QueueService(
                store=store,
                db=store.path or db,
                slots=slots,
                jobs=jobs,
                report=print_error,
            ).run()
    finally:
        slots.close()
    return ExitCode.DONE


def _slots(cluster: str | None, certificates: str | None, *, insecure: bool) -> "Slots":
    """Return the slots that the experiments share. Raises UsageError."""
    from ladder.cli.output import print_error
    from ladder.queue.slots import ClusterSlots, OwnSlots
    from ladder.runs.cluster.workforce import endpoint_of

    if cluster is None:
        return OwnSlots()
    endpoint = endpoint_of(cluster, certificates, insecure=insecure, option="cluster")
    return ClusterSlots(endpoint, print_error, insecure=insecure)
