"""The ladder's own store of bots taken from git: copies that no working tree can change.

Beside the database, `<database>.bots/` holds one folder for each tree and build:

    files/      the files of the commit, built in place
    made.json   what they were when they were done; a copy without it was never finished
    cache/      compiled kernels, for this project's own players

Files that appear later are not the copy's: a bot may write beside itself.
"""

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from db.records.launch import FileState, Origin
from ladder.errors import UsageError
from ladder.match.specs.file_state import hash_file
from ladder.match.specs.folder_files import MOST_FILES
from ladder.match.specs.git import (
    Commit,
    extract,
)
from ladder.match.specs.git_build import (
    run_build,
    words_of,
)

FILES, MADE, CACHE = "files", "made.json", "cache"
LINK = "-> "
"""Begins what stands in the place of a link's hash, before its target."""
GONE = {"all of it": "gone"}


class _Noted(msgspec.Struct, frozen=True, array_like=True):
    """One file of a copy. Its content is read again only when one of the first two differs."""

    size: int
    changed_ns: int
    """The file's ctime, which every write moves on and which nobody can set back."""
    digest: str


def folder_of(origin: Origin) -> Path:
    """The folder of the copy in which its specification is read and its bot runs."""
    return Path(origin.place, FILES, origin.inner)


def cache_of(origin: Origin) -> Path:
    """Where the copy keeps compiled kernels.

    Not in the user's cache, where one stamp would stand for every copy of the same sources while
    numba keeps machine code by the path of its source.
    """
    return Path(origin.place, CACHE)


@contextmanager
def taken(
    copies: Path, repository: Path, commit: Commit, *, revision: str, inner: str, build: str
) -> Iterator[Origin]:
    """The copy of a commit, made when it is not there whole; a new one goes when the body fails.

    Args:
        copies: the store, made when it is missing.
        repository: its top folder.
        commit: what to take.
        revision: what the user called it.
        inner: the folder inside the repository in which the build runs, "" for the top.
        build: the build command, "" for none.

    Raises:
        UsageError: the files cannot be taken, or the build failed.

    """
    key = commit.tree[:16]
    if build:
        words_of(build)
        key += "-" + hashlib.sha256(repr((build, inner)).encode()).hexdigest()[:8]
    place = copies / key
    with _locked(copies):
        new = not (place / MADE).exists()
        try:
            digest = None if _damage(place) else _digest(_noted(place))
            if digest is None:
                digest = _make(place, repository, commit, revision, inner, build)
            yield Origin(
                revision=revision,
                commit=commit.commit,
                tree=commit.tree,
                inner=inner,
                build=build,
                place=str(place),
                digest=digest,
                committed_at=commit.time,
            )
        except BaseException:
            if new:
                shutil.rmtree(place, ignore_errors=True)
            raise


def damage(origin: Origin) -> dict[str, str]:
    """The files of a copy that differ from those taken: ``changed`` or ``gone`` by name."""
    place = Path(origin.place)
    found = _damage(place)
    if not found and _digest(_noted(place)) != origin.digest:
        return {"its build": "changed"}
    return found


def copy_states(origin: Origin) -> tuple[FileState, ...]:
    """The files of a copy, to be looked at while it plays; links are not."""
    place = Path(origin.place)
    return tuple(
        FileState(str(place / FILES / name), note.size, note.changed_ns, note.digest)
        for name, note in list(_noted(place).items())[:MOST_FILES]
        if not note.digest.startswith(LINK)
    )


def files_of(origin: Origin) -> dict[str, Path]:
    """All files and links of a copy by their paths inside it."""
    top = Path(origin.place, FILES)
    return {name: top / name for name in _noted(Path(origin.place))}


def note_copy(place: Path) -> None:
    """Make a copy of files that came from elsewhere; without effect when it is one already."""
    if not (place / MADE).exists():
        _note(place)


def _make(
    place: Path, repository: Path, commit: Commit, revision: str, inner: str, build: str
) -> str:
    shutil.rmtree(place, ignore_errors=True)
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        files = new / FILES
        files.mkdir()
        extract(repository, commit, files)
        if not (files / inner).is_dir():
            raise UsageError(f"--git: there is no folder {inner} in {repository} at {revision}")
        new.chmod(0o755)
        # Built where it stays, because some builds write absolute paths.
        new.rename(place)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    if build:
        run_build(build, place / FILES / inner)
    return _digest(_note(place))


def _note(place: Path) -> dict[str, _Noted]:
    """Write down what the files of a copy are now."""
    noted = {
        name: _Noted(*_stamp(path), _hash(path)) for name, path in _walk(place / FILES).items()
    }
    draft = place / f".{MADE}.{os.getpid()}"
    draft.write_bytes(msgspec.json.encode(noted))
    draft.rename(place / MADE)
    return noted


def _noted(place: Path) -> dict[str, _Noted]:
    return msgspec.json.decode((place / MADE).read_bytes(), type=dict[str, _Noted])


def _damage(place: Path) -> dict[str, str]:
    try:
        noted = _noted(place)
    except (OSError, msgspec.DecodeError):
        return GONE
    found = {}
    for name, then in noted.items():
        path = place / FILES / name
        try:
            same = _stamp(path) == (then.size, then.changed_ns) or _hash(path) == then.digest
        except OSError:
            found[name] = "gone"
        else:
            if not same:
                found[name] = "changed"
    return found


def _digest(noted: dict[str, _Noted]) -> str:
    """Of names and contents, 16 hex digits."""
    contents = repr(sorted((name, note.digest) for name, note in noted.items()))
    return hashlib.sha256(contents.encode()).hexdigest()[:16]


def _walk(top: Path) -> dict[str, Path]:
    """Every file and link but what Python compiles by itself, by its path inside the folder."""
    found = {}
    for folder, subfolders, names in os.walk(top):
        links = [name for name in subfolders if os.path.islink(os.path.join(folder, name))]
        subfolders[:] = sorted(name for name in subfolders if name != "__pycache__")
        for name in sorted([*names, *links]):
            path = Path(folder, name)
            if path.is_symlink() or path.is_file():
                found[str(path.relative_to(top))] = path
    return found


def _stamp(path: Path) -> tuple[int, int]:
    status = path.lstat()
    return status.st_size, status.st_ctime_ns


def _hash(path: Path) -> str:
    return f"{LINK}{path.readlink()}" if path.is_symlink() else hash_file(path)


@contextmanager
def _locked(copies: Path) -> Iterator[None]:
    """Keep the store to this process, and leave no empty one behind."""
    while True:
        try:
            copies.mkdir(exist_ok=True)
            folder = os.open(copies, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            raise UsageError(f"--git: {copies} cannot be made: {error.strerror}") from error
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            # Whoever had the lock before may have removed the folder as empty.
            if not copies.exists() or not os.path.samestat(os.fstat(folder), copies.stat()):
                continue
            try:
                yield
            finally:
                with contextlib.suppress(OSError):
                    copies.rmdir()
            return
        finally:
            os.close(folder)
