"""Checks of the stored rows: what the database's own constraints do not enforce.

Faults are returned, never raised: another program may have written any values into the rows.
"""

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any

from sqlalchemy import ColumnElement, Connection, Select, select, update

from db.backends.backend import ServerState
from db.columns import raw_columns
from db.database import Queries
from db.errors import Corrupt
from db.invariants import (
    OF_DIVISION,
    OF_PAIR,
    OF_RUN,
    Values,
    find_game_fault,
    find_pair_fault,
    find_revision_fault,
    find_run_fault,
)
from db.models import (
    DIVISIONS,
    GAMES,
    LAST_OUTPUTS,
    OPENING_SETS,
    PAIRS,
    REVISIONS,
    RUNS,
    Division,
    Game,
    Pair,
    Revision,
    Run,
    StoredLastOutput,
)
from db.outcomes import OF_GAME, outcome_of
from db.queries.bots import read_bot_names
from db.records.pairs import PairStatus
from db.records.runs import RunKind


class Audit(Queries):
    """Checks of a whole database, and repairs of what its games imply."""

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

    def find_damage(self) -> Corrupt | None:
        """Check everything after a failed read; return the first fault as an error, or None."""
        checks = (self.integrity, self.bots, self.runs, self.pairs, self.games, self.outcomes)
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
        query = select(*raw_columns(REVISIONS)).order_by(Revision.id)
        with self._database.streaming() as connection:
            for row in connection.execute(query):
                fault = find_revision_fault(row._asdict())
                if fault is not None:
                    yield f"revision {row.id}: {fault}"

    def runs(self) -> Iterator[str]:
        """Yield faults of runs, and runs whose stream has another seed or identity."""
        with self._database.streaming() as connection:
            for run_id, fault in run_faults(connection):
                yield f"run {run_id}: {fault}"

    def pairs(self) -> Iterator[str]:
        """Yield faults of pairs, and pairs whose number of games contradicts their status."""
        with self._database.streaming() as connection:
            for pair, games in _pairs_with_games(connection):
                fault = find_pair_fault(pair)
                per_pair = 1 if pair["run_kind"] == RunKind.PLAY else 2
                wanted = per_pair if pair["status"] == PairStatus.FINISHED else 0
                if fault is None and [game["game"] for game in games] != list(range(wanted)):
                    fault = f"it is {pair['status']} but has {len(games)} of {wanted} games"
                if fault is not None:
                    yield f"pair {pair['id']}: {fault}"

    def outcomes(self) -> Iterator[str]:
        """Yield values of finished pairs that contradict their games."""
        with self._database.streaming() as connection:
            for pair, outcome in _wrong_outcomes(connection):
                for name, value in outcome.items():
                    yield f"pair {pair['id']}: its {name} is {pair[name]}, its games give {value}"

    def repair_outcomes(self) -> int:
        """Compute the outcomes of all pairs from their games; return how many pairs were wrong."""
        with self._database.writing() as connection:
            wrong = [(pair["id"], values) for pair, values in _wrong_outcomes(connection)]
            for pair_id, values in wrong:
                connection.execute(update(PAIRS).where(Pair.id == pair_id).values(values))
        return len(wrong)

    def games(self) -> Iterator[str]:
        """Yield faults of games."""
        with self._database.streaming() as connection:
            for game, fault in game_faults(connection):
                yield f"game {game['id']}: {fault}"


def run_faults(connection: Connection) -> Iterator[tuple[int, str]]:
    """Yield the faults of runs by id."""
    query = (
        select(
            *raw_columns(RUNS),
            *raw_columns(DIVISIONS, "division_", OF_DIVISION),
        )
        .outerjoin(DIVISIONS, Division.id == Run.division_id)
        .order_by(Run.id)
    )
    streams: dict[str, tuple[str, int]] = {}
    for row in connection.execute(query):
        fault = find_run_fault(row._asdict())
        known = streams.setdefault(row.stream, (row.identity, row.seed))
        if known != (row.identity, row.seed):
            fault = fault or "its stream has another identity or seed in an earlier run"
        if fault is not None:
            yield row.id, fault


def game_faults(
    connection: Connection, *conditions: ColumnElement[bool]
) -> Iterator[tuple[Values, str]]:
    """Yield the games that fit and have a fault, and the fault of each."""
    query: Select[Any] = (
        select(
            *raw_columns(GAMES),
            *raw_columns(PAIRS, "pair_", OF_PAIR),
            *raw_columns(RUNS, "run_", OF_RUN),
            *raw_columns(DIVISIONS, "division_", OF_DIVISION),
            StoredLastOutput.game_id.is_not(None).label("has_last_words"),
        )
        .outerjoin(PAIRS, Pair.id == Game.pair_id)
        .outerjoin(RUNS, Run.id == Game.run_id)
        .outerjoin(DIVISIONS, Division.id == Game.division_id)
        .outerjoin(LAST_OUTPUTS, StoredLastOutput.game_id == Game.id)
        .where(*conditions)
        .order_by(Game.id)
    )
    names = read_bot_names(connection)
    openings = {
        row.content_hash: frozenset(row.lines.splitlines())
        for row in connection.execute(select(OPENING_SETS))
    }
    for row in connection.execute(query):
        game = row._asdict()
        players = {side: game[f"{side}_revision_id"] for side in ("first", "second")}
        lacking = [revision for revision in players.values() if revision not in names]
        if lacking:
            yield game, f"there is no revision {lacking[0]}"
            continue
        named = {side: names[revision] for side, revision in players.items()}
        fault = find_game_fault({**game, **named}, openings)
        if fault is not None:
            yield game, fault


def _pairs_with_games(connection: Connection) -> Iterator[tuple[Values, list[Values]]]:
    """Yield pairs with columns of their runs, and the games of each."""
    query = (
        select(
            *raw_columns(PAIRS),
            *raw_columns(RUNS, "run_", ("stream", "kind", "division_id", "rated")),
            *raw_columns(GAMES, "game_", OF_GAME),
        )
        .outerjoin(RUNS, Run.id == Pair.run_id)
        .outerjoin(GAMES, Game.pair_id == Pair.id)
        .order_by(Pair.id, Game.game)
    )
    rows = (row._mapping for row in connection.execute(query))
    for _, own in groupby(rows, key=itemgetter("id")):
        pair, *more = own
        games: list[Values] = [
            {name: row[f"game_{name}"] for name in OF_GAME}
            for row in (pair, *more)
            if row["game_pair_id"] is not None
        ]
        yield dict(pair), games


def _wrong_outcomes(connection: Connection) -> Iterator[tuple[Values, Values]]:
    """Yield the finished pairs whose values contradict their games, and the right values."""
    for pair, games in _pairs_with_games(connection):
        if games and pair["status"] == PairStatus.FINISHED:
            try:
                outcome = outcome_of(games)
            except (TypeError, ValueError):
                continue  # damaged games have faults of their own
            wrong = {name: value for name, value in outcome.items() if pair[name] != value}
            if wrong:
                yield pair, wrong
