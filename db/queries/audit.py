"""Checking stored runs, pairs and games: all that the tables' own keys do not enforce.

What is found is returned, never raised: the rows may hold anything, as another program wrote them.
"""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Select, case, func, select

from db import migrations
from db.connection.database import Database
from db.connection.retry_policy import retried
from db.derived.invariants import (
    OF_DIVISION,
    OF_PAIR,
    OF_RUN,
    OpeningLines,
    find_game_fault,
    find_human_game_fault,
    find_pair_fault,
    find_revision_fault,
    find_run_fault,
)
from db.errors import Corrupt
from db.models import (
    Base,
    Division,
    Game,
    HumanGame,
    LastOutput,
    OpeningSet,
    Pair,
    Revision,
    Run,
)
from db.queries.bots import names_of_revisions
from db.records.pairs import PairStatus
from db.records.server import ServerState


def _labelled(model: type[Base], label: str, names: tuple[str, ...]) -> list[Any]:
    """Return columns of a table under the names that rules for other rows know them by."""
    return [model.__table__.c[name].label(f"{label}_{name}") for name in names]


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

    def server(self) -> ServerState | None:
        """Look at the server that keeps the database; None for a file."""
        with self._database.reading() as connection:
            return self._database.backend.server_state(connection, migrations.HEAD)

    def foreign_objects(self) -> list[str]:
        """Triggers and the like: this program makes none, and they could change what is stored."""
        with self._database.reading() as connection:
            return self._database.backend.foreign_objects(connection)

    def damage(self) -> Corrupt | None:
        """Return the first fault of all that the database holds as an error; None if it is sound.

        Reads everything: to find out why something could not be read.
        """
        checks = (self.integrity, self.bots, self.runs, self.pairs, self.games, self.human_games)
        for check in checks:
            for fault in check():
                place = self._database.place
                return Corrupt(
                    f"{place} is damaged ({fault}); restore a copy, or choose another --db and "
                    "leave the file: `ladder doctor` reports what is wrong"
                )
        return None

    def bots(self) -> Iterator[str]:
        """Yield the revisions of bots that break a rule."""
        query = select(Revision.__table__).order_by(Revision.id)
        with self._database.streaming() as connection:
            for row in connection.execute(query):
                fault = find_revision_fault(row._asdict())
                if fault is not None:
                    yield f"revision {row.id}: {fault}"

    def human_games(self) -> Iterator[str]:
        """Yield the games of people that break a rule."""
        query = select(HumanGame.__table__).order_by(HumanGame.id)
        with self._database.streaming() as connection:
            for row in connection.execute(query):
                fault = find_human_game_fault(row._asdict())
                if fault is not None:
                    yield f"game p{row.id}: {fault}"

    def runs(self) -> Iterator[str]:
        """Yield the runs that break a rule, and streams of more than one seed or identity."""
        query = (
            select(Run.__table__, *_labelled(Division, "division", (*OF_DIVISION, "budget")))
            .outerjoin(Division, Division.id == Run.division_id)
            .order_by(Run.id)
        )
        streams: dict[str, tuple[str, int]] = {}
        with self._database.streaming() as connection:
            for row in connection.execute(query):
                fault = find_run_fault(row._asdict())
                if streams.setdefault(row.stream, (row.identity, row.seed)) != (
                    row.identity,
                    row.seed,
                ):
                    fault = fault or "its stream has another identity or seed in an earlier run"
                if fault is not None:
                    yield f"run {row.id}: {fault}"

    def pairs(self) -> Iterator[str]:
        """Yield the pairs that break a rule, or whose games are not what their status says."""
        first, second = (func.sum(case((Game.game == seat, 1), else_=0)) for seat in (0, 1))
        counts = select(Game.pair_id, first.label("first"), second.label("second")).group_by(
            Game.pair_id
        )
        games = counts.subquery()
        query = (
            select(Pair.__table__, Run.stream.label("run_stream"), games.c.first, games.c.second)
            .outerjoin(Run, Run.id == Pair.run_id)
            .outerjoin(games, games.c.pair_id == Pair.id)
            .order_by(Pair.id)
        )
        with self._database.streaming() as connection:
            for row in connection.execute(query):
                fault = find_pair_fault(row._asdict())
                played = (row.first or 0, row.second or 0)
                whole = (1, 1) if row.status == PairStatus.FINISHED else (0, 0)
                if fault is not None:
                    yield f"pair {row.id}: {fault}"
                elif played != whole:
                    count = f"{sum(played)} of {sum(whole)} games"
                    yield f"pair {row.id} is {row.status} and has {count}"

    def games(self) -> Iterator[str]:
        """Yield the games that break a rule."""
        query: Select[Any] = (
            select(
                Game.__table__,
                *_labelled(Pair, "pair", OF_PAIR),
                *_labelled(Run, "run", OF_RUN),
                *_labelled(Division, "division", OF_DIVISION),
                LastOutput.game_id.is_not(None).label("has_last_words"),
            )
            .outerjoin(Pair, Pair.id == Game.pair_id)
            .outerjoin(Run, Run.id == Game.run_id)
            .outerjoin(Division, Division.id == Game.division_id)
            .outerjoin(LastOutput, LastOutput.game_id == Game.id)
            .order_by(Game.id)
        )
        with self._database.streaming() as connection:
            names = names_of_revisions(connection)
            openings = {
                row.content_hash: frozenset(row.lines.splitlines())
                for row in connection.execute(select(OpeningSet.__table__))
            }
            for row in connection.execute(query):
                fault = _fault(row._asdict(), names, openings)
                if fault is not None:
                    yield f"game {row.id}: {fault}"


def _fault(game: dict[str, Any], names: dict[int, str], openings: OpeningLines) -> str | None:
    """Return what is wrong with a game; None if nothing is."""
    for side in ("first", "second"):
        revision = game[f"{side}_revision_id"]
        if revision not in names:
            return f"there is no revision {revision}"
        game[side] = names[revision]
    return find_game_fault(game, openings)
