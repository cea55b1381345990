"""What the ladder asks git, in real repositories."""

import os
from pathlib import Path

import pytest

from ladder.errors import UsageError
from ladder.registry.specs.folder_files import HOST
from ladder.registry.specs.git import extract, find_repository, has_uncommitted, resolve_commit
from ladder.registry.specs.spec import CLOCK, BotSource, pack_bot
from tests.support.data.repositories import commit, git, repository


@pytest.mark.slow
def test_a_revision_may_have_any_of_its_names(tmp_path: Path) -> None:
    """Branch, tag, short hash and HEAD~1 must lead to the commit and to the hash of its files."""
    place = repository(tmp_path / "mine", {"a": "1"})
    first = git(place, "rev-parse", "HEAD")
    git(place, "tag", "--annotate", "v1", "--message", "One")
    second = commit(place, {"deep/b": "2"})
    assert find_repository(place / "deep") == place
    for name in ("v1", "HEAD~1", first[:8]):
        assert resolve_commit(place, name).commit == first
    assert resolve_commit(place, "main").commit == second
    assert resolve_commit(place, "main").tree == git(place, "rev-parse", "HEAD^{tree}")


def test_a_signed_commit_is_read_where_the_log_shows_signatures(tmp_path: Path) -> None:
    """What git finds about a signature comes before the fields of its commit."""
    place = repository(tmp_path / "mine", {"a": "1"})
    git(place, "config", "log.showSignature", "true")
    head, text = git(place, "cat-file", "commit", "HEAD").split("\n\n")
    mark = "-----{} PGP SIGNATURE-----"
    signature = f"gpgsig {mark.format('BEGIN')}\n \n abc\n {mark.format('END')}"
    (tmp_path / "signed").write_text(f"{head}\n{signature}\n\n{text}\n")
    signed = git(place, "hash-object", "-t", "commit", "-w", str(tmp_path / "signed"))
    assert resolve_commit(place, signed).subject == "A step"


@pytest.mark.parametrize("name", ["nothing", "", "--all", "HEAD:a", "main~7"])
def test_an_unknown_revision_is_refused(tmp_path: Path, name: str) -> None:
    """What names no commit, options of git included, must be named in one sentence."""
    place = repository(tmp_path, {"a": "1"})
    with pytest.raises(UsageError, match="has no revision") as refused:
        resolve_commit(place, name)
    assert repr(name) in str(refused.value)


def test_a_folder_without_a_repository_is_refused(tmp_path: Path) -> None:
    """The message names the folder and git's error."""
    with pytest.raises(UsageError, match=r"is not in a git repository"):
        find_repository(tmp_path)


def test_missing_git_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without git on PATH the sentence must say that it is needed."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UsageError, match="no program git on PATH"):
        find_repository(tmp_path)


def test_uncommitted_changes_are_seen(tmp_path: Path) -> None:
    """Only changes of committed files count, and only beside the commit that is checked out."""
    place = repository(tmp_path, {"a": "1"})
    first = resolve_commit(place, "main")
    (place / "notes").write_text("never added")
    assert not has_uncommitted(place, first)
    (place / "a").write_text("2")
    assert has_uncommitted(place, first)
    commit(place, {"a": "3"})
    (place / "a").write_text("4")
    assert not has_uncommitted(place, first)


def test_a_commit_is_extracted_as_it_was(tmp_path: Path) -> None:
    """Files, executable bits and links must come, and nothing of the working tree."""
    place = repository(tmp_path / "mine", {"deep/run": "old\n", "gone": "here"})
    (place / "deep" / "run").chmod(0o755)
    (place / "link").symlink_to("deep/run")
    git(place, "add", "--all")
    commit(place, {})
    (place / "deep" / "run").write_text("new")
    (place / "gone").unlink()
    (place / "extra").write_text("untracked")
    (place / ".gitattributes").write_text("* text eol=crlf\n")
    folder = tmp_path / "copy"
    folder.mkdir()
    extract(place, resolve_commit(place, "main").commit, folder)
    assert (folder / "deep" / "run").read_bytes() == b"old\n"
    assert os.access(folder / "deep" / "run", os.X_OK)
    assert (folder / "link").readlink() == Path("deep/run")
    assert sorted(path.name for path in folder.iterdir()) == ["deep", "gone", "link"]


@pytest.mark.slow
def test_a_player_has_clocks_only_if_the_sources_of_its_commit_know_them(tmp_path: Path) -> None:
    """Older hosts refuse such a budget, which would be a forfeit in every game."""
    place = repository(tmp_path, {HOST: ""})
    commit(place, {CLOCK: ""})
    budgets = [
        pack_bot(BotSource("builtin:stupid", place, git=name)).budgets
        for name in ("main~1", "main")
    ]
    assert budgets == [("any",), ("any", "clock", "overage")]
