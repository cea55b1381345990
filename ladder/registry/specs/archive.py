"""Archives of bots' files: packed from a folder, and unpacked once per content to be played from.

Below the user's cache folder, ``bots/SHA256/files`` holds the files of an archive, read-only and
with fixed times, beside the manifest, and ``bots/SHA256/cache`` what is compiled from them, which
Python finds by links. What no process has begun to use for a month is removed.
"""

import contextlib
import errno
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import msgspec

from db.records.archives import (
    CACHE,
    FILES,
    MANIFEST,
    ArchivedFile,
    Manifest,
    UnpackedArchive,
    archives_folder,
    cache_of,
    read_file,
)
from engine.cache import cache_root
from ladder.errors import UsageError
from ladder.match.process.supervisor import links_to_compiled
from ladder.registry.specs.folder_files import COMPILED, find_tree_files

CACHE_FAULT = "files of bots cannot be written into the cache folder"
MOST_MB = 256
"""Most MiB of a bot's files, unless an option allows more."""
MOST_COPIED = 10_000
"""Most files of a folder that is copied for a trial."""
GIT = ".git"
MOST_NAMED = 3
"""Number of the largest files that a message names."""
FIXED_TIME = 946_684_800
"""Time of change of all unpacked files: compilers' caches compare it."""
OLDEST_S = 30 * 86_400.0
"""Seconds without use after which an unpacked archive is removed; longer than any run."""
CHANGED = "{} was changed while it was packed: run the command again"
DAMAGED = (
    "the archive is damaged in the database: {} is not what was stored; add the bot again with "
    "`ladder bots add NAME SPEC --replace`"
)
PartReader = Callable[[ArchivedFile], Iterable[bytes]]


def cached_archive(sha256: str) -> UnpackedArchive:
    """Return an archive that is unpacked on this machine. Raises OSError."""
    content = (archives_folder() / sha256 / MANIFEST).read_bytes()
    return UnpackedArchive(msgspec.json.decode(content, type=Manifest), use(sha256))


def pack(root: Path, paths: Iterable[Path], *, most_mb: int = MOST_MB) -> UnpackedArchive:
    """Return an unpacked archive of files.

    Args:
        root: the folder that the paths of the archive are relative to, resolved.
        paths: files, links and empty folders below it.
        most_mb: the limit on all files together, in MiB.

    Raises:
        UsageError: they are too large, a link leads out of the root, or a file cannot be read, was
            changed meanwhile, or there is no room for the copy.

    """
    chosen = _with_targets(root, paths)
    _refuse_large(root, chosen, most_mb)
    manifest = describe(root, chosen)
    # Each file is read again for the copy, which finds those that change meanwhile.
    return unpack(manifest, lambda file: read_file(root / file.path), CHANGED)


def unpack(manifest: Manifest, read: PartReader, fault: str = DAMAGED) -> UnpackedArchive:
    """Return an archive, unpacked first if it is not yet.

    Args:
        manifest: the content of the archive.
        read: yields the parts of a file; raises ValueError if one is damaged.
        fault: the message about a file with another content, with ``{}`` for its path.

    Raises:
        UsageError: the archive is damaged, or there is no room for its files.

    """
    sha256 = manifest.sha256
    with contextlib.suppress(FileNotFoundError):
        return UnpackedArchive(manifest, use(sha256))
    with _staging() as new, _explained(f"{manifest.bytes >> 20} MiB cannot be unpacked"):
        for file in manifest.files:
            place = _inside(new / FILES, file.path)
            try:
                with place.open("xb") as copy:
                    copy.writelines(read(file))
                if not is_same_file(file, place):
                    raise ValueError(file.path)
            except (ValueError, FileNotFoundError) as error:
                raise UsageError(fault.format(file.path)) from error
            place.chmod(0o555 if file.executable else 0o444)
            os.utime(place, (FIXED_TIME, FIXED_TIME))
        for name, target in manifest.links:
            place = _inside(new / FILES, name)
            _inside(new / FILES, os.path.join(os.path.dirname(name), target))
            place.symlink_to(target)
        for name in manifest.folders:
            _inside(new / FILES, name).mkdir()
        _publish(new, manifest)
    clean_cache()
    return UnpackedArchive(manifest, use(sha256))


def use(sha256: str) -> Path:
    """Keep an unpacked archive for another month, and return the folder of its files.

    Raises:
        FileNotFoundError: it is not unpacked.

    """
    place = archives_folder() / sha256
    try:
        os.utime(place)
    except OSError:  # another user's, or on a read-only file system
        if not os.access(place / FILES, os.R_OK):
            raise
    return place / FILES


def write_out(root: Path, folder: Path) -> None:
    """Write an unpacked archive into a new or empty folder, with ordinary rights.

    Raises:
        UsageError: the folder is not empty or cannot be written.

    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is not an empty folder: choose another one")
    with _explained(f"the files cannot be written into {folder}"):
        _copy_tree(root, folder)


@contextmanager
def writable_copy(packed: UnpackedArchive) -> Iterator[Path]:
    """Yield a copy of an unpacked archive that can be changed, and remove it afterwards.

    Raises:
        UsageError: there is no room for it.

    """
    with _staging() as new:
        with _explained(f"{packed.manifest.bytes >> 20} MiB cannot be copied for the trial"):
            _copy_tree(packed.root, new / FILES)
        yield new / FILES


@contextmanager
def folder_copy(folder: Path) -> Iterator[Path]:
    """Yield a copy of a bot's folder with hidden files, apart from git's, and remove it afterwards.

    Raises:
        UsageError: it is too large, or there is no room for it.

    """
    found = (path for path in find_tree_files(folder) if GIT not in path.relative_to(folder).parts)
    paths = list(islice(found, MOST_COPIED + 1))
    if len(paths) > MOST_COPIED:
        raise UsageError(f"{folder} holds too much to be copied")
    _refuse_large(folder, paths, MOST_MB)
    with _staging() as new:
        with _explained(f"{folder} cannot be copied for the trial"):
            for path in paths:
                place = _inside(new / FILES, str(path.relative_to(folder)))
                if path.is_dir() and not path.is_symlink():
                    place.mkdir()
                else:
                    shutil.copy(path, place, follow_symlinks=False)
        yield new / FILES


def is_changed(manifest: Manifest, copy: Path) -> bool:
    """Return whether files were created, changed or removed in a copy of an archive."""
    known = {copy / file.path: file for file in manifest.files}
    found = {path for path in find_tree_files(copy) if path.is_file() and not path.is_symlink()}
    return not found <= known.keys() or not all(
        is_same_file(file, path) for path, file in known.items()
    )


def is_same_file(file: ArchivedFile, path: Path) -> bool:
    """Return whether a file has the content of an archived one; False if it is missing."""
    with contextlib.suppress(OSError):
        return path.stat().st_size == file.size and _hash_file(path) == file.sha256
    return False


def clean_cache() -> None:
    """Remove unpacked archives that were not used for long."""
    now = time.time()
    with contextlib.suppress(FileNotFoundError):
        for place in archives_folder().iterdir():
            # It was removed meanwhile, is another user's, or a part of it is left from a kill.
            with contextlib.suppress(OSError):
                if now > place.lstat().st_mtime + OLDEST_S:
                    # Under another name first, so that a kill leaves no part of an archive.
                    remove_tree(place.rename(place.with_name(f".old-{place.name}")))


def remove_tree(folder: Path) -> None:
    """Remove a folder with read-only folders in it, as far as possible."""
    for place, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):
            os.chmod(place, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def describe(root: Path, paths: Iterable[Path]) -> Manifest:
    """Return the content of files, links and empty folders below a root.

    Raises:
        UsageError: one of them cannot be read, or is of another kind.

    """
    files, links, folders = [], [], []
    for path in paths:
        name = str(path.relative_to(root))
        with _explained(f"{name} cannot be packed"):
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                links.append((name, os.path.relpath(path.resolve(), path.parent.resolve())))
            elif stat.S_ISDIR(mode):
                folders.append(name)
            elif stat.S_ISREG(mode):
                size, can_run = path.stat().st_size, bool(mode & stat.S_IXUSR)
                files.append(ArchivedFile(name, _hash_file(path), size, can_run))
            else:
                raise UsageError(f"{name} is not a file: leave it out by `--files`")
    return Manifest(tuple(files), tuple(links), tuple(folders))


def _hash_file(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _copy_tree(source: Path, copy: Path) -> None:
    """Copy an unpacked archive so that its files can be changed. Raises OSError."""
    shutil.copytree(
        source,
        copy,
        symlinks=True,
        ignore=links_to_compiled,
        copy_function=shutil.copy,
        dirs_exist_ok=True,
    )
    for place, _, names in os.walk(copy):
        Path(place).chmod(0o755)
        for path in (Path(place, name) for name in names):
            if not path.is_symlink():
                path.chmod(path.stat().st_mode | stat.S_IWUSR)


def _with_targets(root: Path, paths: Iterable[Path]) -> list[Path]:
    """Return paths, and what links on them lead to, in order and each once."""
    chosen: set[Path] = set()
    waiting = [Path(os.path.normpath(path)) for path in paths]
    while waiting:
        path = waiting.pop()
        if not path.is_relative_to(root):
            raise UsageError(f"{path} is outside of {root}: run the command in a folder above both")
        above = list(path.parents)[: len(path.parts) - len(root.parts) - 1]
        link = next((each for each in (*reversed(above), path) if each.is_symlink()), None)
        if link is None or path in chosen:
            chosen.add(path)
            continue
        chosen.add(link)
        target = link.resolve()
        if not target.is_relative_to(root):
            raise UsageError(
                f"{link.relative_to(root)} is a link to {target}, outside of {root}: copy the "
                "file there, or leave it out by `--files`"
            )
        if link != path:
            waiting.append(target / path.relative_to(link))
        elif target.is_file():
            waiting.append(target)
        elif not link.is_relative_to(target):
            waiting += (Path(place, name) for place, _, names in os.walk(target) for name in names)
    return sorted(chosen)


def _refuse_large(root: Path, paths: Iterable[Path], most_mb: int) -> None:
    sizes = {str(path.relative_to(root)): path.lstat().st_size for path in paths if path.is_file()}
    if sum(sizes.values()) > most_mb << 20:
        largest = sorted(sizes.items(), key=lambda item: -item[1])[:MOST_NAMED]
        names = ", ".join(f"{name} {_mib(size)}" for name, size in largest)
        raise UsageError(
            f"the bot's files have {_mib(sum(sizes.values()))}, more than {most_mb} MiB (the "
            f"largest: {names}): choose the files that it needs by `--files`, or raise the limit "
            "by `--max-size`"
        )


def _mib(size: int) -> str:
    return f"{size / (1 << 20):.1f} MiB"


def _inside(root: Path, name: str) -> Path:
    """Return a path below a root, whose parent exists then. Raises UsageError if it is outside."""
    path = Path(os.path.normpath(root / name))
    if not path.is_relative_to(root):
        raise UsageError(DAMAGED.format(name))
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


@contextmanager
def _staging() -> Iterator[Path]:
    """Yield a new folder among the unpacked archives, and remove what is left of it."""
    with _explained(CACHE_FAULT):
        archives_folder().mkdir(parents=True, exist_ok=True)
        new = Path(tempfile.mkdtemp(prefix=".new-", dir=archives_folder()))
        (new / FILES).mkdir()
    try:
        yield new
    finally:
        remove_tree(new)


@contextmanager
def _explained(problem: str) -> Iterator[None]:
    """Raise a `UsageError` for an `OSError`, with what to do if the cache is the cause."""
    try:
        yield
    except OSError as error:
        remedy = ""
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            remedy = "free some room, or "
        if remedy or problem == CACHE_FAULT:
            remedy = f": {remedy}set LADDER_CACHE to another folder than {cache_root()}"
        raise UsageError(f"{problem}: {error.strerror or error}{remedy}") from error


def _publish(new: Path, manifest: Manifest) -> None:
    """Move a complete archive to its place, unless another process was faster. Raises OSError."""
    (new / CACHE).mkdir()
    (new / MANIFEST).write_bytes(msgspec.json.encode(manifest))
    for folder, subfolders, names in os.walk(new / FILES, topdown=False):
        if any(name.endswith(".py") for name in names) and COMPILED not in subfolders:
            # PYTHONPYCACHEPREFIX would compile the standard library again for each bot.
            inner = Path(folder).relative_to(new / FILES)
            (new / CACHE / inner).mkdir(parents=True, exist_ok=True)
            (Path(folder) / COMPILED).symlink_to(cache_of(manifest.sha256) / inner)
        os.utime(folder, (FIXED_TIME, FIXED_TIME))
        Path(folder).chmod(0o555)
    new.chmod(0o755)
    place = archives_folder() / manifest.sha256
    try:
        new.rename(place)
    except OSError:
        if not (place / FILES).is_dir():
            raise
