"""The outcome of an import, for people and scripts."""

from typing import Any

from db.records.exchange import Imported


def import_document(imported: Imported) -> dict[str, Any]:
    """Return the document of `ladder import --json`."""
    return {"games": imported.games, "skipped": imported.skipped, "names": imported.names}


def import_text(imported: Imported) -> str:
    """Return the outcome in a sentence."""
    skipped = f", {imported.skipped} were already stored" if imported.skipped else ""
    lines = [f"{imported.games} games were imported{skipped}"]
    for name, here in imported.names.items():
        is_other = here.startswith(f"{name}@")
        why = f"its content differs from that of {name}" if is_other else "its content is the same"
        lines.append(f"{name} of the file is {here} here: {why}")
    return "\n".join(lines)
