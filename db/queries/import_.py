"""Storing lines of another database: all of them or none."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, insert, select, update

from db.connection.database import Database
from db.derived.game_columns import FIRST, SECOND, columns_of, outcome_columns
from db.derived.invariants import (
    OF_DIVISION,
    OF_PAIR,
    OF_RUN,
    find_game_fault,
    find_pair_fault,
    find_run_fault,
    labelled,
)
from db.derived.rebuild import rebuild_within
from db.derived.write_games import GameWriter
from db.json_column import to_json
from db.models import Bot, Division, Game, Pair, Revision, Run
from db.queries.divisions import division_in
from db.queries.opening_sets import keep_in, set_in
from db.queries.runs import keep_bots
from db.records import thought_blob
from db.records.aggregate import Rate
from db.records.exchange import (
    BotLine,
    GameLine,
    Imported,
    NotImportable,
    OpeningsLine,
)
from db.records.launch import without_commands
from db.records.opening_sets import OpeningSetRow
from db.records.pairs import PairStatus
from db.records.runs import Conditions, RunStatus

Lines = tuple[GameLine, GameLine]
"""Game 0 and game 1 of a pair."""
Content = tuple[str, str]
"""A bot's name and a content hash: a revision in every database."""


def import_lines(database: Database, pairs: Sequence[Lines], rate: Rate) -> Imported:
    """Store whole pairs, all or none, and bring the derived tables up to date.

    A pair that is here already and equals that of the file is skipped, so that a grown database's
    export can be added to one that holds its beginning.

    Args:
        database: where to.
        pairs: the two games of each pair, in the order of storing.
        rate: moves live ratings.

    Raises:
        NotImportable: a run, pair or game breaks a rule that the audit of a database checks; a pair
            is here already and differs or is not played; or one of its bots is unknown and not
            introduced.

    """
    with database.writing() as connection:
        arrival = _Importer(connection)
        arrival.meet(pairs)
        fresh = [
            (place, pair) for place, pair in enumerate(pairs) if not arrival.is_here(place, *pair)
        ]
        arrival.begin_runs(fresh)
        for place, pair in fresh:
            arrival.store(place, *pair)
        if fresh:
            rebuild_within(connection, rate, repair=True)
    return Imported(2 * len(fresh), 2 * (len(pairs) - len(fresh)))


@dataclass(frozen=True, slots=True)
class _RunHere:
    """A run of this database that pairs of the file belong to."""

    id: int
    division_id: int
    stream: str
    labelled: Mapping[str, Any]
    """The columns of the run and its division that games are compared with."""


class _Importer:
    """One import in its transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._games = GameWriter(connection.dialect)
        self._runs: dict[tuple[int, str], _RunHere] = {}
        """Runs here by the run's number in the file and its stream."""
        self._settings: dict[tuple[int, str], dict[str, Any]] = {}
        self._openings: dict[str, OpeningsLine] = {}
        """Sets of openings of the file by their hashes."""
        self._lines: dict[str, frozenset[str]] = {}
        """The lines of known sets of openings by their hashes."""
        self._numbers: set[tuple[str, int]] = set()
        """Streams and numbers of the file's pairs."""
        self._revisions: dict[Content, int] = {}
        for row in connection.execute(
            select(Revision.id, Revision.content_hash, Bot.name).join(
                Bot, Bot.id == Revision.bot_id
            )
        ):
            self._revisions[row.name, row.content_hash] = row.id

    def meet(self, pairs: Sequence[Lines]) -> None:
        """Take in what the lines tell of bots and runs, before any game: each is told once."""
        lines: dict[str, dict[str, BotLine]] = {}
        latest: dict[Content, int] = {}
        for place, pair in enumerate(pairs):
            for line in pair:
                latest[line.first, line.first_hash] = latest[line.second, line.second_hash] = place
                for bot in line.introduces.bots if line.introduces else ():
                    lines.setdefault(bot.name, {}).setdefault(bot.content_hash, bot)
                if line.introduces and line.introduces.settings is not None:
                    self._settings[line.run, line.stream] = line.introduces.settings
                told = line.introduces and line.introduces.openings
                if told and line.division.openings is not None:
                    self._openings[line.division.openings] = told

        def age(bot: BotLine) -> tuple[int, int]:
            return bot.recency or 0, latest.get((bot.name, bot.content_hash), -1)

        for revisions in lines.values():
            self._introduce(sorted(revisions.values(), key=age))

    def is_here(self, place: int, first: GameLine, second: GameLine) -> bool:
        """Whether an equal pair is stored.

        Raises:
            NotImportable: one of the same place in its stream is stored, and differs.

        """
        number = first.stream, first.pair
        if number in self._numbers:
            raise NotImportable(place, f"pair {first.pair} of its stream is in the file twice")
        self._numbers.add(number)
        stored = self._connection.execute(
            select(*_OF_PAIR)
            .join(Run, Run.id == Pair.run_id)
            .join(Division, Division.id == Run.division_id)
            .where(Pair.stream == first.stream, Pair.number == first.pair)
        ).first()
        if stored is None:
            return False
        told = f"pair {first.pair} of run {first.run} is here already"
        if stored.status != PairStatus.FINISHED:
            raise NotImportable(
                place, f"{told}, {stored.status} and not played, in run {stored.run_id}"
            )
        games = self._connection.execute(
            select(Game.__table__).where(Game.pair_id == stored.id).order_by(Game.game)
        ).all()
        if len(games) != 2:
            raise NotImportable(place, f"{told} without its games: `ladder doctor` says more")
        for line, game in zip((first, second), games, strict=True):
            differing = self._difference(line, stored, game)
            if differing is not None:
                raise NotImportable(place, f"{told}, and game {line.game} differs in {differing}")
        run = {"id": stored.run_id, **{name: stored._mapping[name] for name in ("stream", *OF_RUN)}}
        self._runs[first.run, first.stream] = self._run_here(run, stored._asdict())
        return True

    def _difference(self, line: GameLine, pair: Any, game: Any) -> str | None:
        """The first field in which a stored game is not what a line says; None: there is none."""
        where = line.division
        values = _game_values(line)
        said: dict[str, object] = {
            "first": self._revisions.get((line.first, line.first_hash)),
            "second": self._revisions.get((line.second, line.second_hash)),
            "kind": line.kind.value,
            "run_seed": line.run_seed,
            "identity": line.identity,
            "division": (
                *(where.boards, where.opening_plies, to_json(where.budget), where.openings),
            ),
        }
        kept: dict[str, object] = {
            "first": game.first_revision_id,
            "second": game.second_revision_id,
            "kind": pair.kind,
            "run_seed": pair.run_seed,
            "identity": pair.identity,
            "division": (pair.boards, pair.opening_plies, pair.budget, pair.openings),
        }
        if not line.timing.stored:  # the file's format holds a date at most
            values = {name: value for name, value in values.items() if name not in _TIMED}
        else:
            said["aborts"], kept["aborts"] = line.timing.aborts, pair.aborts
        said |= values
        kept |= {name: game._mapping[name] for name in values}
        if "thoughts" in values and said["thoughts"] != kept["thoughts"]:
            # Versions before 0.2 packed them otherwise.
            kept["thoughts"] = thought_blob.encode(thought_blob.decode(game.thoughts))
        return next((name for name in said if said[name] != kept[name]), None)

    def begin_runs(self, pairs: Sequence[tuple[int, Lines]]) -> None:
        """Make the runs of pairs that are new, in the order of the file.

        Raises:
            NotImportable: a run breaks a rule.

        """
        firsts = [(place, first) for place, (first, _) in pairs]
        for place, line in sorted(firsts, key=lambda each: (each[1].run, each[1].pair)):
            if (line.run, line.stream) not in self._runs:
                self._runs[line.run, line.stream] = self._make_run(place, line)

    def store(self, place: int, first: GameLine, second: GameLine) -> None:
        """Store one pair.

        Raises:
            NotImportable: the pair or a game breaks a rule of `db.derived.invariants`.

        """
        run = self._runs[first.run, first.stream]
        a = self._revision(place, first.first, first.first_hash)
        b = self._revision(place, first.second, first.second_hash)
        pair = {
            "run_id": run.id,
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
                line.timing.started + line.timing.duration_us / 1e6 for line in (first, second)
            ),
        }
        fault = find_pair_fault({**pair, "run_stream": run.stream})
        if fault is not None:
            raise NotImportable(place, f"pair {first.pair}: {fault}")
        games = []
        for line, mover, other in ((first, a, b), (second, b, a)):
            values = {
                **_game_values(line),
                "run_id": run.id,
                "division_id": run.division_id,
                "first_revision_id": mover,
                "second_revision_id": other,
            }
            beside = {
                "first": line.first,
                "second": line.second,
                "has_last_words": line.timing.last_words is not None,
            }
            fault = find_game_fault(
                {**values, **beside, **labelled(pair, "pair", OF_PAIR), **run.labelled},
                self._lines,
            )
            if fault is not None:
                raise NotImportable(place, fault, game=line.game)
            games.append(values)
        pair_id = self._connection.execute(
            insert(Pair).values(pair).returning(Pair.id)
        ).scalar_one()
        for values in games:
            values.update(pair_id=pair_id, repeat=False)  # repeats are marked by the rebuild
        last_words = [line.timing.last_words for line in (first, second)]
        self._games.insert(self._connection, games, last_words)

    def _revision(self, place: int, name: str, content_hash: str) -> int:
        found = self._revisions.get((name, content_hash))
        if found is None:
            raise NotImportable(
                place,
                f"no bot called {name!r} with the content {content_hash[:12]} is registered here, "
                "and the file does not describe it: export JSON Lines, which do",
            )
        return found

    def _make_run(self, place: int, line: GameLine) -> "_RunHere":
        where = line.division
        run = {
            "kind": line.kind.value,
            "rated": line.rated,
            "stream": line.stream,
            "identity": line.identity,
            "settings": to_json(self._settings.get((line.run, line.stream), {})),
            "seed": line.run_seed,
            "target_games": None,
            "status": RunStatus.FINISHED.value,
            "started_at": line.timing.started,
            "ended_at": time.time(),
            "note": "imported",
        }
        conditions = {
            "boards": where.boards,
            "opening_plies": where.opening_plies,
            "openings": where.openings,
            "budget": to_json(where.budget),
        }
        fault = find_run_fault({**run, **labelled(conditions, "division", tuple(conditions))})
        beside = self._connection.execute(
            select(Run.identity, Run.seed).where(Run.stream == line.stream).limit(1)
        ).first()
        if beside is not None and tuple(beside) != (line.identity, line.run_seed):
            fault = fault or "its stream is that of a run of another identity or seed"
        if fault is not None:
            raise NotImportable(place, f"run {line.run}: {fault}")
        told = self._openings.get(where.openings or "")
        if told is not None and where.openings is not None:
            keep_in(self._connection, OpeningSetRow(where.openings, told.name, told.text))
        run["division_id"] = division_in(
            self._connection,
            Conditions(where.boards, where.opening_plies, where.budget, where.openings),
        ).id
        run_id = self._connection.execute(insert(Run).values(run).returning(Run.id)).scalar_one()
        run["id"] = run_id
        keep_bots(self._connection, run_id, self._settings.get((line.run, line.stream), {}))
        return self._run_here(run, conditions)

    def _run_here(self, run: Mapping[str, Any], conditions: Mapping[str, Any]) -> "_RunHere":
        """Return what games of a run are compared with; its openings are looked up."""
        openings = conditions["openings"]
        if openings is not None and openings not in self._lines:
            kept = set_in(self._connection, openings)
            if kept is not None:
                self._lines[openings] = frozenset(kept.lines.splitlines())
        return _RunHere(
            id=run["id"],
            division_id=run["division_id"],
            stream=run["stream"],
            labelled={
                **labelled(run, "run", OF_RUN),
                **labelled(conditions, "division", OF_DIVISION),
            },
        )

    def _introduce(self, lines: Sequence[BotLine]) -> None:
        """Add the unknown ones of a bot's revisions, which the file tells oldest first.

        A bot that was registered on this machine keeps its current revision: its sources are here.
        One that only imports have brought follows the file.
        """
        connection, name = self._connection, lines[0].name
        unknown = [bot for bot in lines if (name, bot.content_hash) not in self._revisions]
        if not unknown:
            return
        row = connection.execute(
            select(Bot.id, Bot.created_at, Bot.retired_at).filter_by(name=name)
        ).first()
        # Retired from its first moment: an import brought it, and nobody has brought it back.
        follows = row is None or row.retired_at == row.created_at
        bot_id = self._add_bot(lines[-1]) if row is None else row.id
        here = connection.execute(
            select(Revision.id, Revision.content_hash, Revision.number, Revision.recency)
            .where(Revision.bot_id == bot_id)
            .order_by(Revision.recency)
        ).all()
        number = max((row.number for row in here), default=0)
        for place, bot in enumerate(unknown):
            self._revisions[name, bot.content_hash] = self._add_revision(
                bot_id,
                bot,
                number=number + 1 + place,
                # Below all that are here.
                recency=(here[0].recency if here else 1) - len(unknown) + place,
            )
        told = [bot.content_hash for bot in lines]
        if follows and (not here or here[-1].content_hash in told):
            others = [row.content_hash for row in here if row.content_hash not in told]
            for recency, content in enumerate((*others, *told), start=1):
                connection.execute(
                    update(Revision)
                    .where(Revision.id == self._revisions[name, content])
                    .values(recency=recency)
                )

    def _add_bot(self, bot: BotLine) -> int:
        # Its program may not be here, and nobody asked to run it: it comes retired.
        now = time.time()
        return self._connection.execute(
            insert(Bot)
            .values(
                name=bot.name,
                family=bot.family,
                spec=bot.spec,
                based_on=bot.based_on,
                change=bot.change,
                created_at=now,
                retired_at=now,
            )
            .returning(Bot.id)
        ).scalar_one()

    def _add_revision(self, bot_id: int, bot: BotLine, *, number: int, recency: int) -> int:
        return self._connection.execute(
            insert(Revision)
            .values(
                bot_id=bot_id,
                number=number,
                recency=recency,
                content_hash=bot.content_hash,
                launch=to_json(without_commands(bot.launch)),
                budgets=to_json(bot.budgets),
                boards=None if bot.boards is None else to_json(bot.boards),
                files=to_json(bot.files),
                created_at=time.time(),
            )
            .returning(Revision.id)
        ).scalar_one()


_OF_PAIR = (
    *(Pair.id, Pair.run_id, Pair.status, Pair.aborts),
    *(Run.kind, Run.identity, Run.seed.label("run_seed"), Run.division_id, Run.stream, Run.rated),
    *(Division.boards, Division.opening_plies, Division.budget, Division.openings),
)
"""Columns of a stored pair that an import compares, beside its games."""
_TIMED = {*FIRST, *SECOND, "detail", "started_at", "duration_us", "thoughts"}
"""Columns of a game that a file without timing says nothing about."""


def _game_values(line: GameLine) -> dict[str, Any]:
    timing = line.timing
    return {
        "game": line.game,
        "rated": line.rated,
        "board_class": line.board_class,
        "opening_plies": line.opening_plies,
        "seed": line.seed,
        "detail": timing.detail,
        "started_at": timing.started,
        "duration_us": timing.duration_us,
        "thoughts": thought_blob.encode(timing.all_thoughts()),
        **outcome_columns(line.board, line.moves, line.result, line.termination),
        **columns_of(timing.sides),
    }
