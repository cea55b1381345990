"""The ladder's own copies of bots from git, which changes in a working tree do not reach.

Beside the database, `<database>.bots/` holds one folder for each tree and build:

    files/      the files of the commit, built in place
    made.json   their states after the build; a copy without this file is incomplete
    cache/      compiled kernels, for this project's own players

Files that appear later are not part of the copy, for a bot may write into its own folder.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from db.records.launch import FileState, Origin
from ladder.errors import UsageError
from ladder.match.specs.file_state import hash_file, hash_value
from ladder.match.specs.folder_files import MOST_FILES
from ladder.match.specs.git import Commit, extract
from ladder.match.specs.git_build import run_build, split_build_command

FILES, MADE, CACHE = "files", "made.json", "cache"
LINK = "-> "
"""The digest of a symbolic link is this and its target."""
ALL_GONE = {"all of it": "gone"}
"""The damage of a copy that is missing or incomplete."""


class _RecordedFile(msgspec.Struct, frozen=True, array_like=True):
    """The state of a file after the build. Its content is read again if size or time differ."""

    size: int
    changed_ns: int
    """The file's ctime: a later write moves it on, except within one clock tick (`TICK_NS` of
    `file_state`), and no program can set it back."""
    digest: str


def folder_of(origin: Origin) -> Path:
    """Return the folder of a copy in which its specification is read and its bot runs."""
    return Path(origin.place, FILES, origin.inner)


def cache_of(origin: Origin) -> Path:
    """Return the folder of a copy's compiled kernels.

    It is not the user's cache: there, one stamp would stand for all copies of the same sources,
    while numba stores machine code by the path of its source.
    """
    return Path(origin.place, CACHE)


@contextmanager
def open_copy(
    copies: Path, repository: Path, commit: Commit, *, revision: str, inner: str, build: str
) -> Iterator[Origin]:
    """Open the copy of a commit, and make it first if it is missing or damaged.

    A copy that was missing is removed if the body of the `with` statement fails.

    Args:
        copies: the folder of all copies, created if it is missing.
        repository: the top folder of the repository.
        commit: the commit.
        revision: the user's name for the commit.
        inner: the folder inside the repository in which the build runs, "" for the top.
        build: the build command, "" for none.

    Raises:
        UsageError: the files cannot be extracted, or the build failed.

    """
    key = commit.tree[:16]
    if build:
        split_build_command(build)
        key += "-" + hash_value((build, inner))[:8]
    place = copies / key
    with _locked(copies):
        new = not (place / MADE).exists()
        try:
            digest = None if _find_damage_in(place) else _digest(_read_record(place))
            if digest is None:
                digest = _make_copy(place, repository, commit, revision, inner, build)
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


def find_damage(origin: Origin) -> dict[str, str]:
    """Return ``changed`` or ``gone`` for each file of a copy that differs from the original."""
    place = Path(origin.place)
    found = _find_damage_in(place)
    if not found and _digest(_read_record(place)) != origin.digest:
        return {"its build": "changed"}
    return found


def copy_states(origin: Origin) -> tuple[FileState, ...]:
    """Return the states of a copy's first `MOST_FILES` files, without links.

    Each is checked at the start of a process and after every game, with one system call (hence
    the limit) that follows links (hence none of them).
    """
    place = Path(origin.place)
    return tuple(
        FileState(str(place / FILES / name), file.size, file.changed_ns, file.digest)
        for name, file in list(_read_record(place).items())[:MOST_FILES]
        if not file.digest.startswith(LINK)
    )


def files_of(origin: Origin) -> dict[str, Path]:
    """Return all files and links of a copy, by their path inside it."""
    top = Path(origin.place, FILES)
    return {name: top / name for name in _read_record(Path(origin.place))}


def complete_copy(place: Path) -> None:
    """Record the files of a copy that came from another machine, unless they are recorded."""
    if not (place / MADE).exists():
        _write_record(place)


def _make_copy(
    place: Path, repository: Path, commit: Commit, revision: str, inner: str, build: str
) -> str:
    shutil.rmtree(place, ignore_errors=True)
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=place.parent))
    try:
        files = new / FILES
        files.mkdir()
        extract(repository, commit, files)
        if not (files / inner).is_dir():
            problem = f"there is no folder {inner} in {repository} at {revision}"
            raise UsageError(problem, option="git")
        new.chmod(0o755)
        # Build in the final place, because some builds write absolute paths.
        new.rename(place)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise
    if build:
        run_build(build, place / FILES / inner)
    return _digest(_write_record(place))


def _write_record(place: Path) -> dict[str, _RecordedFile]:
    """Write the states of a copy's files into `MADE`."""
    recorded = {
        name: _RecordedFile(*_stamp(path), _hash(path))
        for name, path in _walk(place / FILES).items()
    }
    draft = place / f".{MADE}.{os.getpid()}"
    draft.write_bytes(msgspec.json.encode(recorded))
    draft.rename(place / MADE)
    return recorded


def _read_record(place: Path) -> dict[str, _RecordedFile]:
    return msgspec.json.decode((place / MADE).read_bytes(), type=dict[str, _RecordedFile])


def _find_damage_in(place: Path) -> dict[str, str]:
    try:
        recorded = _read_record(place)
    except (OSError, msgspec.DecodeError):
        return ALL_GONE
    found = {}
    for name, then in recorded.items():
        path = place / FILES / name
        try:
            same = _stamp(path) == (then.size, then.changed_ns) or _hash(path) == then.digest
        except OSError:
            found[name] = "gone"
        else:
            if not same:
                found[name] = "changed"
    return found


def _digest(recorded: dict[str, _RecordedFile]) -> str:
    """Return 16 hex digits of a hash of all names and contents."""
    return hash_value(sorted((name, file.digest) for name, file in recorded.items()))


def _walk(top: Path) -> dict[str, Path]:
    """Return every file and link, except `__pycache__`, by its path inside the folder."""
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
    """Lock the folder of all copies, create it first if necessary, and remove it if empty."""
    while True:
        try:
            copies.mkdir(exist_ok=True)
            folder = os.open(copies, os.O_RDONLY | os.O_DIRECTORY)
        except OSError as error:
            problem = f"{copies} cannot be created: {error.strerror}"
            raise UsageError(problem, option="git") from error
        try:
            fcntl.flock(folder, fcntl.LOCK_EX)
            # The process that had the lock before may have removed the empty folder.
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
