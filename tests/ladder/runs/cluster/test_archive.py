"""Archives of bots: equal content gives equal bytes, and nothing gets out of its folder."""

import io
import tarfile
from pathlib import Path

import pytest

from ladder.errors import UsageError
from ladder.runs.cluster.archive import FILES, name_of, pack, unpack


def archive_of(*entries: tuple[tarfile.TarInfo, bytes]) -> bytes:
    """Return an archive as a stranger may write it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for entry, content in entries:
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()


def link(name: str, target: str) -> tuple[tarfile.TarInfo, bytes]:
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = tarfile.SYMTYPE, target
    return entry, b""


def file(name: str) -> tuple[tarfile.TarInfo, bytes]:
    return tarfile.TarInfo(name), b"content"


def test_files_and_links_are_unpacked_as_they_were_packed(tmp_path: Path) -> None:
    """Content, the right to be executed and links inside must survive; the bytes name them."""
    (tmp_path / "bot.py").write_text("print()")
    (tmp_path / "run").write_text("#!/bin/sh")
    (tmp_path / "run").chmod(0o700)
    (tmp_path / "same").symlink_to("bot.py")
    files = {"deep/bot.py": tmp_path / "bot.py", "run": tmp_path / "run"}
    files["deep/same"] = tmp_path / "same"
    packed = pack(files)
    (tmp_path / "bot.py").touch()
    assert pack(dict(reversed(files.items()))) == packed
    place = tmp_path / "cache" / name_of(packed)
    unpack(packed, place)
    unpack(packed, place)
    assert (place / FILES / "deep" / "same").read_text() == "print()"
    assert (place / FILES / "deep" / "same").is_symlink()
    assert (place / FILES / "run").stat().st_mode & 0o111
    assert not (place / FILES / "deep" / "bot.py").stat().st_mode & 0o111


@pytest.mark.parametrize(
    "entries",
    [
        [file("../out")],
        [file("/out")],
        [file("deep/../../out")],
        [link("out", "/etc/passwd")],
        [link("out", "../../..")],
        [link("deep", "."), link("deep/up", "../..")],
        [link("away", ".."), file("away/out")],
        [(tarfile.TarInfo("pipe"), b"")],
    ],
)
def test_no_entry_of_an_archive_leads_out_of_its_folder(
    tmp_path: Path, entries: list[tuple[tarfile.TarInfo, bytes]]
) -> None:
    """Traversal, links outside and special files are refused, and nothing is left of them."""
    for entry, _ in entries:
        if entry.name == "pipe":
            entry.type = tarfile.FIFOTYPE
    place = tmp_path / "cache" / "archive"
    with pytest.raises(UsageError, match="archive of a bot"):
        unpack(archive_of(*entries), place)
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "cache"]


def test_a_broken_archive_is_refused(tmp_path: Path) -> None:
    """Half an archive, or something else, must end in a sentence."""
    whole = archive_of(file("bot.py"))
    for broken in (whole[: len(whole) // 2], b"nothing of the kind"):
        with pytest.raises(UsageError, match="cannot be unpacked"):
            unpack(broken, tmp_path / "archive")


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path: Path) -> None:
    """A small archive may not fill a machine's disk."""
    with pytest.raises(UsageError, match="too large"):
        unpack(archive_of(file("one"), file("two")), tmp_path / "archive", most_bytes=10)
