"""Reading and writing files of games in each format."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from db.records.exchange import GameLine
from ladder.errors import UsageError
from ladder.results.exchange.csv import read_csv, write_csv
from ladder.results.exchange.game_format import GameFormat
from ladder.results.exchange.jsonl import read_jsonl, write_jsonl
from ladder.results.exchange.numbered_game import NumberedGame
from ladder.results.exchange.pgn import read_pgn, write_pgn

WRITERS: Mapping[GameFormat, Callable[[Iterable[GameLine]], Iterator[str]]] = {
    GameFormat.PGN: write_pgn,
    GameFormat.CSV: write_csv,
    GameFormat.JSONL: write_jsonl,
}
"""Writers that yield a file's text in pieces, by format."""


def format_of(path: Path) -> GameFormat:
    """Return the format of a file's suffix, or JSON Lines for any other suffix."""
    suffix = path.suffix.lower().removeprefix(".")
    return GameFormat(suffix) if suffix in set(GameFormat) else GameFormat.JSONL


@contextmanager
def open_games(path: Path, form: GameFormat) -> Iterator[Iterator[NumberedGame]]:
    """Open a file and yield an iterator over its games.

    Raises:
        UsageError: the file cannot be read, or a line is not a game.

    """
    name = str(path)
    try:
        if form is GameFormat.PGN:
            with path.open("rb") as lines:
                yield read_pgn(name, lines)
        else:
            with path.open(encoding="utf-8", newline="") as texts:
                yield read_csv(name, texts) if form is GameFormat.CSV else read_jsonl(name, texts)
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{name} is not UTF-8 text, so nothing was imported: export it again"
        ) from error
    except OSError as error:
        raise UsageError(f"{name} cannot be read: {error.strerror or error}") from error
