"""The queue of experiments, and the tokens of its users."""

import shlex
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec
from rich.console import Console
from rich.text import Text

from db.records.queue import EntryRequest, EntryState
from db.records.tokens import TokenRow
from ladder.queue.jobs import Job
from ladder.queue.outlook import Outlook
from reports.games import moment_iso
from reports.layout.format import labelled, moment, rough_duration, text_of_lines, values_of
from reports.layout.table import Column, fit

STYLES = {"playing": "green", "failed": "red", "regression": "red", "pass": "green"}
REQUESTED = {EntryRequest.CANCEL: "being cancelled", EntryRequest.PAUSE: "being paused"}
LABELS = 11
"""Width of the labels of an experiment, in characters."""


def jobs_document(outlooks: Sequence[Outlook]) -> dict[str, Any]:
    """Return the document of `ladder queue list --json`."""
    return {"jobs": [_row(outlook) for outlook in outlooks]}


def job_document(outlook: Outlook) -> dict[str, Any]:
    """Return the document of `ladder queue show --json`."""
    entry, service = outlook.job.entry, outlook.job.service
    return {
        **_row(outlook),
        "arguments": list(entry.words),
        "folder": entry.folder,
        "service": None
        if service is None
        else {"service": service.id, **values_of(service, "host", "pid", "cluster", "jobs")},
        "message": entry.message,
        "output": entry.output,
        "result": _result(entry.output),
    }


def _row(outlook: Outlook) -> dict[str, Any]:
    job, entry = outlook.job, outlook.job.entry
    return {
        "job": entry.id,
        "command": command_text(job),
        "status": job.state.value,
        "request": None if entry.request is None else entry.request.value,
        **values_of(entry, "author", "host", "priority", "note"),
        "run": entry.run_id,
        **values_of(job, "games", "verdict"),
        "exit_code": entry.exit_code,
        "submitted_at": moment_iso(entry.submitted_at),
        "started_at": _moment_iso(entry.started_at),
        "ended_at": _moment_iso(entry.ended_at),
        "starts_in_s": outlook.start_s,
        "ends_in_s": outlook.seconds_left,
        "no_estimate": outlook.unknown or None,
    }


def _moment_iso(seconds: float | None) -> str | None:
    return None if seconds is None else moment_iso(seconds)


def _result(output: str) -> Any:
    """Return the result of an experiment that prints JSON; None for text."""
    if not output.startswith("{"):
        return None
    try:
        return msgspec.json.decode(output)
    except msgspec.DecodeError:
        return None


def command_text(job: Job) -> str:
    """Return the command line of an experiment, without ``ladder`` and the note of the entry."""
    words = job.entry.words
    for place, pair in enumerate(pairwise(words)):
        if pair == ("--note", job.entry.note):
            words = (*words[:place], *words[place + 2 :])
            break
    return shlex.join(words)


def submitted_text(outlook: Outlook) -> str:
    """Return a line about a new experiment."""
    key = outlook.job.entry.id
    return f"experiment {key} waits: `ladder queue show {key}` shows it"


def changed_text(outlook: Outlook) -> str:
    """Return a line about an experiment that was changed."""
    return f"experiment {outlook.job.entry.id} is {state_text(outlook.job)}"


def expected_text(outlook: Outlook) -> str:
    """Return when an experiment will probably start and end; empty if the end is unknown."""
    if outlook.seconds_left is None:
        return ""
    moments = (("starts", outlook.start_s), ("ends", outlook.seconds_left))
    return ", ".join(
        f"{verb} in about {rough_duration(seconds)}"
        for verb, seconds in moments
        if seconds is not None
    )


def unknown_text(outlook: Outlook) -> str:
    """Return why the end of an experiment is not known; empty if it is."""
    return f"not known: {outlook.unknown}" if outlook.unknown else ""


def job_text(outlook: Outlook) -> str:
    """Return an experiment and its result."""
    job, entry = outlook.job, outlook.job.entry
    rows = [
        ("command", f"ladder {command_text(job)}"),
        ("status", state_text(job)),
        ("author", f"{entry.author} on {entry.host}"),
        ("folder", entry.folder),
        ("priority", str(entry.priority)),
        ("note", entry.note),
        ("submitted", moment(entry.submitted_at)),
        ("started", "" if entry.started_at is None else moment(entry.started_at)),
        ("expected", expected_text(outlook) or unknown_text(outlook)),
        ("ended", "" if entry.ended_at is None else moment(entry.ended_at)),
        ("exit code", "" if entry.exit_code is None else str(entry.exit_code)),
        ("run", "" if entry.run_id is None else f"{entry.run_id}, {job.games} games"),
        ("verdict", job.verdict or ""),
        ("service", _service(job)),
        ("reason", entry.message),
    ]
    shown = labelled([row for row in rows if row[1]], LABELS)
    result = ["", *entry.output.rstrip().split("\n")] if entry.output.strip() else []
    return text_of_lines([f"experiment {entry.id}", *shown, *result])


def state_text(job: Job) -> str:
    """Return the state of an experiment, or what is asked for while it plays."""
    request = job.entry.request if job.state is EntryState.PLAYING else None
    return job.state.value if request is None else REQUESTED[request]


def _service(job: Job) -> str:
    service = job.service
    if service is None:
        return ""
    place = "" if service.cluster is None else f", on the cluster {service.cluster}"
    return f"{service.id} (process {service.pid} on {service.host}{place})"


def print_jobs(console: Console, outlooks: Sequence[Outlook]) -> None:
    """Print a line for each experiment."""
    if not outlooks:
        console.print("the queue is empty: `ladder queue add` puts an experiment into it")
        return
    console.print(fit(_columns(outlooks), console.width).table())


def _columns(outlooks: Sequence[Outlook]) -> list[Column]:
    jobs = [outlook.job for outlook in outlooks]
    entries = [job.entry for job in jobs]
    columns = [
        Column("id", [str(entry.id) for entry in entries]),
        Column("status", [_word(state_text(job)) for job in jobs], number=False),
        Column("author", [entry.author for entry in entries], number=False, level=1),
        Column("priority", [str(entry.priority) for entry in entries], level=3),
        Column("games", [str(job.games) if job.run else "" for job in jobs], level=2),
    ]
    if not all(job.state.is_final for job in jobs):
        columns.append(Column("ends in", [_ends_in(each) for each in outlooks], level=2))
    if any(job.verdict for job in jobs):
        verdicts = [_word(job.verdict or "") for job in jobs]
        columns.append(Column("verdict", verdicts, number=False))
    columns += [
        Column("submitted", [moment(e.submitted_at) for e in entries], number=False, level=4),
        Column("command", [command_text(job) for job in jobs], number=False),
    ]
    if any(entry.note for entry in entries):
        columns.append(Column("note", [entry.note for entry in entries], number=False, level=2))
    return columns


def _ends_in(outlook: Outlook) -> str:
    if outlook.seconds_left is None:
        return "" if outlook.job.state.is_final else "-"
    return rough_duration(outlook.seconds_left)


def _word(word: str) -> Text:
    return Text(word, style=STYLES.get(word, ""))


def tokens_document(tokens: Sequence[TokenRow]) -> dict[str, Any]:
    """Return the document of `ladder queue token --json`."""
    return {"tokens": [token_document(token) for token in tokens]}


def token_document(token: TokenRow) -> dict[str, Any]:
    """Return a token for a document."""
    return {
        "name": token.name,
        "right": token.right.value,
        "created_at": moment_iso(token.created_at),
        "used_at": _moment_iso(token.used_at),
    }


def print_tokens(console: Console, tokens: Sequence[TokenRow]) -> None:
    """Print a line for each token."""
    if not tokens:
        console.print("there are no tokens: `ladder queue token NAME --submit` makes one")
        return
    columns = [
        Column("name", [token.name for token in tokens], number=False),
        Column("right", [token.right.value for token in tokens], number=False),
        Column("created", [moment(token.created_at) for token in tokens], number=False),
        Column(
            "used",
            ["never" if token.used_at is None else moment(token.used_at) for token in tokens],
            number=False,
        ),
    ]
    console.print(fit(columns, console.width).table())
