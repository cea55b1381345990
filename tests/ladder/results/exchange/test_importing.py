"""An import stores valid games or nothing, and never a command."""

import csv
import io
from base64 import b64encode
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from db.records.exchange import AdjudicationLine, GameLine
from db.records.games import Proof
from db.store import Store
from engine.opening_set import parse_opening_set
from engine.result import Result, Termination
from ladder.errors import UsageError
from ladder.experiments.stored import check_result
from ladder.results.analysis.division import read_columns
from ladder.results.analysis.session import analyse
from ladder.results.exchange.formats import WRITERS, GameFormat
from ladder.results.exchange.importing import import_games
from ladder.results.exchange.jsonl import open_games, with_positions, write_jsonl
from tests.fuzz.valid import exported, make_empty
from tests.ladder.results.analysis.test_session import Silent

EVIL = "touch pwned"
BOOK = parse_opening_set("4x4 3\n")
GUEST = {
    "name": "guest", "family": "foreign", "spec": "exec:true", "based_on": None, "change": "",
    "content_hash": "h", "budgets": ["any"], "boards": None, "files": {},
    "launch": {"command": [], "folder": ""},
}  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Yield a database with the bots of the valid file and no games."""
    with Store.open(str(make_empty(tmp_path / "ladder.db"))) as opened:
        yield opened


def lines_of_a_pair() -> list[GameLine]:
    """Return the two games of the valid file."""
    texts = exported().splitlines()
    return [msgspec.json.decode(text, type=GameLine) for text in texts]


def taken_in(store: Store, path: Path, lines: list[bytes]) -> int:
    path.write_bytes(b"\n".join(lines))
    with open_games(path) as games:
        return import_games(store, path.name, games, check_result=check_result).games


NONSENSE: dict[str, tuple[dict[str, object], str]] = {
    # what is changed in both games of a pair, and the words of the refusal
    "move after the end": ({"moves": "01010100"}, "column 0 cannot be played: the game is over"),
    "board of another class": (
        {"board_class": "thu"}, "does not belong to the board_class thu",
    ),
    "class in another notation": ({"board_class": " 4x4"}, "board_class must be written as 4x4"),
    "boards in another notation": (
        {"division": {"boards": "4X4"}}, "boards of its division must be written as 4x4",
    ),
    "endless move": (
        {"timing": {"thoughts": [[9, 0.5, 10, None, None, 10**17]]}}, "times of a thought",
    ),
    "claim that is none": (
        {"timing": {"thoughts": [[9, 0.5, 10, None, "\x1b[31m", None]]}}, "win, loss or draw",
    ),
    "name with an escape": ({"first": "al\x1b[31mpha"}, "a bot's name may have letters"),
    "unknown kind of run": ({"kind": "party"}, "party"),
    "negative pair number": ({"pair": -1}, "pair"),
    "third game": ({"game": 2}, "game"),
    "opening longer than the game": ({"opening_plies": 200}, "opening_plies"),
    "run without a stream": ({"stream": ""}, "stream"),
    "no column": ({"moves": "z"}, "is not a column"),
    "no board": ({"board": "99x99"}, "rows must be"),
    "unknown termination": ({"termination": "boredom"}, "boredom"),
    "negative seed": ({"seed": -1}, "seed"),
    "unknown field": ({"surprise": 1}, "surprise"),
    "one bot first in both games": ({"first_hash": "0" * 16}, "colours swapped"),
    "division without a budget": ({"division": {"budget": None}}, r"\$.division.budget"),
    "board outside of the division": (
        {"board": "7x8", "board_class": "7x8"}, "the board_class 7x8 is not in .* 4x4",
    ),
    "opening longer than the division's": (
        {"opening_plies": 2}, "opening has 2 plies, .* requires 1",
    ),
    "opening of default length": (
        {"division": {"opening_plies": None}}, "opening has 1 plies, .* requires 4",
    ),
    "two ways to choose openings": (
        {"division": {"fixed_opening": 4}}, "must have one of opening_plies",
    ),
    "opening that its set does not hold": (
        {
            "division": {"opening_plies": None, "openings": BOOK.content_hash},
            "introduces": {"openings": {"name": "book", "text": BOOK.text}},
        },
        "its opening '4x4 0' is not in its division's set",
    ),
    "too few thoughts": ({"timing": {"thoughts": [[5]]}}, "6 moves .* 1 thoughts"),
    "pair number beyond the column": ({"pair": 2**31}, "pair"),
    "aborts beyond the column": ({"timing": {"aborts": 2**31}}, "aborts"),
    "sums of more moves than were played": (
        {"timing": {"sides": [[99, 1, 1], [3, 1, 1]]}}, "a side's sums",
    ),
    "last output without a failure": (
        {"timing": {"last_words": {"stderr": "x"}}}, "last output of a failing bot",
    ),
    "amounts of one bot alone": (
        {"division": {"budget": {"time_ms@alpha": 5}}}, "invalid budget",
    ),
    "settings that cannot be listed": (
        {"introduces": {"settings": {"bots": {"v3": [1]}}}}, r"got `array` - at `\$.bots",
    ),
    "a time that is no number": (
        {"introduces": {"settings": {"watchdog_s": "5"}}}, r"got `str` - at `\$.watchdog_s`",
    ),
    "options that are no object": (
        {"introduces": {"settings": {"options": 4}}}, r"got `int` - at `\$.options`",
    ),
    "a paused bot without a reason": (
        {"introduces": {"settings": {"paused": {"v1": {"games": 1}}}}}, r"`reason` - at `\$.paused",
    ),
    "settings without a budget": (
        {"introduces": {"settings": {"budget": {}}}}, r"length >= 1 - at `\$.budget`",
    ),
    "settings with two clocks": (
        {"introduces": {"settings": {"budget": {"clock_ms": 9, "time_ms": 9}}}}, "invalid budget",
    ),
    "bot on boards that do not exist": (
        {"introduces": {"bots": [{**GUEST, "boards": ["99x99"]}]}}, "rows must be 4..12",
    ),
    "bot with an unknown budget": (
        {"introduces": {"bots": [{**GUEST, "budgets": ["lunch"]}]}}, "'lunch'",
    ),
}  # fmt: skip


@pytest.mark.parametrize("nonsense", NONSENSE)
def test_a_file_that_breaks_an_invariant_is_refused(
    store: Store, tmp_path: Path, nonsense: str
) -> None:
    """The message must name the line and the rule, and nothing may be stored."""
    changes, words = NONSENSE[nonsense]
    lines = [merged(msgspec.to_builtins(line), changes) for line in lines_of_a_pair()]
    with pytest.raises(UsageError, match=rf"(?s)games.jsonl, line 1: .*{words}.*nothing was"):
        taken_in(store, tmp_path / "games.jsonl", [msgspec.json.encode(line) for line in lines])
    assert store.runs.latest(None) is None
    assert list(store.exchange.export_lines()) == []


def adjudicated_pair(*proofs: Proof) -> list[GameLine]:
    """Return the pair of the valid file with games that were adjudicated earlier."""
    lines = []
    for line, moves, proof in zip(lines_of_a_pair(), ("01010", "0101"), proofs, strict=True):
        lines.append(
            msgspec.structs.replace(
                line,
                moves=moves,
                result=proof.value,
                termination=Termination.ADJUDICATED,
                adjudicated=AdjudicationLine(proof.value, proof.distance, len(moves)),
                division=msgspec.structs.replace(line.division, adjudicate=16),
                timing=msgspec.structs.replace(line.timing, thoughts=()),
            )
        )
    return lines


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"adjudicated": None}, "must say after how many plies"),
        ({"adjudicated": {"ply": 4}}, "must say after how many plies"),
        ({"termination": "board_full"}, "must say after how many plies"),
        ({"division": {"adjudicate": 1}}, "is 2 plies away, not 1..1"),
        ({"adjudicated": {"value": "draw"}}, "it is a win, but adjudicated as a draw"),
    ],
)
def test_an_impossible_adjudication_is_refused(
    store: Store, tmp_path: Path, changes: dict[str, Any], words: str
) -> None:
    """The file must be refused as a whole."""
    pair = adjudicated_pair(Proof(Result.WIN, 2), Proof(Result.LOSS, 4))
    lines = [merged(msgspec.to_builtins(line), changes) for line in pair]
    with pytest.raises(UsageError, match=rf"line 1: .*{words}.*nothing was"):
        taken_in(store, tmp_path / "games.jsonl", [msgspec.json.encode(line) for line in lines])


def test_adjudicated_games_are_exported_and_imported(store: Store, tmp_path: Path) -> None:
    """The division's distance and each game's proof are kept; the other formats show them."""
    lines = adjudicated_pair(Proof(Result.WIN, 2), Proof(Result.LOSS, 4))
    path = tmp_path / "games"
    path.write_text("".join(write_jsonl(lines)))
    for count in (2, 0):
        with open_games(path) as games:
            assert import_games(store, path.name, games, check_result=check_result).games == count
    again = list(store.exchange.export_lines())
    assert [(line.division, line.adjudicated) for line in again] == [
        (line.division, line.adjudicated) for line in lines
    ]
    proofs = [game.proof for game in store.games.stream()]
    assert proofs == [Proof(Result.WIN, 2), Proof(Result.LOSS, 4)]
    (first, second) = csv.DictReader(io.StringIO("".join(WRITERS[GameFormat.CSV](lines))))
    shown = [(each["adjudicate"], each["adjudicated"], each["date"]) for each in (first, second)]
    assert shown == [("16", "win 2", "2023-11-14"), ("16", "loss 4", "2023-11-14")]
    assert (first["moves"], second["moves"]) == ("0 1 0 1 0", "0 1 0 1")
    pgn = "".join(WRITERS[GameFormat.PGN](lines))
    assert '[Termination "adjudication"]' in pgn
    assert '[Adjudicated "loss 4"]' in pgn
    assert pgn.count('[Date "2023.11.14"]') == 2


@pytest.mark.slow
def test_analyses_travel_with_the_games(store: Store, tmp_path: Path) -> None:
    """Verdicts and solved positions are as before, also of games that are stored already."""
    lines = [msgspec.json.encode(line) for line in lines_of_a_pair()]
    taken_in(store, tmp_path / "plain.jsonl", lines)
    (division,) = store.divisions.all()
    analyse(store, division, watcher=Silent())
    path = tmp_path / "analysed.jsonl"
    path.write_text("".join(write_jsonl(with_positions(store, store.exchange.export_lines()))))
    texts = path.read_bytes().splitlines()
    for number, before in enumerate(([], lines)):
        with Store.open(str(make_empty(tmp_path / f"copy{number}.db"))) as copy:
            taken_in(copy, tmp_path / "before.jsonl", before)
            assert taken_in(copy, path, texts) == 2 - len(before)
            assert copy.analysis.judged(1) == store.analysis.judged(1)
            games = [*store.games.stream()]
            assert len(games) == 2
            for game in games:
                assert read_columns(copy, game) == read_columns(store, game)
                assert None not in read_columns(copy, game)
    played = len(msgspec.json.decode(texts[0])["moves"]) - 1  # after an opening of one ply
    for other in (
        {"moves": b64encode(b"\0" * 4).decode()},
        {"moves": b64encode(b"\xff" * 4 * played).decode()},
        {"positions": [[1, "AAAA"], *[None] * (played - 1)]},
    ):
        document = merged(msgspec.json.decode(texts[0]), {"analysis": other})
        with pytest.raises(UsageError, match="line 1"):
            taken_in(store, path, [msgspec.json.encode(document), texts[1]])


@pytest.mark.parametrize(
    ("field", "other"),
    [
        ("kind", "gate"),
        ("run_seed", 6),
        ("identity", "i2"),
        ("division", {"boards": "4x4", "opening_plies": 1, "budget": {"simulations": 20}}),
    ],
)
def test_games_that_contradict_each_other_about_their_run_are_refused(
    store: Store, tmp_path: Path, field: str, other: object
) -> None:
    """A second pair must agree with the first."""
    lines = [msgspec.to_builtins(line) for line in lines_of_a_pair()]
    lines += [{**line, "pair": 1, field: other} for line in lines]
    with pytest.raises(UsageError, match=f"line 3: .* the same {field}"):
        taken_in(store, tmp_path / "games.jsonl", [msgspec.json.encode(line) for line in lines])


def merged(document: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a document with some values replaced, recursively."""
    return document | {
        name: merged(document.get(name) or {}, value) if isinstance(value, Mapping) else value
        for name, value in changes.items()
    }
