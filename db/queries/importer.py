"""Storing the lines of an export: all of them or none."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import Connection, insert, select

from db.columns import insert_row, to_json
from db.connection.database import Database
from db.derived.game_columns import insert_games, outcome_columns, side_columns
from db.derived.invariants import (
    OF_DIVISION,
    OF_PAIR,
    OF_RUN,
    find_game_fault,
    find_pair_fault,
    find_run_fault,
    prefix_names,
)
from db.derived.pair_outcome import outcome_of
from db.models import (
    DIVISIONS,
    GAMES,
    PAIRS,
    RUNS,
    VERDICTS,
    Division,
    Game,
    Pair,
    Run,
    StoredVerdict,
)
from db.queries.divisions import ensure_division
from db.queries.import_bots import Content, ImportedBots
from db.queries.opening_sets import find_set, insert_set
from db.queries.runs import insert_run_bots
from db.records import thought_blob
from db.records.analysis import GameVerdict
from db.records.budget import rename_in_budget
from db.records.exchange import BotLine, GameLine, Imported, NotImportable, OpeningsLine
from db.records.opening_sets import OpeningSetRow
from db.records.pairs import PairStatus
from db.records.runs import Conditions, RunStatus, rename_in_settings

PairLines = Sequence[GameLine]
"""The games of a pair: 0 and 1, or only 0 of a person against a bot."""


def import_lines(database: Database, pairs: Sequence[PairLines]) -> Imported:
    """Store all pairs or none.

    Pairs that are already stored are skipped, so that a later export of the same database adds only
    what is new.

    Args:
        database: to store in.
        pairs: the games of each pair, in the order of storing.

    Raises:
        NotImportable: a run, pair or game breaks a rule of `db.derived.invariants`; a stored pair
            of the same number differs or is not finished; or a bot is neither known nor described.

    """
    with database.writing() as connection:
        importer = _Importer(connection)
        importer.register(pairs)
        fresh = [
            (index, pair)
            for index, pair in enumerate(pairs)
            if not importer.match_stored_pair(index, pair)
        ]
        importer.create_runs(fresh)
        for index, pair in fresh:
            importer.store(index, pair)
    games = sum(len(pair) for _, pair in fresh)
    return Imported(games, sum(map(len, pairs)) - games, importer.bots.names)


@dataclass(frozen=True, slots=True)
class _StoredRun:
    """A run of this database that pairs of the file belong to."""

    id: int
    division_id: int
    stream: str
    context: Mapping[str, Any]
    """Columns of the run and its division that the rules for games need, with prefixes."""


class _Importer:
    """One import, in its transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._runs: dict[tuple[int, str], _StoredRun] = {}
        """Stored runs by the number in the file and the stream."""
        self._settings: dict[tuple[int, str], dict[str, Any]] = {}
        self._file_openings: dict[str, OpeningsLine] = {}
        """The file's sets of openings by hash."""
        self._opening_lines: dict[str, frozenset[str]] = {}
        """The lines of known sets of openings by hash."""
        self._seen_pairs: set[tuple[str, int]] = set()
        """Stream and number of the file's pairs so far."""
        self.bots = ImportedBots(connection)

    def register(self, pairs: Sequence[PairLines]) -> None:
        """Register the bots, and remember the settings and openings, that the lines introduce."""
        lines: dict[Content, BotLine] = {}
        latest: dict[Content, int] = {}
        for index, pair in enumerate(pairs):
            for line in pair:
                latest[line.first, line.first_hash] = latest[line.second, line.second_hash] = index
                for bot in line.introduces.bots if line.introduces else ():
                    lines.setdefault((bot.name, bot.content_hash), bot)
                if line.introduces and line.introduces.settings is not None:
                    self._settings[line.run, line.stream] = line.introduces.settings
                openings = line.introduces and line.introduces.openings
                if openings and line.division.openings is not None:
                    self._file_openings[line.division.openings] = openings
        self.bots.register(lines.values(), latest)

    def match_stored_pair(self, index: int, pair: PairLines) -> bool:
        """Return whether an equal pair is stored; if so, use its run for the line's run.

        Remembers the pair, which the file must not hold again.

        Raises:
            NotImportable: the stored pair of this number differs, lacks its games or is not
                finished, or the file holds the pair twice.

        """
        first = pair[0]
        number = first.stream, first.pair
        if number in self._seen_pairs:
            raise NotImportable(index, f"the file holds pair {first.pair} of this stream twice")
        self._seen_pairs.add(number)
        stored = self._connection.execute(
            select(*_COMPARED_COLUMNS)
            .join(RUNS, Run.id == Pair.run_id)
            .join(DIVISIONS, Division.id == Run.division_id)
            .where(Pair.stream == first.stream, Pair.number == first.pair)
        ).first()
        if stored is None:
            return False
        label = f"pair {first.pair} of run {first.run} is already stored"
        if stored.status != PairStatus.FINISHED:
            raise NotImportable(
                index, f"{label} in run {stored.run_id}, but {stored.status} and not finished"
            )
        games = self._connection.execute(
            select(GAMES).where(Game.pair_id == stored.id).order_by(Game.game)
        ).all()
        if len(games) != len(pair):
            raise NotImportable(index, f"{label} without its games: see `ladder doctor`")
        for line, game in zip(pair, games, strict=True):
            differing = self._difference(line, stored, game)
            if differing is not None:
                raise NotImportable(index, f"{label}, but game {line.game} differs in {differing}")
            self._store_verdict(line, game.id)
        run = {"id": stored.run_id, **{name: stored._mapping[name] for name in ("stream", *OF_RUN)}}
        self._runs[first.run, first.stream] = self._describe_run(run, stored._asdict())
        return True

    def _difference(self, line: GameLine, pair: Any, game: Any) -> str | None:
        """Return the first field in which a line and the stored game differ, or None."""
        values = _game_values(line)
        imported: dict[str, object] = {
            "first": self.bots.revisions.get((line.first, line.first_hash)),
            "second": self.bots.revisions.get((line.second, line.second_hash)),
            "kind": line.kind.value,
            "run_seed": line.run_seed,
            "identity": line.identity,
            "division": _division_values(self._conditions(line)),
        }
        stored: dict[str, object] = {
            "first": game.first_revision_id,
            "second": game.second_revision_id,
            "kind": pair.kind,
            "run_seed": pair.run_seed,
            "identity": pair.identity,
            "division": {name: pair._mapping[name] for name in Conditions._fields},
        }
        imported["aborts"], stored["aborts"] = line.timing.aborts, pair.aborts
        imported |= values
        stored |= {name: game._mapping[name] for name in values}
        imported["thoughts"] = thought_blob.decode(values["thoughts"])
        return next((name for name in imported if imported[name] != stored[name]), None)

    def create_runs(self, pairs: Sequence[tuple[int, PairLines]]) -> None:
        """Create the runs of new pairs, in the order of the file.

        Raises:
            NotImportable: a run breaks a rule.

        """
        firsts = [(index, pair[0]) for index, pair in pairs]
        for index, line in sorted(firsts, key=lambda each: (each[1].run, each[1].pair)):
            if (line.run, line.stream) not in self._runs:
                self._runs[line.run, line.stream] = self._make_run(index, line)

    def store(self, index: int, lines: PairLines) -> None:
        """Store a pair.

        Raises:
            NotImportable: the pair or a game breaks a rule.

        """
        first = lines[0]
        run = self._runs[first.run, first.stream]
        a = self._revision(index, first.first, first.first_hash)
        b = self._revision(index, first.second, first.second_hash)
        pair = {
            "run_id": run.id,
            "division_id": run.division_id,
            "rated": first.rated,
            "stream": first.stream,
            "number": first.pair,
            "a_revision_id": a,
            "b_revision_id": b,
            "board": first.board,
            "board_class": first.board_class,
            "opening": first.moves[: first.opening_plies],
            "seed": first.seed,
            "status": PairStatus.FINISHED,
            "aborts": first.timing.aborts,
            "finished_at": max(
                line.timing.started + line.timing.duration_us / 1e6 for line in lines
            ),
        }
        fault = find_pair_fault({**pair, **run.context, "run_stream": run.stream})
        if fault is not None:
            raise NotImportable(index, f"pair {first.pair}: {fault}")
        games = []
        for line, (mover, other) in zip(lines, ((a, b), (b, a)), strict=False):
            values = {
                **_game_values(line),
                "run_id": run.id,
                "division_id": run.division_id,
                "first_revision_id": mover,
                "second_revision_id": other,
            }
            more = {
                "first": line.first,
                "second": line.second,
                "has_last_words": line.timing.last_words is not None,
            }
            fault = find_game_fault(
                {**values, **more, **prefix_names(pair, "pair", OF_PAIR), **run.context},
                self._opening_lines,
            )
            if fault is not None:
                raise NotImportable(index, fault, game=line.game)
            games.append(values)
        pair_id = insert_row(self._connection, PAIRS, {**pair, **outcome_of(games)})
        for values in games:
            values["pair_id"] = pair_id
        last_outputs = [line.timing.last_words for line in lines]
        insert_games(self._connection, games, last_outputs)
        ids = select(Game.id).where(Game.pair_id == pair_id).order_by(Game.game)
        for line, game_id in zip(lines, self._connection.scalars(ids).all(), strict=True):
            self._store_verdict(line, game_id)

    def _store_verdict(self, line: GameLine, game_id: int) -> None:
        """Store the verdicts on a game, unless some are stored."""
        known = select(StoredVerdict.game_id).where(StoredVerdict.game_id == game_id)
        if line.analysis is not None and self._connection.scalar(known) is None:
            found = line.analysis
            verdict = GameVerdict(game_id, found.solver_version, found.nodes, found.moves)
            self._connection.execute(insert(VERDICTS).values(asdict(verdict)))

    def _revision(self, index: int, name: str, content_hash: str) -> int:
        found = self.bots.revisions.get((name, content_hash))
        if found is None:
            raise NotImportable(
                index,
                f"no bot called {name!r} with the content {content_hash[:12]} is registered, and "
                "the file does not describe it: export JSON Lines, which describe bots",
            )
        return found

    def _conditions(self, line: GameLine) -> Conditions:
        """Return the conditions of a line with the names of bots here."""
        conditions = line.division.conditions
        return conditions._replace(budget=rename_in_budget(conditions.budget, self.bots.names))

    def _settings_here(self, line: GameLine) -> dict[str, Any]:
        """Return the settings of a line's run with the names of bots here."""
        return rename_in_settings(self._settings.get((line.run, line.stream), {}), self.bots.names)

    def _make_run(self, index: int, line: GameLine) -> "_StoredRun":
        conditions, settings = self._conditions(line), self._settings_here(line)
        run = {
            "kind": line.kind.value,
            "rated": line.rated,
            "stream": line.stream,
            "identity": line.identity,
            "settings": settings,
            "seed": line.run_seed,
            "target_games": None,
            "status": RunStatus.FINISHED,
            "started_at": line.timing.started,
            "ended_at": time.time(),
            "note": "imported",
        }
        columns = _division_values(conditions)
        raw = {
            **run,
            **prefix_names(columns, "division", tuple(columns)),
            "settings": to_json(run["settings"]),
            "division_budget": to_json(conditions.budget),
        }
        fault = find_run_fault(raw)
        sibling = self._connection.execute(
            select(Run.identity, Run.seed).where(Run.stream == line.stream).limit(1)
        ).first()
        if sibling is not None and tuple(sibling) != (line.identity, line.run_seed):
            fault = fault or "a stored run of its stream has another identity or seed"
        if fault is not None:
            raise NotImportable(index, f"run {line.run}: {fault}")
        openings = self._file_openings.get(conditions.openings or "")
        if openings is not None and conditions.openings is not None:
            row = OpeningSetRow(conditions.openings, openings.name, openings.text)
            insert_set(self._connection, row)
        run["division_id"] = ensure_division(self._connection, conditions).id
        run["id"] = run_id = insert_row(self._connection, RUNS, run)
        insert_run_bots(self._connection, run_id, settings)
        return self._describe_run(run, columns)

    def _describe_run(self, run: Mapping[str, Any], conditions: Mapping[str, Any]) -> "_StoredRun":
        """Return a run for comparison with its games; read its set of openings."""
        openings = conditions["openings"]
        if openings is not None and openings not in self._opening_lines:
            openings_row = find_set(self._connection, openings)
            if openings_row is not None:
                self._opening_lines[openings] = frozenset(openings_row.lines.splitlines())
        return _StoredRun(
            id=run["id"],
            division_id=run["division_id"],
            stream=run["stream"],
            context={
                **prefix_names(run, "run", OF_RUN),
                **prefix_names(conditions, "division", OF_DIVISION),
            },
        )


_COMPARED_COLUMNS = (
    *(Pair.id, Pair.run_id, Pair.status, Pair.aborts),
    *(Run.kind, Run.identity, Run.seed.label("run_seed"), Run.division_id, Run.stream, Run.rated),
    *(Division[name] for name in Conditions._fields),
)
"""Columns of a stored pair that an import compares, apart from its games."""


def _division_values(conditions: Conditions) -> dict[str, Any]:
    return {**conditions._asdict(), "budget": dict(conditions.budget)}


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
        "thoughts": thought_blob.encode(timing.all_thoughts()),
        **outcome_columns(line.board, line.moves, line.result, line.termination),
        **side_columns(timing.sides),
    }
