"""Reading all games as lines of an export."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from sqlalchemy import Connection, func, select

from db.columns import to_record
from db.database import Database
from db.models import (
    BOTS,
    GAMES,
    LAST_OUTPUTS,
    PAIRS,
    REVISIONS,
    VERDICTS,
    Game,
    Pair,
    Run,
    StoredLastOutput,
    StoredVerdict,
)
from db.outcomes import read_last_output, read_sides
from db.queries.divisions import find_set, read_divisions
from db.queries.runs import find_run
from db.records.exchange import (
    AdjudicationLine,
    AnalysisLine,
    BotLine,
    GameLine,
    Introduction,
    MoveTiming,
    OpeningsLine,
    ResultLine,
    Timing,
)
from db.records.games import Proof
from db.records.results import fill_references, reference, references_in
from db.records.run_settings import exported
from db.records.runs import RunRow


def export_lines(
    database: Database, division_id: int | None, *, ids: bool = False
) -> Iterator[GameLine]:
    """Yield finished games by run, pair and game, an order that does not depend on the clock.

    Args:
        database: to read from.
        division_id: the only division; None for all.
        ids: whether to add the games' numbers.

    """
    query = (
        select(
            GAMES,
            *(Pair.number, Pair.stalls),
            *(StoredLastOutput.stderr, StoredLastOutput.messages, StoredVerdict.solver_version),
            StoredVerdict.nodes.label("verdict_nodes"),
            StoredVerdict.moves.label("verdicts"),
            func.row_number().over(order_by=Game.id).label("stored_order"),
        )
        .join(PAIRS, Pair.id == Game.pair_id)
        .outerjoin(LAST_OUTPUTS, StoredLastOutput.game_id == Game.id)
        .outerjoin(VERDICTS, StoredVerdict.game_id == Game.id)
        .order_by(Game.run_id, Pair.number, Game.game)
    )
    if division_id is not None:
        query = query.where(Game.division_id == division_id)
    with database.streaming() as connection:
        bots = _bot_lines(connection)
        divisions = {row.id: row.exported for row in read_divisions(connection)}
        runs: dict[int, tuple[int, RunRow]] = {}
        """The number of each run so far, and the run."""
        described: set[object] = set()
        """Ids of revisions and hashes of openings that earlier lines describe."""
        for row in connection.execute(query):
            introduction, result = Introduction(), None
            if row.run_id not in runs:
                run = find_run(connection, row.run_id)
                runs[row.run_id] = len(runs) + 1, run
                # Options name files and hosts of this machine.
                introduction.settings = exported(run.settings)
                result = _result(connection, row.run_id, bots)
            number, run = runs[row.run_id]
            players = (row.first_revision_id, row.second_revision_id)
            new = [key for key in dict.fromkeys(players) if key not in described]
            introduction.bots = [bots[key] for key in new]
            division = divisions[row.division_id]
            if division.openings is not None and division.openings not in described:
                found = find_set(connection, division.openings)
                if found is not None:
                    introduction.openings = OpeningsLine(found.name, found.lines)
            described |= {*players, division.openings}
            first, second = (bots[key] for key in players)
            proof = Proof.of(row.termination, row.detail)
            yield to_record(
                GameLine,
                row,
                pair=row.number,
                first=first.name,
                second=second.name,
                first_hash=first.content_hash,
                second_hash=second.content_hash,
                kind=run.kind,
                run=number,
                run_seed=run.seed,
                stream=run.stream,
                identity=run.identity,
                division=division,
                adjudicated=proof and AdjudicationLine(proof.value, proof.distance, row.plies),
                introduces=introduction if introduction != Introduction() else None,
                analysis=_analysis(row),
                timing=_timing(row, "" if proof else row.detail, result, ids=ids),
            )


def _bot_lines(connection: Connection) -> dict[int, BotLine]:
    """Return the description of every revision by its id."""
    bots = {row.id: row._mapping for row in connection.execute(select(BOTS))}
    found = {}
    for row in connection.execute(select(REVISIONS)):
        launch = msgspec.structs.replace(row.launch, archive=row.archive)
        found[row.id] = to_record(BotLine, {**bots[row.bot_id], **row._mapping}, launch=launch)
    return found


def _analysis(row: Any) -> AnalysisLine | None:
    if row.verdicts is None:
        return None
    return AnalysisLine(row.solver_version, row.verdict_nodes, row.verdicts)


def _result(connection: Connection, run_id: int, bots: Mapping[int, BotLine]) -> ResultLine | None:
    """Return the result of a run, with its bots by name and content."""
    facts = connection.scalar(select(Run.result).where(Run.id == run_id))
    if facts is None:
        return None
    used = [bots[key] for key in references_in(facts)]
    places = {key: reference(place) for place, key in enumerate(references_in(facts))}
    named = [(bot.name, bot.content_hash) for bot in used]
    return ResultLine(named, fill_references(facts, places.__getitem__))


def _timing(row: Any, detail: str, result: ResultLine | None, *, ids: bool) -> Timing:
    lines = tuple(thought.line for thought in row.thoughts)
    nodes = tuple(thought.nodes for thought in row.thoughts)
    return Timing(
        stored=row.stored_order,
        started=row.started_at,
        duration_us=row.duration_us,
        stalls=row.stalls,
        detail=detail,
        sides=read_sides(row._mapping),
        thoughts=tuple(map(MoveTiming.of, row.thoughts)),
        lines=lines if any(lines) else (),
        nodes=nodes if any(count is not None for count in nodes) else (),
        last_words=read_last_output(row),
        id=row.id if ids else 0,
        result=result,
    )
