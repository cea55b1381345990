"""Storing lines of another database: all of them or none."""

import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, func, insert, select

from db import thought_blob
from db.connection.database import Database
from db.json_column import to_json
from db.models import Bot, Game, Pair, Revision, Run
from db.queries.divisions import division_in
from db.queries.rebuild import rebuild_within
from db.queries.store_pair import (
    line_hash,
)
from db.records.aggregate import Rate
from db.records.exchange import (
    BotLine,
    GameLine,
    Introduction,
    NotImportable,
    SideTiming,
    Timing,
)
from db.records.games import Thought
from db.records.launch import described
from db.records.pairs import PairStatus
from db.records.runs import RunStatus
from engine.result import Result


def import_lines(database: Database, pairs: Sequence[tuple[GameLine, GameLine]], rate: Rate) -> int:
    """Store whole pairs, all or none, and bring the derived tables up to date; how many games.

    Args:
        database: where to.
        pairs: the two games of each pair, checked by the rules, in the order of storing.
        rate: moves live ratings.

    Raises:
        NotImportable: a pair is here already, or one of its bots is unknown and not introduced.

    """
    with database.writing() as connection:
        arrival = _Arrival(connection)
        # The order of storing is not that of the file, in which each thing is told when it is
        # needed first; so what the lines tell about bots and runs is heard before any game.
        for line in sorted((line for pair in pairs for line in pair), key=_in_file):
            arrival.listen(line)
        for place, (first, second) in enumerate(pairs):
            arrival.store(place, first, second)
        rebuild_within(connection, rate, repair=True)
    return 2 * len(pairs)


def _in_file(line: GameLine) -> tuple[int, int, int]:
    return line.run, line.pair, line.game


class _Arrival:
    """One import in its transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._runs: dict[tuple[int, str], tuple[int, int]] = {}
        self._revisions: dict[tuple[str, str], int] = {}
        for row in connection.execute(
            select(Revision.id, Revision.content_hash, Bot.name).join(
                Bot, Bot.id == Revision.bot_id
            )
        ):
            self._revisions[row.name, row.content_hash] = row.id

    def listen(self, line: GameLine) -> None:
        """Take in what a line tells about bots and its run."""
        news = line.introduces or Introduction()
        for bot in news.bots:
            self._introduce(bot)
        if (line.run, line.stream) not in self._runs:
            self._runs[line.run, line.stream] = self._make_run(line, news.settings or {})

    def store(self, place: int, first: GameLine, second: GameLine) -> None:
        """Store one pair."""
        run_id, division_id = self._runs[first.run, first.stream]
        taken = select(Pair.id).filter_by(stream=first.stream, number=first.pair)
        if self._connection.execute(taken).first() is not None:
            raise NotImportable(place, f"pair {first.pair} of run {first.run} is here already")
        a = self._revision(place, first.first, first.first_hash)
        b = self._revision(place, first.second, first.second_hash)
        pair_id = self._connection.execute(
            insert(Pair)
            .values(
                run_id=run_id,
                stream=first.stream,
                number=first.pair,
                a_revision_id=a,
                b_revision_id=b,
                board=first.board,
                board_class=first.board_class,
                opening=first.moves[: first.opening_plies],
                seed=first.seed,
                status=PairStatus.FINISHED.value,
                aborts=first.timing.aborts,
                finished_at=max(
                    line.timing.started + line.timing.duration_us / 1e6 for line in (first, second)
                ),
            )
            .returning(Pair.id)
        ).scalar_one()
        common = {"pair_id": pair_id, "run_id": run_id, "division_id": division_id}
        for line, mover, other in ((first, a, b), (second, b, a)):
            values = {**common, "first_revision_id": mover, "second_revision_id": other}
            values["repeat"] = self._is_repeat(division_id, line)
            self._connection.execute(insert(Game).values(**_game_values(line), **values))

    def _is_repeat(self, division_id: int, line: GameLine) -> bool:
        query = select(Game.id).where(
            Game.line_hash == line_hash(line.board, line.moves),
            Game.division_id == division_id,
            Game.board == line.board,
            Game.moves == line.moves,
        )
        return self._connection.execute(query.limit(1)).first() is not None

    def _revision(self, place: int, name: str, content_hash: str) -> int:
        found = self._revisions.get((name, content_hash))
        if found is None:
            raise NotImportable(
                place,
                f"no bot called {name!r} with the content {content_hash[:12]} is registered here, "
                "and the file does not describe it: export JSON Lines, which do",
            )
        return found

    def _make_run(self, line: GameLine, settings: dict[str, Any]) -> tuple[int, int]:
        where = line.division
        division_id = division_in(
            self._connection, where.boards, where.opening_plies, where.budget
        ).id
        run_id = self._connection.execute(
            insert(Run)
            .values(
                kind=line.kind.value,
                rated=line.rated,
                stream=line.stream,
                identity=line.identity,
                settings=to_json(settings),
                seed=line.run_seed,
                division_id=division_id,
                target_games=None,
                status=RunStatus.FINISHED.value,
                started_at=line.timing.started,
                ended_at=time.time(),
                note="imported",
            )
            .returning(Run.id)
        ).scalar_one()
        return run_id, division_id

    def _introduce(self, bot: BotLine) -> None:
        """Add a revision that is unknown here; the current one stays what it is."""
        if (bot.name, bot.content_hash) in self._revisions:
            return
        connection = self._connection
        known = connection.execute(select(Bot.id).filter_by(name=bot.name)).scalar()
        if known is None:
            # Its program may not be here, and nobody asked to run it: it comes retired.
            now = time.time()
            known = connection.execute(
                insert(Bot)
                .values(
                    name=bot.name, family=bot.family, spec=bot.spec, based_on=bot.based_on,
                    change=bot.change, created_at=now, retired_at=now,
                )
                .returning(Bot.id)
            ).scalar_one()  # fmt: skip
        row = connection.execute(
            select(func.max(Revision.number), func.min(Revision.recency)).filter_by(bot_id=known)
        ).one()
        number: int | None = row[0]
        oldest: int | None = row[1]
        self._revisions[bot.name, bot.content_hash] = connection.execute(
            insert(Revision)
            .values(
                bot_id=known,
                number=(number or 0) + 1,
                recency=1 if oldest is None else oldest - 1,
                content_hash=bot.content_hash,
                launch=to_json(described(bot.launch)),
                budgets=to_json(bot.budgets),
                boards=None if bot.boards is None else to_json(bot.boards),
                files=to_json(bot.files),
                created_at=time.time(),
            )
            .returning(Revision.id)
        ).scalar_one()


def _game_values(line: GameLine) -> dict[str, Any]:
    offender = None
    if line.termination.is_forfeit:
        offender = 0 if line.result is Result.LOSS else 1
    timing = line.timing
    values = {
        f"{side}_{name}": getattr(sums, name)
        for side, sums in zip(("first", "second"), timing.sides, strict=True)
        for name in SideTiming.__struct_fields__
    }
    return {
        **values,
        "game": line.game,
        "rated": line.rated,
        "board": line.board,
        "board_class": line.board_class,
        "moves": line.moves,
        "opening_plies": line.opening_plies,
        "plies": len(line.moves),
        "seed": line.seed,
        "result": line.result.value,
        "termination": line.termination.value,
        "detail": timing.detail,
        "offender": offender,
        "started_at": timing.started,
        "duration_us": timing.duration_us,
        "line_hash": line_hash(line.board, line.moves),
        "thoughts": thought_blob.encode(_thoughts(timing)),
    }


def _thoughts(timing: Timing) -> list[Thought]:
    """The moves of a game with their expected lines."""
    lines = timing.lines or ("",) * len(timing.thoughts)
    return [move.with_line(line) for move, line in zip(timing.thoughts, lines, strict=True)]
