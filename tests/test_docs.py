"""The documentation keeps up with the code."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def test_the_list_of_files_is_up_to_date() -> None:
    """docs/architecture.md must say of every file what it owns (python docs/list_files.py)."""
    command = [sys.executable, str(ROOT / "docs" / "list_files.py"), "--check"]
    assert subprocess.run(command, check=False).returncode == 0


def test_every_file_says_what_it_owns() -> None:
    """A file without a first sentence owns nothing."""
    text = (ROOT / "docs" / "architecture.md").read_text()
    assert not re.findall(r"^\| `[^`]+` \|  \|$", text, re.MULTILINE)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    """A relative link must name a file that is there."""
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), f"{page}: {target}"
