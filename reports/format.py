"""Text of unknown origin made safe for what it is put into, and capped in size."""

import re
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec


def to_json(document: object) -> str:
    """A JSON document, indented; floats that do not exist must be None already."""
    return msgspec.json.format(msgspec.json.encode(document), indent=2).decode()


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; bars in cells are escaped."""
    lines = [
        "| " + " | ".join(columns) + " |",
        "|" + "---|" * len(columns),
        *("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows),
    ]
    return "\n".join(lines)


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~])")


def capped(text: str, limit: int) -> str:
    """At most so many characters, with three dots where something was cut."""
    return text if len(text) <= limit else text[: limit - 3] + "..."


def xml_text(text: str) -> str:
    """Without the characters that XML 1.0 cannot hold, however they are escaped."""
    return _NO_XML.sub("?", text)


def markdown_cell(text: str, limit: int = 2000) -> str:
    """One line that Markdown shows as it is, also inside a table."""
    return _MARKDOWN.sub(r"\\\1", capped(" ".join(text.split()), limit))


def annotation(kind: str, title: str, message: str, limit: int = 1000) -> str:
    """A workflow command of GitHub Actions that shows a message beside a run."""
    shown = _escaped(capped(message, limit))
    heading = _escaped(capped(title, 200)).replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={heading}::{shown}"


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def moment(seconds: float) -> str:
    """A time in seconds since the epoch as local date and time, to the minute."""
    return f"{datetime.fromtimestamp(seconds).astimezone():%Y-%m-%d %H:%M}"


def number(value: float | None, form: str = ".0f") -> str:
    """A number, or a dash where there is none."""
    return "-" if value is None else format(value, form)
