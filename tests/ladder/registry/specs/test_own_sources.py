"""The copy of this installation's sources that hosts run."""

from pathlib import Path

import pytest

from ladder.errors import UsageError
from ladder.registry.specs.start_command import own_sources


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a small working tree beside an empty cache."""
    tree = tmp_path / "tree"
    for name in ("engine/board.py", "bots/uct/player.py", "bots/weights.csv"):
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{name} as it was\n")
    monkeypatch.setenv("LADDER_CACHE", str(tmp_path / "cache"))
    return tree


def test_an_edit_does_not_reach_the_copy(tree: Path) -> None:
    """A process plays from its first copy until it ends, data files included."""
    own = own_sources(tree)
    (tree / "bots/weights.csv").write_text("edited\n")
    assert own_sources(tree) == own
    assert (own.root / "bots/weights.csv").read_text() == "bots/weights.csv as it was\n"
    own_sources.cache_clear()  # as in the next process
    assert (own_sources(tree).root / "bots/weights.csv").read_text() == "edited\n"


def test_without_a_copy_nothing_plays(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hosts of the working tree would mix old and new code."""
    monkeypatch.setenv("LADDER_CACHE", "/proc/nosuch")
    with pytest.raises(UsageError, match="LADDER_CACHE"):
        own_sources(tree)
