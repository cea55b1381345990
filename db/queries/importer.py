"""Export and import of games: all games of a file are stored, or none."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Row, func, insert, select

from db.columns import insert_row, to_values
from db.database import Queries
from db.models import GAMES, PAIRS, RUNS, VERDICTS, Game, Pair, Run, StoredVerdict
from db.outcomes import (
    FIRST_COLUMNS,
    SECOND_COLUMNS,
    insert_games,
    outcome_columns,
    outcome_of,
    side_columns,
)
from db.queries.audit import game_faults, pair_faults, run_faults
from db.queries.divisions import ensure_division, insert_set
from db.queries.exporter import export_lines
from db.queries.import_bots import Content, ImportedBots
from db.queries.runs import insert_run_bots
from db.records import thought_blob
from db.records.analysis import GameVerdict
from db.records.budget import rename_in_budget
from db.records.exchange import BotLine, GameLine, Imported, NotImportable, OpeningsLine
from db.records.pairs import PairStatus
from db.records.runs import OpeningSetRow, RunStatus, rename_in_settings

PairLines = Sequence[GameLine]
"""The games of a pair: 0 and 1, or only 0 of a person against a bot."""
RunKey = tuple[int, str]
"""The number of a run in the file, and its stream."""
FILE_KEYS = {
    "a_revision_id": "first",
    "b_revision_id": "second",
    "division_id": "division",
    "started_at": "started",
    **dict.fromkeys((*FIRST_COLUMNS, *SECOND_COLUMNS), "sides"),
}
"""A file's keys of columns that have other names."""


class Exchange(Queries):
    """Exchange of games with other databases."""

    def export_lines(
        self, division_id: int | None = None, *, ids: bool = False
    ) -> Iterator[GameLine]:
        """Stream all finished games by run, pair and game, with their numbers if `ids`."""
        return export_lines(self._database, division_id, ids=ids)

    def import_lines(self, pairs: Sequence[PairLines]) -> Imported:
        """Store all pairs or none.

        Pairs that are already stored are skipped, so that a later export of the same database adds
        only what is new.

        Args:
            pairs: the games of each pair, in the order of storing.

        Raises:
            NotImportable: a run, pair or game breaks a rule of `db.invariants`; a stored
                pair of the same number differs or is not finished; or a bot is neither known nor
                described.

        """
        with self._database.writing() as connection:
            importer = _Importer(connection, pairs)
            games = importer.store_all()
        return Imported(games, sum(map(len, pairs)) - games, importer.bots.names)


class _Importer:
    """One import, in its transaction."""

    def __init__(self, connection: Connection, pairs: Sequence[PairLines]) -> None:
        self._connection = connection
        self._pairs = pairs
        self._runs: dict[RunKey, int] = {}
        """Stored runs of the file's runs."""
        self._run_values: dict[RunKey, dict[str, Any]] = {}
        """Columns of the file's runs."""
        self._settings: dict[RunKey, dict[str, Any]] = {}
        self._file_openings: dict[str, OpeningsLine] = {}
        """The file's sets of openings by hash."""
        self._made: dict[int, int] = {}
        """Index of the first pair of each new run."""
        self._stored: dict[int, int] = {}
        """Index of each new pair by its id."""
        self.bots = ImportedBots(connection)
        described: dict[Content, BotLine] = {}
        latest: dict[Content, int] = {}
        for index, pair in enumerate(pairs):
            for line in pair:
                latest[line.first, line.first_hash] = latest[line.second, line.second_hash] = index
                if line.introduces is None:
                    continue
                for bot in line.introduces.bots:
                    described.setdefault((bot.name, bot.content_hash), bot)
                if line.introduces.settings is not None:
                    self._settings[line.run, line.stream] = line.introduces.settings
                if line.introduces.openings and line.division.openings is not None:
                    self._file_openings[line.division.openings] = line.introduces.openings
        self.bots.register(described.values(), latest)

    def store_all(self) -> int:
        """Store the pairs that are not stored yet; return the number of their games.

        Raises:
            NotImportable: see `Exchange.import_lines`.

        """
        seen: set[tuple[str, int]] = set()
        fresh = []
        for index, pair in enumerate(self._pairs):
            line = pair[0]
            if (line.stream, line.pair) in seen:
                raise NotImportable(index, f"the file holds pair {line.pair} of this stream twice")
            seen.add((line.stream, line.pair))
            if not self._match(index, pair):
                fresh.append(index)
        firsts = [(index, self._pairs[index][0]) for index in fresh]
        for index, line in sorted(firsts, key=lambda each: (each[1].run, each[1].pair)):
            if (line.run, line.stream) not in self._runs:
                self._make_run(index, line)
        for run_id, fault in run_faults(self._connection):
            if run_id in self._made:
                index = self._made[run_id]
                raise NotImportable(index, f"run {self._pairs[index][0].run}: {fault}")
        newest = self._connection.scalar(select(func.coalesce(func.max(Pair.id), 0)))
        for index in fresh:
            self._store(index, self._pairs[index])
        for pair_id, fault in pair_faults(self._connection, Pair.id > newest):
            index = self._stored[pair_id]
            raise NotImportable(index, f"pair {self._pairs[index][0].pair}: {fault}")
        for game, fault in game_faults(self._connection, Game.pair_id > newest):
            raise NotImportable(self._stored[game["pair_id"]], fault, game=game["game"])
        return sum(len(self._pairs[index]) for index in fresh)

    def _match(self, index: int, pair: PairLines) -> bool:
        """Return whether an equal pair is stored; if so, use its run, and store its verdicts.

        Raises:
            NotImportable: the stored pair of this number differs or is not finished.

        """
        line = pair[0]
        label = f"pair {line.pair} of run {line.run} is already stored"
        same = (Pair.stream == line.stream, Pair.number == line.pair)
        stored = self._connection.execute(select(PAIRS).where(*same)).first()
        if stored is None:
            return False
        if stored.status != PairStatus.FINISHED:
            raise NotImportable(
                index, f"{label} in run {stored.run_id}, but {stored.status} and not finished"
            )
        run = self._connection.execute(select(RUNS).where(Run.id == stored.run_id)).one()
        games = self._connection.execute(
            select(GAMES).where(Game.pair_id == stored.id).order_by(Game.game)
        ).all()
        if len(games) != len(pair):
            raise NotImportable(index, f"{label} without its games: see `ladder doctor`")
        compared: list[tuple[int, dict[str, Any], Row[Any]]] = [
            (0, self._values_of_run(index, line), run),
            (0, self._pair_values(index, line), stored),
            *((each.game, _game_values(each), row) for each, row in zip(pair, games, strict=True)),
        ]
        for game, values, row in compared:
            differing = [name for name in values if values[name] != row._mapping[name]]
            if differing:
                name = differing[0]
                key = "run_seed" if row is run and name == "seed" else FILE_KEYS.get(name, name)
                raise NotImportable(index, f"{label}, but game {game} differs in {key}")
        self._runs[line.run, line.stream] = run.id
        self._store_verdicts(pair, stored.id)
        return True

    def _store(self, index: int, lines: PairLines) -> None:
        first = lines[0]
        key = first.run, first.stream
        pair = self._pair_values(index, first)
        sides = (pair["a_revision_id"], pair["b_revision_id"])
        shared = {
            "run_id": self._runs[key],
            "division_id": self._run_values[key]["division_id"],
            "rated": first.rated,
        }
        games = [
            {
                **_game_values(line),
                **shared,
                "first_revision_id": sides[line.game],
                "second_revision_id": sides[1 - line.game],
            }
            for line in lines
        ]
        ends = [line.timing.started + line.timing.duration_us / 1e6 for line in lines]
        values = {**pair, **shared, "status": PairStatus.FINISHED, "finished_at": max(ends)}
        pair_id = insert_row(self._connection, PAIRS, {**values, **outcome_of(games)})
        self._stored[pair_id] = index
        insert_games(
            self._connection,
            [{**game, "pair_id": pair_id} for game in games],
            [line.timing.last_words for line in lines],
        )
        self._store_verdicts(lines, pair_id)

    def _store_verdicts(self, lines: PairLines, pair_id: int) -> None:
        """Store the verdicts on games that have none."""
        if all(line.analysis is None for line in lines):
            return
        query = (
            select(Game.id, StoredVerdict.game_id)
            .join_from(GAMES, VERDICTS, isouter=True)
            .where(Game.pair_id == pair_id)
            .order_by(Game.game)
        )
        for line, row in zip(lines, self._connection.execute(query).all(), strict=True):
            found = line.analysis
            if found is not None and row.game_id is None:
                verdict = GameVerdict(row.id, found.solver_version, found.nodes, found.moves)
                self._connection.execute(insert(VERDICTS).values(to_values(verdict)))

    def _make_run(self, index: int, line: GameLine) -> None:
        """Store the run of a line, with its openings."""
        key = line.run, line.stream
        hashed = line.division.openings
        if hashed is not None and hashed in self._file_openings:
            openings = self._file_openings[hashed]
            insert_set(self._connection, OpeningSetRow(hashed, openings.name, openings.text))
        settings = rename_in_settings(self._settings.get(key, {}), self.bots.names)
        run = {
            **self._values_of_run(index, line),
            "stream": line.stream,
            "settings": settings,
            "status": RunStatus.FINISHED,
            "started_at": line.timing.started,
            "ended_at": time.time(),
            "note": "imported",
        }
        self._runs[key] = run_id = insert_row(self._connection, RUNS, run)
        insert_run_bots(self._connection, run_id, settings)
        self._made[run_id] = index

    def _values_of_run(self, index: int, line: GameLine) -> dict[str, Any]:
        """Return columns of a line's run; add its division if that is new."""
        values = {
            "kind": line.kind,
            "rated": line.rated,
            "identity": line.identity,
            "seed": line.run_seed,
        }
        known = self._run_values.get((line.run, line.stream))
        if known is not None:
            return {**known, **values}
        conditions = line.division.conditions
        budget = rename_in_budget(conditions.budget, self.bots.names)
        try:
            division = ensure_division(self._connection, replace(conditions, budget=budget))
        except ValueError as error:
            raise NotImportable(index, f"run {line.run}: {error}") from error
        self._run_values[line.run, line.stream] = {**values, "division_id": division.id}
        return self._run_values[line.run, line.stream]

    def _pair_values(self, index: int, line: GameLine) -> dict[str, Any]:
        return {
            "stream": line.stream,
            "number": line.pair,
            "a_revision_id": self._revision(index, line.first, line.first_hash),
            "b_revision_id": self._revision(index, line.second, line.second_hash),
            "board": line.board,
            "board_class": line.board_class,
            "opening": line.moves[: line.opening_plies],
            "seed": line.seed,
            "aborts": line.timing.aborts,
        }

    def _revision(self, index: int, name: str, content_hash: str) -> int:
        found = self.bots.revisions.get((name, content_hash))
        if found is None:
            raise NotImportable(
                index,
                f"no bot called {name!r} with the content {content_hash[:12]} is registered, and "
                "the file does not describe it: import the whole file that `ladder export` wrote",
            )
        return found


def _game_values(line: GameLine) -> dict[str, Any]:
    timing = line.timing
    return {
        "game": line.game,
        "rated": line.rated,
        "board_class": line.board_class,
        "opening_plies": line.opening_plies,
        "seed": line.seed,
        "detail": line.adjudicated.proof.text if line.adjudicated else timing.detail,
        "started_at": timing.started,
        "duration_us": timing.duration_us,
        "thoughts": thought_blob.decode(thought_blob.encode(timing.all_thoughts())),  # rounded
        **outcome_columns(line.board, line.moves, line.result, line.termination),
        **side_columns(timing.sides),
    }
