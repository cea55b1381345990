"""The protocol: JSON Lines between the harness and a bot. All messages and the codec.

The harness asks, the bot answers::

    Hello     -> HelloReply
    NewGame   -> Ready
    MoveAsk   -> MoveReply or Resign
    GameOver  -> (nothing)
    Quit      -> (exits 0)

A bot may answer any message with ErrorReply. Both sides ignore unknown keys. `Budget` and `Info`,
which messages contain, are defined in other modules because players use them without the protocol.
"""

import msgspec

from bots.budget import Budget as Budget
from bots.budget import BudgetKind as BudgetKind
from bots.budget import RemainingTime
from bots.errors import ProtocolError
from bots.player import Info as Info

PROTOCOL = 1
MAX_LINE = 64 * 1024
"""Longest line in bytes, including the newline."""

HELLO_S = 30.0
"""Deadline of the hello in seconds from the start of the process, including loading and
compiling."""
READY_S = 10.0
"""Deadline of the answer to a new game, in seconds."""
MARGIN_MS = 50
"""Default tolerance of late moves under a time budget, in milliseconds."""
WATCHDOG_S = 60.0
"""Default deadline of a move under a work budget, in seconds."""
QUIT_S = 1.0
"""Time in which a bot must exit after Quit, in seconds, before it is killed."""


# Messages of the harness.


class Hello(msgspec.Struct, frozen=True, tag="hello", tag_field="type"):
    """The first message."""

    protocol: int = PROTOCOL


class NewGame(msgspec.Struct, frozen=True, tag="new_game", tag_field="type"):
    """A game begins; the last one is over."""

    game: str
    rows: int
    columns: int
    side: int
    """0 moves first."""
    seed: int
    """Seed below 2**53, the same for both sides; a player mixes in its side and the ply."""
    budget: Budget
    connect: int = 4
    forbidden: tuple[int, int] | None = None
    """(row from the bottom, column)"""
    player: str | msgspec.UnsetType = msgspec.UNSET
    """For the built-in host only: the player, such as ``c4ai?weights=/a/b.csv``."""


class MoveAsk(msgspec.Struct, frozen=True, tag="move", tag_field="type"):
    """A request for a move after the columns played so far, including the opening."""

    ply: int
    moves: tuple[int, ...]
    clock: RemainingTime | msgspec.UnsetType = msgspec.UNSET
    """Under a clock or an overage only."""


class GameOver(msgspec.Struct, frozen=True, tag="game_over", tag_field="type"):
    """The end of a game, with the first player's result."""

    result: str
    termination: str


class Quit(msgspec.Struct, frozen=True, tag="quit", tag_field="type"):
    """A request to exit with status 0."""


Request = Hello | NewGame | MoveAsk | GameOver | Quit


# Messages of the bot.


class HelloReply(msgspec.Struct, frozen=True, tag="hello", tag_field="type"):
    """The bot's name, its budgets and its boards."""

    name: str
    version: str = ""
    budgets: tuple[BudgetKind, ...] = ("any",)
    """In order of preference."""
    boards: tuple[str, ...] | None = None
    """Sizes such as ``6x7``, ``standard``, ``any`` or ``forbidden``; None means all boards."""


class Ready(msgspec.Struct, frozen=True, tag="ready", tag_field="type"):
    """The bot is ready for the game: all its code is loaded and compiled."""


class MoveReply(msgspec.Struct, frozen=True, omit_defaults=True, tag="move", tag_field="type"):
    """The column that the bot plays."""

    column: int
    info: Info | None = None
    ply: int | None = None
    """Optional echo of the request's ply; a wrong one is a protocol error."""


class Resign(msgspec.Struct, frozen=True, tag="resign", tag_field="type"):
    """The bot gives the game up instead of making a move."""


class ErrorReply(msgspec.Struct, frozen=True, tag="error", tag_field="type"):
    """The bot cannot continue, with the reason."""

    message: str
    illegal: bool = False
    """Set by the hosts of course programs if the program's move is illegal."""


Reply = HelloReply | Ready | MoveReply | Resign | ErrorReply

_encoder = msgspec.json.Encoder()
_request_decoder: msgspec.json.Decoder[Request] = msgspec.json.Decoder(Request)
_reply_decoder: msgspec.json.Decoder[Reply] = msgspec.json.Decoder(Reply)
_UNREADABLE = (msgspec.DecodeError, ValueError, RecursionError)
"""The exceptions for a line that is not a message."""


def encode(message: Request | Reply) -> bytes:
    """Encode a message as a line with its newline."""
    return _encoder.encode(message) + b"\n"


def decode_request(line: bytes) -> Request:
    """Decode a message of the harness.

    Raises:
        ProtocolError: the line is not a message of the harness.

    """
    try:
        return _request_decoder.decode(line)
    except _UNREADABLE as error:
        raise ProtocolError(
            f"not a request of the protocol: {error}; the line is {_excerpt(line)}"
        ) from error


def decode_reply(line: bytes) -> Reply:
    """Decode a message of a bot.

    Raises:
        ProtocolError: the line is not a message of a bot; the error shows its beginning.

    """
    try:
        return _reply_decoder.decode(line)
    except _UNREADABLE as error:
        raise ProtocolError(
            f"not an answer of the protocol: {error}; the bot wrote {_excerpt(line)}"
        ) from error


def _excerpt(line: bytes, limit: int = 80) -> str:
    text = line[:limit].decode("utf-8", "replace").strip()
    return repr(text) + ("..." if len(line) > limit else "")
