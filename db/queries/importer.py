"""Storing the lines of an export: all of them or none."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import msgspec
from sqlalchemy import Connection, insert, select, update

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
from db.json_column import to_json
from db.models import Bot, BotArchive, Division, Game, Pair, Revision, Run, Verdict
from db.queries.bots import insert_bot, insert_revision
from db.queries.divisions import ensure_division
from db.queries.opening_sets import find_set, insert_set
from db.queries.runs import insert_run_bots
from db.records import thought_blob
from db.records.analysis import GameVerdict
from db.records.bots import NewBot, NewRevision
from db.records.budget import rename_in_budget
from db.records.exchange import (
    BotLine,
    GameLine,
    Imported,
    NotImportable,
    OpeningsLine,
    name_with_hash,
)
from db.records.opening_sets import OpeningSetRow
from db.records.pairs import PairStatus
from db.records.runs import Conditions, RunStatus, rename_in_settings

PairLines = Sequence[GameLine]
"""The games of a pair: 0 and 1, or only 0 of a person against a bot."""
Content = tuple[str, str]
"""A bot's name and content hash, which identify a revision in any database."""


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
    return Imported(games, sum(map(len, pairs)) - games, importer.names)


@dataclass(slots=True)
class _StoredBot:
    """A bot of this database."""

    id: int
    name: str
    is_imported: bool
    """Whether only imports have added it."""
    revisions: dict[str, int]
    """Keys by content hash, the current one last."""
    number: int
    """The greatest number of a revision."""
    recency: int
    """The least recency of a revision."""

    @property
    def current(self) -> str:
        """Content hash of the current revision."""
        return next(reversed(self.revisions))

    def is_called(self, name: str) -> bool:
        """Return whether a file may call it so: by its name, or without the hash in it."""
        return self.name == name or any(
            self.name == name_with_hash(name, content) for content in self.revisions
        )


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
        self._bots = _stored_bots(connection)
        self._revisions: dict[Content, int] = {
            (bot.name, content): revision
            for bot in self._bots.values()
            for content, revision in bot.revisions.items()
        }
        self.names: dict[str, str] = {}
        """Names here of bots that the file calls otherwise."""
        self._taken: set[str] = set()
        """Names here of the file's bots so far; two bots of the file are never one."""

    def register(self, pairs: Sequence[PairLines]) -> None:
        """Register the bots, and remember the settings and openings, that the lines introduce."""
        lines: dict[str, dict[str, BotLine]] = {}
        latest: dict[Content, int] = {}
        for index, pair in enumerate(pairs):
            for line in pair:
                latest[line.first, line.first_hash] = latest[line.second, line.second_hash] = index
                for bot in line.introduces.bots if line.introduces else ():
                    lines.setdefault(bot.name, {}).setdefault(bot.content_hash, bot)
                if line.introduces and line.introduces.settings is not None:
                    self._settings[line.run, line.stream] = line.introduces.settings
                openings = line.introduces and line.introduces.openings
                if openings and line.division.openings is not None:
                    self._file_openings[line.division.openings] = openings

        def latest_game(bot: BotLine) -> int:
            return latest.get((bot.name, bot.content_hash), -1)

        described = [sorted(each.values(), key=latest_game) for each in lines.values()]
        # First those that have their names here, so that no other one takes their bots.
        for revisions in sorted(described, key=lambda each: each[0].name not in self._bots):
            self._register_bot(revisions)

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
            .join(Run, Run.id == Pair.run_id)
            .join(Division, Division.id == Run.division_id)
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
            select(Game.__table__).where(Game.pair_id == stored.id).order_by(Game.game)
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
            "first": self._revisions.get((line.first, line.first_hash)),
            "second": self._revisions.get((line.second, line.second_hash)),
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
        if imported["thoughts"] != stored["thoughts"]:
            # Version 0.1 packed them differently.
            stored["thoughts"] = thought_blob.encode(thought_blob.decode(game.thoughts))
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
            "status": PairStatus.FINISHED.value,
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
        pair_id = self._connection.execute(
            insert(Pair).values({**pair, **outcome_of(games)}).returning(Pair.id)
        ).scalar_one()
        for values in games:
            values["pair_id"] = pair_id
        last_outputs = [line.timing.last_words for line in lines]
        insert_games(self._connection, games, last_outputs)
        ids = select(Game.id).where(Game.pair_id == pair_id).order_by(Game.game)
        for line, game_id in zip(lines, self._connection.scalars(ids).all(), strict=True):
            self._store_verdict(line, game_id)

    def _store_verdict(self, line: GameLine, game_id: int) -> None:
        """Store the verdicts on a game, unless some are stored."""
        known = select(Verdict.game_id).where(Verdict.game_id == game_id)
        if line.analysis is not None and self._connection.scalar(known) is None:
            found = line.analysis
            verdict = GameVerdict(game_id, found.solver_version, found.nodes, found.moves)
            self._connection.execute(insert(Verdict).values(asdict(verdict)))

    def _revision(self, index: int, name: str, content_hash: str) -> int:
        found = self._revisions.get((name, content_hash))
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
        return conditions._replace(budget=rename_in_budget(conditions.budget, self.names))

    def _settings_here(self, line: GameLine) -> dict[str, Any]:
        """Return the settings of a line's run with the names of bots here."""
        return rename_in_settings(self._settings.get((line.run, line.stream), {}), self.names)

    def _make_run(self, index: int, line: GameLine) -> "_StoredRun":
        conditions, settings = self._conditions(line), self._settings_here(line)
        run = {
            "kind": line.kind.value,
            "rated": line.rated,
            "stream": line.stream,
            "identity": line.identity,
            "settings": to_json(settings),
            "seed": line.run_seed,
            "target_games": None,
            "status": RunStatus.FINISHED.value,
            "started_at": line.timing.started,
            "ended_at": time.time(),
            "note": "imported",
        }
        columns = _division_values(conditions)
        fault = find_run_fault({**run, **prefix_names(columns, "division", tuple(columns))})
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
        run_id = self._connection.execute(insert(Run).values(run).returning(Run.id)).scalar_one()
        run["id"] = run_id
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

    def _stored_archive(self, bot: BotLine) -> str | None:
        """Return the archive of a bot if the database holds it."""
        query = select(BotArchive.sha256).filter_by(sha256=bot.launch.archive)
        return self._connection.scalar(query)

    def _register_bot(self, lines: Sequence[BotLine]) -> None:
        """Find or add a bot with all of its revisions in the file, given oldest first.

        A bot that was registered on this machine keeps its current revision, whose sources are
        here. For a bot that only imports have added, the file decides.
        """
        name, head, described = lines[0].name, lines[-1], [bot.content_hash for bot in lines]
        bot = self._find_bot(name, described)
        follows = bot is None or (bot.is_imported and bot.current in described)
        if bot is None:
            here = name if name not in self._bots else name_with_hash(name, head.content_hash)
            # Retired, because its program may be missing here, and no user has asked to run it.
            new = replace(_new_bot(head, None), name=here)
            bot = _StoredBot(
                insert_bot(self._connection, new, is_retired=True), here, True, {}, 0, 1
            )
            self._bots[here] = bot
        unknown = [each for each in lines if each.content_hash not in bot.revisions]
        added = {}
        for index, each in enumerate(unknown):
            added[each.content_hash] = insert_revision(
                self._connection,
                bot.id,
                _new_bot(each, self._stored_archive(each)).revision,
                number=bot.number + 1 + index,
                recency=bot.recency - len(unknown) + index,  # below all stored revisions
            )
        known = {**added, **bot.revisions}
        for each in lines:
            without = (Revision.id == known[each.content_hash]) & Revision.archive.is_(None)
            if archive := self._stored_archive(each):
                self._connection.execute(update(Revision).where(without).values(archive=archive))
        if follows and unknown:
            others = [content for content in bot.revisions if content not in described]
            for recency, content in enumerate((*others, *described), start=1):
                self._connection.execute(
                    update(Revision).where(Revision.id == known[content]).values(recency=recency)
                )
        self._revisions |= {(name, content): known[content] for content in described}
        self._taken.add(bot.name)
        if bot.name != name:
            self.names[name] = bot.name

    def _find_bot(self, name: str, described: Sequence[str]) -> _StoredBot | None:
        """Return the bot here that a bot of the file is, or continues.

        Args:
            name: its name in the file.
            described: its contents, the current one last.

        """
        head = described[-1]
        called = [bot for bot in self._bots.values() if bot.is_called(name)]
        same = [bot for bot in self._bots.values() if head in bot.revisions]
        renamed = [bot for bot in same if bot.name not in self._taken]
        continued = [bot for bot in called if bot.is_imported and bot.current in described]
        found = [*(bot for bot in called if bot in same), *renamed, *continued]
        return found[0] if found else None


def _stored_bots(connection: Connection) -> dict[str, _StoredBot]:
    """Return all bots by name."""
    query = (
        select(Revision.id, Revision.content_hash, Revision.number, Revision.recency)
        .add_columns(Revision.bot_id, Bot.name, Bot.created_at, Bot.retired_at)
        .join(Bot, Bot.id == Revision.bot_id)
        .order_by(Revision.recency)
    )
    found: dict[str, _StoredBot] = {}
    for row in connection.execute(query):
        # `insert_bot` marks an imported bot, never registered here, in this way.
        is_imported = row.retired_at == row.created_at
        new = _StoredBot(row.bot_id, row.name, is_imported, {}, 0, row.recency)
        bot = found.setdefault(row.name, new)
        bot.revisions[row.content_hash] = row.id
        bot.number = max(bot.number, row.number)
    return found


def _new_bot(bot: BotLine, archive: str | None) -> NewBot:
    """Return a bot with its files, or without them if they are not stored here."""
    return NewBot(
        name=bot.name,
        family=bot.family,
        spec=bot.spec,
        based_on=bot.based_on,
        change=bot.change,
        revision=NewRevision(
            content_hash=bot.content_hash,
            launch=msgspec.structs.replace(bot.launch, folder="", archive=archive),
            budgets=bot.budgets,
            boards=bot.boards,
            files=bot.files,
        ),
    )


_COMPARED_COLUMNS = (
    *(Pair.id, Pair.run_id, Pair.status, Pair.aborts),
    *(Run.kind, Run.identity, Run.seed.label("run_seed"), Run.division_id, Run.stream, Run.rated),
    *(Division.__table__.c[name] for name in Conditions._fields),
)
"""Columns of a stored pair that an import compares, apart from its games."""


def _division_values(conditions: Conditions) -> dict[str, Any]:
    return {**conditions._asdict(), "budget": to_json(conditions.budget)}


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
