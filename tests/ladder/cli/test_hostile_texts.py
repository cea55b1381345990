"""One list of hostile names: every input refuses them, and every output shows them safely."""

import csv
import io
import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from db.records.bots import NewBot, NewRevision
from db.records.exchange import GameLine
from db.records.launch import Launch
from db.store import Store
from ladder.errors import UsageError
from ladder.experiments.stored import check_result
from ladder.registry.registration import RegistrationRequest, examine, refuse_name
from ladder.registry.specs.spec import BotSource
from ladder.results.exchange.importing import import_games
from ladder.results.exchange.jsonl import open_games
from ladder.runs.live import LiveBot, LiveRun
from ladder.tools.pgn_list import decode_tag, tagged_games
from ladder.visible import visible, visible_lines
from reports.layout.format import annotation, csv_cell, markdown_text, xml_text
from reports.layout.terminal import PlainConsole
from reports.run import RunView
from tests.db.making import new_run, play_all
from tests.fuzz.valid import NAMES, exported, make_empty
from tests.ladder.cli.conftest import Command, Done
from tests.support.data.hostile_texts import NO_NAMES, is_shown_safely
from tests.support.unconfined import UNCONFINED

# The doors.


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """Return a database that knows the bots of the valid files; nothing may be added to it."""
    path = make_empty(tmp_path_factory.mktemp("doors") / "ladder.db")
    with Store.open(str(path)) as opened:
        yield opened
        assert {bot.name for bot in opened.bots.all(include_retired=True)} == {*NAMES}
        assert opened.runs.latest(None) is None


@pytest.mark.parametrize("name", NO_NAMES)
def test_no_hostile_name_is_registered(store: Store, tmp_path: Path, name: str) -> None:
    """`bots add` and `train --register` must refuse it before anything is started."""
    source = BotSource("builtin:v1", tmp_path)
    with pytest.raises(UsageError, match="a bot's name may have letters") as refused:
        examine({}, RegistrationRequest(name=name, source=source), UNCONFINED)
    assert is_shown_safely(str(refused.value))
    with pytest.raises(UsageError, match="a bot's name may have letters"):
        refuse_name(store, name)


def refused_import(store: Store, path: Path, text: str) -> str:
    """Return the message that refuses a file and names one of its lines."""
    path.write_bytes(text.encode())
    with pytest.raises(UsageError) as refused, open_games(path) as games:
        import_games(store, path.name, games, check_result=check_result)
    told = str(refused.value)
    assert re.fullmatch(r"\S*games.\w+, line \d+: (?s:.*); nothing was imported", told), told
    return told


@pytest.mark.parametrize("name", NO_NAMES)
def test_no_hostile_name_is_imported(store: Store, tmp_path: Path, name: str) -> None:
    """A file must be refused with the line that holds it."""
    lines = [msgspec.json.decode(text) for text in exported().splitlines()]
    lines[0]["first"] = lines[1]["second"] = name
    jsonl = "\n".join(map(json.dumps, lines)) + "\n"
    assert is_shown_safely(refused_import(store, tmp_path / "games.jsonl", jsonl))


# The exits.


@pytest.fixture(scope="session")
def old_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a database that an older version filled with such names and notes."""
    path = tmp_path_factory.mktemp("old") / "ladder.db"
    with Store.open(str(path)) as store:
        revisions = []
        for number, name in enumerate(NO_NAMES):
            launch = Launch(command=(name,), folder="/" + name, python=name)
            made = NewRevision(f"hash {number}", launch, ("time",), None, {name: name})
            bot = NewBot(name, name, f"exec:{name}", made, name, name)
            revisions.append(store.bots.add(bot).revision.id)
            words = ("match", name, name)
            store.queue.add(words, folder=name, author=name, note=name)
        play_all(store, new_run(store), revisions, 60)
    with sqlite3.connect(path) as connection:
        for number, text in enumerate(NO_NAMES):
            connection.execute(
                "update games set detail = ?, termination = 'crash' where id % ? = ?",
                (f"stderr: {text}", len(NO_NAMES), number),
            )
        connection.execute("update runs set note = ?", ("\x1b[31m".join(NO_NAMES),))
    connection.close()
    return path


@pytest.fixture
def shown(ladder: Command, old_database: Path) -> Callable[..., Done]:
    """Run a command on the old database, and check that only text is printed."""

    def run(*words: str) -> Done:
        done = ladder(*words, "--db", old_database)
        for text in (done.out, done.err):
            assert is_shown_safely(text), text
        assert "internal error" not in done.err
        return done

    return run


RED, SPLIT = "\x1b[31mred", "line\nbreak"
SHOWING = [
    ("bots", "list", "--retired"), ("bots", "show", RED), ("bots", "show", SPLIT, "--json"),
    ("bots", "add", "x", f"exec:{RED}"), ("bots", "add-all", RED), ("bots", "unretire", RED),
    ("bots", "rename", RED, SPLIT), ("bots", "extract", RED, "out"), ("bots", "check", RED),
    ("report",), ("report", "--format", "markdown"), ("report", "--division", RED),
    ("report", "--compare", RED, SPLIT), ("report", "--compare", RED, SPLIT, "--format", "csv"),
    ("report", "--against", RED), ("report", "--history", RED), ("games",),
    ("games", "--bot", RED, "--json"), ("runs",), ("runs", "show", "1"), ("runs", "delete", "1"),
    ("replay", "1"), ("replay", "--last-loss", SPLIT), ("replay", RED), ("import", RED),
    ("run", "--bots", f"{RED},{SPLIT}"), ("run", "--note", RED), ("match", RED, SPLIT),
    ("gate", RED, "--against", SPLIT, "--stored"), ("select", RED, SPLIT),
    ("bisect", f"exec:{RED}", "--good", RED, "--bad", SPLIT), ("tune", RED, "--param", "c=0..1"),
    ("tune", "builtin:v18", "--param", f"{RED}=0.2..1.2"), ("compete", RED, SPLIT, "out", "1"),
    ("play", RED), ("doctor",), ("queue", "list"), ("queue", "add", "match", RED, SPLIT),
    ("analyze", "--division", RED), ("suite", "make", f"/no-such-place/{RED}"),
    ("suite", "run", RED, "forbidden"),
]  # fmt: skip
"""Commands that show texts of the database or of their command line."""


@pytest.mark.slow
def test_an_old_database_is_shown_safely(shown: Callable[..., Done]) -> None:
    """Nothing that comes out may be more than printable text, and no error a defect of ours."""
    failed = [words for words in SHOWING if shown(*words).code == 1]
    assert failed == [("doctor",)]


@pytest.mark.slow
def test_files_of_an_old_database_hold_every_name_in_its_line(shown: Callable[..., Done]) -> None:
    """Exports must be well-formed whatever they hold; JSON Lines must keep it to the letter."""
    names = set()
    games = [msgspec.json.decode(line, type=GameLine) for line in shown("export").out.splitlines()]
    table = csv.DictReader(io.StringIO(shown("export", "--format", "csv").out))
    tags = frozenset((b"White", b"Result"))
    lines = shown("export", "--format", "pgn").out.encode().splitlines(keepends=True)
    for one, row, found in zip(games, table, tagged_games(lines, wanted=tags), strict=True):
        assert (row["first"], row["moves"]) == (visible(one.first), " ".join(one.moves))
        assert decode_tag(found.tags[b"White"]) == visible(one.first)
        names |= {one.first, one.second}
    assert names <= {*NO_NAMES}
    assert len(names) > len(NO_NAMES) / 2


@pytest.mark.slow
def test_reports_of_an_old_database_keep_their_rows(shown: Callable[..., Done]) -> None:
    """No name may make a row, a column, markup or a formula of its own."""
    document = shown("report", "--json").document
    names = [bot["name"] for bot in document["bots"]]
    assert {*names} <= {*NO_NAMES}
    rows = list(csv.reader(io.StringIO(shown("report", "--format", "csv").out)))
    assert [row[1] for row in rows[1:]] == [csv_cell(name) for name in names]
    markdown = shown("report", "--pairs", "--format", "markdown").out
    assert "<script" not in markdown
    for rows_of_table in re.findall(r"(?:^\|.*\n)+", markdown, re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in rows_of_table.splitlines()}
        assert len(widths) == 1, rows_of_table
    assert "\n  [/bold]" not in shown("report").out


@pytest.mark.parametrize("name", NO_NAMES)
def test_each_format_shows_a_name_as_it_is(name: str) -> None:
    """A terminal, Markdown, CSV, XML and a workflow command must hold the text and no more."""
    file = io.StringIO()
    console = PlainConsole(
        file=file, force_terminal=True, width=400, markup=False, emoji=False, highlight=False
    )
    console.print(name, style="bold red")
    bots = {name: LiveBot(name, 1000.0)}
    live = LiveRun(1, 1, name, 2, 0, bots)
    console.print(RunView().picture(live, 400, 20))
    console.print(RunView().log(live))
    assert is_shown_safely(re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue()))
    if name.isprintable():
        assert name in re.sub(r"\x1b\[[0-9;]*m", "", file.getvalue())
    element = ElementTree.Element("x", name=xml_text(name, 500))
    element.text = xml_text(name, 500)
    again = ElementTree.fromstring(ElementTree.tostring(element))
    assert again.text in (visible_lines(name), None)
    assert "\n" not in annotation("error", name, name)
    assert "\n" not in markdown_text(name)
    assert not re.search(r"(?<!\\)[`*_\[\]|~]|<", markdown_text(name))
    assert not csv_cell(name).startswith("=")
