"""Checks of the stored rows: what the database's own constraints do not enforce.

Faults are returned, never raised: another program may have written any values into the rows.
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Select, case, func, select

from db.connection.database import Database
from db.connection.retry_policy import retried
from db.derived.invariants import (
    OF_DIVISION,
    OF_PAIR,
    OF_RUN,
    OpeningLines,
    find_game_fault,
    find_pair_fault,
    find_revision_fault,
    find_run_fault,
)
from db.errors import Corrupt
from db.models import (
    Base,
    Division,
    Game,
    LastOutput,
    OpeningSet,
    Pair,
    Revision,
    Run,
)
from db.queries.bots import read_bot_names
from db.records.pairs import PairStatus
from db.records.runs import RunKind
from db.records.server import ServerState


def _prefixed_columns(model: type[Base], label: str, names: tuple[str, ...]) -> list[Any]:
    """Select columns with prefixed names, for the rules of other rows."""
    return [model.__table__.c[name].label(f"{label}_{name}") for name in names]


@retried
class Audit:
    """Checks of a whole database, which change nothing."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def integrity(self) -> list[str]:
        """Return what the database's own integrity checks report; empty if it is sound."""
        try:
            with self._database.reading() as connection:
                return self._database.backend.check_integrity(connection)
        except Corrupt as error:
            return [str(error)]

    def server(self) -> ServerState | None:
        """Return the state of the database's server; None for a file."""
        with self._database.reading() as connection:
            return self._database.backend.server_state(connection)

    def foreign_objects(self) -> list[str]:
        """Return triggers and the like, which this program never creates: they can alter rows."""
        with self._database.reading() as connection:
            return self._database.backend.find_foreign_objects(connection)

    def find_damage(self) -> Corrupt | None:
        """Check everything after a failed read; return the first fault as an error, or None."""
        checks = (self.integrity, self.bots, self.runs, self.pairs, self.games)
        for check in checks:
            for fault in check():
                place = self._database.place
                return Corrupt(
                    f"{place} is damaged ({fault}); restore a copy or choose another database; "
                    "`ladder doctor` lists all faults"
                )
        return None

    def bots(self) -> Iterator[str]:
        """Yield faults of revisions."""
        query = select(Revision.__table__).order_by(Revision.id)
        with self._database.streaming() as connection:
            for row in connection.execute(query):
                fault = find_revision_fault(row._asdict())
                if fault is not None:
                    yield f"revision {row.id}: {fault}"

    def runs(self) -> Iterator[str]:
        """Yield faults of runs, and runs whose stream has another seed or identity."""
        query = (
            select(
                Run.__table__, *_prefixed_columns(Division, "division", (*OF_DIVISION, "budget"))
            )
            .outerjoin(Division, Division.id == Run.division_id)
            .order_by(Run.id)
        )
        streams: dict[str, tuple[str, int]] = {}
        with self._database.streaming() as connection:
            for row in connection.execute(query):
                fault = find_run_fault(row._asdict())
                known = streams.setdefault(row.stream, (row.identity, row.seed))
                if known != (row.identity, row.seed):
                    fault = fault or "its stream has another identity or seed in an earlier run"
                if fault is not None:
                    yield f"run {row.id}: {fault}"

    def pairs(self) -> Iterator[str]:
        """Yield faults of pairs, and pairs whose number of games contradicts their status."""
        first, second = (func.sum(case((Game.game == seat, 1), else_=0)) for seat in (0, 1))
        counts = select(Game.pair_id, first.label("first"), second.label("second")).group_by(
            Game.pair_id
        )
        games = counts.subquery()
        query = (
            select(
                Pair.__table__,
                *_prefixed_columns(Run, "run", ("stream", "kind")),
                games.c.first,
                games.c.second,
            )
            .outerjoin(Run, Run.id == Pair.run_id)
            .outerjoin(games, games.c.pair_id == Pair.id)
            .order_by(Pair.id)
        )
        with self._database.streaming() as connection:
            for row in connection.execute(query):
                fault = find_pair_fault(row._asdict())
                played = (row.first or 0, row.second or 0)
                per_pair = 1 if row.run_kind == RunKind.PLAY else 2
                whole = (1, per_pair - 1) if row.status == PairStatus.FINISHED else (0, 0)
                if fault is not None:
                    yield f"pair {row.id}: {fault}"
                elif played != whole:
                    count = f"{sum(played)} of {sum(whole)} games"
                    yield f"pair {row.id} is {row.status} but has {count}"

    def games(self) -> Iterator[str]:
        """Yield faults of games."""
        query: Select[Any] = (
            select(
                Game.__table__,
                *_prefixed_columns(Pair, "pair", OF_PAIR),
                *_prefixed_columns(Run, "run", OF_RUN),
                *_prefixed_columns(Division, "division", OF_DIVISION),
                LastOutput.game_id.is_not(None).label("has_last_words"),
            )
            .outerjoin(Pair, Pair.id == Game.pair_id)
            .outerjoin(Run, Run.id == Game.run_id)
            .outerjoin(Division, Division.id == Game.division_id)
            .outerjoin(LastOutput, LastOutput.game_id == Game.id)
            .order_by(Game.id)
        )
        with self._database.streaming() as connection:
            names = read_bot_names(connection)
            openings = {
                row.content_hash: frozenset(row.lines.splitlines())
                for row in connection.execute(select(OpeningSet.__table__))
            }
            for row in connection.execute(query):
                fault = _find_fault(row._asdict(), names, openings)
                if fault is not None:
                    yield f"game {row.id}: {fault}"


def _find_fault(game: dict[str, Any], names: dict[int, str], openings: OpeningLines) -> str | None:
    """Return what is wrong with a game, or None."""
    for side in ("first", "second"):
        revision = game[f"{side}_revision_id"]
        if revision not in names:
            return f"there is no revision {revision}"
        game[side] = names[revision]
    return find_game_fault(game, openings)
