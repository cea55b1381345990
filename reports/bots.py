"""Registered bots as tables and text."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from rich.table import Table
from rich.text import Text

from db.records.bots import BotRow
from db.records.restart import Restart

_RESTARTS = {
    Restart.GAME: "for every game",
    Restart.PAIR: "for every pair of games",
    Restart.NEVER: "only after a failure",
}


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


def bot_text(row: BotRow, changes: Mapping[str, str]) -> str:
    """All that is known about one bot, and what became of its files since it was registered."""
    revision = row.revision
    launch = revision.launch
    boards = "every board" if revision.boards is None else ", ".join(revision.boards)
    least = "" if launch.min_time_ms is None else f"; needs {launch.min_time_ms} ms a move"
    since = datetime.fromtimestamp(revision.created_at).astimezone()
    lines = [
        f"{row.name} ({row.family})" + (", retired" if row.retired_at is not None else ""),
        f"  spec        {row.spec}",
        f"  based on    {row.based_on or '-'}",
        f"  the change  {row.change or '-'}",
        f"  plays on    {', '.join(revision.budgets)}; {boards}{least}",
        f"  restarted   {_RESTARTS[launch.restart]}",
        f"  revision    {revision.number}, {revision.content_hash[:12]}, "
        f"since {since:%Y-%m-%d %H:%M}",
        "  made of",
        *(f"    {digest}  {name}" for name, digest in revision.files.items()),
    ]
    if launch.origin is not None:
        built = f", built by `{launch.origin.build}`" if launch.origin.build else ""
        lines.insert(2, f"  from git    {launch.origin.revision}, {launch.origin.commit}{built}")
    if launch.folder:
        lines.insert(2, f"  in          {launch.folder}")
    if changes:
        lines.append("  changed since then; `ladder bots add --replace` registers it as it is now")
        lines += [f"    {name}: {what}" for name, what in changes.items()]
    return "\n".join(lines)
