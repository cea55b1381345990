"""The machines of a cluster, and what they play."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from ladder.visible import visible
from reports.layout.format import moment, values_of
from reports.layout.table import Column, fit

if TYPE_CHECKING:  # loads the libraries for clusters, which may be missing
    from ladder.runs.cluster.run_view import RunLabel
    from ladder.runs.cluster.status import ClusterStatus, MachineStatus

STYLES = {"playing": "green", "refused": "red", "set aside": "red", "silent": "red"}
RUN = ("run", "kind", "database", "coordinator")
"""The keys of a run."""


def machines_document(machines: Sequence["MachineStatus"]) -> dict[str, Any]:
    """Return some machines as `ladder cluster status --json` shows them."""
    return {"machines": [_machine_document(machine) for machine in machines]}


def status_document(status: "ClusterStatus") -> dict[str, Any]:
    """Return the document of `ladder cluster status --json`."""
    return {
        "cluster": status.address,
        **machines_document(status.machines),
        "runs": [values_of(run, *RUN) for run in status.runs],
    }


def _machine_document(machine: "MachineStatus") -> dict[str, Any]:
    held = machine.reservation
    return {
        **values_of(machine, "name", "address", "state", "reason", "slots", "lent"),
        "reservation": held
        and {"by": held.by, "slots": held.slots or machine.slots, "until": _iso(held.until)},
        "leaves_at": _iso(machine.leaves_at),
        **values_of(machine, "speed", "last_seen_s"),
        "playing": [
            {
                "pair": each.number,
                **(dict.fromkeys(RUN) if each.run is None else values_of(each.run, *RUN)),
            }
            for each in machine.playing
        ],
        "runs": [
            {**values_of(each.run, *RUN), **values_of(each, "state", "reason")}
            for each in machine.runs
        ],
    }


def print_status(console: Console, status: "ClusterStatus") -> None:
    """Print a line for each machine, then the runs and what they report of machines."""
    machines = status.machines
    lent, slots = (sum(getattr(each, name) for each in machines) for name in ("lent", "slots"))
    console.print(
        f"{status.address}: {_counted(len(machines), 'machine')}, {lent} of "
        f"{_counted(slots, 'slot')} lent, {_counted(len(status.runs), 'run')}",
        soft_wrap=True,
    )
    if not machines:
        console.print("start `ladder worker ADDRESS` on the machines that are to play")
        return
    console.print()
    console.print(fit(_columns(machines), console.width).table())
    notes = list(machine_notes(machines))
    if status.runs or notes:
        console.print()
    for run in status.runs:
        _print_line(console, f"{_name(run)}: {_played(run, machines)}")
    for note in notes:
        _print_line(console, note)


def lending_line(machine: "MachineStatus") -> str:
    """Return what a machine lends after a change."""
    reason = f": {machine.reason}" if machine.reason else ""
    in_play = f"; {_counted(len(machine.playing), 'pair')} in play" if machine.playing else ""
    lent = f"{machine.lent} of {_counted(machine.slots, 'slot')}"
    return visible(f"{machine.name} lends {lent}{reason}{in_play}")


def _columns(machines: Sequence["MachineStatus"]) -> list[Column]:
    columns = [
        Column("machine", [each.name for each in machines], number=False),
        Column("state", [_word(each.state) for each in machines], number=False),
        Column("slots", [slots_text(each) for each in machines]),
        Column("plays", [pairs_text(each) for each in machines], number=False, level=1),
        Column("M positions/s", [speed_text(each) for each in machines], level=3),
        Column("seen", [f"{each.last_seen_s:.0f} s ago" for each in machines], level=4),
    ]
    if any(each.reason or each.leaves_at for each in machines):
        columns.append(Column("reason", [reason_text(each) for each in machines], number=False))
    return columns


def slots_text(machine: "MachineStatus") -> str:
    """Return the slots of a machine, such as ``8``, or ``2/8`` if it lends two of them."""
    lends_all = machine.lent == machine.slots
    return f"{machine.slots}" if lends_all else f"{machine.lent}/{machine.slots}"


def speed_text(machine: "MachineStatus") -> str:
    """Return the speed of a machine in million positions a second."""
    return "-" if machine.speed is None else f"{machine.speed:.0f}"


def reason_text(machine: "MachineStatus") -> str:
    """Return why a machine lends less than it has, and when it leaves."""
    leaves = "" if machine.leaves_at is None else f"leaves at {moment(machine.leaves_at)}"
    return "; ".join(filter(None, (machine.reason, leaves)))


def pairs_text(machine: "MachineStatus") -> str:
    """Return what a machine plays, such as ``run 3: pairs 17, 18``."""
    by_run: dict[str, list[int]] = {}
    for each in machine.playing:
        by_run.setdefault("?" if each.run is None else str(each.run.run), []).append(each.number)
    return "; ".join(
        f"run {run}: {'pair' if len(numbers) == 1 else 'pairs'} {', '.join(map(str, numbers))}"
        for run, numbers in by_run.items()
    )


def _name(run: "RunLabel") -> str:
    return f"run {run.run} ({run.kind}) of {run.coordinator} in {run.database}"


def _played(run: "RunLabel", machines: Iterable["MachineStatus"]) -> str:
    counts = [sum(pair.run == run for pair in each.playing) for each in machines]
    pairs, places = sum(counts), sum(count > 0 for count in counts)
    return f"{_counted(pairs, 'pair')} in play on {_counted(places, 'machine')}"


def machine_notes(machines: Iterable["MachineStatus"]) -> Iterable[str]:
    """Yield what runs report of a machine that its own line does not show."""
    for machine in machines:
        for each in machine.runs:
            if each.reason and each.reason != machine.reason:
                yield f"{machine.name} in run {each.run.run}: {each.state}: {each.reason}"


def _print_line(console: Console, line: str) -> None:
    console.print(Text(visible(line)), soft_wrap=True)


def _word(word: str) -> Text:
    return Text(visible(word), style=STYLES.get(word, ""))


def _counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _iso(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()
