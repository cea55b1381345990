"""The form of an experiment as a request sends it, and the command line that it makes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

import msgspec

from ladder.names import check_line, check_name
from ladder.queue.form import NO, YES, Field, FormCommand
from ladder.web.errors import Refused

MAX_PRIORITY = 10
VALUE_LIMIT = 2000
PATTERN = frozenset("*?[")
"""The characters of a pattern of names."""
SHIPPED = re.compile(r"builtin:[\w.,:=+-]*|balanced|standard|forbidden|[0-9a-f]{64}", re.ASCII)
"""What comes with the program or is stored, where a file or a program may be named."""


class Form(msgspec.Struct, forbid_unknown_fields=True, kw_only=True):
    """The body of a request that submits an experiment, or asks for its cost."""

    command: str
    arguments: list[str] = msgspec.field(default_factory=list)
    options: dict[str, str | list[str]] = msgspec.field(default_factory=dict)
    """Values by the option's name without dashes; an empty value is the default."""
    priority: int = 0
    note: str = ""
    bots: list[str] = msgspec.field(default_factory=list)
    """The first arguments or the option ``bots``: candidate, first bot of a match, all bots."""
    against: list[str] = msgspec.field(default_factory=list)
    """The option ``against``, or the second bot of a match."""
    kind: str = "time_ms"
    amount: int | None = None
    """The budget of a move in its kind, as the option ``time``, ``nodes`` ...; None without."""


@dataclass(frozen=True, slots=True)
class Submission:
    """An experiment whose form is valid as far as this is known without its bots."""

    words: tuple[str, ...]
    """Its command line."""
    priority: int
    note: str
    foreign: str
    """The first value that names a file or a program of the server's machine; empty without."""


def check_form(form: Form, commands: Mapping[str, FormCommand]) -> Submission:
    """Make the command line of a form.

    Raises:
        Refused: a command or an option is unknown, or a value cannot be part of a command line.
        UsageError: the name of a bot or the note is not valid.

    """
    command = commands.get(form.command)
    if command is None:
        raise Refused(f"the command must be one of {', '.join(commands)}")
    if abs(form.priority) > MAX_PRIORITY:
        raise Refused(f"the priority must be from -{MAX_PRIORITY} to {MAX_PRIORITY}")
    arguments, given = _expanded(form, command)
    known, options = command.options, list[str]()
    used: list[tuple[Field, str]] = []
    for name, values in given.items():
        field = known.get(name)
        if field is None:
            raise Refused(f"{form.command} has no option {name[:40]!r} in the queue")
        if len(values) > 1 and not field.is_many:
            raise Refused(f"{name} must be given once")
        if field.is_flag and values[0] not in (YES, NO):
            raise Refused(f"{name} must be {YES} or {NO}")
        options += field.words(values)
        used += ((field, value) for value in values)
    places = [each for each in command.fields if each.is_argument]
    if places:  # the last may be of another kind than those before it, as in BOT... FILE
        before = arguments[: -len(places[1:]) or None]
        used += ((places[0], value) for value in before)
        used += zip(places[1:], arguments[len(before) :], strict=False)
    for field, value in used:
        _check_value(field, value)
    foreign = (value for each, value in used if each.names_file and not SHIPPED.fullmatch(value))
    return Submission(
        words=(*command.name.split(), *options, "--", *arguments),
        priority=form.priority,
        note=check_line(form.note, "the note"),
        foreign=next(foreign, ""),
    )


def _expanded(form: Form, command: FormCommand) -> tuple[list[str], dict[str, list[str]]]:
    """Return the arguments and the options, with those that have a key of their own."""
    arguments, given = list[str](), dict[str, str | list[str]]()
    for name, words in (("bots", form.bots), ("against", form.against)):
        if name in command.options:
            given[name] = ",".join(words)
        else:
            arguments += words
    if form.amount is not None and "clock" not in form.options:
        is_time = form.kind == "time_ms"
        given["time" if is_time else form.kind] = f"{form.amount}{'ms' if is_time else ''}"
    found = {
        name: [text.strip() for text in ([each] if isinstance(each, str) else each)]
        for name, each in (given | form.options).items()
    }
    options = {name: [*filter(None, texts)] for name, texts in found.items() if any(texts)}
    return [*arguments, *form.arguments], options


def _check_value(field: Field, value: str) -> None:
    """Check that a value can be part of a command line. Raises Refused and UsageError."""
    if len(value) > VALUE_LIMIT or not value.isprintable():
        raise Refused(f"{field.name} must be at most {VALUE_LIMIT} printable characters")
    if field.has_bots:
        for name in value.split(",") if field.is_list else (value,):
            if not set(name) & PATTERN:
                check_name(name)
