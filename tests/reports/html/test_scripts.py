"""The scripts of pages: their types by TypeScript, and what they must never do."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "reports" / "html" / "static" / "page.js"
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


@pytest.mark.parametrize("never", [MARKUP, NETWORK], ids=["markup", "network"])
def test_the_script_of_a_file_stays_harmless(never: re.Pattern[str]) -> None:
    """Names and words of bots are set as text only, and a page that was mailed asks nobody."""
    assert never.findall(SCRIPT.read_text(encoding="utf-8")) == []
