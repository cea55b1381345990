"""Text goes to a terminal as it is: no markup, no emoji codes, no control characters."""

import ast
import io
from pathlib import Path

import pytest
from rich.live import Live
from rich.table import Table
from rich.text import Text

from reports.layout.console import plain_console

ROOT = Path(__file__).resolve().parents[3]
SOURCES = [
    path
    for folder in ("ladder", "reports", "db", "bots", "engine")
    for path in sorted((ROOT / folder).rglob("*.py"))
]
FORBIDDEN = {
    "Console", "get_console", "from_markup", "render_markup", "rprint", "Prompt", "Confirm",
    "Markdown", "Syntax", "echo", "secho", "confirm", "input", "print_json", "from_ansi",
}  # fmt: skip
"""Calls that make another console, or read a text as more than text."""
WORDS = {"markup", "emoji"}
"""Arguments that only the one maker of consoles may give."""
ALLOWED = {
    ("reports/layout/console.py", "markup"),
    ("reports/layout/console.py", "emoji"),
} | {
    ("ladder/cli/app.py", "echo"),  # the version
    ("ladder/cli/help.py", "echo"),  # help that the library has formatted
    ("ladder/cli/output.py", "confirm"),
    ("ladder/cli/commands/runs.py", "confirm"),  # that of the line before
}


@pytest.mark.slow
def test_the_sources_make_no_other_console_and_use_no_markup() -> None:
    """A console that is made elsewhere would read names as markup and emoji codes again."""
    found = set()
    for path in SOURCES:
        text = path.read_text(encoding="utf-8")
        if not any(word in text for word in (*FORBIDDEN, *WORDS, "rich import")):
            continue  # to parse all files takes seconds
        name = str(path.relative_to(ROOT))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call):
                called = getattr(node.func, "attr", getattr(node.func, "id", ""))
                found |= {(name, called)} if called in FORBIDDEN else set()
                found |= {(name, word.arg) for word in node.keywords if word.arg in WORDS}
            if isinstance(node, ast.ImportFrom) and node.module == "rich":
                found.add((name, "rich"))
    assert found == ALLOWED


@pytest.mark.slow
def test_only_one_module_writes_to_the_terminal() -> None:
    """Lines must go through `print_out` and `print_error`; an export writes its own escapes."""
    streams = ("sys.stdout", "sys.stderr", "stdout", "stderr")
    writing = {
        str(path.relative_to(ROOT))
        for path in SOURCES
        if "std" in (text := path.read_text(encoding="utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute)
        and node.attr in ("write", "writelines", "buffer")
        and ast.unparse(node.value) in streams
    }
    assert {name for name in writing if not name.startswith("bots/")} == {
        "ladder/cli/output.py",
        "ladder/cli/commands/exchange.py",
        "ladder/web/review_process.py",  # whose output is a pipe to the server
    }


@pytest.mark.parametrize("text", ["gate:new:old", "[/bold]", "[red]x[/red]", ":smile:", "1 2.5"])
def test_a_text_is_printed_as_it_is(text: str) -> None:
    """A string alone, in a table with a title, as a text and in a live picture."""
    table = Table(title=text, caption=text)
    table.add_column(text)
    table.add_row(text)
    file = io.StringIO()
    console = plain_console(file=file)
    console.print(text)
    console.print(Text(text))
    console.print(table)
    with Live(table, console=console, auto_refresh=False):
        pass
    assert file.getvalue().count(text) == 2 + 4 + 4


def test_control_characters_of_a_text_stay_text() -> None:
    """A terminal must get the console's own sequences and none of the text's."""
    file = io.StringIO()
    console = plain_console(file=file)
    console.print("a\x1b]0;title\x07\x9b31m\u202eb", Text("c\x1b[2Jd"))
    assert file.getvalue() == "a\\x1b]0;title\\x9b31m\\u202eb c\\x1b[2Jd\n"
