"""The copy of this installation's sources that hosts run."""

import os
from pathlib import Path

import pytest

from ladder.errors import UsageError
from ladder.match.specs.own_sources import OwnSources, copy_sources, own_sources, refuse_edited


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


def next_process(tree: Path) -> OwnSources:
    """Return the copy that another process would play from."""
    return copy_sources(tree, tree.parent / "cache/sources")


def test_an_edit_does_not_reach_the_copy(tree: Path) -> None:
    """A process plays from its first copy until it ends, data files included."""
    own = own_sources(tree)
    refuse_edited(tree)
    (tree / "bots/weights.csv").write_text("edited\n")
    assert own_sources(tree) == own
    assert (own.root / "bots/weights.csv").read_text() == "bots/weights.csv as it was\n"
    with pytest.raises(UsageError, match="edited while the command started"):
        refuse_edited(tree)


def test_equal_contents_share_a_copy_and_others_have_their_own(tree: Path) -> None:
    """A copy is named by its content, so that a run's copy stays when another is made."""
    before = next_process(tree)
    (tree / "engine/board.py").write_text("edited\n")
    after = next_process(tree)
    assert after.root != before.root
    assert (after.root / "engine/board.py").read_text() == "edited\n"
    assert (before.root / "engine/board.py").read_text() == "engine/board.py as it was\n"
    (tree / "engine/board.py").write_text("engine/board.py as it was\n")
    assert next_process(tree) == before
    assert sorted(path.name for path in before.root.parent.iterdir()) == sorted(
        (before.digest, after.digest)
    )


def test_an_unused_copy_is_removed_when_another_is_made(tree: Path) -> None:
    """The cache does not grow with every edit, and recently used copies stay."""
    used, forgotten = next_process(tree).root, tree.parent / "cache/sources/forgotten"
    forgotten.mkdir()
    for copy in (used, forgotten):
        os.utime(copy, (0, 0))
    assert next_process(tree).root == used  # records the use
    assert forgotten.exists()
    (tree / "engine/board.py").write_text("edited\n")
    next_process(tree)
    assert (used.exists(), forgotten.exists()) == (True, False)


def test_a_copy_of_a_living_process_stays(tree: Path) -> None:
    """It is locked, so it stays even if the clock is set forward by years."""
    used = next_process(tree).root
    os.utime(used, (0, 0))
    (tree / "engine/board.py").write_text("edited\n")
    assert next_process(tree).root != used
    assert used.exists()


def test_a_changed_copy_is_made_again(tree: Path) -> None:
    """The name of a copy is the hash of its content."""
    own = next_process(tree)
    copied = own.root / "engine/board.py"
    copied.chmod(0o644)
    copied.write_text("tampered\n")
    assert next_process(tree) == own
    assert copied.read_text() == "engine/board.py as it was\n"
