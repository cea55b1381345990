"""Finding a stored game by its number, and games that are not stored."""

from collections.abc import Sequence

from db.errors import UnknownRow
from db.records.games import GameRow, Thought
from db.records.sides import SideSums
from db.store import Store
from engine.position import Position
from engine.result import Result, Termination

MOST_DIGITS = 18
"""Any such number fits in 64 bits, as keys do."""


def find_game(store: Store, word: str) -> GameRow:
    """Return the game with a number such as ``12``.

    Raises:
        UnknownRow: there is no such game.

    """
    if word.isascii() and word.isdecimal() and len(word) <= MOST_DIGITS:
        row = store.games.get(int(word))
        if row is not None:
            return row
    raise UnknownRow(f"there is no game {word[:40]!r}: choose one on the page of games")


def unstored_game(
    position: Position, names: tuple[str, str], thoughts: Sequence[Thought] = ()
) -> GameRow:
    """Return the game that led to a position in the form of a stored game, with the number 0."""
    result, termination = position.ending or (Result.DRAW, Termination.ABORTED)
    return GameRow(
        id=0,
        pair_id=0,
        run_id=0,
        division_id=0,
        rated=False,
        game=0,
        first_revision=0,
        second_revision=0,
        first=names[0],
        second=names[1],
        board=str(position.board),
        board_class=str(position.board),
        moves=position.moves,
        opening_plies=0,
        seed=0,
        result=result,
        termination=termination,
        detail="",
        offender=None,
        started_at=0.0,
        duration_us=0,
        sides=(SideSums(), SideSums()),
        thoughts=tuple(thoughts),
    )
