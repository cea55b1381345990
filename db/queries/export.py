"""Reading all games as lines for other databases."""

from collections.abc import Iterator
from typing import Any

import msgspec
from sqlalchemy import func, select

from db import thought_blob
from db.connection.database import Database
from db.models import Bot, Division, Game, Pair, Revision, Run
from db.queries.bots import names_of_revisions
from db.records.exchange import (
    BotLine,
    Conditions,
    GameLine,
    Introduction,
    MoveTiming,
    SideTiming,
    Timing,
)
from db.records.launch import Launch
from db.records.runs import RunKind
from engine.result import Result, Termination


def export_lines(database: Database, division_id: int | None) -> Iterator[GameLine]:
    """All finished games by run, pair and game, so that the order does not depend on the clock."""
    games, pairs, runs = Game.__table__, Pair.__table__, Run.__table__
    query = (
        select(
            games,
            pairs.c.number,
            pairs.c.aborts,
            func.row_number().over(order_by=games.c.id).label("place"),
        )
        .join(pairs, pairs.c.id == games.c.pair_id)
        .order_by(games.c.run_id, pairs.c.number, games.c.game)
    )
    if division_id is not None:
        query = query.where(games.c.division_id == division_id)
    with database.streaming() as connection:
        names = names_of_revisions(connection)
        revisions = {row.id: row for row in connection.execute(select(Revision.__table__))}
        bots = {row.id: row for row in connection.execute(select(Bot.__table__))}
        divisions = {row.id: row for row in connection.execute(select(Division.__table__))}
        told: dict[int, Any] = {}
        met: set[int] = set()
        for row in connection.execute(query):
            news = Introduction()
            if row.run_id not in told:
                run = connection.execute(select(runs).where(runs.c.id == row.run_id)).one()
                told[row.run_id] = (len(told) + 1, run)
                news.settings = msgspec.json.decode(run.settings)
            for revision in (row.first_revision_id, row.second_revision_id):
                if revision not in met:
                    met.add(revision)
                    found = revisions[revision]
                    news.bots = [*news.bots, _bot_line(found, bots[found.bot_id])]
            number, run = told[row.run_id]
            division = divisions[row.division_id]
            yield GameLine(
                pair=row.number,
                game=row.game,
                kind=RunKind(run.kind),
                first=names[row.first_revision_id],
                second=names[row.second_revision_id],
                board=row.board,
                seed=row.seed,
                moves=row.moves,
                result=Result(row.result),
                termination=Termination(row.termination),
                opening_plies=row.opening_plies,
                board_class=row.board_class,
                first_hash=revisions[row.first_revision_id].content_hash,
                second_hash=revisions[row.second_revision_id].content_hash,
                run=number,
                rated=bool(row.rated),
                run_seed=run.seed,
                stream=run.stream,
                identity=run.identity,
                division=Conditions(
                    division.boards, division.opening_plies, msgspec.json.decode(division.budget)
                ),
                introduces=news if news.bots or news.settings is not None else None,
                timing=_timing(row),
            )


def _timing(row: Any) -> Timing:
    thoughts = thought_blob.decode(row.thoughts)
    lines = tuple(thought.line for thought in thoughts)
    return Timing(
        stored=row.place,
        started=row.started_at,
        duration_us=row.duration_us,
        aborts=row.aborts,
        detail=row.detail,
        sides=(
            SideTiming(*(row._mapping[f"first_{name}"] for name in SideTiming.__struct_fields__)),
            SideTiming(*(row._mapping[f"second_{name}"] for name in SideTiming.__struct_fields__)),
        ),
        thoughts=tuple(map(MoveTiming.of, thoughts)),
        lines=lines if any(lines) else (),
    )


def _bot_line(revision: Any, bot: Any) -> BotLine:
    return BotLine(
        name=bot.name,
        family=bot.family,
        spec=bot.spec,
        based_on=bot.based_on,
        change=bot.change,
        content_hash=revision.content_hash,
        launch=msgspec.json.decode(revision.launch, type=Launch),
        budgets=msgspec.json.decode(revision.budgets, type=tuple[str, ...]),
        boards=None
        if revision.boards is None
        else msgspec.json.decode(revision.boards, type=tuple[str, ...]),
        files=msgspec.json.decode(revision.files, type=dict[str, str]),
    )
