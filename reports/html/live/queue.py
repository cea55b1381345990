"""The pages of the queue: what is played, what waits and what has ended."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from db.records.queue import EntryState, QueueBotRow, ServiceRow
from db.records.tokens import Right, TokenRow
from ladder.experiments.gate.stored import GateState
from ladder.queue.cost import Cost
from ladder.queue.form import Field, FormCommand
from ladder.queue.jobs import Job
from ladder.queue.outlook import Outlook
from reports.html.live.links import job_link, run_link
from reports.html.live.parts import PageParts, fragment
from reports.html.live.runs import pace_words
from reports.html.sections.trials import COLOURS
from reports.html.tables import Cell, Table, number, table_of
from reports.html.words import day
from reports.layout.format import rough_duration
from reports.queue import command_text, expected_text, state_text, unknown_text


class Button(NamedTuple):
    """A button that changes an experiment."""

    word: str
    label: str
    says: str
    """What it does, for screen readers."""
    priority: int | None = None
    """The new priority."""


class ShownField(NamedTuple):
    """A field of the form."""

    number: int
    label: str
    field: Field
    commands: str
    """The commands that have it, with commas between them."""


class FieldGroup(NamedTuple):
    """The fields under a heading."""

    heading: str
    """Empty for the fields that must be filled in."""
    fields: list[ShownField]
    is_rare: bool
    """Whether the group is folded away at first."""


def queue_parts(
    outlooks: Sequence[Outlook],
    services: Sequence[ServiceRow],
    token: TokenRow | None,
    *,
    has_tokens: bool,
) -> PageParts:
    """Return the parts of the page of the queue.

    Args:
        outlooks: the experiments in the order of lists.
        services: the services that play the queue now.
        token: the token of the visitor; None without one.
        has_tokens: whether there are tokens.

    """
    by_state: dict[EntryState, list[Outlook]] = {}
    for outlook in outlooks:
        by_state.setdefault(outlook.job.state, []).append(outlook)
    ended = [each for each in outlooks if each.job.state.is_final]
    waiting = by_state.get(EntryState.WAITING, []) + by_state.get(EntryState.PAUSED, [])
    return PageParts(
        "Queue",
        {
            "who": fragment(
                "queue_who.html.j2",
                token=token,
                has_tokens=has_tokens,
                may_submit=token is not None and token.right.includes(Right.SUBMIT),
            ),
            "services": fragment(
                "queue_services.html.j2", services=[service_words(each) for each in services]
            ),
            "playing": fragment(
                "queue_playing.html.j2",
                playing=[_card(each, token) for each in by_state.get(EntryState.PLAYING, [])],
            ),
            "waiting": fragment(
                "queue_waiting.html.j2",
                waiting=[_card(each, token) for each in waiting],
            ),
            "ended": fragment("queue_ended.html.j2", data=_ended_table(ended)),
        },
    )


def job_parts(outlook: Outlook, bots: Sequence[QueueBotRow], token: TokenRow | None) -> PageParts:
    """Return the parts of the page of an experiment.

    Args:
        outlook: the experiment.
        bots: its bots that are not built in.
        token: the token of the visitor; None without one.

    """
    entry, card, service = outlook.job.entry, _card(outlook, token), outlook.job.service
    is_playing = outlook.job.state is EntryState.PLAYING  # the sentence beside its run has the end
    facts = [
        ("State", str(card["state"])),
        ("Author", f"{entry.author} on {entry.host}"),
        ("Priority", str(entry.priority)),
        ("Submitted", day(entry.submitted_at)),
        ("Started", "" if entry.started_at is None else day(entry.started_at)),
        ("Ended", "" if entry.ended_at is None else day(entry.ended_at)),
        ("Exit code", "" if entry.exit_code is None else str(entry.exit_code)),
        ("Verdict", outlook.job.verdict or ""),
        ("Machine hours", machine_hours(outlook.machine_s) if outlook.machine_s else ""),
        ("Expected machine hours", str(card["cost"])),
        ("Expected", "" if is_playing else expected_text(outlook) or unknown_text(outlook)),
        ("Service", "" if service is None else service_words(service)),
    ]
    return PageParts(
        f"Experiment {entry.id}",
        {
            "job": fragment(
                "job_parts.html.j2",
                card=card,
                facts=[(name, value) for name, value in facts if value],
                bots=[bot.name for bot in bots],
                message=entry.message,
                output=entry.output,
            )
        },
    )


def form_parts(
    commands: Iterable[FormCommand],
    bots: Mapping[str, Sequence[str]],
    token: TokenRow | None,
    *,
    max_priority: int,
) -> PageParts:
    """Return the parts of the page with the form of an experiment.

    Args:
        commands: the commands that may wait in the queue.
        bots: names of bots by group.
        token: the token of the visitor; None without one.
        max_priority: the largest priority.

    """
    commands = tuple(commands)
    users: dict[Field, list[str]] = {}
    """The commands that share a field, such as ``--boards``."""
    for command in commands:
        for each in command.fields:
            users.setdefault(each, []).append(command.name)
    required, *groups = _field_groups(users)
    names = [name for group in bots.values() for name in group]
    rights = () if token is None else [right for right in Right if token.right.includes(right)]
    return PageParts(
        "Submit an experiment",
        {
            "form": fragment(
                "queue_form.html.j2",
                commands=commands,
                required=required,
                groups=groups,
                bots=bots,
                first=names[0] if names else "",
                second=names[1] if len(names) > 1 else "",
                may_submit=Right.SUBMIT in rights,
                may_manage=Right.MANAGE in rights,
                max_priority=max_priority,
            )
        },
    )


def _field_groups(users: Mapping[Field, Sequence[str]]) -> list[FieldGroup]:
    """Return the fields by heading: first those that must be filled in, last the rare ones."""
    groups = {"": FieldGroup("", [], is_rare=False)}
    for place, (each, commands) in enumerate(users.items()):
        heading = "" if each.is_required else each.heading
        group = groups.setdefault(heading, FieldGroup(heading, [], each.is_rare))
        group.fields.append(ShownField(place, _label(each), each, ",".join(commands)))
    required, *others = groups.values()
    return [required, *sorted(others, key=_place)]


def _place(group: FieldGroup) -> tuple[bool, int]:
    """Return the sort key of a group: options of few commands matter most to these."""
    return group.is_rare, max(each.commands.count(",") for each in group.fields)


def _label(each: Field) -> str:
    """Return the name of a field in words, such as ``Max drop``."""
    words = each.name.rstrip(".").lower() + ("s" if each.is_argument and each.is_many else "")
    return words.replace("-", " ").capitalize()


def _card(outlook: Outlook, token: TokenRow | None) -> dict[str, Any]:
    job, entry = outlook.job, outlook.job.entry
    return {
        "id": entry.id,
        "link": job_link(entry.id),
        "command": command_text(job),
        "author": entry.author,
        "priority": entry.priority,
        "note": entry.note,
        "state": state_text(job),
        "submitted": day(entry.submitted_at),
        "run": entry.run_id,
        "run_link": "" if entry.run_id is None else run_link(entry.run_id),
        "games": job.games,
        "expected": _expected_games(outlook),
        "pace": _pace(outlook),
        "left": _decision(outlook),
        "ratio": "" if outlook.gate is None else gate_text(outlook.gate),
        "expected_times": expected_text(outlook),
        "unknown": outlook.unknown,
        "hours": machine_hours(outlook.machine_s),
        "cost": _expected_hours(outlook.cost),
        "buttons": _buttons(job, token),
    }  # fmt: skip


def _expected_games(outlook: Outlook) -> int | None:
    """Return the games that the experiment will probably have at its end; None if unknown."""
    return None if outlook.games_left is None else outlook.job.games + round(outlook.games_left)


def _expected_hours(cost: Cost | None) -> str:
    """Return the hours that an experiment will probably cost; empty if unknown."""
    if cost is None or cost.most_machine_s is None:
        return ""
    return hours_range(cost.machine_s, cost.most_machine_s)


def _pace(outlook: Outlook) -> str:
    """Return the number of games and the speed; for a gate without the time to its limit."""
    pace = outlook.pace
    if pace is None:
        return ""
    if outlook.gate is None:
        return pace_words(pace)
    return pace_words(replace(pace, seconds_left=None))


def _decision(outlook: Outlook) -> str:
    """Return when an experiment in play will be decided, if its pace does not show that."""
    seconds, is_gate = outlook.seconds_left, outlook.gate is not None
    if outlook.job.state is not EntryState.PLAYING:
        return ""
    what = "decision expected" if is_gate else "end expected"
    games = f"{outlook.games_left:,.0f} games" if outlook.games_left is not None and is_gate else ""
    if seconds is None:
        why = outlook.unknown
        return f"{what} in {games}; when is not known: {why}" if games else f"no {what} yet: {why}"
    if not is_gate and outlook.pace is not None and outlook.pace.seconds_left is not None:
        return ""
    return f"{what} in about {rough_duration(seconds)}{games and f' ({games})'}"


def gate_text(gate: GateState) -> str:
    """Return the lowest LLR of a gate with its bounds."""
    return f"{gate.llr:.2f} ({gate.lower:.2f} .. {gate.upper:.2f})"


def machine_hours(seconds: float) -> str:
    """Return hours of one slot, with the digits that matter."""
    hours = seconds / 3600
    if 0 < hours < 0.01:
        return "under 0.01"
    return f"{hours:,.0f}" if hours >= 100 else f"{hours:.2g}" if hours < 10 else f"{hours:.0f}"


def _buttons(job: Job, token: TokenRow | None) -> list[Button]:
    """Return the buttons of an experiment for a visitor."""
    entry = job.entry
    if token is None or job.state.is_final or not token.right.includes(Right.SUBMIT):
        return []
    manages = token.right.includes(Right.MANAGE)
    if not manages and entry.author != token.name:
        return []
    name = f"experiment {entry.id}"
    found = []
    if manages and job.state is EntryState.WAITING:
        found.append(Button("first", "First", f"Put {name} before others of its priority"))
    if manages:
        found.append(Button("priority", "+1", f"Raise the priority of {name}", entry.priority + 1))
    found.append(Button("priority", "-1", f"Lower the priority of {name}", entry.priority - 1))
    if job.state is EntryState.PAUSED:
        found.append(Button("resume", "Resume", f"Resume {name}"))
    else:
        found.append(Button("pause", "Pause", f"Pause {name}"))
    return [*found, Button("cancel", "Cancel", f"Cancel {name}")]


def service_words(service: ServiceRow) -> str:
    """Return a service in a few words."""
    place = "" if service.cluster is None else f" with the cluster {service.cluster}"
    return f"{service.host}{place}, {service.jobs} at a time"


def _ended_table(ended: Sequence[Outlook]) -> Table:
    return table_of(
        ended,
        ("#id", lambda each: _job_cell(each.job)),
        ("~command", lambda each: Cell(command_text(each.job))),
        ("author", lambda each: Cell(each.job.entry.author)),
        ("result", _result_cell),
        ("#games", lambda each: number(each.job.games)),
        ("#machine hours", lambda each: Cell(machine_hours(each.machine_s), each.machine_s)),
        ("ended", lambda each: Cell(day(each.job.entry.ended_at or 0), each.job.entry.ended_at)),
        ("~note", lambda each: Cell(each.job.entry.message or each.job.entry.note)),
    )


def _job_cell(job: Job) -> Cell:
    return Cell(str(job.entry.id), float(job.entry.id), href=job_link(job.entry.id))


def _result_cell(outlook: Outlook) -> Cell:
    verdict = outlook.job.verdict
    if verdict is None:
        failed = "lost" if outlook.job.state is EntryState.FAILED else ""
        return Cell(outlook.job.state.value, verdict=failed)
    return Cell(verdict, verdict=COLOURS.get(verdict, ""))


def cost_document(cost: Cost | None, *, otherwise: str) -> dict[str, Any]:
    """Return the document of an expected cost, or of the sentence if it is unknown."""
    if cost is None:
        return {"cost": None, "sentence": otherwise}
    return {
        "cost": {
            "games": None if cost.games is None else round(cost.games),
            "most_games": round(cost.most_games),
            "game_seconds": cost.game_s,
            "measured": cost.is_measured,
            "machine_hours": _hours(cost.machine_s),
            "most_machine_hours": _hours(cost.most_machine_s),
        },
        "sentence": cost_sentence(cost),
    }


def _hours(seconds: float | None) -> float | None:
    return None if seconds is None else seconds / 3600


def cost_sentence(cost: Cost) -> str:
    """Return the expected cost as a sentence."""
    games = f"at most {cost.most_games:,.0f} games"
    if cost.games is not None:
        games = f"{cost.games:,.0f} games"
        if round(cost.games) < round(cost.most_games):
            most = f"{cost.most_games:,.0f} at most"
            games = f"about {games} if the bots are equally strong, {most}"
    if cost.most_machine_s is None or cost.game_s is None:
        return f"It plays {games}. The time of a game is unknown: none was played this way yet."
    how = "as in the latest games" if cost.is_measured else "estimated"
    hours = hours_range(cost.machine_s, cost.most_machine_s)
    return f"It costs {hours} machine hours: {games}, {cost.game_s:,.1f} s each ({how})."


def hours_range(seconds: float | None, most: float) -> str:
    """Return the expected hours of one slot and the most; the expected may be unknown."""
    longest = machine_hours(most)
    if seconds is None:
        return f"at most {longest}"
    shortest = machine_hours(seconds)
    return longest if shortest == longest else f"{shortest} to {longest}"
