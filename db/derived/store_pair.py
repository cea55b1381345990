"""Storing played pairs: the hot path of the database.

One transaction marks the pair as finished, inserts its two games, and updates the aggregate and the
live ratings. Pairs that finish during a commit, which waits for the disk, share the next one.
Every lookup uses an index, so the time does not grow with the database.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection

from db.connection.database import Database
from db.derived.game_columns import outcome_columns, side_columns
from db.derived.pair_sums import (
    FORFEIT_KEY,
    TABLE_KEY,
    TABLE_SUMS,
    GameValues,
    PairSums,
    TableKey,
    add_sums,
    forfeit_counts,
    sum_pair,
)
from db.derived.statements import PendingRows, Statements
from db.derived.write_games import GameWriter
from db.records.aggregate import Rate, RatingRow
from db.records.games import GameRecord
from db.records.pairs import (
    PairPlan,
    PairRecord,
    PairStatus,
    StoreOutcome,
    StoreResult,
)
from engine.position import format_moves
from engine.result import Result, Termination

START_ELO = 1000.0
"""The live rating of a revision without rated games."""


Played = tuple[PairPlan, PairRecord]
"""A pair and the record of its two games."""


class PairStorer:
    """Stores pairs in one database.

    A transaction waits for a server twice, for any number of pairs: once for what is stored about
    them, once for the commit; and once for each game with the last output of a failed bot.
    """

    def __init__(self, database: Database, statements: Statements) -> None:
        self._database = database
        self._statements = statements
        self._games = GameWriter(database.engine.dialect)

    def finish(self, played: Sequence[Played], rate: Rate) -> list[StoreResult]:
        """Store pairs in one transaction, except those that are no longer planned.

        Raises:
            ValueError: a record does not hold its plan's two finished games, or a rated pair is of
                a revision with itself; nothing is stored.

        """
        for plan, record in played:
            if record.id != plan.id or [game.swapped for game in record.games] != [False, True]:
                raise ValueError(f"pair {plan.id}: the record does not hold its two games in order")
            if any(game.termination is Termination.ABORTED for game in record.games):
                raise ValueError(f"pair {plan.id}: an aborted game cannot be stored")
        pairs = [
            _Pair(plan, record, [_game_values(plan, game) for game in record.games])
            for plan, record in played
        ]
        with self._database.writing(pipelined=True) as connection:
            requests = [self._request_state(connection, pair) for pair in pairs]
            states = [[_PairState(*row) for row in request()] for request in requests]
            pending = _PendingUpdates()
            results = [
                self._finish(connection, pending, pair, found[0] if found else None, rate)
                for pair, found in zip(pairs, states, strict=True)
            ]
            self._write(connection, pending)
        return [result() for result in results]

    def _request_state(self, connection: Connection, pair: "_Pair") -> PendingRows:
        """Request the `_PairState` of a pair; no row if this database never planned it."""
        plan = pair.plan
        values: dict[str, Any] = {
            "pair": plan.id,
            "number": plan.number,
            "a": plan.a.revision,
            "b": plan.b.revision,
            "board_of_both": plan.board,
        }
        for which, game in enumerate(pair.games):
            values[f"line{which}"] = game["line_hash"]
            values[f"moves{which}"] = game["moves"]
        return self._statements.read_pair.send(connection, values)

    def _finish(
        self,
        connection: Connection,
        pending: "_PendingUpdates",
        pair: "_Pair",
        state: "_PairState | None",
        rate: Rate,
    ) -> Callable[[], StoreResult]:
        """Store a pair if it is planned; return a function that returns the result after commit."""
        plan, games = pair.plan, pair.games
        if state is None:
            return partial(StoreResult, StoreOutcome.UNKNOWN)
        if state.status == PairStatus.FINISHED.value or plan.id in pending.pairs:
            return partial(StoreResult, StoreOutcome.ALREADY_FINISHED)
        if state.status != PairStatus.PLANNED.value:
            return partial(StoreResult, StoreOutcome.DROPPED)
        pending.pairs.add(plan.id)
        for game, is_stored in zip(games, (state.has_line0, state.has_line1), strict=True):
            repeat = pending.is_repeat(state.division_id, game, is_stored=bool(is_stored))
            game.update(
                run_id=state.run_id,
                division_id=state.division_id,
                rated=bool(state.rated),
                repeat=repeat,
            )
        id_requests = self._insert(connection, plan, pair.record, games)
        a, b = self._rate(pending, pair, state, rate) if state.rated else (None, None)
        repeats = sum(game["repeat"] for game in games)
        return lambda: StoreResult(
            StoreOutcome.STORED, tuple(request()[0][0] for request in id_requests), a, b, repeats
        )

    def _rate(
        self, pending: "_PendingUpdates", pair: "_Pair", state: "_PairState", rate: Rate
    ) -> tuple[RatingRow, RatingRow]:
        """Add a pair to the aggregate, and return the new ratings of A and B."""
        plan, division = pair.plan, state.division_id
        if plan.a.revision == plan.b.revision:
            raise ValueError(f"pair {plan.id}: a pair of a bot with itself cannot be rated")
        add_sums(pending.sums, *sum_pair(*pair.games))
        a, b = update_ratings(
            pending.rating(division, plan.a.revision, state.a_elo, state.a_games),
            pending.rating(division, plan.b.revision, state.b_elo, state.b_games),
            points_of_a(pair.games),
            rate,
        )
        pending.ratings[division, a.revision] = a
        pending.ratings[division, b.revision] = b
        return a, b

    def _insert(
        self,
        connection: Connection,
        plan: PairPlan,
        record: PairRecord,
        games: Sequence[dict[str, Any]],
    ) -> list[PendingRows]:
        """Mark a pair as finished and insert its games.

        Return, for each game, a function that returns the row with its id.
        """
        run = self._statements
        done = {"pair": plan.id, "new": PairStatus.FINISHED.value, "new_aborts": record.aborts}
        run.mark_finished.run(connection, {**done, "now": time.time()})
        last_outputs = [game.last_output for game in record.games]
        return self._games.insert(connection, games, last_outputs)

    def _write(self, connection: Connection, pending: "_PendingUpdates") -> None:
        """Write each changed row of the aggregate and the ratings once for all pairs."""
        run = self._statements
        for key, sums in pending.sums.items():
            row = (*key, *sums.values)
            run.add_to_table.run(connection, dict(zip((*TABLE_KEY, *TABLE_SUMS), row, strict=True)))
        for which, games in forfeit_counts(pending.sums).items():
            row = (*which, games)
            run.add_forfeits.run(connection, dict(zip((*FORFEIT_KEY, "games"), row, strict=True)))
        for rating in pending.ratings.values():
            run.write_rating.run(
                connection,
                {
                    "division_id": rating.division_id,
                    "revision_id": rating.revision,
                    "elo": rating.elo,
                    "games": rating.games,
                },
            )


class _Pair(NamedTuple):
    """A played pair, and its two games by column."""

    plan: PairPlan
    record: PairRecord
    games: list[dict[str, Any]]


class _PairState(NamedTuple):
    """The stored values that storing a pair needs, as `Statements.read_pair` returns them."""

    status: str
    run_id: int
    division_id: int
    rated: bool
    has_line0: bool
    """Whether the division holds the board and moves of game 0."""
    has_line1: bool
    a_elo: float | None
    """Live rating; None without rated games."""
    a_games: int
    b_elo: float | None
    b_games: int


class _PendingUpdates:
    """Changes of one transaction apart from its games."""

    def __init__(self) -> None:
        self.pairs: set[int] = set()
        """Ids of the pairs that it stores."""
        self.lines: set[tuple[int, str, str]] = set()
        """Division, board and moves of the games that it stores."""
        self.sums: dict[TableKey, PairSums] = {}
        """Sums to add to the aggregate."""
        self.ratings: dict[tuple[int, int], RatingRow] = {}
        """Ratings after the pairs so far, by division and revision."""

    def is_repeat(self, division_id: int, game: GameValues, *, is_stored: bool) -> bool:
        """Return whether a game's moves are stored, or were in this transaction; remember them."""
        line = (division_id, game["board"], game["moves"])
        is_known = is_stored or line in self.lines
        self.lines.add(line)
        return is_known

    def rating(
        self, division_id: int, revision: int, stored_elo: float | None, stored_games: int
    ) -> RatingRow:
        """Return a rating as changed by this transaction, else the stored one, else the first."""
        known = self.ratings.get((division_id, revision))
        if known is not None:
            return known
        if stored_elo is None:
            return RatingRow(division_id, revision, START_ELO, 0)
        return RatingRow(division_id, revision, stored_elo, stored_games)


def update_ratings(
    a: RatingRow, b: RatingRow, a_points: float, rate: Rate
) -> tuple[RatingRow, RatingRow]:
    """Return both ratings after a pair of two games."""
    a_elo, b_elo = rate(a, b, a_points)
    return (
        RatingRow(a.division_id, a.revision, float(a_elo), a.games + 2),
        RatingRow(b.division_id, b.revision, float(b_elo), b.games + 2),
    )


def points_of_a(games: Sequence[GameValues]) -> float:
    """Return A's points in a pair, 0..2, from its two games in order."""
    return (Result(games[0]["result"]).points2 + 2 - Result(games[1]["result"]).points2) / 2


def _game_values(plan: PairPlan, game: GameRecord) -> dict[str, Any]:
    first, second = (plan.b, plan.a) if game.swapped else (plan.a, plan.b)
    return {
        "pair_id": plan.id,
        "game": int(game.swapped),
        "first_revision_id": first.revision,
        "second_revision_id": second.revision,
        "board_class": plan.board_class,
        "opening_plies": len(plan.opening),
        "seed": plan.seed,
        "detail": game.detail,
        "started_at": game.started,
        "duration_us": game.duration_us,
        "thoughts": game.thoughts,
        **outcome_columns(plan.board, format_moves(game.moves), game.result, game.termination),
        **side_columns(game.sides),
    }
