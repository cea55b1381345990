"""The page of the machines that play."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from db.records.queue import EntryState, ServiceRow
from ladder.queue.jobs import Job
from reports.cluster.status import machine_notes, pairs_text, reason_text, slots_text, speed_text
from reports.html.live.links import job_link
from reports.html.live.parts import PageParts, fragment
from reports.html.tables import Cell, Table, table_of
from reports.html.words import as_sentence, day

if TYPE_CHECKING:  # loads the libraries for clusters, which may be missing
    from ladder.runs.cluster.status import ClusterStatus, MachineStatus

COLOURS = {"playing": "gained", "refused": "lost", "set aside": "lost", "silent": "lost"}
"""The colours of states."""


def machine_parts(
    services: Sequence[ServiceRow],
    jobs: Sequence[Job],
    status: "ClusterStatus | None",
    problem: str,
) -> PageParts:
    """Return the parts of the page of machines.

    Args:
        services: the services that play the queue now.
        jobs: the experiments of the queue.
        status: the cluster; None if there is none, or if it does not answer.
        problem: why it does not answer; empty if it does.

    """
    machines = () if status is None else status.machines
    return PageParts(
        "Machines",
        {
            "machines": fragment(
                "machines_parts.html.j2",
                services=[
                    {
                        "name": f"Service {service.id} on {service.host}",
                        "cluster": service.cluster or "",
                        "jobs": service.jobs,
                        "since": day(service.started_at),
                        "plays": [
                            (job.entry.id, job_link(job.entry.id))
                            for job in jobs
                            if job.state is EntryState.PLAYING and job.service == service
                        ],
                    }
                    for service in services
                ],
                address="" if status is None else status.address,
                table=_machines_table(machines),
                notes=[as_sentence(note, [each.name for each in machines])
                       for note in machine_notes(machines)],
                problem=as_sentence(problem) if problem else "",
            )
        },
    )  # fmt: skip


def _machines_table(machines: Sequence["MachineStatus"]) -> Table:
    return table_of(
        machines,
        ("machine", lambda each: Cell(each.name, title=each.address)),
        ("state", lambda each: Cell(each.state, verdict=COLOURS.get(each.state, ""))),
        ("#slots", lambda each: Cell(slots_text(each), float(each.slots))),
        ("~plays", lambda each: Cell(pairs_text(each) or "-")),
        ("#M positions/s", lambda each: Cell(speed_text(each), each.speed)),
        ("#seen", lambda each: Cell(f"{each.last_seen_s:.0f} s ago", each.last_seen_s)),
        ("~reason", lambda each: Cell(reason_text(each))),
    )
