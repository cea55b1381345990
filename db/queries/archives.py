"""The files of bots: archives by the hash of their manifest, files by the hash of their content."""

import hashlib
import zlib
from collections.abc import Iterator

from sqlalchemy import Connection, delete, insert, select

from db.database import Queries
from db.errors import UnknownRow
from db.models import BOT_ARCHIVES, BOT_FILES, BotArchive, BotFile, Revision
from db.records.archives import ArchivedFile, Manifest, UnpackedArchive

LEVEL = 1
"""Level of compression: higher ones take several times as long for a few percent."""


class Archives(Queries):
    """The archives of a database."""

    def manifest(self, sha256: str) -> Manifest:
        """Return the manifest of an archive. Raises UnknownRow."""
        with self._database.reading() as connection:
            return read_manifest(connection, sha256)

    def all(self) -> list[Manifest]:
        """Return the manifests of all archives."""
        query = select(BotArchive.manifest).order_by(BotArchive.sha256)
        return [row.manifest for row in self._rows(query)]

    def add(self, packed: UnpackedArchive) -> None:
        """Store an archive, for a bot that is stored later."""
        with self._database.writing() as connection:
            store_archive(connection, packed)

    def read_part(self, sha256: str, number: int) -> bytes:
        """Return a part of a file, counted from 0; empty after the last one.

        Raises:
            ValueError: the stored part is damaged.

        """
        query = select(BotFile.content).filter_by(sha256=sha256, part=number)
        return b"".join(_decompressed(row.content) for row in self._rows(query))

    def read_parts(self, file: ArchivedFile) -> Iterator[bytes]:
        """Yield a file's content in parts. Raises ValueError for a damaged part."""
        number = 0
        while part := self.read_part(file.sha256, number):
            yield part
            number += 1

    def remove_unused(self) -> int:
        """Remove the archives that no revision uses, and their files; return their number."""
        with self._database.writing() as connection:
            return remove_unused(connection)

    def unused(self) -> int:
        """Return the number of archives that no revision uses."""
        with self._database.reading() as connection:
            return len(_unused(connection))

    def damaged(self) -> list[str]:
        """Return the files of archives that are not what was stored, by path."""
        with self._database.reading() as connection:
            files = {
                file.sha256: file
                for manifest in connection.scalars(select(BotArchive.manifest)).all()
                for file in manifest.files
            }
            return [file.path for file in files.values() if not _is_intact(connection, file)]


def read_manifest(connection: Connection, sha256: str) -> Manifest:
    """Return the manifest of an archive. Raises UnknownRow."""
    manifest: Manifest | None = connection.scalar(
        select(BotArchive.manifest).filter_by(sha256=sha256)
    )
    if manifest is None:
        raise UnknownRow(f"there is no archive {sha256[:12]}: another command has deleted its bot")
    return manifest


def store_archive(connection: Connection, packed: UnpackedArchive) -> None:
    """Store an archive; files that are stored and undamaged are not stored again.

    Raises:
        OSError: a file cannot be read.

    """
    manifest = packed.manifest
    for file in {each.sha256: each for each in manifest.files}.values():
        if not _is_intact(connection, file):
            connection.execute(delete(BOT_FILES).filter_by(sha256=file.sha256))
            for number, part in enumerate(packed.read_parts(file)):
                content = zlib.compress(part, LEVEL)
                values = {"sha256": file.sha256, "part": number, "content": content}
                connection.execute(insert(BOT_FILES).values(values))
    sha256 = manifest.sha256
    if connection.scalar(select(BotArchive.sha256).filter_by(sha256=sha256)) is None:
        stored = {"sha256": sha256, "manifest": manifest, "bytes": manifest.bytes}
        connection.execute(insert(BOT_ARCHIVES).values(stored))


def remove_unused(connection: Connection) -> int:
    """Remove the archives that no revision uses, and their files; return their number."""
    unused = _unused(connection)
    if unused:
        connection.execute(delete(BOT_ARCHIVES).where(BotArchive.sha256.in_(unused)))
    kept = {
        file.sha256
        for manifest in connection.scalars(select(BotArchive.manifest))
        for file in manifest.files
    }
    stored = set(connection.scalars(select(BotFile.sha256).distinct()))
    for sha256 in sorted(stored - kept):
        connection.execute(delete(BOT_FILES).filter_by(sha256=sha256))
    return len(unused)


def _unused(connection: Connection) -> list[str]:
    used = select(Revision.archive).where(Revision.archive.is_not(None))
    return list(connection.scalars(select(BotArchive.sha256).where(BotArchive.sha256.not_in(used))))


def _is_intact(connection: Connection, file: ArchivedFile) -> bool:
    """Return whether a file is stored with the content that its hash says."""
    numbers = connection.scalars(
        select(BotFile.part).filter_by(sha256=file.sha256).order_by(BotFile.part)
    ).all()
    digest = hashlib.sha256()
    try:
        for number in numbers:
            content = connection.scalar(
                select(BotFile.content).filter_by(sha256=file.sha256, part=number)
            )
            digest.update(_decompressed(content or b""))
    except ValueError:
        return False
    return (bool(numbers) or not file.size) and digest.hexdigest() == file.sha256


def _decompressed(content: bytes) -> bytes:
    try:
        return zlib.decompress(content)
    except zlib.error as error:
        raise ValueError(str(error)) from error
