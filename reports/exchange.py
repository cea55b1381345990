"""The outcome of an import, for people and scripts."""

from typing import Any

from db.records.exchange import Imported


def import_document(imported: Imported) -> dict[str, Any]:
    """Return the document of `ladder import --json`."""
    return {"games": imported.games, "skipped": imported.skipped}


def import_text(imported: Imported) -> str:
    """Return the outcome in a sentence."""
    skipped = f", {imported.skipped} were already stored" if imported.skipped else ""
    return f"{imported.games} games were imported{skipped}"
