"""Registered bots as tables and text."""

from collections.abc import Sequence
from datetime import datetime

from rich.table import Table
from rich.text import Text

from db.rows import BotRow


def bots_table(rows: Sequence[BotRow]) -> Table:
    """Every bot with what it is based on and the one thing that it changes."""
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in ("bot", "family", "based on", "plays on", "rev", "the change"):
        table.add_column(name)
    for row in rows:
        table.add_row(
            Text(row.name, style="dim" if row.retired_at is not None else ""),
            row.family,
            row.based_on or "-",
            ", ".join(row.revision.budgets),
            str(row.revision.number),
            Text(row.change),
        )
    return table


def bot_text(row: BotRow) -> str:
    """All that is known about one bot."""
    revision = row.revision
    boards = "every board" if revision.boards is None else ", ".join(revision.boards)
    since = datetime.fromtimestamp(revision.created_at).astimezone()
    lines = [
        f"{row.name} ({row.family})" + (", retired" if row.retired_at is not None else ""),
        f"  spec        {row.spec}",
        f"  based on    {row.based_on or '-'}",
        f"  the change  {row.change or '-'}",
        f"  plays on    {', '.join(revision.budgets)}; {boards}",
        f"  revision    {revision.number}, {revision.content_hash[:12]}, "
        f"since {since:%Y-%m-%d %H:%M}",
        "  made of",
        *(f"    {digest}  {name}" for name, digest in revision.files.items()),
    ]
    return "\n".join(lines)
