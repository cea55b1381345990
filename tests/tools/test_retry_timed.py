"""A timed test that fails is tried once more, alone, and reported as flaky when it then passes."""

from pathlib import Path

import pytest

from tests.tools import retry_timed

ROOT = Path(__file__).parents[2]
TESTS = """
import pathlib, pytest

@pytest.mark.{marker}
def test_of_the_machine():
    tries = pathlib.Path("tries")
    tries.write_text(tries.read_text() + "." if tries.exists() else ".")
    assert len(tries.read_text()) > {failures}
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("marker", "failures", "code", "tries"),
    [("timed", 0, 0, 1), ("timed", 1, 0, 2), ("timed", 2, 1, 2), ("slow", 1, 1, 1)],
    ids=["passes", "fails once", "fails twice", "is not timed"],
)
def test_only_a_timed_test_is_tried_again_and_only_once(
    marker: str, failures: int, code: int, tries: int, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """The exit code is that of the last try; a test that failed once is printed, now and later."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # loading them takes a second
    Path("pytest.ini").write_text("[pytest]\nmarkers =\n  timed\n  slow\n")
    Path("test_it.py").write_text(TESTS.format(marker=marker, failures=failures))
    assert retry_timed.run_and_retry("-q") == code
    assert Path("tries").read_text() == "." * tries
    is_flaky = (code, tries) == (0, 2)
    assert ("flaky: test_it.py::test_of_the_machine" in capfd.readouterr().out) is is_flaky
    retry_timed.print_flaky()
    assert ("flaky: test_it.py::test_of_the_machine" in capfd.readouterr().out) is is_flaky
    retry_timed.print_flaky()
    assert capfd.readouterr().out == ""
