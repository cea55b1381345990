"""The protocol: JSON Lines between the harness and a bot. All messages and the codec.

The harness asks, the bot answers::

    Hello     -> HelloReply
    NewGame   -> Ready
    MoveAsk   -> MoveReply
    GameOver  -> (nothing)
    Quit      -> (exits 0)

A bot may answer anything with ErrorReply. Unknown keys are ignored by both sides. `Budget` and
`Info`, of which messages are made, lie where players find them without the protocol.
"""

import msgspec

from bots.budget import Budget as Budget
from bots.budget import BudgetKind as BudgetKind
from bots.errors import ProtocolError
from bots.player import Info as Info

PROTOCOL = 1
MAX_LINE = 64 * 1024
"""Longest line in bytes, the newline included."""

HELLO_S = 30.0
"""Deadline of the hello, seconds from the start of the process, loading and compiling included."""
READY_S = 10.0
"""Deadline of the answer to a new game, in seconds."""
MARGIN_MS = 50
"""Lateness of a move allowed under a time budget, in milliseconds, unless the user sets another."""
WATCHDOG_S = 60.0
"""Deadline of a move under a work budget, in seconds, unless the user sets another."""
QUIT_S = 1.0
"""Seconds that a bot has to exit when asked to; then it is killed."""


# Messages of the harness.


class Hello(msgspec.Struct, frozen=True, tag="hello", tag_field="type"):
    """Opens the conversation."""

    protocol: int = PROTOCOL


class NewGame(msgspec.Struct, frozen=True, tag="new_game", tag_field="type"):
    """A game begins; everything about the former one is over."""

    game: str
    rows: int
    columns: int
    side: int
    """0 moves first."""
    seed: int
    """Below 2**53, the same for both sides: a player mixes in its side and the ply."""
    budget: Budget
    connect: int = 4
    forbidden: tuple[int, int] | None = None
    """(row from the bottom, column)"""
    player: str | msgspec.UnsetType = msgspec.UNSET
    """To the built-in host only: the player to become, such as ``c4ai?weights=/a/b.csv``."""


class MoveAsk(msgspec.Struct, frozen=True, tag="move", tag_field="type"):
    """Asks for a move after the columns played so far, openings included."""

    ply: int
    moves: tuple[int, ...]


class GameOver(msgspec.Struct, frozen=True, tag="game_over", tag_field="type"):
    """The game has ended; `result` is from the first player's side."""

    result: str
    termination: str


class Quit(msgspec.Struct, frozen=True, tag="quit", tag_field="type"):
    """The bot should exit with status 0."""


Request = Hello | NewGame | MoveAsk | GameOver | Quit


# Messages of the bot.


class HelloReply(msgspec.Struct, frozen=True, tag="hello", tag_field="type"):
    """The bot's name, its budgets and its boards."""

    name: str
    version: str = ""
    budgets: tuple[BudgetKind, ...] = ("any",)
    """In order of preference."""
    boards: tuple[str, ...] | None = None
    """Sizes such as ``6x7``, ``standard``, ``any``, ``forbidden``; None: all."""


class Ready(msgspec.Struct, frozen=True, tag="ready", tag_field="type"):
    """The bot has loaded and compiled all code for the game."""


class MoveReply(msgspec.Struct, frozen=True, omit_defaults=True, tag="move", tag_field="type"):
    """The column that the bot plays."""

    column: int
    info: Info | None = None
    ply: int | None = None
    """May echo the question's ply; a wrong echo is a protocol error."""


class ErrorReply(msgspec.Struct, frozen=True, tag="error", tag_field="type"):
    """The bot gives up and says why."""

    message: str
    illegal: bool = False
    """From the hosts of course programs: the move that it would play is illegal."""


Reply = HelloReply | Ready | MoveReply | ErrorReply

_encoder = msgspec.json.Encoder()
_request_decoder: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
_reply_decoder: msgspec.json.Decoder[Reply] = msgspec.json.Decoder(Reply)
parse_reply = _reply_decoder.decode
"""A message of a bot; raises one of UNREADABLE, which `decode_reply` puts into words."""
UNREADABLE = (msgspec.DecodeError, ValueError, RecursionError)
"""The exceptions of a line that is no message."""


def encode(message: Request | Reply) -> bytes:
    """One line, the newline included."""
    return _encoder.encode(message) + b"\n"


def decode_request(line: bytes) -> Request:
    """A message of the harness, read by a bot.

    Raises:
        ProtocolError: the line is not a message of the harness.

    """
    try:
        return _request_decoder.decode(line)
    except UNREADABLE as error:
        raise ProtocolError(f"not a request: {error}: {_excerpt(line)}") from error


def decode_reply(line: bytes) -> Reply:
    """A message of a bot, read by the harness.

    Raises:
        ProtocolError: the line is not an answer of the protocol; the message shows its beginning.

    """
    try:
        return _reply_decoder.decode(line)
    except UNREADABLE as error:
        raise ProtocolError(f"not an answer of the protocol: {error}: {_excerpt(line)}") from error


def _excerpt(line: bytes, limit: int = 80) -> str:
    text = line[:limit].decode("utf-8", "replace").strip()
    return repr(text) + ("..." if len(line) > limit else "")
