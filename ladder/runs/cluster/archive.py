"""Archives of bots as they are sent to other machines."""

import zlib

import msgspec

from db.records.archives import Manifest, PackedArchive
from ladder.match.specs.archive import unpack


class SentArchive(msgspec.Struct, frozen=True):
    """The files of a bot."""

    manifest: Manifest
    contents: dict[str, bytes]
    """The compressed content of each file by its hash."""


def encode_archive(packed: PackedArchive) -> bytes:
    """Return the files of an unpacked archive as bytes. Raises OSError."""
    contents = {
        file.sha256: zlib.compress(b"".join(packed.read_parts(file)), 1)
        for file in packed.manifest.files
    }
    return msgspec.msgpack.encode(SentArchive(packed.manifest, contents))


def unpack_archive(sent: bytes) -> None:
    """Unpack an archive on this machine.

    Raises:
        UsageError: it is damaged, or there is no room for it.

    """
    archive = msgspec.msgpack.decode(sent, type=SentArchive)
    unpack(archive.manifest, lambda file: [zlib.decompress(archive.contents[file.sha256])])
