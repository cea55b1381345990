"""A rating list from a PGN file of any game, by the tags of the games."""

import contextlib
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from ladder.errors import UsageError
from ladder.names import check_line
from ladder.stats.pool.cells import from_games
from ladder.stats.pool.rating import PoolRating, RatingOptions, rate_pool

Tags = dict[bytes, bytes]
COMMENT = re.compile(rb"\{[^}]*\}|;.*")
"""A comment that ends in its line."""
_ESCAPE = re.compile(rb"\\([\\\"])")


@dataclass(slots=True)
class TaggedGame:
    """The tags of one game."""

    line: int
    """Line number of its first tag, from 1."""
    tags: Tags
    """Values between the quotes, undecoded and with escapes."""


def tagged_games(lines: Iterable[bytes], *, wanted: frozenset[bytes]) -> Iterator[TaggedGame]:
    """Yield the games of a file in order.

    A new game begins with a tag after moves, with a repeated tag, or, in games without moves, with
    a tag after an empty line if all wanted tags have been read. Comments follow the PGN standard
    (1994, sections 5 and 6): from ``;`` to the end of the line, from ``{`` to the next ``}``, and
    lines that begin with ``%`` outside braces.

    Args:
        lines: the file's lines, with or without line ends.
        wanted: the tags to keep, which every game should have.

    Raises:
        UsageError: a wanted tag is malformed, or a brace is not closed before the tags of another
            game or the end of the file; the message names the line.

    """
    # Most lines are moves or unwanted tags, which are recognized as cheaply as possible.
    names = b"|".join(map(re.escape, wanted))
    whole = re.compile(rb"\[(" + names + rb')\s+"(.*)"\s*\]\s*$').match
    prefixes = tuple(b"[" + tag for tag in wanted)
    tags: Tags = {}
    tags_in_comment: set[bytes] = set()  # all of them show that the brace was never closed
    start = 0  # line of the game's first tag; 0 before it
    open_line = 0  # line of the open brace; 0 outside braces
    has_moves = has_gap = False  # of the current game: moves, an empty line after its last tag
    for number, line in enumerate(lines, start=1):
        if open_line:
            _, closed, rest = line.partition(b"}")
            if not closed:
                found = whole(line)
                tags_in_comment |= {found[1]} if found else set()
                if tags_in_comment >= wanted:
                    raise UsageError(
                        f"line {open_line}: the comment that begins here is not closed before the "
                        f"tags of another game in line {number}"
                    )
                continue
        elif line.startswith((b"[", b"\xef\xbb\xbf[")):
            found = whole(line.removeprefix(BOM_UTF8))
            name = found[1] if found else None
            if has_moves or name in tags or (has_gap and tags.keys() >= wanted):
                if tags:
                    yield TaggedGame(start, tags)
                tags, has_moves, start = {}, False, 0
            has_gap, start = False, start or number
            if found:
                tags[found[1]] = found[2]
            elif line.startswith(prefixes) and line[1:].split(None, 1)[0] in wanted:
                shown = decode_tag(line.strip())[:80]
                raise UsageError(
                    f'line {number}: a tag must be written [Name "value"], got {shown}'
                )
            continue
        elif line.startswith((b"%", b";")):
            continue
        elif not line.strip():
            has_gap = True
            continue
        else:
            rest = line
        has_moves, open_line = True, 0
        if b"{" in rest and b"{" in COMMENT.sub(b"", rest):
            open_line = number
            tags_in_comment.clear()
    if open_line:
        raise UsageError(f"line {open_line}: the comment that begins here is not closed")
    if tags:
        yield TaggedGame(start, tags)


def decode_tag(value: bytes) -> str:
    """Return a tag's value as text: from UTF-8, else from Windows-1252 or Latin-1."""
    if b"\\" in value:
        value = _ESCAPE.sub(rb"\1", value)
    for encoding in ("utf-8", "cp1252"):
        with contextlib.suppress(UnicodeDecodeError):
            return value.decode(encoding)
    return value.decode("latin-1")


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


UTF_16 = "it is UTF-16 text: convert it by `iconv -f UTF-16 -t UTF-8`"
PACKED = "it is compressed: unpack it by `{}` first"
FOREIGN = {
    b"\xff\xfe": UTF_16,
    b"\xfe\xff": UTF_16,
    b"\x1f\x8b": PACKED.format("gunzip"),
    b"BZh": PACKED.format("bunzip2"),
    b"\xfd7zXZ": PACKED.format("unxz"),
    b"(\xb5/\xfd": PACKED.format("unzstd"),
    b"PK\x03\x04": PACKED.format("unzip"),
}
"""Why a file cannot be read, by its first bytes."""


def foreign_format(head: bytes) -> str | None:
    """Return why a file with this beginning is no PGN: compressed, or in another encoding."""
    known = next((why for magic, why in FOREIGN.items() if head.startswith(magic)), None)
    return "it is not a text file" if known is None and b"\0" in head else known


def rate_file(path: Path, options: RatingOptions) -> FileRating:
    """Rate the players of a PGN file.

    Raises:
        UsageError: the file cannot be read or holds no games, a game is invalid, the games do not
            connect all players, or a rating is infinite without a prior.

    """
    try:
        with path.open("rb") as lines:
            why = foreign_format(lines.peek())
            results, skipped = ({}, 0) if why else count_results(lines)
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    except UsageError as error:
        raise UsageError(f"{path}, {error}") from error
    if why:
        raise UsageError(f"{path} cannot be read as PGN: {why}")
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
