"""Storing played pairs: the hot path of the database.

One transaction marks the pair as finished, inserts its two games, and updates the aggregate and the
live ratings. Pairs that finish during a commit, which waits for the disk, share the next one.
Every lookup uses an index, so the time does not grow with the database.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection

from db.connection.database import Database
from db.derived.game_columns import outcome_columns, side_columns
from db.derived.pair_sums import (
    FORFEIT_KEY,
    KEY,
    SUMS,
    GameValues,
    Key,
    PairSums,
    add,
    forfeit_counts,
    sum_pair,
)
from db.derived.statements import Answer, Statements
from db.derived.write_games import GameWriter
from db.records.aggregate import Rate, RatingRow
from db.records.games import GameRecord
from db.records.pairs import (
    FinishedPair,
    PairOutcome,
    PairPlan,
    PairRecord,
    PairStatus,
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
    them, once for the commit.
    """

    def __init__(self, database: Database, statements: Statements) -> None:
        self._database = database
        self._statements = statements
        self._games = GameWriter(database.engine.dialect)

    def finish(self, played: Sequence[Played], rate: Rate) -> list[FinishedPair]:
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
        games = [[_game_values(plan, game) for game in record.games] for plan, record in played]
        with self._database.writing(pipelined=True) as connection:
            requests = [
                self._ask(connection, plan, both)
                for (plan, _), both in zip(played, games, strict=True)
            ]
            found = [request() for request in requests]
            pending = _PendingUpdates()
            answers = [
                self._finish(connection, pending, *pair, both, rows, rate)
                for pair, both, rows in zip(played, games, found, strict=True)
            ]
            self._write(connection, pending)
        return [answer() for answer in answers]

    def _ask(
        self, connection: Connection, plan: PairPlan, games: Sequence[dict[str, Any]]
    ) -> Answer:
        """Request what is stored about a pair."""
        values: dict[str, Any] = {
            "pair": plan.id,
            "place": plan.number,
            "a": plan.a.revision,
            "b": plan.b.revision,
            "board_of_both": plan.board,
        }
        for which, game in enumerate(games):
            values[f"line{which}"] = game["line_hash"]
            values[f"moves{which}"] = game["moves"]
        return self._statements.read_pair.ask(connection, values)

    def _finish(
        self,
        connection: Connection,
        pending: "_PendingUpdates",
        plan: PairPlan,
        record: PairRecord,
        games: Sequence[dict[str, Any]],
        found: Sequence[Any],
        rate: Rate,
    ) -> Callable[[], FinishedPair]:
        """Store a pair, given the row `found`; return what gives the answer after the commit."""
        if not found:
            return partial(FinishedPair, PairOutcome.UNKNOWN)
        status, run_id, division_id, rated, *rest = found[0]
        if status == PairStatus.FINISHED.value or plan.id in pending.pairs:
            return partial(FinishedPair, PairOutcome.ALREADY_FINISHED)
        if status != PairStatus.PLANNED.value:
            return partial(FinishedPair, PairOutcome.DROPPED)
        pending.pairs.add(plan.id)
        stored_lines, stored_ratings = rest[:2], rest[2:]
        for row, is_stored in zip(games, stored_lines, strict=True):
            repeat = pending.is_repeat(division_id, row, is_stored=bool(is_stored))
            row.update(run_id=run_id, division_id=division_id, rated=bool(rated), repeat=repeat)
        ids = self._insert(connection, plan, record, games)
        a = b = None
        if rated:
            if plan.a.revision == plan.b.revision:
                raise ValueError(f"pair {plan.id}: a pair of a bot with itself cannot be rated")
            add(pending.sums, *sum_pair(games[0], games[1]))
            ratings = (
                pending.rating(division_id, plan.a.revision, stored_ratings[:2]),
                pending.rating(division_id, plan.b.revision, stored_ratings[2:]),
            )
            a, b = apply_rate(*ratings, points(games), rate)
            pending.ratings.update(((division_id, each.revision), each) for each in (a, b))
        repeats = sum(row["repeat"] for row in games)
        return lambda: FinishedPair(
            PairOutcome.STORED, tuple(answer()[0][0] for answer in ids), a, b, repeats
        )

    def _insert(
        self,
        connection: Connection,
        plan: PairPlan,
        record: PairRecord,
        games: Sequence[dict[str, Any]],
    ) -> list[Answer]:
        """Mark a pair as finished and insert its games; return the answers with their ids."""
        run = self._statements
        done = {"pair": plan.id, "new": PairStatus.FINISHED.value, "new_aborts": record.aborts}
        run.mark_finished.run(connection, {**done, "now": time.time()})
        last_outputs = [game.last_output for game in record.games]
        ids = self._games.insert(connection, games, last_outputs)
        if record.machine is not None:
            machine = {"pair_id": plan.id, "machine_id": record.machine}
            run.insert_machine.run(connection, machine)
        return ids

    def _write(self, connection: Connection, pending: "_PendingUpdates") -> None:
        """Write each changed row of the aggregate and the ratings once for all pairs."""
        run = self._statements
        for key, sums in pending.sums.items():
            row = (*key, *sums.values)
            run.add_to_table.run(connection, dict(zip((*KEY, *SUMS), row, strict=True)))
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


class _PendingUpdates:
    """Changes of one transaction apart from its games."""

    def __init__(self) -> None:
        self.pairs: set[int] = set()
        """Ids of the pairs that it stores."""
        self.lines: set[tuple[int, str, str]] = set()
        """Division, board and moves of the games that it stores."""
        self.sums: dict[Key, PairSums] = {}
        """Sums to add to the aggregate."""
        self.ratings: dict[tuple[int, int], RatingRow] = {}
        """Ratings after the pairs so far, by division and revision."""

    def is_repeat(self, division_id: int, game: GameValues, *, is_stored: bool) -> bool:
        """Return whether a game's moves are stored, or were in this transaction; remember them."""
        line = (division_id, game["board"], game["moves"])
        is_known = is_stored or line in self.lines
        self.lines.add(line)
        return is_known

    def rating(self, division_id: int, revision: int, stored: Sequence[Any]) -> RatingRow:
        """Return a rating as changed by this transaction; `stored` holds its elo and games."""
        known = self.ratings.get((division_id, revision))
        if known is not None:
            return known
        elo, games = stored
        if elo is None:
            return RatingRow(division_id, revision, START_ELO, 0)
        return RatingRow(division_id, revision, elo, games)


def apply_rate(
    a: RatingRow, b: RatingRow, a_points: float, rate: Rate
) -> tuple[RatingRow, RatingRow]:
    """Return both ratings after a pair of two games."""
    a_elo, b_elo = rate(a, b, a_points)
    return (
        RatingRow(a.division_id, a.revision, float(a_elo), a.games + 2),
        RatingRow(b.division_id, b.revision, float(b_elo), b.games + 2),
    )


def points(games: Sequence[GameValues]) -> float:
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
