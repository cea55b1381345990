"""The writer of the table of games, for played pairs and for imported ones."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection, insert
from sqlalchemy.engine import Dialect

from db.derived.game_columns import last_output_values
from db.derived.statements import PendingRows, Prepared, bound
from db.models import Game
from db.models import LastOutput as LastOutputRow
from db.records.games import LastOutput


class GameWriter:
    """Inserts games, and the last output of bots that failed in them, into one database."""

    def __init__(self, dialect: Dialect) -> None:
        game = bound(column.name for column in Game.__table__.columns if column.name != "id")
        self._insert = Prepared(insert(Game).values(game).returning(Game.id), dialect)
        last = bound(column.name for column in LastOutputRow.__table__.columns)
        self._insert_last_output = Prepared(insert(LastOutputRow).values(last), dialect)

    def insert(
        self,
        connection: Connection,
        games: Sequence[Mapping[str, Any]],
        last_outputs: Sequence[LastOutput | None],
    ) -> list[PendingRows]:
        """Insert games, given by column.

        Return, for each game, a function that returns the row with its id.
        """
        id_requests = [self._insert.send(connection, values) for values in games]
        for index, output in enumerate(last_outputs):
            if output is not None:
                rows = id_requests[index]()
                # A request may be called only once: return these rows instead.
                id_requests[index] = partial(list, rows)
                game_id = rows[0][0]
                self._insert_last_output.run(connection, last_output_values(game_id, output))
        return id_requests
