"""Files that are written whole: a reader finds the former content or the new one."""

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def open_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a new file that takes the place of another at the end of the block, unless it fails.

    What cannot be replaced is written directly: a device, a pipe, a file in a closed folder.

    Raises:
        OSError: the file cannot be written.

    """
    place = path.resolve()
    is_there = path.exists()
    if is_there and not (path.is_file() and os.access(place.parent, os.W_OK)):
        with path.open("wb") as stream:
            yield stream
        return
    # Two processes, perhaps of two machines, may write the same file.
    draft = place.with_name(f".new-{os.urandom(8).hex()}")
    with draft.open("xb") as stream:
        try:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            if is_there:
                draft.chmod(stat.S_IMODE(place.stat().st_mode))
            _move(draft, place)
        except BaseException:
            draft.unlink()
            raise


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file at once. Raises OSError."""
    with open_whole(path) as stream:
        stream.write(content)


def _move(draft: Path, place: Path) -> None:
    try:
        draft.replace(place)
    except OSError as error:
        if error.errno != errno.EBUSY:
            raise
        # A file that is mounted by itself, as into a container.
        place.write_bytes(draft.read_bytes())
        draft.unlink()
