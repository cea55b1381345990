"""A failure of a test that judges time is tried once more, alone; any other counts at once."""

from pathlib import Path

import pytest

from tests.tools import second_round

TESTS = """
import pathlib, pytest

@pytest.mark.{marker}
def test_of_the_machine():
    tries = pathlib.Path("tries")
    tries.write_text(tries.read_text() + "." if tries.exists() else ".")
    assert len(tries.read_text()) > {bad_tries}
"""


@pytest.mark.parametrize(
    ("marker", "bad_tries", "code", "tries"),
    [("timed", 0, 0, 1), ("timed", 1, 0, 2), ("timed", 2, 1, 2), ("slow", 1, 1, 1)],
)
def test_who_gets_a_second_round(
    marker: str, bad_tries: int, code: int, tries: int, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """Only a timed test is tried again, once."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # a start of a second for nothing
    Path("pytest.ini").write_text("[pytest]\nmarkers =\n  timed\n  slow\n")
    Path("test_it.py").write_text(TESTS.format(marker=marker, bad_tries=bad_tries))
    assert second_round.main("-q") == code
    assert Path("tries").read_text() == "." * tries
