"""The scripts of pages: their types by TypeScript, and what they must never do."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPTS = sorted((ROOT / "reports" / "html" / "static").glob("*.js"))
MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")
NETWORK = re.compile(r"\bfetch\(|XMLHttpRequest|EventSource|WebSocket|sendBeacon|\bimport\b")


@pytest.mark.slow
def test_the_types_of_scripts_hold() -> None:
    """Strict types from JSDoc, nothing unused, nothing out of reach: `tsc -p tsconfig.json`."""
    compiler = shutil.which("tsc")
    if compiler is None:
        pytest.skip("no tsc on PATH: apt-get install node-typescript")
    done = subprocess.run(
        [compiler, "-p", "tsconfig.json"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.name)
def test_no_script_makes_markup_of_text(script: Path) -> None:
    """Names and words of bots are a stranger's: they are set as text only."""
    assert MARKUP.findall(script.read_text(encoding="utf-8")) == []


def test_the_script_of_a_file_needs_no_network() -> None:
    """A page that was mailed asks nobody for anything."""
    assert NETWORK.findall((SCRIPTS[0].parent / "page.js").read_text(encoding="utf-8")) == []
