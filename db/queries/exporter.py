"""Reading all games as lines of an export."""

from collections.abc import Iterator
from typing import Any

import msgspec
from sqlalchemy import Connection, func, select

from db.columns import raw_columns
from db.connection.database import Database
from db.derived.game_columns import read_last_output, read_sides
from db.models import (
    BOTS,
    GAMES,
    LAST_OUTPUTS,
    PAIRS,
    REVISIONS,
    RUNS,
    VERDICTS,
    StoredLastOutput,
    StoredVerdict,
)
from db.queries.bots import read_bot_names
from db.queries.divisions import read_divisions
from db.queries.opening_sets import find_set
from db.queries.runs import current_settings
from db.records import thought_blob
from db.records.exchange import (
    AdjudicationLine,
    AnalysisLine,
    BotLine,
    ConditionsLine,
    GameLine,
    Introduction,
    MoveTiming,
    OpeningsLine,
    Timing,
)
from db.records.games import Proof
from db.records.runs import OPTIONS, RunKind
from engine.result import Result, Termination


def export_lines(
    database: Database, division_id: int | None, *, ids: bool = False
) -> Iterator[GameLine]:
    """Yield finished games by run, pair and game, an order that does not depend on the clock.

    Args:
        database: to read from.
        division_id: the only division; None for all.
        ids: whether to add the games' numbers.

    """
    games, pairs, runs = GAMES, PAIRS, RUNS
    query = (
        select(
            *raw_columns(games),
            pairs.c.number,
            pairs.c.aborts,
            StoredLastOutput.stderr,
            StoredLastOutput.messages,
            StoredVerdict.solver_version,
            StoredVerdict.nodes.label("verdict_nodes"),
            StoredVerdict.moves.label("verdicts"),
            func.row_number().over(order_by=games.c.id).label("stored_order"),
        )
        .join(pairs, pairs.c.id == games.c.pair_id)
        .outerjoin(LAST_OUTPUTS, StoredLastOutput.game_id == games.c.id)
        .outerjoin(VERDICTS, StoredVerdict.game_id == games.c.id)
        .order_by(games.c.run_id, pairs.c.number, games.c.game)
    )
    if division_id is not None:
        query = query.where(games.c.division_id == division_id)
    with database.streaming() as connection:
        names = read_bot_names(connection)
        index = _BotIndex(connection)
        divisions = {row.id: row for row in read_divisions(connection)}
        unsent = {division.openings for division in divisions.values() if division.openings}
        seen_runs: dict[int, Any] = {}
        for row in connection.execute(query):
            introduction = Introduction()
            if row.run_id not in seen_runs:
                run = connection.execute(select(runs).where(runs.c.id == row.run_id)).one()
                seen_runs[row.run_id] = (len(seen_runs) + 1, run)
                introduction.settings = current_settings(connection, run.id, run.settings)
                # They name files and hosts of this machine.
                introduction.settings.pop(OPTIONS, None)
            for revision in (row.first_revision_id, row.second_revision_id):
                introduction.bots = [*introduction.bots, *index.introduce(revision)]
            number, run = seen_runs[row.run_id]
            division = divisions[row.division_id]
            proof = Proof.of(Termination(row.termination), row.detail)
            if division.openings in unsent:
                unsent.remove(division.openings)
                introduction.openings = _openings_line(connection, division.openings)
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
                first_hash=index.revisions[row.first_revision_id].content_hash,
                second_hash=index.revisions[row.second_revision_id].content_hash,
                run=number,
                rated=bool(row.rated),
                run_seed=run.seed,
                stream=run.stream,
                identity=run.identity,
                division=ConditionsLine.of(division.conditions),
                adjudicated=AdjudicationLine.of(row.plies, proof),
                introduces=introduction if introduction != Introduction() else None,
                analysis=_analysis(row),
                timing=_timing(row, "" if proof else row.detail, ids=ids),
            )


def _openings_line(connection: Connection, content_hash: str) -> OpeningsLine | None:
    found = find_set(connection, content_hash)
    return None if found is None else OpeningsLine(found.name, found.lines)


def _analysis(row: Any) -> AnalysisLine | None:
    if row.verdicts is None:
        return None
    return AnalysisLine(row.solver_version, row.verdict_nodes, row.verdicts)


def _timing(row: Any, detail: str, *, ids: bool) -> Timing:
    thoughts = thought_blob.decode(row.thoughts)
    lines = tuple(thought.line for thought in thoughts)
    nodes = tuple(thought.nodes for thought in thoughts)
    return Timing(
        stored=row.stored_order,
        started=row.started_at,
        duration_us=row.duration_us,
        aborts=row.aborts,
        detail=detail,
        sides=read_sides(row._mapping),
        thoughts=tuple(map(MoveTiming.of, thoughts)),
        lines=lines if any(lines) else (),
        nodes=nodes if any(count is not None for count in nodes) else (),
        last_words=read_last_output(row),
        id=row.id if ids else 0,
    )


class _BotIndex:
    """The bots of an export, each described once."""

    def __init__(self, connection: Connection) -> None:
        rows = connection.execute(select(REVISIONS))
        self.revisions = {row.id: row for row in rows}
        self._bots = {row.id: row for row in connection.execute(select(BOTS))}
        self._introduced: set[int] = set()

    def introduce(self, revision_id: int) -> Iterator[BotLine]:
        """Yield the descriptions that a revision's first game needs; nothing for later games."""
        if revision_id not in self._introduced:
            self._introduced.add(revision_id)
            yield self._line(self.revisions[revision_id])

    def _line(self, revision: Any) -> BotLine:
        bot = self._bots[revision.bot_id]
        return BotLine(
            name=bot.name,
            family=bot.family,
            spec=bot.spec,
            based_on=bot.based_on,
            change=bot.change,
            content_hash=revision.content_hash,
            launch=msgspec.structs.replace(revision.launch, archive=revision.archive),
            budgets=revision.budgets,
            boards=revision.boards,
            files=revision.files,
        )
