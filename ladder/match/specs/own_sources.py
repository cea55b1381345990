"""A copy of the sources of this installation's players, which edits do not reach.

A run plays for hours while its author edits the same files. A host imports a player's modules when
it first becomes that player, so hosts of the working tree would mix old and new code. The copy is
an unpacked archive like those of other bots; kernels compiled from it are found by its content.
"""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from engine.cache import PACKAGES, ROOT
from ladder.match.specs.archive import cache_of, pack
from ladder.match.specs.folder_files import find_tree_files

DIGITS = 16


@dataclass(frozen=True, slots=True)
class OwnSources:
    """The packages `engine` and `bots` as they were when this process first needed them."""

    root: Path
    """The folder that holds both."""
    digest: str
    """Hash of the names and contents of all their files."""
    compiled: Path
    """The folder of what Python compiles from them."""


@lru_cache(maxsize=4)
def own_sources(root: Path = ROOT) -> OwnSources:
    """Return the copy that hosts run; the first call in a process makes it if necessary.

    Raises:
        UsageError: it cannot be written.

    """
    files = [path for package in PACKAGES for path in find_tree_files(root / package)]
    packed = pack(root, files)
    sha256 = packed.manifest.sha256
    return OwnSources(packed.root, sha256[:DIGITS], cache_of(sha256))
