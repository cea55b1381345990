"""Tags of games in PGN, streamed: any game, any tags, however the moves are written."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ladder.errors import UsageError

Tags = dict[bytes, bytes]


@dataclass(slots=True)
class TaggedGame:
    """The tags of one game."""

    line: int
    """Where its first tag stands, from 1."""
    tags: Tags
    """Values as they stand between the quotes, undecoded and with their escapes."""
    text: bytes
    """Its moves with comments, when they were asked for."""


def tagged_games(
    lines: Iterable[bytes], *, wanted: frozenset[bytes], keep_text: bool = False
) -> Iterator[TaggedGame]:
    """The games of a file in order.

    A game begins with a tag after moves, with a tag that it has already, or, where games have no
    moves, with a tag after an empty line when all wanted tags are there. Comments in braces and
    lines that begin with ``%`` or ``;`` are no tags, whatever is in them.

    Args:
        lines: of the file, with or without line ends.
        wanted: the tags to keep.
        keep_text: whether the moves are asked for.

    Raises:
        UsageError: a wanted tag is broken; the message names the line.

    """
    # Most lines are moves or tags that nobody wants: they are told apart as cheaply as possible.
    names = b"|".join(map(re.escape, wanted))
    whole = re.compile(rb"\[(" + names + rb')\s+"(.*)"\s*\]\s*$').match
    prefixes = tuple(b"[" + tag for tag in wanted)
    enough = len(wanted)
    tags: Tags = {}
    text: list[bytes] = []
    start = 0
    depth = moved = gap = False
    for number, line in enumerate(lines, start=1):
        if number == 1 and line.startswith(b"\xef\xbb\xbf"):
            line = line[3:]
        if line.startswith(b"[") and not depth:
            found = whole(line)
            name = found[1] if found else None
            if moved or name in tags or (gap and len(tags) == enough):
                if tags:
                    yield TaggedGame(start, tags, b"".join(text))
                tags, moved = {}, False
                text.clear()
                start = 0
            gap = False
            start = start or number
            if found:
                tags[found[1]] = found[2]
            elif line.startswith(prefixes) and line[1:].split(None, 1)[0] in wanted:
                shown = text_of(line.strip())[:80]
                raise UsageError(f'line {number}: a tag is written [Name "value"], got {shown}')
            continue
        if moved and not keep_text and not depth and b"{" not in line:
            continue
        if not depth and not line.strip():
            gap = True
            continue
        if not depth and line.startswith((b"%", b";")):
            continue
        moved = True
        if keep_text:
            text.append(line)
        # The last brace of a line says whether a comment is open behind it.
        if depth or b"{" in line:
            opened, closed = line.rfind(b"{"), line.rfind(b"}")
            depth = opened > closed if max(opened, closed) >= 0 else depth
    if tags:
        yield TaggedGame(start, tags, b"".join(text))


def text_of(value: bytes) -> str:
    """A tag's value as text: UTF-8, or Latin-1 in files older than it."""
    if b"\\" in value:
        value = value.replace(b'\\"', b'"').replace(b"\\\\", b"\\")
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value.decode("latin-1")
