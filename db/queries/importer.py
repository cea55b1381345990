"""Export and import of games: all games of a file are stored, or none."""

import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, func, insert, select, update

from db.columns import to_record, to_values
from db.database import Queries
from db.models import (
    GAMES,
    PAIR_PLIES,
    PAIR_SUMS,
    PAIRS,
    RUNS,
    VERDICTS,
    Game,
    Pair,
    Run,
    StoredVerdict,
)
from db.outcomes import game_values, insert_finished, outcome_of
from db.queries.analysis import insert_new
from db.queries.archives import store_archive
from db.queries.audit import game_faults, run_faults
from db.queries.divisions import ensure_division, insert_set
from db.queries.exporter import export_lines
from db.queries.import_bots import Content, ImportedBots
from db.queries.runs import insert_run
from db.records.analysis import GameVerdict, SolvedPosition
from db.records.archives import UnpackedArchive
from db.records.budget import rename_in_budget
from db.records.exchange import (
    BotLine,
    GameLine,
    Imported,
    NotImportable,
    OpeningsLine,
    ResultLine,
)
from db.records.pairs import PairStatus
from db.records.results import fill_references, reference, references_in
from db.records.run_settings import settings_of
from db.records.runs import NewRun, OpeningSetRow, RunStatus

PairLines = Sequence[GameLine]
"""The games of a pair: 0 and 1, or only 0 of a person against a bot."""
RunKey = tuple[int, str]
"""The number of a run in the file, and its stream."""
FILE_KEYS = {
    "a_revision_id": "first",
    "b_revision_id": "second",
    "division_id": "division",
    "started_at": "started",
    "content": "moves",
    "opening": "opening_plies",
    "stalls": "aborts",
    **dict.fromkeys(("first_result", "second_result"), "result"),
    **dict.fromkeys(("first_termination", "second_termination"), "termination"),
    **dict.fromkeys(PAIR_SUMS, "sides"),
    **dict.fromkeys(PAIR_PLIES, "moves"),
}
"""A file's keys of columns that have other names."""
SAME_OF_RUN = ("kind", "run_seed", "identity", "division")
"""Fields that must be equal in all games of a run."""


class Exchange(Queries):
    """Exchange of games with other databases."""

    def export_lines(
        self, division_id: int | None = None, *, ids: bool = False
    ) -> Iterator[GameLine]:
        """Stream all finished games by run, pair and game, with their numbers if `ids`."""
        return export_lines(self._database, division_id, ids=ids)

    def import_lines(
        self,
        pairs: Sequence[PairLines],
        archives: Sequence[UnpackedArchive] = (),
        positions: Iterable[SolvedPosition] = (),
    ) -> Imported:
        """Store all pairs with the files of their bots and what is known of them, or nothing.

        Pairs that are already stored are skipped, so that a later export of the same database adds
        only what is new.

        Args:
            pairs: the games of each pair, in the order of storing.
            archives: files of bots; those of bots that the pairs do not describe are left out.
            positions: solved positions; those that are stored already are left out.

        Raises:
            NotImportable: a run or game breaks a rule of `db.invariants`; games disagree about
                their run; a stored pair of the same number differs or is not finished; or a bot is
                neither known nor described.

        """
        with self._database.writing() as connection:
            importer = _Importer(connection, pairs, archives)
            games = importer.store_all()
            insert_new(connection, positions)
        return Imported(games, sum(map(len, pairs)) - games, importer.bots.names)


class _Importer:
    """One import, in its transaction."""

    def __init__(
        self,
        connection: Connection,
        pairs: Sequence[PairLines],
        archives: Sequence[UnpackedArchive],
    ) -> None:
        self._connection = connection
        self._pairs = pairs
        self._runs: dict[RunKey, int] = {}
        """Stored runs of the file's runs."""
        self._divisions: dict[RunKey, int] = {}
        self._settings: dict[RunKey, dict[str, Any]] = {}
        self._openings: dict[str | None, OpeningsLine] = {}
        """The file's sets of openings by hash."""
        self._results: dict[RunKey, ResultLine] = {}
        described: dict[Content, BotLine] = {}
        latest: dict[Content, int] = {}
        firsts: dict[RunKey, GameLine] = {}
        for index, pair in enumerate(pairs):
            for line in pair:
                _check_run(index, firsts.setdefault((line.run, line.stream), line), line)
                latest[line.first, line.first_hash] = latest[line.second, line.second_hash] = index
                if line.timing.result is not None:
                    self._results[line.run, line.stream] = line.timing.result
                if line.introduces is None:
                    continue
                for bot in line.introduces.bots:
                    described.setdefault((bot.name, bot.content_hash), bot)
                if line.introduces.settings is not None:
                    self._settings[line.run, line.stream] = line.introduces.settings
                if line.introduces.openings is not None:
                    self._openings[line.division.openings] = line.introduces.openings
        used = {bot.launch.archive for bot in described.values()}
        for packed in archives:
            if packed.manifest.sha256 in used:
                store_archive(connection, packed)
        self.bots = ImportedBots(connection)
        self.bots.register(described.values(), latest)

    def store_all(self) -> int:
        """Store the pairs that are not stored yet; return the number of their games.

        Raises:
            NotImportable: see `Exchange.import_lines`.

        """
        seen: set[tuple[str, int]] = set()
        fresh: dict[int, dict[str, Any]] = {}
        """Columns of new pairs by index."""
        for index, pair in enumerate(self._pairs):
            line = pair[0]
            if (line.stream, line.pair) in seen:
                raise NotImportable(index, f"the file holds pair {line.pair} of this stream twice")
            seen.add((line.stream, line.pair))
            values = self._pair_values(index, line)
            same = select(PAIRS).filter_by(stream=line.stream, number=line.pair)
            stored = self._connection.execute(same).first()
            if stored is None:
                fresh[index] = values
            else:
                self._match(index, values, stored)
        self._make_runs(fresh)
        newest = self._connection.scalar(select(func.coalesce(func.max(Pair.id), 0)))
        indexes = {}
        for index, values in fresh.items():
            pair = self._pairs[index]
            games = [line.record() for line in pair]
            values["run_id"] = self._runs[pair[0].run, pair[0].stream]
            values["finished_at"] = max(game.started + game.duration_us / 1e6 for game in games)
            pair_id = insert_finished(self._connection, values, games)
            self._store_verdicts(pair, pair_id)
            indexes[pair_id] = index
        self._store_results(fresh)
        for game, fault in game_faults(self._connection, Game.pair_id > newest):
            raise NotImportable(indexes[game["pair_id"]], fault, game=game["game"])
        return sum(len(self._pairs[index]) for index in fresh)

    def _pair_values(self, index: int, line: GameLine) -> dict[str, Any]:
        """Return the columns of a pair but for its run; add its division if that is new."""
        key = line.run, line.stream
        if key not in self._divisions:
            conditions = line.division.imported
            budget = rename_in_budget(conditions.budget, self.bots.names)
            try:
                renamed = msgspec.structs.replace(conditions, budget=budget)
                self._divisions[key] = ensure_division(self._connection, renamed).id
            except ValueError as error:
                raise NotImportable(index, f"run {line.run}: {error}") from error
        return {
            "division_id": self._divisions[key],
            "rated": line.rated,
            "stream": line.stream,
            "number": line.pair,
            "a_revision_id": self._revision(index, line.first, line.first_hash),
            "b_revision_id": self._revision(index, line.second, line.second_hash),
            "board": line.board,
            "board_class": line.board_class,
            "opening": line.moves[: line.opening_plies],
            "seed": line.seed,
            "stalls": line.timing.stalls,
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

    def _match(self, index: int, values: dict[str, Any], stored: Row[Any]) -> None:
        """Use the run of a pair that is stored, and store its verdicts.

        Raises:
            NotImportable: the stored pair differs or is not finished.

        """
        pair = self._pairs[index]
        label = f"pair {pair[0].pair} of run {pair[0].run} is already stored"
        if stored.status != PairStatus.FINISHED:
            raise NotImportable(
                index, f"{label} in run {stored.run_id}, but {stored.status} and not finished"
            )
        own = {**values, "run_id": stored.run_id}
        wanted = own | outcome_of([game_values(own, line.record()) for line in pair])
        for name, value in wanted.items():
            if stored._mapping[name] != value:
                raise NotImportable(index, f"{label}, but differs in {FILE_KEYS.get(name, name)}")
        self._runs[pair[0].run, pair[0].stream] = stored.run_id
        self._store_verdicts(pair, stored.id)

    def _make_runs(self, fresh: Iterable[int]) -> None:
        """Store the runs of new pairs that are not stored, with their openings."""
        made = {}
        for index in sorted(
            fresh, key=lambda each: (self._pairs[each][0].run, self._pairs[each][0].pair)
        ):
            line = self._pairs[index][0]
            key = line.run, line.stream
            if key in self._runs:
                continue
            hashed = line.division.openings
            if hashed is not None and (openings := self._openings.get(hashed)):
                insert_set(self._connection, OpeningSetRow(hashed, openings.name, openings.text))
            settings = settings_of(line.kind, self._settings.get(key, {}))
            run = to_record(
                NewRun,
                to_values(line),
                settings=settings.renamed(self.bots.names),
                seed=line.run_seed,
                division_id=self._divisions[key],
                note="imported",
            )
            times = {"started_at": line.timing.started, "ended_at": time.time()}
            run_id = insert_run(self._connection, run, RunStatus.FINISHED, **times)
            self._runs[key] = run_id
            made[run_id] = index
        for run_id, fault in run_faults(self._connection):
            if run_id in made:
                index = made[run_id]
                raise NotImportable(index, f"run {self._pairs[index][0].run}: {fault}")

    def _store_results(self, fresh: Iterable[int]) -> None:
        """Store the results of runs that have got pairs; one of fewer pairs does not hold any more.

        Raises:
            NotImportable: a result names a bot that is not known.

        """
        firsts = {(self._pairs[each][0].run, self._pairs[each][0].stream): each for each in fresh}
        for key, index in firsts.items():
            kept, facts = self._results.get(key), None
            if kept is not None:
                if not set(references_in(kept.facts)) <= set(range(len(kept.bots))):
                    raise NotImportable(index, "the result of its run refers to bots that it lacks")
                here = [reference(self._revision(index, *bot)) for bot in kept.bots]
                facts = fill_references(kept.facts, here.__getitem__)
            changed = update(RUNS).where(Run.id == self._runs[key]).values(result=facts)
            self._connection.execute(changed)

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


def _check_run(index: int, first: GameLine, line: GameLine) -> None:
    """Refuse a game that disagrees about its run with the run's first game in the file."""
    for name in SAME_OF_RUN:
        if getattr(first, name) != getattr(line, name):
            raise NotImportable(
                index, f"all games of a run must have the same {name}", game=line.game
            )
