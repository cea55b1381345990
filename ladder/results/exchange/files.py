"""The writers of files of games, by format."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from db.records.exchange import GameLine
from ladder.results.exchange.csv import write_csv
from ladder.results.exchange.game_format import GameFormat
from ladder.results.exchange.jsonl import write_jsonl
from ladder.results.exchange.pgn import write_pgn

WRITERS: Mapping[GameFormat, Callable[[Iterable[GameLine]], Iterator[str]]] = {
    GameFormat.PGN: write_pgn,
    GameFormat.CSV: write_csv,
    GameFormat.JSONL: write_jsonl,
}
"""Writers that yield a file's text in pieces, by format."""
