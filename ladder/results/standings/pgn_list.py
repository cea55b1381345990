"""A rating list from a PGN file of any game, by the tags of the games."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ladder.errors import UsageError
from ladder.names import check_line
from ladder.results.exchange.pgn_tags import (
    decode_tag,
    tagged_games,
)
from ladder.stats.pool.cells import from_games
from ladder.stats.pool.rating import PoolRating, RatingOptions, rate_pool

WANTED = frozenset({b"White", b"Black", b"Result"})
CELLS = {b"0-1": 0, b"1/2-1/2": 1, b"1/2": 1, b"1-0": 2}
"""Index of White's result in (losses, draws, wins)."""
UNFINISHED = b"*"


@dataclass(frozen=True, slots=True)
class FileRating:
    """A rating list and the number of games behind it."""

    rating: PoolRating
    games: int
    skipped: int
    """Unfinished games."""


def rate_file(path: Path, options: RatingOptions) -> FileRating:
    """Rate the players of a PGN file.

    Raises:
        UsageError: the file cannot be read or holds no games, a game is invalid, the games do not
            connect all players, or a rating is infinite without a prior.

    """
    try:
        with path.open("rb") as lines:
            results, skipped = count_results(lines)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    except UsageError as error:
        raise UsageError(f"{path}, {error}") from error
    if not results:
        raise UsageError(
            f"{path} holds no finished game: each needs the tags White, Black and Result"
        )
    numbers: dict[str, int] = {}
    for pair in results:
        for name in pair:
            numbers.setdefault(name, len(numbers))
    cells = from_games(
        players=list(numbers),
        first=[numbers[white] for white, _ in results],
        second=[numbers[black] for _, black in results],
        counts=list(results.values()),
    )
    games = sum(map(sum, results.values()))
    return FileRating(rate_pool(cells=cells, options=options), games, skipped)


def count_results(lines: Iterable[bytes]) -> tuple[Mapping[tuple[str, str], list[int]], int]:
    """Return White's (losses, draws, wins) by (White, Black), and the number of unfinished games.

    Raises:
        UsageError: a game lacks a tag, or has an invalid result or name; the message names the
            line.

    """
    found: dict[tuple[bytes, bytes], list[int]] = {}
    first_lines: dict[tuple[bytes, bytes], int] = {}
    skipped = 0
    for game in tagged_games(lines, wanted=WANTED):
        tags = game.tags
        if len(tags) < len(WANTED):
            missing = ", ".join(sorted(tag.decode() for tag in WANTED - set(tags)))
            raise UsageError(f"line {game.line}: the game that begins here lacks the tag {missing}")
        white, black, result = tags[b"White"], tags[b"Black"], tags[b"Result"]
        cell = CELLS.get(result)
        if cell is None:
            if result == UNFINISHED:
                skipped += 1
                continue
            raise UsageError(
                f"line {game.line}: Result must be 1-0, 0-1, 1/2-1/2 or *, got "
                f"{decode_tag(result)[:40]!r}"
            )
        counts = found.get((white, black))
        if counts is None:
            counts = found[white, black] = [0, 0, 0]
            first_lines[white, black] = game.line
        counts[cell] += 1
    # Different bytes can give one name, for example with and without an escape.
    named: dict[tuple[str, str], list[int]] = {}
    for pair, counts in found.items():
        total = named.setdefault(_named(pair, first_lines[pair]), [0, 0, 0])
        for place, count in enumerate(counts):
            total[place] += count
    return named, skipped


def _named(pair: tuple[bytes, bytes], line: int) -> tuple[str, str]:
    """Return the names of White and Black.

    Raises:
        UsageError: a name is empty or not printable, or both are equal.

    """
    try:
        white, black = (check_line(decode_tag(name), "a player's name") for name in pair)
    except UsageError as error:
        raise UsageError(f"line {line}: {error}") from error
    if white == black or not (white and black):
        raise UsageError(f"line {line}: White and Black must be two different names")
    return white, black
