"""The openings that a run is given: from a file, or from the database once the file is gone."""

from dataclasses import dataclass
from pathlib import Path

from db.records.opening_sets import OpeningSetRow
from db.store import Store
from engine.errors import OpeningError
from engine.opening_set import OpeningSet, parse_opening_set
from ladder.errors import UsageError
from ladder.visible import visible

MOST_BYTES = 256 << 20
"""Of a file, so that a device or a database given by mistake does not fill the memory."""
FEWEST_DIGITS = 8
"""Of a hash that names a stored set."""


@dataclass(frozen=True, slots=True)
class NamedOpenings:
    """A set of openings and where it came from."""

    set: OpeningSet
    name: str
    """Of its file, without the folder."""

    @property
    def row(self) -> OpeningSetRow:
        """The set as it is stored."""
        return OpeningSetRow(self.set.content_hash, self.name, self.set.text)


def read_openings(file: Path) -> NamedOpenings:
    """The openings of a file.

    Raises:
        UsageError: it cannot be read or breaks a rule; the message names file and line.

    """
    name = visible(str(file))
    try:
        with file.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise UsageError(f"--openings: {name} is larger than {MOST_BYTES >> 20} MiB")
        return NamedOpenings(parse_opening_set(content.decode()), visible(file.name))
    except OSError as error:
        raise UsageError(f"--openings: {name} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"--openings: {name} is no text: write one opening a line") from error
    except OpeningError as error:
        raise UsageError(f"--openings: {name}, {error}") from error


def stored_openings(store: Store, word: str) -> NamedOpenings:
    """The stored set whose hash begins with a word, or whose file had its name.

    Raises:
        UsageError: there is none, or several.

    """
    name = visible(Path(word).name)
    found = [
        row
        for row in store.opening_sets.find(name)
        if row.name == name or len(name) >= FEWEST_DIGITS
    ]
    if not found:
        raise UsageError(
            f"--openings: there is no file {visible(word)!r}, and no run played openings "
            "of that name or hash"
        )
    if len(found) > 1:
        hashes = ", ".join(row.content_hash[:12] for row in found)
        raise UsageError(
            f"--openings: there is no file {visible(word)!r}, and several sets were read from "
            f"files of that name: give the hash of one ({hashes})"
        )
    return NamedOpenings(parse_opening_set(found[0].lines), found[0].name)
