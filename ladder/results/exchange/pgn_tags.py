"""A streaming reader of PGN tags, for any game, any tags and any notation of moves."""

import contextlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ladder.errors import UsageError
from ladder.visible import visible

Tags = dict[bytes, bytes]
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
        if number == 1 and line.startswith(b"\xef\xbb\xbf"):
            line = line[3:]
        after = 0  # index after the brace that this line closes
        if open_line:
            after = line.find(b"}") + 1
            if not after:
                found = whole(line)
                if found:
                    tags_in_comment.add(found[1])
                    if tags_in_comment >= wanted:
                        raise UsageError(
                            f"line {open_line}: the comment that begins here is not closed before "
                            f"the tags of another game in line {number}"
                        )
                continue
            open_line = 0
        elif line.startswith(b"["):
            found = whole(line)
            name = found[1] if found else None
            if has_moves or name in tags or (has_gap and tags.keys() >= wanted):
                if tags:
                    yield TaggedGame(start, tags)
                tags, has_moves = {}, False
                start = 0
            has_gap = False
            start = start or number
            if found:
                tags[found[1]] = found[2]
            elif line.startswith(prefixes) and line[1:].split(None, 1)[0] in wanted:
                shown = decode_tag(line.strip())[:80]
                raise UsageError(
                    f'line {number}: a tag must be written [Name "value"], got {shown}'
                )
            continue
        # A line without braces matters only if it may be the first one of a game's moves.
        if b"{" not in line and (has_moves or after):
            has_moves = True
            continue
        if not after and line.startswith((b"%", b";")):
            continue
        if not line.strip():
            has_gap = True
            continue
        has_moves = True
        # The last brace shows whether one is open after the line, unless a semicolon hides it.
        if b";" in line:
            is_open = _opens(line, after)
        else:
            is_open = line.rfind(b"{", after) > line.rfind(b"}", after)
        if is_open:
            open_line = number
            tags_in_comment.clear()
    if open_line:
        raise UsageError(f"line {open_line}: the comment that begins here is not closed")
    if tags:
        yield TaggedGame(start, tags)


def _opens(line: bytes, start: int) -> bool:
    """Return whether a line of moves leaves a brace open, from an index outside braces."""
    while (opening := line.find(b"{", start)) >= 0:
        if line.find(b";", start, opening) >= 0:
            return False  # the rest of the line is a comment
        start = line.find(b"}", opening) + 1
        if not start:
            return True
    return False


def escape_tag(text: str) -> str:
    """Return a text for the quotes of a tag, printable and escaped."""
    return visible(text).replace("\\", "\\\\").replace('"', '\\"')


def decode_tag(value: bytes) -> str:
    """Return a tag's value as text: from UTF-8, else from Windows-1252 or Latin-1."""
    if b"\\" in value:
        value = _ESCAPE.sub(rb"\1", value)
    for encoding in ("utf-8", "cp1252"):
        with contextlib.suppress(UnicodeDecodeError):
            return value.decode(encoding)
    return value.decode("latin-1")
