"""The page of the machines that play."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from db.records.queue import EntryState, ServiceRow
from ladder.queue.jobs import Job
from reports.cluster.status import machine_notes, pairs_text, reason_text, slots_text, speed_text
from reports.html.live.links import job_link
from reports.html.live.parts import PageParts, fragment
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
    *,
    may_manage: bool,
) -> PageParts:
    """Return the parts of the page of machines.

    Args:
        services: the services that play the queue now.
        jobs: the experiments of the queue.
        status: the cluster; None if there is none, or if it does not answer.
        problem: why it does not answer; empty if it does.
        may_manage: whether the visitor may drain and reserve machines.

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
                machines=[_row(each) for each in machines],
                may_manage=may_manage,
                notes=[as_sentence(note, [each.name for each in machines])
                       for note in machine_notes(machines)],
                problem=as_sentence(problem) if problem else "",
            )
        },
    )  # fmt: skip


def _row(machine: "MachineStatus") -> dict[str, Any]:
    return {
        "name": machine.name,
        "address": machine.address,
        "state": machine.state,
        "colour": COLOURS.get(machine.state, ""),
        "slots": slots_text(machine),
        "plays": pairs_text(machine) or "-",
        "speed": speed_text(machine),
        "seen": f"{machine.last_seen_s:.0f} s ago",
        "reason": reason_text(machine),
        "buttons": _buttons(machine),
    }


def _buttons(machine: "MachineStatus") -> list[tuple[str, str]]:
    """Return the words of the changes of a machine, and what each does for screen readers."""
    if machine.state == "leaving":
        return []
    found = [("reserve", f"Reserve slots of {machine.name} until a time")]
    if machine.state != "drained":
        found.insert(0, ("drain", f"Give {machine.name} no new pairs until it is released"))
    if machine.reservation is not None:
        found.append(("release", f"Lend all slots of {machine.name} again"))
    return found
