"""A repository of twelve commits of a small player, pushed in three parts, one for each night."""

from pathlib import Path

from tests.support.data.history import BOT, BUILD, SPEC
from tests.support.data.repositories import commit, git, repository

__all__ = ["BUILD", "DROP", "NIGHTS", "README", "SPEC", "TAGS", "UNBUILDABLE", "push", "start"]

NIGHTS = ((1, 2, 3, 4), (5, 6, 7, 8), (9, 10, 11, 12))
"""The numbers of the commits that are pushed before each night."""
README, UNBUILDABLE, DROP, REPAIR = 6, 7, 8, 12
"""The commits that change only a text, cannot be built, look ahead no more, and do so again."""
TAGS = {1: "v1.0", 9: "v2.0"}
BUILDER = "{}\nimport shutil\nshutil.copy('player.py', 'built.py')\n"


def start(folder: Path) -> None:
    """Make the repository with its first commit, and what belongs into no commit left out."""
    ignored = "built.py\n*.html\n*.xml\n*.md\nladder.db*\n!README.md\n"
    repository(folder, {**_files(1), ".gitignore": ignored})
    git(folder, "tag", TAGS[1])


def push(folder: Path, night: int) -> None:
    """Add the commits before a night, counted from 0."""
    for number in NIGHTS[night]:
        if number == README:
            commit(folder, {"README.md": "A player.\n"}, "Explain it")
        elif number > 1:
            subject = {DROP: "Simplify the choice", UNBUILDABLE: "Break the build"}
            commit(folder, _files(number), subject.get(number, f"Step {number}"))
        if number in TAGS and number > 1:
            git(folder, "tag", TAGS[number])


def _files(number: int) -> dict[str, str]:
    looks_ahead = not DROP <= number < REPAIR
    fails = "raise SystemExit('no')" if number == UNBUILDABLE else ""
    return {
        "player.py": f"LOOKS_AHEAD = {looks_ahead}\n# Step {number}\n{BOT}",
        "build.py": BUILDER.format(fails),
    }
