"""Archives of bots' files: packed, unpacked, refused and removed."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from db.records.archives import ArchivedFile, UnpackedArchive, read_file
from ladder.errors import UsageError
from ladder.registry.specs.archive import (
    CHANGED,
    FIXED_TIME,
    archives_folder,
    cached_archive,
    clean_cache,
    describe,
    is_changed,
    pack,
    remove_tree,
    unpack,
    writable_copy,
)
from ladder.registry.specs.folder_files import COMPILED, find_tree_files


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a cache folder of its own."""
    place = tmp_path / "cache"
    monkeypatch.setenv("LADDER_CACHE", str(place))
    return place


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Return a folder with a program, a link to it, an empty folder and two equal files."""
    place = tmp_path / "root"
    (place / "sub" / "empty").mkdir(parents=True)
    (place / "prog").write_text("#!/bin/sh\n")
    (place / "prog").chmod(0o755)
    (place / "a.bin").write_bytes(bytes(3 << 20) + b"end")
    (place / "sub" / "a.bin").write_bytes(bytes(3 << 20) + b"end")
    (place / "sub" / "link").symlink_to(place / "prog")
    return place


def packed(root: Path, **options: int) -> UnpackedArchive:
    return pack(root, find_tree_files(root), **options)


def test_an_archive_is_the_same_wherever_it_is_packed_and_unpacked(root: Path) -> None:
    """Its name depends on names, run bits, links, empty folders and contents, not on times."""
    first = packed(root)
    contents = {file.path: b"".join(first.read_parts(file)) for file in first.manifest.files}
    assert first.manifest.links == (("sub/link", "../prog"),)
    assert first.manifest.folders == ("sub/empty",)
    assert [file.executable for file in first.manifest.files] == [False, True, False]
    os.utime(root / "prog", (1, 1))
    assert packed(root).manifest.sha256 == first.manifest.sha256
    remove_tree(first.root.parent)
    assert unpack(first.manifest, lambda file: [contents[file.path]]) == first
    place = first.root
    assert (place / "sub" / "link").resolve() == place / "prog"
    assert (place / "prog").stat().st_mode & 0o777 == 0o555
    assert (place / "a.bin").stat().st_mtime == FIXED_TIME
    (root / "prog").chmod(0o644)
    assert packed(root).manifest.sha256 != first.manifest.sha256


def test_modules_are_compiled_beside_the_files_of_their_archive(root: Path) -> None:
    """The standard library is not compiled for each archive, and copies have no link to it."""
    (root / "main.py").write_text("import sub.part\n")
    (root / "sub" / "part.py").write_text("import json\n")
    archive = packed(root)
    subprocess.run([sys.executable, "main.py"], cwd=archive.root, env={}, check=True)
    compiled = [*archive.root.parent.rglob("*.pyc")]
    name = f"part.{sys.implementation.cache_tag}.pyc"
    assert compiled == [archive.root.parent / "cache" / "sub" / name]
    with writable_copy(archive) as copy:
        assert [*copy.rglob(COMPILED)] == []


def test_compiled_files_that_are_stored_stay(root: Path) -> None:
    """A bot may be chosen with them by `--files`: they are packed, unpacked and copied."""
    (root / "main.py").write_text("")
    (root / COMPILED).mkdir()
    (root / COMPILED / "late.pyc").write_bytes(b"compiled")
    archive = pack(root, [root / "main.py", root / COMPILED / "late.pyc"])
    with writable_copy(archive) as copy:
        assert (copy / COMPILED / "late.pyc").read_bytes() == b"compiled"


def test_a_copy_shows_what_a_bot_wrote(root: Path) -> None:
    """A changed, created or removed file; but not what Python compiles."""
    bot = packed(root)
    for number, change in enumerate(
        (
            lambda place: (place / "__pycache__").mkdir(),
            lambda place: (place / "prog").write_text("other"),
            lambda place: (place / "new").write_text("x"),
            lambda place: (place / "prog").unlink(),
        )
    ):
        with writable_copy(bot) as copy:
            change(copy)
            assert is_changed(bot.manifest, copy) is (number > 0)


def test_refusals_when_packing(root: Path, tmp_path: Path) -> None:
    """Each names the file, and what to do."""
    with pytest.raises(UsageError, match=r"6\.0 MiB, more than 4 MiB .*a\.bin 3\.0 MiB.*--files"):
        packed(root, most_mb=4)
    with pytest.raises(UsageError, match="outside of"):
        pack(root, [tmp_path / "other"])
    with pytest.raises(UsageError, match="gone cannot be packed: No such file"):
        pack(root, [root / "gone"])
    (root / "out").symlink_to("/etc/hostname")
    with pytest.raises(UsageError, match=r"out is a link to /etc/hostname, outside of"):
        packed(root)


@pytest.mark.parametrize("edit", [Path.unlink, lambda path: path.write_bytes(b"edited")])
def test_a_file_that_changes_while_it_is_packed_is_refused(
    root: Path, edit: Callable[[Path], object]
) -> None:
    """Each file is read twice, all of them once before any is read again."""
    manifest = describe(root, find_tree_files(root))
    edit(root / "a.bin")
    with pytest.raises(UsageError, match=r"a\.bin was changed while it was packed"):
        unpack(manifest, lambda file: read_file(root / file.path), CHANGED)
    assert list(archives_folder().iterdir()) == []


def test_damaged_archives_are_refused(root: Path) -> None:
    """Another content, or one that cannot be decompressed, names the file; nothing is left."""
    bot = packed(root)
    remove_tree(bot.root.parent)

    def broken(file: ArchivedFile) -> list[bytes]:
        raise ValueError(file.path)

    for read in (broken, lambda _: [b"other"]):
        with pytest.raises(UsageError, match=r"damaged in the database: a\.bin .*--replace"):
            unpack(bot.manifest, read)
    assert list(archives_folder().iterdir()) == []


def test_without_room_nothing_is_left(root: Path) -> None:
    """The message says which cache folder to change."""
    bot = packed(root)
    remove_tree(bot.root.parent)

    def full(_: ArchivedFile) -> list[bytes]:
        raise OSError(28, "No space left on device")

    with pytest.raises(UsageError, match=r"6 MiB cannot be unpacked: No space.*LADDER_CACHE"):
        unpack(bot.manifest, full)
    assert list(archives_folder().iterdir()) == []


def test_unused_archives_are_removed_and_used_ones_kept(root: Path) -> None:
    """An archive that was used within a month stays; a later use unpacks it again."""
    bot = packed(root)
    place = bot.root.parent
    clean_cache()
    assert cached_archive(place.name) == bot
    left = archives_folder() / f".old-{place.name}"  # by a kill
    (left / "files").mkdir(parents=True)
    for _ in range(2):
        for each in archives_folder().iterdir():
            os.utime(each, (1, 1))
        clean_cache()
    assert list(archives_folder().iterdir()) == []
    assert packed(root) == bot
