"""Text of unknown origin made safe for the format that it is put into, and capped in size."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from ladder.visible import visible, visible_json, visible_lines

FORMULA = ("=", "+", "-", "@")
"""Beginnings that a spreadsheet takes for a formula."""
_MARKDOWN = re.compile(r"([\\`*_{}\[\]#|~])")
_ENTITIES = str.maketrans({"<": "&lt;", ">": "&gt;", "&": "&amp;"})
_WORD = re.compile(r"[\w.@+-]*", re.ASCII)


def to_json(document: object) -> str:
    """A JSON document, indented; floats that do not exist must be None already."""
    return visible_json(msgspec.json.format(msgspec.json.encode(document), indent=2).decode())


def to_json_line(document: object) -> str:
    """A JSON document in one line; floats that do not exist must be None already."""
    return visible_json(msgspec.json.encode(document).decode())


def text_of_lines(lines: Iterable[str]) -> str:
    """Lines for people; a line break inside of one is shown and makes no further line."""
    return "\n".join(map(visible, lines))


def labelled(rows: Iterable[tuple[str, str]], width: int, indent: str = "  ") -> list[str]:
    """Return a line for each label and value, the values below each other and never glued.

    Args:
        rows: labels and values.
        width: columns of the labels, more if one is longer.
        indent: before each line.

    """
    listed = list(rows)
    wide = max([width, *(len(name) + 1 for name, _ in listed)])
    return [f"{indent}{name:<{wide}}{value}" for name, value in listed]


def lines_of(text: str) -> list[str]:
    """The lines of a text that is not ours; those after the first are indented to show it."""
    return text.rstrip().replace("\n", "\n  ").split("\n")


def capped(text: str, limit: int) -> str:
    """At most so many characters, with three dots where something was cut."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table of cells that show as they are."""
    lines = [
        "| " + " | ".join(map(markdown_text, columns)) + " |",
        "|" + "---|" * len(columns),
        *("| " + " | ".join(map(markdown_text, row)) + " |" for row in rows),
    ]
    return "\n".join(lines)


def markdown_text(text: str, limit: int = 2000) -> str:
    """One line that Markdown shows as it is, also inside a table."""
    line = visible(capped(" ".join(text.split()), limit))
    # Not every Markdown takes a backslash before a bracket of HTML for an escape.
    return _MARKDOWN.sub(r"\\\1", line).translate(_ENTITIES)


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Comma-separated values with a header line; None is an empty cell."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        writer.writerow([csv_cell(value) if isinstance(value, str) else value for value in row])
    return output.getvalue()


def csv_cell(text: str) -> str:
    """A text for a cell that no spreadsheet takes for a formula; a bot's name stays as it is."""
    shown = visible(text)
    return f"'{shown}" if shown.startswith(FORMULA) and not _WORD.fullmatch(shown) else shown


def xml_text(text: str, limit: int) -> str:
    """At most so many characters, all of them such that XML 1.0 can hold them."""
    return capped(visible_lines(text), limit)


def annotation(kind: str, title: str, message: str, limit: int = 1000) -> str:
    """A workflow command of GitHub Actions that shows a message beside a run."""
    shown = _percents(capped(visible_lines(message), limit))
    heading = _percents(capped(visible(title), 200)).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={heading}::{shown}"


def _percents(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def moment(seconds: float) -> str:
    """A time in seconds since the epoch as local date and time, to the minute."""
    return f"{datetime.fromtimestamp(seconds).astimezone():%Y-%m-%d %H:%M}"


def rounded(value: float | None, digits: int) -> float | None:
    """A number with so many digits behind the point; None where there is none."""
    return None if value is None else round(value, digits)


def number(value: float | None, form: str = ".0f") -> str:
    """A number, or a dash where there is none."""
    return "-" if value is None else format(value, form)


def games_text(count: int) -> str:
    """A number of games in words."""
    return "1 game" if count == 1 else f"{count} games"
