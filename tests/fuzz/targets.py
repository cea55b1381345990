"""The targets of fuzzing: all parsers, with valid inputs and their properties.

A target takes bytes and returns whether they were accepted. It raises an exception if the parser
fails with an error other than the project's own, or if an accepted input changes its meaning when
it is written and read again.
"""

import atexit
import math
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import msgspec
import typer.main

from bots.c4ai.weights import PUBLISHED_FILE, parse_weights, read_weights
from bots.catalogue import option_ranges, option_values
from bots.errors import BotsError
from bots.protocol import decode_reply, decode_request, encode
from db.errors import DatabaseError
from db.records.exchange import GameLine
from engine.board import parse_board
from engine.board_class import format_board_classes, parse_board_class, parse_board_classes
from engine.errors import EngineError
from engine.position import Position, format_moves, parse_moves, parse_position
from ladder.cli.app import app
from ladder.cli.commands.stats import parse_counts
from ladder.cli.config import read_defaults
from ladder.cli.parsing import (
    parse_margin,
    parse_time,
)
from ladder.errors import LadderError
from ladder.moments import parse_since, parse_until
from ladder.names import CONFIG
from ladder.registry.specs.spec import BotSource, read_spec
from ladder.results.exchange.jsonl import open_games
from ladder.runs.pairings import parse_pairing
from ladder.tools.pgn_list import count_results
from tests.fuzz.valid import exported

COMMAND = typer.main.get_command(app)
"""All commands, whose options `ladder.toml` may contain."""
OURS = (EngineError, BotsError, LadderError, DatabaseError)
"""The errors of invalid input."""


class Nonsense(AssertionError):
    """An accepted input is invalid, or changes when it is written and read again."""


def same(one: object, two: object) -> None:
    """Raise `Nonsense` if two values differ."""
    if one != two:
        raise Nonsense(f"{one!r} became {two!r}")


def _one_based(text: str) -> None:
    position = parse_position(text, one_based=True)
    same(parse_position(position.notation()), position)


def _inverse(parse: Callable[[Any], Any], write: Callable[[Any], Any]) -> Callable[[Any], None]:
    """Return a check that what is parsed survives writing and parsing again."""

    def check(data: Any) -> None:
        found = parse(data)
        same(parse(write(found)), found)

    return check


def _amount(parse: Callable[[str], int]) -> Callable[[str], None]:
    def check(text: str) -> None:
        _inverse(parse, lambda amount: f"{amount}ms")(text)
        _plain(text)

    return check


def _plain(text: str) -> None:
    if not text.isascii():
        raise Nonsense(f"{text!r} is no number as we write them")


def _since(text: str) -> None:
    moment = parse_since(text, now=1.8e9)
    if not math.isfinite(moment):
        raise Nonsense(f"{text!r} is no moment")


def _until(text: str) -> None:
    now = datetime(2026, 11, 20, 17, 0)
    if not now.timestamp() < parse_until(text, now=now) < 2e9:
        raise Nonsense(f"{text!r} is no time to come")


def _counts(option: str, text: str) -> None:
    counts = parse_counts(**{"wdl": None, "penta": None, option: text})
    order = reversed(counts) if option == "wdl" else counts
    same(parse_counts(**{"wdl": None, "penta": None, option: ",".join(map(str, order))}), counts)


def _player(text: str) -> None:
    values = option_values(text)
    for name, (low, high) in option_ranges(text).items():
        if not low <= float(values[name]) <= high:
            raise Nonsense(f"{name} = {values[name]}")


def _spec(text: str) -> None:
    made = read_spec(BotSource(text, Path(tempfile.gettempdir())))
    same(made.content_hash, read_spec(BotSource(text, Path(tempfile.gettempdir()))).content_hash)


def _weights(data: bytes) -> None:
    path = _scratch() / "weights.csv"
    path.write_bytes(data)
    weights = read_weights(path)
    same(parse_weights(str(weights), "here"), weights)


def _config(data: bytes) -> None:
    folder = _scratch()
    (folder / CONFIG).write_bytes(data)
    read_defaults(COMMAND, folder)


def _ratings(data: bytes) -> None:
    counts, _ = count_results(data.splitlines(keepends=True))
    for (white, black), results in counts.items():
        if white == black or not (white and black) or sum(results) < 1:
            raise Nonsense(f"{white!r} against {black!r}: {results}")


def _read(data: bytes) -> None:
    """Read the games and check that each survives writing and reading."""
    file = _scratch() / "games.jsonl"
    file.write_bytes(data)
    with open_games(file) as games:
        for each in games:
            same(msgspec.json.decode(msgspec.json.encode(each.game), type=GameLine), each.game)


@lru_cache(maxsize=1)
def _scratch() -> Path:
    """Return a folder of this process."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@dataclass(frozen=True, slots=True)
class Target:
    """One parser."""

    name: str
    seeds: tuple[bytes, ...]
    """Valid inputs."""
    check: Callable[[bytes], None]

    def accepts(self, data: bytes) -> bool:
        """Return whether the input is accepted.

        Raises:
            Nonsense: it should not be accepted.
            Exception: the parser failed with another error.

        """
        try:
            self.check(data)
        except OURS as error:
            if not str(error).strip():
                raise Nonsense("refused without a sentence") from error
            return False
        return True


def _text(check: Callable[[str], None]) -> Callable[[bytes], None]:
    """Decode bytes like words of a command line: invalid UTF-8 becomes lone surrogates."""
    return lambda data: check(data.decode("utf-8", "surrogateescape"))


def _words(*texts: str) -> tuple[bytes, ...]:
    return tuple(text.encode() for text in texts)


BOARDS = _words("6x7", "standard", "thu", "10x11@3,4", "6x7,10x11@3,4,thu")
REQUESTS = _words(
    '{"type":"hello","protocol":1}',
    '{"type":"new_game","game":"1","rows":6,"columns":7,"side":0,"seed":5,'
    '"budget":{"time_ms":100},"connect":4,"forbidden":[0,3],"player":"v4?c=0.5"}',
    '{"type":"move","ply":3,"moves":[3,3,2]}',
    '{"type":"game_over","result":"win","termination":"four_in_a_row"}',
    '{"type":"quit"}',
)
REPLIES = _words(
    '{"type":"hello","name":"x","version":"1","budgets":["time","any"],"boards":["6x7"]}',
    '{"type":"ready"}',
    '{"type":"move","column":3,"ply":4,"info":{"value":0.5,"pv":[3,2],"proven":"win",'
    '"distance":3,"depth":8,"nodes":12}}',
    '{"type":"error","message":"no","illegal":true}',
)
PGN = b'[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n{c} 1. x; y 1-0\n\n'


def make_targets() -> dict[str, Target]:
    """Return every target by name."""
    rows = [
        Target("board", BOARDS[:4], _text(_inverse(parse_board, str))),
        Target("board class", BOARDS[:4], _text(_inverse(parse_board_class, str))),
        Target("board list", BOARDS, _text(_inverse(parse_board_classes, format_board_classes))),
        Target("moves", _words("0123ab", "5546a"), _text(_inverse(parse_moves, format_moves))),
        Target(
            "position",
            _words("10x11@3,4 5546a", "6x7"),
            _text(_inverse(parse_position, Position.notation)),
        ),
        Target("one-based position", _words("4455"), _text(_one_based)),
        Target("request", REQUESTS, _inverse(decode_request, encode)),
        Target("reply", REPLIES, _inverse(decode_reply, encode)),
        Target("time", _words("100ms", "2s", "0.5s", "40"), _text(_amount(parse_time))),
        Target("margin", _words("50ms", "0"), _text(_amount(parse_margin))),
        Target("since", _words("12h", "2026-11-20", "2026-11-20T18:00+01:00"), _text(_since)),
        Target("until", _words("12h", "18:00", "2026-11-20T18:00+01:00"), _text(_until)),
        Target("W,D,L", _words("10,20,30"), _text(partial(_counts, "wdl"))),
        Target("pentanomial", _words("1,2,3,4,5"), _text(partial(_counts, "penta"))),
        Target("pairing", _words("random", "gauntlet:v4"), _text(_inverse(parse_pairing, str))),
        Target(
            "player",
            _words("v4?c=0.7", "v12?memory_mib=8&forced=no", "mcts3?rollout=seven&leave=yes"),
            _text(_player),
        ),
        Target(
            "specification",
            _words("builtin:v4?c=1", "exec:python3 'a b.py' x", "python:a.py:B", "thu:a.so"),
            _text(_spec),
        ),
        Target(
            "configuration",
            _words(
                'db = "a.db"\n[run]\ntime = "40ms"\nboards = "thu"\ngames = 10\n',
                "[bots.add]\nreplace = true\n",
            ),
            _config,
        ),
        Target("weights", (PUBLISHED_FILE.read_bytes(), b"1, -2,3,4,5,6\r\n"), _weights),
        Target("rating file", (PGN, PGN + PGN.replace(b"1-0", b"1/2-1/2")), _ratings),
        Target("jsonl reader", (exported(),), _read),
    ]
    return {row.name: row for row in rows}
