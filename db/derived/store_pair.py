"""Storing a played pair: the one hot path of the database.

One transaction marks the pair, inserts its two games, moves the aggregate and the live ratings;
pairs that have finished meanwhile share it, because its commit waits for the disk.
No step reads or writes more when the database grows: every lookup is by an index.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection

from db.connection.database import Database
from db.derived.game_columns import columns_of, outcome_columns
from db.derived.pair_sums import (
    FORFEIT_KEY,
    KEY,
    SUMS,
    GameValues,
    Key,
    PairSums,
    add,
    contribution,
    forfeit_counts,
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

    A server is waited for twice a transaction, whatever the number of pairs: for what is stored of
    them, and for the commit of all that is then written.
    """

    def __init__(self, database: Database, statements: Statements) -> None:
        self._database = database
        self._statements = statements
        self._games = GameWriter(database.engine.dialect)

    def finish(self, played: Sequence[Played], rate: Rate) -> list[FinishedPair]:
        """Store pairs in one transaction; nothing of a pair that is no longer planned.

        Raises:
            ValueError: a record is not of two finished games of its plan, or a pair of a revision
                with itself is to be rated; nothing is stored.

        """
        for plan, record in played:
            if record.id != plan.id or [game.swapped for game in record.games] != [False, True]:
                raise ValueError(f"pair {plan.id}: the record does not hold its two games in order")
            if any(game.termination is Termination.ABORTED for game in record.games):
                raise ValueError(f"pair {plan.id}: an aborted game is not a finished one")
        games = [[_game_values(plan, game) for game in record.games] for plan, record in played]
        with self._database.writing(pipelined=True) as connection:
            asked = [
                self._ask(connection, plan, both)
                for (plan, _), both in zip(played, games, strict=True)
            ]
            found = [answer() for answer in asked]
            moved = _PendingUpdates()
            told = [
                self._finish(connection, moved, *pair, both, rows, rate)
                for pair, both, rows in zip(played, games, found, strict=True)
            ]
            self._write(connection, moved)
        return [tell() for tell in told]

    def _ask(
        self, connection: Connection, plan: PairPlan, games: Sequence[dict[str, Any]]
    ) -> Answer:
        """Ask for all that storing a pair has to know."""
        asked: dict[str, Any] = {
            "pair": plan.id,
            "place": plan.number,
            "a": plan.a.revision,
            "b": plan.b.revision,
            "board_of_both": plan.board,
        }
        for which, game in enumerate(games):
            asked[f"line{which}"] = game["line_hash"]
            asked[f"moves{which}"] = game["moves"]
        return self._statements.read_pair.ask(connection, asked)

    def _finish(
        self,
        connection: Connection,
        moved: "_PendingUpdates",
        plan: PairPlan,
        record: PairRecord,
        games: Sequence[dict[str, Any]],
        found: Sequence[Any],
        rate: Rate,
    ) -> Callable[[], FinishedPair]:
        """Store one pair of which `found` is stored; what tells of it after the commit."""
        if not found:
            return partial(FinishedPair, PairOutcome.UNKNOWN)
        status, run_id, division_id, rated, *rest = found[0]
        if status == PairStatus.FINISHED.value or plan.id in moved.pairs:
            return partial(FinishedPair, PairOutcome.ALREADY_FINISHED)
        if status != PairStatus.PLANNED.value:
            return partial(FinishedPair, PairOutcome.DROPPED)
        moved.pairs.add(plan.id)
        stored_lines, stored_ratings = rest[:2], rest[2:]
        for row, is_stored in zip(games, stored_lines, strict=True):
            repeat = moved.is_repeat(division_id, row, is_stored=bool(is_stored))
            row.update(run_id=run_id, division_id=division_id, rated=bool(rated), repeat=repeat)
        ids = self._insert(connection, plan, record, games)
        a = b = None
        if rated:
            if plan.a.revision == plan.b.revision:
                raise ValueError(f"pair {plan.id}: a pair of a bot with itself cannot be rated")
            add(moved.sums, *contribution(games[0], games[1]))
            ratings = (
                moved.rating(division_id, plan.a.revision, stored_ratings[:2]),
                moved.rating(division_id, plan.b.revision, stored_ratings[2:]),
            )
            a, b = rated_pair(*ratings, points(games), rate)
            moved.ratings.update(((division_id, each.revision), each) for each in (a, b))
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
        """Mark a pair and insert its games; the answers are their ids."""
        run = self._statements
        done = {"pair": plan.id, "new": PairStatus.FINISHED.value, "new_aborts": record.aborts}
        run.mark_finished.run(connection, {**done, "now": time.time()})
        last_words = [game.last_output for game in record.games]
        ids = self._games.insert(connection, games, last_words)
        if record.machine is not None:
            machine = {"pair_id": plan.id, "machine_id": record.machine}
            run.insert_machine.run(connection, machine)
        return ids

    def _write(self, connection: Connection, moved: "_PendingUpdates") -> None:
        """The aggregate and the ratings, each row once for all pairs of a transaction."""
        run = self._statements
        for key, sums in moved.sums.items():
            row = (*key, *sums.values)
            run.add_to_table.run(connection, dict(zip((*KEY, *SUMS), row, strict=True)))
        for which, games in forfeit_counts(moved.sums).items():
            row = (*which, games)
            run.add_forfeits.run(connection, dict(zip((*FORFEIT_KEY, "games"), row, strict=True)))
        for rating in moved.ratings.values():
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
    """Changes of one transaction beside its games."""

    def __init__(self) -> None:
        self.pairs: set[int] = set()
        """Those that are stored."""
        self.lines: set[tuple[int, str, str]] = set()
        """Division, board and moves of their games."""
        self.sums: dict[Key, PairSums] = {}
        """To be added to the aggregate."""
        self.ratings: dict[tuple[int, int], RatingRow] = {}
        """Those after the pairs so far, by division and revision."""

    def is_repeat(self, division_id: int, game: GameValues, *, is_stored: bool) -> bool:
        """Whether a game was played before: in what is stored, or earlier in this transaction."""
        line = (division_id, game["board"], game["moves"])
        is_known = is_stored or line in self.lines
        self.lines.add(line)
        return is_known

    def rating(self, division_id: int, revision: int, stored: Sequence[Any]) -> RatingRow:
        """A rating as far as this transaction has moved it; `stored` are its elo and games."""
        known = self.ratings.get((division_id, revision))
        if known is not None:
            return known
        elo, games = stored
        if elo is None:
            return RatingRow(division_id, revision, START_ELO, 0)
        return RatingRow(division_id, revision, elo, games)


def rated_pair(
    a: RatingRow, b: RatingRow, a_points: float, rate: Rate
) -> tuple[RatingRow, RatingRow]:
    """The ratings after one pair of two games."""
    a_elo, b_elo = rate(a, b, a_points)
    return (
        RatingRow(a.division_id, a.revision, float(a_elo), a.games + 2),
        RatingRow(b.division_id, b.revision, float(b_elo), b.games + 2),
    )


def points(games: Sequence[GameValues]) -> float:
    """A's points of a pair, 0..2, from its two games in order."""
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
        **columns_of(game.sides),
    }
