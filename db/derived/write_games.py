"""The one writer of the table of games, for pairs that were played here and for imported ones."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, insert
from sqlalchemy.engine import Dialect

from db.derived.game_columns import last_words_values
from db.derived.statements import Answer, Prepared, bound
from db.models import Game
from db.models import LastOutput as LastWordsRow
from db.records.games import LastOutput


class GameWriter:
    """Inserts games, and the last output of bots that failed in them, into one database."""

    def __init__(self, dialect: Dialect) -> None:
        game = bound(column.name for column in Game.__table__.columns if column.name != "id")
        self._insert = Prepared(insert(Game).values(game).returning(Game.id), dialect)
        last = bound(column.name for column in LastWordsRow.__table__.columns)
        self._insert_last_words = Prepared(insert(LastWordsRow).values(last), dialect)

    def insert(
        self,
        connection: Connection,
        games: Sequence[Mapping[str, Any]],
        last_words: Sequence[LastOutput | None],
    ) -> list[Answer]:
        """Insert games by their values by column; each answer is the row of a game's id."""
        ids = [self._insert.ask(connection, values) for values in games]
        for place, words in enumerate(last_words):
            if words is not None:
                (row,) = ids[place]()
                ids[place] = [row].copy
                self._insert_last_words.run(connection, last_words_values(row[0], words))
        return ids
