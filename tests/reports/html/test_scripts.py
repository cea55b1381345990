"""The scripts of pages: their types, and forbidden functions."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "reports" / "html" / "static" / "page.js"
MARKUP = re.compile(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function")
NETWORK = re.compile(r"\bfetch\(|XMLHttpRequest|EventSource|WebSocket|sendBeacon|\bimport\b")


@pytest.mark.very_slow  # a check of types, like mypy: part of `make check`
def test_the_scripts_have_consistent_types() -> None:
    """TypeScript accepts the types of the scripts: `tsc -p tsconfig.json`, without its own."""
    compiler = shutil.which("tsc")
    if compiler is None:
        pytest.skip("no tsc on PATH: apt-get install node-typescript")
    done = subprocess.run(
        [compiler, "-p", "tsconfig.json", "--skipLibCheck"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize("never", [MARKUP, NETWORK], ids=["markup", "network"])
def test_the_script_of_a_file_sets_no_markup_and_uses_no_network(never: re.Pattern[str]) -> None:
    """Names and messages of bots are set as text, and a saved page sends no request."""
    assert never.findall(SCRIPT.read_text(encoding="utf-8")) == []
