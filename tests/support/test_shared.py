"""Shared folders are made once and lie among the session's temporary files."""

import os
import shutil
from pathlib import Path

import pytest

from tests.support.hosted import compiled
from tests.support.shared import VARIABLE, made_once


def test_a_folder_is_made_once_and_again_after_a_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Later callers get the same folder; the files of a failed attempt are removed."""
    monkeypatch.setenv(VARIABLE, str(tmp_path))

    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        made_once("one", fail)
    folder = made_once("one", lambda folder: (folder / "whole").touch())
    assert made_once("one", fail) == folder
    assert os.listdir(folder) == ["whole"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="no C++ compiler (g++)")
def test_strategies_lie_in_the_sessions_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A killed worker of pytest-xdist could not remove files elsewhere."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(elsewhere))
    compiled(tmp_path)
    assert (tmp_path / "strategy.so").exists()
    assert (tmp_path / "shared" / "strategy-g++" / "strategy.so").exists()
    assert os.listdir(elsewhere) == []
