"""Numbers, lists and text of unknown origin for JSON, CSV, Markdown, XML and terminals."""

import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import msgspec

from ladder.visible import visible, visible_json, visible_lines

FORMULA = ("=", "+", "-", "@")
"""First characters that make a spreadsheet read a cell as a formula."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]#|~])")
_ENTITIES = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;"})
_WORD = re.compile(r"[\w.@+-]*", re.ASCII)


def to_json(document: object) -> str:
    """Return an indented JSON document; its floats must be finite."""
    return visible_json(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())


def to_json_line(document: object) -> str:
    """Return a JSON document in one line; its floats must be finite."""
    return visible_json(msgspec.json.encode(document).decode())


def text_of_lines(lines: Iterable[str]) -> str:
    """Join lines; a line break inside a line is escaped."""
    return "\n".join(map(visible, lines))


def labelled(rows: Iterable[tuple[str, str]], width: int, indent: str = "  ") -> list[str]:
    """Return a line for each label and value, with aligned values.

    Args:
        rows: labels and values.
        width: the smallest width of the labels, in characters.
        indent: the text before each line.

    """
    listed = list(rows)
    wide = max([width, *(len(name) + 1 for name, _ in listed)])
    return [f"{indent}{name:<{wide}}{value}" for name, value in listed]


def lines_of(text: str) -> list[str]:
    """Split a bot's text into lines; lines after the first are indented."""
    return text.rstrip().replace("\n", "\n  ").split("\n")


def capped(text: str, limit: int) -> str:
    """Return a text cut to a number of characters, with three dots at a cut."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def markdown_text(text: str) -> str:
    """Return a text as one escaped line of Markdown, which may stand in a table."""
    line = visible(capped(" ".join(text.split()), 2000))
    # Not every Markdown reads a backslash before < as an escape, so these become entities.
    return _MARKDOWN.sub(r"\\\1", line).translate(_ENTITIES)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return comma-separated values with a header line; None is an empty cell."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow(map(_csv_value, row))
    return output.getvalue()


def _csv_value(value: object) -> object:
    """Return a value for a cell; lists and objects are JSON."""
    if isinstance(value, list | dict):
        return json.dumps(value)
    return csv_cell(value) if isinstance(value, str) else value


def csv_cell(text: str) -> str:
    """Return a text that no spreadsheet reads as a formula; names of bots are not changed."""
    shown = visible(text)
    return f"'{shown}" if shown.startswith(FORMULA) and not _WORD.fullmatch(shown) else shown


def xml_text(text: str, limit: int) -> str:
    """Return a text cut to a number of characters, with those escaped that XML 1.0 forbids."""
    return capped(visible_lines(text), limit)


def annotation(kind: str, title: str, message: str) -> str:
    """Return a workflow command of GitHub Actions that annotates a run."""
    shown = _percents(capped(visible_lines(message), 1000))
    heading = _percents(capped(visible(title), 200)).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={heading}::{shown}"


def _percents(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def repeated_text(run: int, ended_at: float) -> str:
    """Return that a stored run has the result of the same command."""
    return (
        f"run {run} of {moment(ended_at)} has answered this with the same seed: --new plays fresh "
        "pairs"
    )


def moment(seconds: float) -> str:
    """Return a time in epoch seconds as local date and time, to the minute."""
    return f"{datetime.fromtimestamp(seconds).astimezone():%Y-%m-%d %H:%M}"


def day(moment: float) -> str:
    """Return a time in epoch seconds as date and time in UTC."""
    return f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d %H:%M} UTC"


def iso_time(seconds: float | None) -> str | None:
    """Return a time in epoch seconds as ISO 8601 in UTC; None stays None."""
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat()


def rough_duration(seconds: float) -> str:
    """Return a duration in its two largest units."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    if not hours:
        return f"{minutes} min"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours} h" if days else f"{hours} h {minutes:02} min"


def rounded(value: float | None, digits: int) -> float | None:
    """Round a number to decimal digits, never to -0.0; None stays None."""
    return None if value is None else round(value, digits) or abs(round(value, digits))


def values_of(record: object, *names: str, digits: int | None = None) -> dict[str, Any]:
    """Return values of a record by name, for a JSON document.

    Args:
        record: the object with the values.
        names: its attributes, in the order of the document's keys.
        digits: the decimal digits of the values; None to leave them as they are.

    """
    values = {name: getattr(record, name) for name in names}
    if digits is None:
        return {
            name: list(each) if isinstance(each, tuple) else each for name, each in values.items()
        }
    return {name: rounded(each, digits) for name, each in values.items()}


def number(value: float | None, form: str = ".0f") -> str:
    """Format a number, never as -0.0; None becomes a dash."""
    if value is None:
        return "-"
    shown = format(value, form)
    is_zero = "0" in shown and not any(digit in shown for digit in "123456789")
    return shown.replace("-", "") if is_zero else shown


def in_words(value: object) -> str:
    """Return a value of JSON as the text of a cell."""
    if value is None or isinstance(value, bool):
        return {None: "-", True: "yes", False: "no"}[value]
    return value if isinstance(value, str) else json.dumps(value)


def wdl_text(wdl: Sequence[int]) -> str:
    """Return wins, draws and losses as ``won-drawn-lost``, such as ``12-3-5``."""
    return "-".join(map(str, wdl))


def as_sentence(text: str, names: Collection[str] = ()) -> str:
    """Return a text with a capital first letter and a full stop.

    Names and hashes keep their first letter: a word in `names`, or one with other characters than
    letters.
    """
    first = text.partition(" ")[0]
    if first.isalpha() and first not in names:
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else f"{text}."


def join_names(names: Sequence[str]) -> str:
    """Join names for a sentence, such as ``a, b and c``."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
