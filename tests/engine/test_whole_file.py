"""Files that are written whole."""

import os
import threading
from pathlib import Path

import pytest

from engine.whole_file import open_whole, write_whole


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    """A failure leaves the former content, and no draft; rights and links stay."""
    file, link = tmp_path / "page.html", tmp_path / "latest.html"
    write_whole(file, b"former")
    file.chmod(0o640)
    link.symlink_to(file.name)
    with pytest.raises(TypeError), open_whole(link) as stream:
        stream.writelines([b"half", "no bytes"])  # type: ignore[list-item]
    assert file.read_bytes() == b"former"
    write_whole(link, b"new")
    assert (file.read_bytes(), file.stat().st_mode & 0o777) == (b"new", 0o640)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["latest.html", "page.html"]


def test_writers_of_one_file_do_not_meet(tmp_path: Path) -> None:
    """Two that write at the same time each have a draft of their own, and the last one counts."""
    file = tmp_path / "bundle.js"
    with open_whole(file) as one:
        one.write(b"1" * 100)
        with open_whole(file) as other:
            other.write(b"2")
        assert file.read_bytes() == b"2"
    assert file.read_bytes() == b"1" * 100


def test_a_pipe_is_written_as_it_is(tmp_path: Path) -> None:
    """What is no regular file stays, and is not replaced by one."""
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    write_whole(pipe, b"through")
    reader.join()
    assert read == [b"through"]
    assert pipe.is_fifo()
