"""The boards that a bot can play, from the list in its hello."""

from collections.abc import Collection, Sequence

from engine.board import STANDARD, Board, parse_board
from engine.board_class import SETS, BoardClass, parse_board_class

FORBIDDEN = "forbidden"
FORBIDDEN_ONLY = "forbidden-only"
"""Only boards with a forbidden cell: found at registration, never part of a hello."""
ANY = "any"
TRIAL_BOARDS = (Board(6, 7), Board(10, 11, (3, 4)))
"""The boards on which a new bot is tried: the standard one, and one with a forbidden cell."""


def can_play(boards: Sequence[str] | None, board: Board) -> bool:
    """Return whether a bot that lists these boards (None: all) plays this one.

    A list names sizes, or `any` for every size. A board with a forbidden cell needs the word
    `forbidden`, which alone means every size, with or without a forbidden cell.
    """
    if boards is None:
        return True
    if FORBIDDEN_ONLY in boards and board.forbidden is None:
        return False
    if board.forbidden is not None and not {FORBIDDEN, FORBIDDEN_ONLY}.intersection(boards):
        return False
    sizes = [word for word in boards if word not in (FORBIDDEN, FORBIDDEN_ONLY)]
    if not sizes or ANY in sizes:
        return True
    return any(parse_board(word).size == board.size for word in sizes)


def can_play_class(boards: Sequence[str] | None, board_class: BoardClass) -> bool:
    """Return whether a bot plays every board of a class."""
    return all(can_play(boards, board) for board in board_class.samples)


def describe_boards(boards: Sequence[str] | None) -> str:
    """Return the boards that a bot plays, in words."""
    if boards is None:
        return "every board"
    if FORBIDDEN_ONLY in boards:
        return "boards with a forbidden cell only"
    sizes = [word for word in boards if word not in (FORBIDDEN, ANY)]
    if ANY in boards or not sizes:
        return "every board" if FORBIDDEN in boards else "boards without a forbidden cell"
    return ", ".join(sizes) + (" with or without a forbidden cell" if FORBIDDEN in boards else "")


def propose_boards(
    boards: Sequence[str] | None, others: Collection[Sequence[str] | None] = ()
) -> str:
    """Return a board class that a bot plays, and the other bots as well if possible."""
    words = [STANDARD, *SETS, *(word for word in boards or () if "x" in word)]
    own = [word for word in words if can_play_class(boards, parse_board_class(word))]
    shared = [
        word
        for word in own
        if all(can_play_class(each, parse_board_class(word)) for each in others)
    ]
    return next(iter(shared or own), STANDARD)


def trial_boards(boards: Sequence[str] | None) -> list[Board]:
    """Return the boards on which a new bot is tried: one of each kind that it claims."""
    known = [board for board in TRIAL_BOARDS if can_play(boards, board)]
    if known or boards is None:
        return known
    sizes = [word for word in boards if word not in (FORBIDDEN, ANY)]
    return [parse_board(word) for word in sizes[:1]]
