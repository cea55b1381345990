"""Archives of bot files, which are named by their content and unpacked without trust.

An archive is a compressed tar file with sorted names and without times or owners, so that equal
files give equal bytes, and the hash of the bytes identifies the content.
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
"""Most bytes of all files of an archive together, unpacked."""
EXECUTABLE = 0o111


def pack(files: Mapping[str, Path]) -> bytes:
    """Pack files into an archive.

    Args:
        files: The location of each file by its path in the archive; links are packed as links.

    Raises:
        UsageError: the files are too large to be sent, or one cannot be read.

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
                    raise UsageError(f"its files have more than {MOST_BYTES >> 20} MiB together")
                entry.size = len(content)
                entry.mode = 0o755 if path.stat().st_mode & EXECUTABLE else 0o644
                archive.addfile(entry, io.BytesIO(content))
    except OSError as error:
        raise UsageError(f"{error.filename} cannot be read: {error.strerror}") from error
    return packed.getvalue()


def name_of(packed: bytes) -> str:
    """Return the name of an archive: 32 hex digits of the hash of its content."""
    return hashlib.sha256(packed).hexdigest()[:32]


def unpack(packed: bytes, folder: Path, *, most_bytes: int = MOST_BYTES) -> None:
    """Unpack an archive into a new folder, completely or not at all.

    Args:
        packed: The archive.
        folder: The folder; its subfolder `FILES` gets the content. Nothing is done if it exists.
        most_bytes: Most bytes of all files together, unpacked.

    Raises:
        UsageError: a name or link leads out of the folder, an entry is neither a file nor a link,
            or the archive is too large.
        OSError: the folder cannot be written.

    """
    if folder.is_dir():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    try:
        (new / FILES).mkdir()
        _extract(packed, new / FILES, most_bytes)
        new.chmod(0o755)
        try:
            new.rename(folder)
        except OSError:
            if not folder.is_dir():  # else another process has unpacked it meanwhile
                raise
    finally:
        shutil.rmtree(new, ignore_errors=True)


def _extract(packed: bytes, folder: Path, most_bytes: int) -> None:
    count = size = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(packed), mode="r|gz") as archive:
            for entry in archive:
                count, size = count + 1, size + entry.size
                if count > MOST_FILES or size > most_bytes:
                    raise UsageError("an archive of a bot is too large to be unpacked")
                if not (entry.isreg() or entry.issym()):
                    raise UsageError(
                        f"an archive of a bot holds {entry.name!r}, which is neither a file nor a "
                        "link"
                    )
                _refuse_escape(entry, folder)
                archive.extract(entry, folder, filter="data")
    except (tarfile.TarError, EOFError, gzip.BadGzipFile) as error:
        raise UsageError(f"an archive of a bot cannot be unpacked: {error}") from error


def _refuse_escape(entry: tarfile.TarInfo, folder: Path) -> None:
    """Refuse names and links that lead out of a folder, independently of `tarfile`'s filter.

    Parent folders are resolved on disk, because an earlier entry may be a link.
    """
    top = folder.resolve()
    path = folder / entry.name
    targets = [path.parent.resolve() / path.name]
    if entry.issym():
        targets.append((path.parent / entry.linkname).resolve())
    if Path(entry.name).is_absolute() or not all(target.is_relative_to(top) for target in targets):
        raise UsageError(f"an archive of a bot holds {entry.name!r}, which leads out of its folder")
