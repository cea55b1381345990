"""Writes the table of versions in docs/players.md: ``python -m tests.tools.players_page``."""

from bots.catalogue import VERSIONS
from tests.tools.generated import ROOT, with_generated

PAGE = ROOT / "docs" / "players.md"


def table() -> str:
    """Return one row per version: its idea, the function that holds it, gain and price."""
    lines = ["| version | adds | function | Elo gained | costs |", "|---|---|---|---|---|"]
    for version in VERSIONS.values():
        if version.idea is not None:
            function, gain, cost = version.idea
            base = f", after {version.based_on}" if version.based_on else ""
            file = function.partition(":")[0]
            lines.append(
                f"| {version.name}{base} | {version.change} | [`{function}`](../{file}) "
                f"| {gain or '-'} | {cost or '-'} |"
            )
    return "\n".join(lines) + "\n"


def page() -> str:
    """Return the page with a fresh table."""
    return with_generated(PAGE.read_text(), "versions", table())


if __name__ == "__main__":
    PAGE.write_text(page())
