"""The openings of a run: read from a file, or from the database if the file is gone."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from db.records.runs import OpeningSetRow
from db.store import Store
from engine.board_class import BoardClass
from engine.errors import OpeningError
from engine.opening_set import OpeningSet, parse_opening_set
from ladder.errors import UsageError
from ladder.visible import visible

BALANCED = "balanced"
"""The word for the shipped openings."""
SHIPPED = Path(__file__).with_name("shipped")
"""Folder of shipped openings, a file per board class: eight plies, nodes 200000, seed 1."""
FEWEST_DIGITS = 8
"""Fewest digits of a hash that names a stored set."""


@dataclass(frozen=True, slots=True)
class NamedOpenings:
    """A set of openings and the name of its file."""

    set: OpeningSet
    name: str
    """File name without the folder."""

    @property
    def row(self) -> OpeningSetRow:
        """The row that stores the set."""
        return OpeningSetRow(self.set.content_hash, self.name, self.set.text)


def read_openings(file: Path) -> NamedOpenings:
    """Read the openings of a file.

    Raises:
        UsageError: it cannot be read or breaks a rule; the message names file and line.

    """
    name = visible(str(file))
    try:
        text = file.read_text(encoding="utf-8-sig")
        return NamedOpenings(parse_opening_set(text), visible(file.name))
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror}", option="openings") from error
    except UnicodeDecodeError as error:
        problem = f"{name} is not a text file: write one opening per line"
        raise UsageError(problem, option="openings") from error
    except OpeningError as error:
        raise UsageError(f"{name}, {error}", option="openings") from error


def has_shipped(kind: BoardClass) -> bool:
    """Return whether balanced openings of a board class are shipped."""
    return (SHIPPED / f"{kind}.txt").exists()


def shipped_openings(boards: Iterable[BoardClass]) -> NamedOpenings:
    """Return the balanced openings of board classes, which are the same on all machines.

    Raises:
        UsageError: none are shipped for a board class.

    """
    lines = ""
    for kind in boards:
        if not has_shipped(kind):
            known = " and ".join(sorted(file.stem for file in SHIPPED.glob("*.txt")))
            raise UsageError(
                f"balanced openings are known for {known} only, not for {kind}: `ladder openings "
                f"make FILE --boards {kind} --plies 8 --count 200 --balanced` writes a file",
                option="openings",
            )
        lines += (SHIPPED / f"{kind}.txt").read_text()
    return NamedOpenings(parse_opening_set(lines), BALANCED)


def find_stored_openings(store: Store, word: str) -> NamedOpenings:
    """Return the stored set whose hash begins with a word, or whose file had this name.

    Raises:
        UsageError: there is no such set, or several.

    """
    name = visible(Path(word).name)
    found = [
        row
        for row in store.opening_sets.find(name)
        if row.name == name or len(name) >= FEWEST_DIGITS
    ]
    if len(found) != 1:
        hashes = ", ".join(row.content_hash[:12] for row in found)
        problem = (
            f"several sets of openings have that name: give the hash of one ({hashes})"
            if found
            else "no run used openings of that name or hash: `ladder openings make` writes a file"
        )
        raise UsageError(f"there is no file {visible(word)!r}, and {problem}", option="openings")
    return NamedOpenings(parse_opening_set(found[0].lines), found[0].name)
