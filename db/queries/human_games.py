"""Games of people against bots."""

import msgspec
from sqlalchemy import func, insert, select

from db.connection.database import Database
from db.connection.retry_policy import retried
from db.errors import UnknownRow
from db.json_column import to_json
from db.models import HumanGame, Revision
from db.queries.bots import read_bot_names
from db.records import thought_blob
from db.records.games import (
    HumanGameRow,
    NewHumanGame,
)
from engine.position import format_moves, parse_moves
from engine.result import Result, Termination


@retried
class HumanGames:
    """The games of people against bots, which no rating, report or export contains."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, new: NewHumanGame) -> int:
        """Store a finished game; return its id. Raises UnknownRow if its bot was deleted."""
        with self._database.writing() as connection:
            played_by = select(Revision.id).where(Revision.id == new.revision)
            if connection.execute(played_by).first() is None:
                raise UnknownRow(
                    "the bot of this game was deleted while it played, so the game cannot be stored"
                )
            return connection.execute(
                insert(HumanGame)
                .values(
                    revision_id=new.revision,
                    bot_side=new.bot_side,
                    board=new.board,
                    budget=to_json(dict(new.budget)),
                    seed=new.seed,
                    moves=format_moves(new.moves),
                    result=new.result.value,
                    termination=new.termination.value,
                    detail=new.detail,
                    started_at=new.started_at,
                    duration_us=new.duration_us,
                    thoughts=thought_blob.encode(new.thoughts),
                )
                .returning(HumanGame.id)
            ).scalar_one()

    def get(self, key: int) -> HumanGameRow | None:
        """Return a game with its thoughts, or None."""
        with self._database.reading() as connection:
            row = connection.execute(select(HumanGame.__table__).where(HumanGame.id == key)).first()
            if row is None:
                return None
            return HumanGameRow(
                key=row.id,
                bot=read_bot_names(connection)[row.revision_id],
                bot_side=row.bot_side,
                board=row.board,
                budget=msgspec.json.decode(row.budget, type=dict[str, int]),
                seed=row.seed,
                moves=parse_moves(row.moves),
                result=Result(row.result),
                termination=Termination(row.termination),
                detail=row.detail,
                started_at=row.started_at,
                duration_us=row.duration_us,
                thoughts=thought_blob.decode(row.thoughts),
            )

    def count(self) -> int:
        """Return the number of stored games."""
        with self._database.reading() as connection:
            return connection.execute(select(func.count()).select_from(HumanGame)).scalar_one()
