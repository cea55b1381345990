"""Games as JSON Lines: one object per line with everything about a game."""

from collections.abc import Iterable, Iterator

import msgspec

from db.records.exchange import GameLine
from ladder.results.exchange.numbered_game import ImportRefused, NumberedGame
from ladder.visible import visible_json


def read_jsonl(name: str, lines: Iterable[str]) -> Iterator[NumberedGame]:
    """Yield the games of JSON Lines, skipping empty lines.

    Raises:
        ImportRefused: a line is not the JSON object of a game.

    """
    decoder = msgspec.json.Decoder(GameLine)
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield NumberedGame(number, decoder.decode(line))
            except (msgspec.DecodeError, UnicodeEncodeError, RecursionError) as error:
                raise ImportRefused(name, number, f"it is not an exported game: {error}") from error


def write_jsonl(lines: Iterable[GameLine]) -> Iterator[str]:
    """Yield one line per game."""
    for line in lines:
        yield visible_json(msgspec.json.encode(line).decode()) + "\n"
