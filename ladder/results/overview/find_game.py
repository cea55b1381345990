"""One stored game by the number that people write."""

from db.errors import UnknownRow
from db.records.games import GameRow, HumanGameRow
from db.store import Store

MOST_DIGITS = 18


def find_game(store: Store, word: str) -> GameRow | HumanGameRow:
    """A game of bots by its number, or a person's by ``p`` and its number.

    Raises:
        UnknownRow: there is none.

    """
    digits = word.removeprefix("p")
    if digits.isascii() and digits.isdecimal() and len(digits) <= MOST_DIGITS:
        key = int(digits)
        row = store.games.get(key) if word == digits else store.human_games.get(key)
        if row is not None:
            return row
    raise UnknownRow(f"there is no game {word[:40]!r}: the page of games lists those that are")
