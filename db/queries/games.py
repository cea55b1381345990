"""Reading finished games."""

from collections.abc import Generator, Iterable, Mapping
from dataclasses import replace
from operator import eq, ge, le, lt
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    and_,
    case,
    false,
    func,
    literal_column,
    or_,
    select,
    tuple_,
)

from db.columns import columns_of, to_record
from db.database import Queries
from db.models import (
    GAME_SUMS,
    GAMES,
    LAST_OUTPUTS,
    PAIRS,
    RUNS,
    Division,
    Game,
    Pair,
    Run,
    StoredLastOutput,
)
from db.outcomes import read_last_output, read_sides
from db.queries.bots import find_revisions, read_bot_names
from db.queries.divisions import read_divisions
from db.queries.runs import find_run
from db.records.budget import remaining_times
from db.records.games import GameQuery, GameRow
from db.records.pairs import PairStatus
from db.records.runs import ForfeitTally, RunKind
from engine.position import parse_moves
from engine.result import Result

ROW = (*columns_of(GameRow, GAMES), *(Game[name] for name in GAME_SUMS))
"""Columns of a `GameRow`, labelled by its fields."""
_LIST = tuple(column for column in ROW if column.name != "thoughts")
"""These without the thoughts, which are the largest."""
_PER_PAIR = case((Run.kind == RunKind.PLAY, RunKind.PLAY.games_per_pair), else_=2)
"""Games of a finished pair."""
_FINISHED = Pair.status == PairStatus.FINISHED


class Games(Queries):
    """The finished games of a database."""

    def stream(
        self, wanted: GameQuery | None = None, *, thoughts: bool = False
    ) -> Generator[GameRow, None, None]:
        """Yield the games that fit, in the order of storing, on a connection of their own.

        Raises:
            UnknownRow: the query names an unknown bot or run.

        """
        columns = ROW if thoughts else _LIST
        with self._database.streaming() as connection:
            query = narrow(connection, select(*columns), wanted or GameQuery())
            names = read_bot_names(connection)
            for row in connection.execute(query.order_by(Game.id)):
                yield game_row(row, names)

    def get(self, game_id: int) -> GameRow | None:
        """Return a game with its thoughts and last output, or None."""
        return next(iter(self.get_many([game_id])), None)

    def get_many(self, game_ids: Iterable[int]) -> list[GameRow]:
        """Return the games with these ids that exist, whole, in the order of their ids."""
        query = (
            select(*ROW, StoredLastOutput.stderr, StoredLastOutput.messages)
            .outerjoin(LAST_OUTPUTS, StoredLastOutput.game_id == Game.id)
            .where(Game.id.in_(set(game_ids)))
            .order_by(Game.id)
        )
        with self._database.reading() as connection:
            names = read_bot_names(connection)
            budgets = {row.id: row.budget for row in read_divisions(connection)}
            return [_whole_game(row, names, budgets) for row in connection.execute(query)]

    def newest(self, query: GameQuery, limit: int) -> list[GameRow]:
        """Return at most `limit` games that fit a query, without thoughts, newest first.

        The search stops when it has enough games. Rare conditions make it read all games, about
        half a second for a million.

        Raises:
            UnknownRow: the query names an unknown bot or run.

        """
        with self._database.reading() as connection:
            names = read_bot_names(connection)
            rows = connection.execute(select_newest(connection, query).limit(limit))
            return [game_row(row, names) for row in rows]

    def shortest(self, query: GameQuery, limit: int) -> list[int]:
        """Return the ids of a division's decided rated games with the fewest plies to play.

        This takes half a second for a million games.

        Raises:
            UnknownRow: the query names an unknown bot or run.

        """
        others = replace(query, division_id=None, rated=None)
        # Disguised, so that the table is scanned: in the order of the index of lines, its rows are
        # scattered, which takes six times as long.
        disguised = (Game.division_id + 0 == query.division_id, func.coalesce(Game.rated, false()))
        decided = (Game.offender.is_(None), Game.result != Result.DRAW)
        order = (Game.plies - Game.opening_plies, Game.id.desc())
        with self._database.reading() as connection:
            chosen = narrow(connection, select(Game.id), others).where(*disguised, *decided)
            return list(connection.scalars(chosen.order_by(*order).limit(limit)))

    def count(self, run_id: int) -> int:
        """Return the number of finished games of a run."""
        return self._sum(Pair.run_id, _PER_PAIR, _FINISHED, Pair.run_id == run_id).get(run_id, 0)

    def count_by_run(self) -> dict[int, int]:
        """Return the number of finished games by run, without zeros."""
        return self._sum(Pair.run_id, _PER_PAIR, _FINISHED)

    def count_unrated(self) -> dict[int, int]:
        """Return the number of unrated games by division id, without zeros."""
        return self._sum(Run.division_id, _PER_PAIR, _FINISHED, Run.rated.is_(False))

    def count_stalls(
        self,
        *,
        division_id: int | None = None,
        run_id: int | None = None,
        since: float | None = None,
    ) -> dict[int, int]:
        """Return the stalls (`PairRecord.stalls`) by run, without zeros.

        Args:
            division_id: count only a division's rated runs.
            run_id: count only this run.
            since: leave out pairs that were finished before, in epoch seconds.

        """
        # Literal text, because a partial index is not used for a condition with a parameter.
        chosen: list[ColumnElement[bool]] = [literal_column("pairs.stalls > 0")]
        if division_id is not None:
            chosen += [Run.division_id == division_id, Run.rated.is_(True)]
        if run_id is not None:
            chosen.append(Pair.run_id == run_id)
        if since is not None:
            chosen.append(func.coalesce(Pair.finished_at, since) >= since)
        return self._sum(Pair.run_id, Pair.stalls, *chosen)

    def forfeits(self, run_id: int) -> list[ForfeitTally]:
        """Return the forfeits of a run by revision and kind."""
        loser = case(
            (Game.offender == 0, Game.first_revision_id), else_=Game.second_revision_id
        ).label("revision")
        counts = (func.count().label("games"), func.min(Game.id).label("game"))
        division = select(Run.division_id).where(Run.id == run_id).scalar_subquery()
        query = (
            select(loser, Game.termination, *counts)
            .where(Game.offender.is_not(None), Game.division_id == division)  # for the index
            .group_by(loser, Game.termination)
            .order_by(loser, Game.termination)
        )
        with self._database.reading() as connection:
            rows = connection.execute(query.where(is_of_run(run_id))).all()
            details = select(Game.id, Game.detail).where(Game.id.in_([row.game for row in rows]))
            known = {row.id: row.detail for row in connection.execute(details)}
        return [to_record(ForfeitTally, row, detail=known[row.game]) for row in rows]

    def _sum(
        self, key: ColumnElement[int], number: ColumnElement[int], *conditions: ColumnElement[bool]
    ) -> dict[int, int]:
        """Return the sums of a number over the pairs that fit, by a key."""
        query = select(key, func.sum(number)).join_from(PAIRS, RUNS).where(*conditions)
        return {row[0]: int(row[1]) for row in self._rows(query.group_by(key))}


def _whole_game(
    row: Any, names: dict[int, str], budgets: Mapping[int, Mapping[str, int]]
) -> GameRow:
    """Return a row with its last output as a record."""
    game = game_row(row, names)
    left_us = remaining_times(
        budgets[game.division_id],
        (game.first, game.second),
        [thought.time_us for thought in game.thoughts],
        game.opening_plies,
    )
    return replace(game, last_output=read_last_output(row), left_us=left_us)


def is_of_run(run_id: int) -> ColumnElement[bool]:
    """Return the condition that a game is one of a run's."""
    # Through its pairs, whose index makes one of games by run unnecessary. The ids of a run's games
    # are no range: a slow pair is stored after many others, among those of another run.
    return Game.pair_id.in_(select(Pair.id).where(Pair.run_id == run_id, _FINISHED))


def select_newest(connection: Connection, wanted: GameQuery) -> Select[Any]:
    """Select the games that fit without thoughts, newest first. Raises UnknownRow."""
    return narrow(connection, select(*_LIST).order_by(Game.id.desc()), wanted)


def narrow(connection: Connection, query: Select[Any], wanted: GameQuery) -> Select[Any]:
    """Narrow a query for games to those that fit. Raises UnknownRow."""
    if wanted.run_id is not None:
        run_id = find_run(connection, wanted.run_id).id
        query = query.where(is_of_run(run_id))
    bounds = (
        *((eq, name, getattr(wanted, name)) for name in ("division_id", "rated", "termination")),
        *((ge, "started_at", wanted.since), (ge, "plies", wanted.shortest)),
        *((le, "plies", wanted.longest), (lt, "id", wanted.before)),
    )
    query = query.where(
        *(test(Game[name], value) for test, name, value in bounds if value is not None)
    )
    if wanted.board is not None:
        query = query.where(or_(Game.board == wanted.board, Game.board_class == wanted.board))
    if wanted.forfeit:
        query = query.where(Game.offender.is_not(None))
        if wanted.division_id is None:
            # With all divisions named, the index of forfeits by division is used.
            query = query.where(Game.division_id.in_(select(Division.id)))
    players = (Game.first_revision_id, Game.second_revision_id)
    if wanted.among is not None:
        query = query.where(*(player.in_(wanted.among) for player in players))
    if wanted.including is not None:
        query = query.where(or_(*(player.in_(wanted.including) for player in players)))
    if wanted.bots:
        listed = [one for name in wanted.bots for one in find_revisions(connection, name)]
        query = query.where(or_(*(player.in_(listed) for player in players)))
    if wanted.won_by is not None:
        query = query.where(_won_by(wanted.won_by))
    if wanted.bot is None:
        return query if wanted.result is None else query.where(Game.result == wanted.result)
    revisions = find_revisions(connection, wanted.bot)
    first: list[ColumnElement[bool]] = [Game.first_revision_id.in_(revisions)]
    second: list[ColumnElement[bool]] = [Game.second_revision_id.in_(revisions)]
    if wanted.opponent is not None:
        opponents = find_revisions(connection, wanted.opponent)
        first.append(Game.second_revision_id.in_(opponents))
        second.append(Game.first_revision_id.in_(opponents))
    if wanted.result is not None:
        first.append(Game.result == wanted.result)
        second.append(Game.result == wanted.result.mirrored)
    if wanted.moved_first is not None:
        return query.where(and_(*(first if wanted.moved_first else second)))
    return query.where(or_(and_(*first), and_(*second)))


def _won_by(wanted: Mapping[int, frozenset[tuple[int, int]]]) -> ColumnElement[bool]:
    players = (Game.first_revision_id, Game.second_revision_id)
    winner, loser = (
        case((Game.result == Result.WIN, one), (Game.result == Result.LOSS, other))
        for one, other in (players, players[::-1])
    )
    chosen = (
        and_(Game.division_id == division, tuple_(winner, loser).in_(sorted(pairs)))
        for division, pairs in wanted.items()
    )
    return or_(false(), *chosen)


def game_row(row: Any, names: dict[int, str]) -> GameRow:
    """Return a row of `ROW`, with or without thoughts, as a record."""
    values = row._mapping
    return to_record(
        GameRow,
        values,
        first=names[row.first_revision],
        second=names[row.second_revision],
        moves=parse_moves(row.moves),
        sides=read_sides(values),
        thoughts=tuple(values.get("thoughts", ())),
    )
