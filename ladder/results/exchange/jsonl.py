"""Games as JSON Lines: one object per line with everything about a game."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from db.records.exchange import GameLine
from ladder.errors import UsageError
from ladder.results.exchange.archives import STARTS
from ladder.results.exchange.numbered_game import ImportRefused, NumberedGame
from ladder.visible import visible_json


@contextmanager
def open_games(path: Path) -> Iterator[Iterator[NumberedGame]]:
    """Open a file and yield an iterator over its games, without empty lines and bots' files.

    Raises:
        UsageError: the file cannot be read.
        ImportRefused: a line is not the JSON object of a game.

    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            yield _read(str(path), lines)
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{path} is not UTF-8 text, so nothing was imported: export it again"
        ) from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error


def _read(name: str, lines: Iterable[str]) -> Iterator[NumberedGame]:
    decoder = msgspec.json.Decoder(GameLine)
    for number, line in enumerate(lines, start=1):
        if line.strip() and not line.startswith(STARTS):
            try:
                yield NumberedGame(number, decoder.decode(line))
            except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
                raise ImportRefused(
                    name, number, f"it is not a game that `ladder export` wrote in JSON: {error}"
                ) from error


def write_jsonl(lines: Iterable[GameLine]) -> Iterator[str]:
    """Yield one line per game."""
    for line in lines:
        yield visible_json(msgspec.json.encode(line).decode()) + "\n"
