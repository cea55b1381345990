"""What a shell offers when the Tab key is pressed."""

from pathlib import Path

import pytest

from ladder.cli.app import app
from tests.support.data.league import League


def offered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str
) -> list[str]:
    """Return the words that bash shows when it completes the last word of a line."""
    words = line.split(" ")
    monkeypatch.setenv("_LADDER_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    capsys.readouterr()
    with pytest.raises(SystemExit):
        app(words[1:], prog_name="ladder", complete_var="_LADDER_COMPLETE")
    return capsys.readouterr().out.split()


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Create a database of three bots in the current folder, and another beside it."""
    with League(tmp_path / "ladder.db", "alpha", "alto", "beta"):
        pass
    with League(tmp_path / "other.db", "omega"):
        pass
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LADDER_DB", raising=False)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ladder ru", ["run", "runs"]),
        ("ladder match al", ["alpha", "alto"]),
        ("ladder match alpha b", ["beta"]),
        ("ladder run --bots al", ["alpha", "alto"]),
        ("ladder run --bots alpha,al", ["alpha,alto"]),
        ("ladder run --pairing r", ["random", "round-robin"]),
        ("ladder run --pairing gauntlet:al", ["gauntlet:alpha", "gauntlet:alto"]),
        ("ladder gate beta --against al", ["alpha", "alto"]),
        ("ladder report --against b", ["beta"]),
        ("ladder bots show b", ["beta"]),
        ("ladder games --bot alt", ["alto"]),
        ("ladder replay --last-loss b", ["beta"]),
        ("ladder play zeta", []),
        ("ladder match --db other.db o", ["omega"]),
    ],
)
def test_names_and_pairings_are_offered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], line: str, words: list[str]
) -> None:
    """Exactly the words that fit there must be offered, from the database that is meant."""
    assert offered(monkeypatch, capsys, line) == words


@pytest.mark.slow
def test_a_broken_database_offers_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """A shell must see no error; without a database it is offered the built-in players."""
    (tmp_path / "ladder.db").write_text("no database at all")
    assert offered(monkeypatch, capsys, "ladder match a") == []
    (tmp_path / "ladder.db").unlink()
    assert "v20" in offered(monkeypatch, capsys, "ladder match v2")
