"""The outcome of an import, for people and scripts."""

from typing import Any

from db.records.exchange import Imported


def import_document(imported: Imported) -> dict[str, Any]:
    """The document of `ladder import --json`."""
    return {"games": imported.games, "skipped": imported.skipped}


def import_text(imported: Imported) -> str:
    """One sentence."""
    here = f", {imported.skipped} were here already" if imported.skipped else ""
    return f"{imported.games} games were imported{here}"
