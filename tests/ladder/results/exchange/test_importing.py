"""Games of another database come in whole and by the rules, or not at all, and bring no command."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from db.records.exchange import BotLine, GameLine, Introduction
from db.records.launch import Launch, Origin
from db.store import Store
from ladder.errors import UsageError
from ladder.match.registry.registered import resolve_unchanged
from ladder.results.exchange.files import open_games
from ladder.results.exchange.game_format import GameFormat
from ladder.results.exchange.importing import import_games
from tests.fuzz.valid import exported, make_empty

EVIL = "touch pwned"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A database that knows the bots of the valid file and has no games."""
    with Store.open(str(make_empty(tmp_path / "ladder.db"))) as opened:
        yield opened


def lines_of_a_pair() -> list[GameLine]:
    """The two games of the valid file."""
    texts = exported()[GameFormat.JSONL].splitlines()
    return [msgspec.json.decode(text, type=GameLine) for text in texts]


def taken_in(store: Store, path: Path, lines: list[bytes]) -> int:
    path.write_bytes(b"\n".join(lines))
    with open_games(path, GameFormat.JSONL) as games:
        return import_games(store, path.name, games).games


def test_an_imported_description_holds_no_command(store: Store, tmp_path: Path) -> None:
    """A bot that a file describes must come retired and without anything that could be started."""
    lines = lines_of_a_pair()
    bot = BotLine(
        name="guest", family="foreign", spec="exec:true", based_on=None, change="",
        content_hash="h", budgets=("any",), boards=None, files={"true": "1"},
        launch=Launch(
            command=("sh", "-c", EVIL), folder=EVIL, host=EVIL, python=EVIL, player="v1",
            origin=Origin(EVIL, EVIL, EVIL, EVIL, EVIL, EVIL, EVIL), min_time_ms=7,
        ),
    )  # fmt: skip
    lines[0].introduces = Introduction(bots=[bot])
    lines[0].second = lines[1].first = "guest"
    lines[0].second_hash = lines[1].first_hash = "h"
    texts = [msgspec.json.encode(line) for line in lines]
    assert b"touch pwned" in texts[0]
    assert taken_in(store, tmp_path / "games.jsonl", texts) == 2
    row = store.bots.get("guest")
    assert row.retired_at is not None
    assert row.revision.launch == Launch(command=(), folder="", min_time_ms=7)
    with pytest.raises(UsageError, match="came with an import, which brings no command"):
        resolve_unchanged(row)
    assert "pwned" not in "".join(map(str, store.exchange.export_lines(None)))


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (b'"board_class":"4x4"', b'"board_class":"thu"', "is none of the board_class thu"),
        (b'"board_class":"4x4"', b'"board_class":" 4x4"', "write the board_class as 4x4"),
        (b'"boards":"4x4"', b'"boards":"4X4"', "write the boards of the division as 4x4"),
        (
            b"[[9,0.5,10,null,null,null]",
            b"[[9,0.5,10,null,null," + b"9" * 18 + b"]",
            "times of a thought",
        ),
        (
            b"[[9,0.5,10,null,null,null]",
            b"[[9,0.5,10,null,null,1" + b"0" * 30 + b"]",
            "",
        ),
        (
            b"[[9,0.5,10,null,null,null]",
            b'[[9,0.5,10,null,"\\u001b[31m",null]',
            "proven is win, loss or draw",
        ),
        (b'"first":"alpha"', b'"first":"al\\u001b[31mpha"', "a bot's name is letters"),
        (b'"kind":"match"', b'"kind":"party"', "party"),
        (b'"pair":0', b'"pair":-1', "pair"),
        (b'"game":0', b'"game":2', "game"),
        (b'"opening_plies":1', b'"opening_plies":200', "opening_plies"),
        (b'"stream":"s1"', b'"stream":""', "stream"),
    ],
)
def test_a_line_that_breaks_a_rule_is_named(
    store: Store, tmp_path: Path, old: bytes, new: bytes, named: str
) -> None:
    """The line and the rule must be said, and nothing be stored."""
    one, two = exported()[GameFormat.JSONL].splitlines()
    assert old in one
    with pytest.raises(
        UsageError, match=rf"(?s)games.jsonl, line 1: .*{named}.*nothing was imported$"
    ):
        taken_in(store, tmp_path / "games.jsonl", [one.replace(old, new), two])
    assert store.runs.latest(None) is None
