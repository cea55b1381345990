"""Text goes to a terminal as it is: no markup, no emoji codes, no control characters."""

import io

import pytest
from rich.live import Live
from rich.table import Table
from rich.text import Text

from reports.layout.terminal import plain_console


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
