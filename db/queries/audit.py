"""Holding stored pairs and games against each other: all that the tables' own keys do not enforce.

What is found is told, never raised: the rows may hold anything, as another program wrote them.
"""

from collections.abc import Iterator
from typing import Any

import msgspec
from sqlalchemy import case, func, select

from db.connection.database import Database
from db.connection.patience import retried
from db.derived.game_columns import line_hash, offender_of, sides_of
from db.errors import Corrupt
from db.models import Game, Pair, Run
from db.queries.bots import names_of_revisions
from db.queries.games import COLUMNS, game_row
from db.records import thought_blob
from db.records.games import AuditedGame
from db.records.pairs import PairStatus
from engine.errors import EngineError
from engine.position import parse_moves
from engine.result import Result, Termination

_OF_PAIR = tuple(
    Pair.__table__.c[name].label(f"pair_{name}")
    for name in ("run_id", "a_revision_id", "b_revision_id", "board", "board_class", "seed")
)
_OPENING = Pair.opening.label("pair_opening")
_OF_RUN = (Run.division_id.label("run_division_id"), Run.rated.label("run_rated"))


@retried
class Audit:
    """Looks at everything, changes nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def integrity(self) -> list[str]:
        """The complaints of the database's own integrity checks; empty when it is sound."""
        try:
            with self._database.reading() as connection:
                return self._database.backend.complaints(connection)
        except Corrupt as error:
            return [str(error)]

    def foreign_objects(self) -> list[str]:
        """Triggers and the like: this program makes none, and they could change what is stored."""
        with self._database.reading() as connection:
            return self._database.backend.foreign_objects(connection)

    def pairs(self) -> Iterator[str]:
        """Pairs whose games are not what their status says."""
        first, second = (func.sum(case((Game.game == seat, 1), else_=0)) for seat in (0, 1))
        query = (
            select(Pair.id, Pair.status, first.label("first"), second.label("second"))
            .outerjoin(Game, Game.pair_id == Pair.id)
            .group_by(Pair.id, Pair.status)
            .order_by(Pair.id)
        )
        known = {status.value for status in PairStatus}
        with self._database.streaming() as connection:
            for row in connection.execute(query):
                games = (row.first, row.second)
                whole = (1, 1) if row.status == PairStatus.FINISHED else (0, 0)
                if row.status not in known:
                    yield f"pair {row.id} has the unknown status {row.status!r}"
                elif games != whole:
                    count = f"{sum(games)} of {sum(whole)} games"
                    yield f"pair {row.id} is {row.status} and has {count}"

    def games(self) -> Iterator[AuditedGame]:
        """Every game in the order of storing, or the sentence that says why it is none."""
        query = (
            select(*COLUMNS, *_OF_PAIR, _OPENING, *_OF_RUN)
            .outerjoin(Pair, Pair.id == Game.pair_id)
            .outerjoin(Run, Run.id == Game.run_id)
            .order_by(Game.id)
        )
        with self._database.streaming() as connection:
            names = names_of_revisions(connection)
            for row in connection.execute(query):
                fault = _fault(row, names)
                game = None if fault is not None else game_row(row, names, row.thoughts)
                yield AuditedGame(row.id, game, fault)


def _fault(row: Any, names: dict[int, str]) -> str | None:
    """The first thing that is wrong with a game beside its moves; None: nothing."""
    for name, words in (("result", Result), ("termination", Termination)):
        if getattr(row, name) not in set(words):
            return f"it has the unknown {name} {getattr(row, name)!r}"
    for revision in (row.first_revision_id, row.second_revision_id):
        if revision not in names:
            return f"there is no revision {revision}"
    if row.offender != offender_of(Result(row.result), Termination(row.termination)):
        return f"it is a {row.result} by {row.termination}, and its offender is {row.offender}"
    movers = (row.pair_a_revision_id, row.pair_b_revision_id)
    if (row.first_revision_id, row.second_revision_id) != (movers[::-1] if row.game else movers):
        return "its bots are not those of its pair, in this order"
    for name in ("run_id", "board", "board_class", "seed"):
        if getattr(row, name) != getattr(row, f"pair_{name}"):
            return f"its {name} is not that of its pair"
    for name in ("division_id", "rated"):
        if getattr(row, name) != getattr(row, f"run_{name}"):
            return f"its {name} is not that of its run"
    return _fault_of_moves(row)


def _fault_of_moves(row: Any) -> str | None:
    try:
        moves = parse_moves(row.moves)
        thoughts = thought_blob.decode(row.thoughts)
    except (EngineError, ValueError, TypeError) as error:
        return str(error)
    if row.moves[: row.opening_plies] != row.pair_opening:
        return "its moves do not begin with the opening of its pair"
    if row.plies != len(moves):
        return f"it has {len(moves)} moves, and {row.plies} are stored as its plies"
    if row.line_hash != line_hash(row.board, row.moves):
        return "its line_hash is not that of its board and moves"
    told = len(moves) - row.opening_plies
    # A move that lost the game, as an illegal one, has a thought and is not among the moves. CSV
    # and PGN bring no thoughts at all.
    most = told + (row.offender is not None)
    if thoughts and not told <= len(thoughts) <= most:
        return f"it has {told} moves of bots, and {len(thoughts)} thoughts"
    if any(value < 0 for side in sides_of(row._mapping) for value in msgspec.structs.astuple(side)):
        return "a sum of its times is negative"
    return None
