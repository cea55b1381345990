"""What `ladder openings make`, `import` and `doctor` found, as plain data and as text."""

from collections.abc import Callable, Sequence
from typing import Any

from db.records.exchange import Imported
from engine.opening_set import OpeningSet
from ladder.names import counted
from ladder.openings.draw import DrawingProgress
from ladder.tools.doctor.machine import Diagnosis
from reports.layout.format import text_of_lines, values_of
from reports.layout.progress import at_intervals


def made_document(file: str, known: OpeningSet, state: DrawingProgress) -> dict[str, Any]:
    """Return the document of `ladder openings make --json`."""
    return {
        "file": file,
        "openings": len(known),
        "hash": known.content_hash,
        **values_of(state, "tried", "by_search"),
    }


def made_text(known: OpeningSet, state: DrawingProgress) -> str:
    """Return the outcome in a line."""
    search = f"; {state.by_search} are balanced by search only" if state.by_search else ""
    return (
        f"{counted(len(known), 'opening')} ({known.content_hash[:12]}), chosen from "
        f"{counted(state.tried, 'different position')}{search}"
    )


def progress_lines(say: Callable[[str], None]) -> Callable[[DrawingProgress], None]:
    """Return a function that prints the progress every few seconds."""
    log = at_intervals(say)
    return lambda state: log(
        f"{state.found} of {state.count} openings, {state.tried} positions examined"
    )


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


def findings_document(findings: Sequence[Diagnosis]) -> list[dict[str, str]]:
    """Return the document of `ladder doctor --json`."""
    return [values_of(each, "topic", "level", "text") for each in findings]


def findings_text(findings: Sequence[Diagnosis]) -> str:
    """Return a line for each finding: level, topic and text."""
    return text_of_lines(f"{each.level.value:<8} {each.topic:<10} {each.text}" for each in findings)
