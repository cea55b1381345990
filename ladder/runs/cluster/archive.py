"""Archives of files by content: packed the same way everywhere, unpacked without trust.

An archive is a compressed tar file in which names are sorted and nothing tells when or by whom it
was made, so that equal files give equal bytes, and the hash of the bytes names the content.
"""

import gzip
import hashlib
import io
import os
import shutil
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ladder.errors import UsageError

FILES = "files"
"""The folder of an unpacked archive that holds its files."""
MOST_FILES = 20_000
MOST_BYTES = 512 << 20
"""Of all files of an archive together, unpacked."""
EXECUTABLE = 0o111


def pack(files: Mapping[str, Path]) -> bytes:
    """Files and links as an archive.

    Args:
        files: where each lies, by its path inside the archive; a link is packed as a link.

    Raises:
        UsageError: they are too large to travel, or one cannot be read.

    """
    packed = io.BytesIO()
    size = 0
    try:
        with (
            gzip.GzipFile(fileobj=packed, mode="wb", mtime=0, compresslevel=6) as compressed,
            tarfile.open(fileobj=compressed, mode="w", format=tarfile.PAX_FORMAT) as archive,
        ):
            for name, path in sorted(files.items()):
                entry = tarfile.TarInfo(name)
                if path.is_symlink():
                    entry.type, entry.linkname = tarfile.SYMTYPE, os.readlink(path)
                    archive.addfile(entry)
                    continue
                content = path.read_bytes()
                size += len(content)
                if size > MOST_BYTES:
                    raise UsageError(f"its files are larger than {MOST_BYTES >> 20} MiB together")
                entry.size = len(content)
                entry.mode = 0o755 if path.stat().st_mode & EXECUTABLE else 0o644
                archive.addfile(entry, io.BytesIO(content))
    except OSError as error:
        raise UsageError(f"{error.filename} cannot be read: {error.strerror}") from error
    return packed.getvalue()


def name_of(packed: bytes) -> str:
    """The name of an archive: 32 hex digits of its content."""
    return hashlib.sha256(packed).hexdigest()[:32]


def unpack(packed: bytes, place: Path) -> None:
    """Unpack an archive into a new folder, whole or not at all; without effect when it is there.

    Args:
        packed: the archive.
        place: gets a folder `FILES` with the content.

    Raises:
        UsageError: a name or a link leads out of the folder, an entry is neither a file nor a link,
            or there is too much of it; nothing is left of it.
        OSError: it cannot be written.

    """
    if place.is_dir():
        return
    place.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        (new / FILES).mkdir()
        _extract(packed, new / FILES)
        new.chmod(0o755)
        try:
            new.rename(place)
        except OSError:
            if not place.is_dir():  # else another process was faster
                raise
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _extract(packed: bytes, folder: Path) -> None:
    count = size = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r|gz") as archive:
            for entry in archive:
                count, size = count + 1, size + entry.size
                if count > MOST_FILES or size > MOST_BYTES:
                    raise UsageError("an archive of a bot holds too much to be unpacked")
                if not (entry.isreg() or entry.issym()):
                    raise UsageError(
                        f"an archive of a bot holds {entry.name!r}, which is neither a file nor a "
                        "link"
                    )
                _refuse_way_out(entry, folder)
                archive.extract(entry, folder, filter="data")
    except (tarfile.TarError, EOFError, gzip.BadGzipFile) as error:
        raise UsageError(f"an archive of a bot cannot be unpacked: {error}") from error


def _refuse_way_out(entry: tarfile.TarInfo, folder: Path) -> None:
    """Refuse names and links that lead out of a folder, whatever the library lets through.

    The parents are looked up as they lie there by now, for an earlier entry may be a link.
    """
    top = folder.resolve()
    path = folder / entry.name
    ways = [path.parent.resolve() / path.name]
    if entry.issym():
        ways.append((path.parent / entry.linkname).resolve())
    if Path(entry.name).is_absolute() or not all(way.is_relative_to(top) for way in ways):
        raise UsageError(f"an archive of a bot holds {entry.name!r}, which leads out of its folder")
