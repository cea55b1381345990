"""Finding a stored game by its number."""

from db.errors import UnknownRow
from db.records.games import GameRow, HumanGameRow
from db.store import Store

MOST_DIGITS = 18
"""Any such number fits in 64 bits, as keys do."""


def find_game(store: Store, word: str) -> GameRow | HumanGameRow:
    """Return the game with a number such as ``12``, or ``p3`` for a game of a person.

    Raises:
        UnknownRow: there is no such game.

    """
    digits = word.removeprefix("p")
    if digits.isascii() and digits.isdecimal() and len(digits) <= MOST_DIGITS:
        key = int(digits)
        row = store.games.get(key) if word == digits else store.human_games.get(key)
        if row is not None:
            return row
    raise UnknownRow(f"there is no game {word[:40]!r}: choose one on the page of games")
