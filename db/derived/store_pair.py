"""Storing a played pair: the one hot path of the database.

One transaction marks the pair, inserts its two games, moves the aggregate and the live ratings;
pairs that have finished meanwhile share it, because its commit waits for the disk.
No step reads or writes more when the database grows: every lookup is by an index.
"""

import time
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection

from db import thought_blob
from db.connection.database import Database
from db.derived.game_columns import columns_of, last_words_values, line_hash, offender_of
from db.derived.pair_sums import (
    KEY,
    SUMS,
    GameValues,
    Key,
    add,
    contribution,
)
from db.derived.statements import Statements
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
    """Stores pairs in one database; keeps its statements and what never changes about runs."""

    def __init__(self, database: Database, statements: Statements) -> None:
        self._database = database
        self._statements = statements
        self._runs: dict[int, tuple[int, bool]] = {}

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
        with self._database.writing() as connection:
            moved = _Moved()
            with self._database.backend.pipelined(connection):
                finished = [self._finish(connection, moved, *pair, rate) for pair in played]
                self._write(connection, moved)
        return finished

    def _finish(
        self,
        connection: Connection,
        moved: "_Moved",
        plan: PairPlan,
        record: PairRecord,
        rate: Rate,
    ) -> FinishedPair:
        run = self._statements
        marked = run.mark_finished.run(
            connection,
            {
                "pair": plan.id,
                "place": plan.number,
                "old": PairStatus.PLANNED.value,
                "new": PairStatus.FINISHED.value,
                "new_aborts": record.aborts,
                "now": time.time(),
            },
        )
        if not marked:
            return self._why_not(connection, plan)
        run_id: int = marked[0][0]
        division_id, rated = self._facts(connection, run_id)
        games = [_game_values(plan, game) for game in record.games]
        for row in games:
            row.update(run_id=run_id, division_id=division_id, rated=rated)
        self._flag_repeats(connection, division_id, games)
        asked = [run.insert_game.ask(connection, row) for row in games]
        ids = tuple(cursor.fetchall()[0][0] for cursor in asked)
        for game_id, game in zip(ids, record.games, strict=True):
            if game.last_words is not None:
                run.insert_last_words.run(connection, last_words_values(game_id, game.last_words))
        if record.machine is not None:
            machine = {"pair_id": plan.id, "machine_id": record.machine}
            run.insert_machine.run(connection, machine)
        repeats = sum(row["repeat"] for row in games)
        if not rated:
            return FinishedPair(PairOutcome.STORED, ids, repeats=repeats)
        if plan.a.revision == plan.b.revision:
            raise ValueError(f"pair {plan.id}: a pair of a bot with itself cannot be rated")
        add(moved.sums, *contribution(games[0], games[1]))
        revisions = (plan.a.revision, plan.b.revision)
        ratings = self._ratings(connection, moved, division_id, revisions)
        after = rated_pair(*ratings, points(games), rate)
        for rating in after:
            moved.ratings[division_id, rating.revision] = rating
        return FinishedPair(PairOutcome.STORED, ids, *after, repeats)

    def _write(self, connection: Connection, moved: "_Moved") -> None:
        """The aggregate and the ratings, each row once for all pairs of a transaction."""
        run = self._statements
        for key, values in moved.sums.items():
            run.add_to_table.run(connection, dict(zip((*KEY, *SUMS), (*key, *values), strict=True)))
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

    def _why_not(self, connection: Connection, plan: PairPlan) -> FinishedPair:
        place = {"pair": plan.id, "place": plan.number}
        found = self._statements.status_of_pair.run(connection, place)
        if not found:
            return FinishedPair(PairOutcome.UNKNOWN)
        if found[0][0] == PairStatus.FINISHED.value:
            return FinishedPair(PairOutcome.ALREADY_FINISHED)
        return FinishedPair(PairOutcome.DROPPED)

    def _facts(self, connection: Connection, run_id: int) -> tuple[int, bool]:
        facts = self._runs.get(run_id)
        if facts is None:
            row = self._statements.facts_of_run.run(connection, {"run": run_id})[0]
            facts = self._runs[run_id] = (row[0], bool(row[1]))
        return facts

    def _flag_repeats(
        self, connection: Connection, division_id: int, games: Sequence[dict[str, Any]]
    ) -> None:
        asked: dict[str, Any] = {}
        for which, game in enumerate(games):
            asked[f"hash{which}"] = game["line_hash"]
            asked[f"division{which}"] = division_id
            asked[f"board{which}"] = game["board"]
            asked[f"moves{which}"] = game["moves"]
        found = self._statements.find_lines.run(connection, asked)[0]
        first, second = games
        first["repeat"] = bool(found[0])
        # The second game is not compared with the stored ones only: it can repeat the first.
        second["repeat"] = bool(found[1]) or first["moves"] == second["moves"]

    def _ratings(
        self,
        connection: Connection,
        moved: "_Moved",
        division_id: int,
        revisions: tuple[int, int],
    ) -> tuple[RatingRow, RatingRow]:
        """The ratings of both bots, as far as this transaction has moved them."""
        known = [moved.ratings.get((division_id, revision)) for revision in revisions]
        if None in known:
            found = self._statements.read_ratings.run(
                connection, {"division": division_id, "a": revisions[0], "b": revisions[1]}
            )
            stored = {row[0]: RatingRow(division_id, row[0], row[1], row[2]) for row in found}
            known = [
                rating or stored.get(revision) or RatingRow(division_id, revision, START_ELO, 0)
                for rating, revision in zip(known, revisions, strict=True)
            ]
        a, b = known
        assert a is not None and b is not None  # noqa: S101, PT018 - read, or new, just now
        return a, b


class _Moved:
    """The rows that the pairs of one transaction move, written at its end."""

    def __init__(self) -> None:
        self.sums: dict[Key, list[int]] = {}
        """To be added to the aggregate."""
        self.ratings: dict[tuple[int, int], RatingRow] = {}
        """Those after the pairs so far, by division and revision."""


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
    moves = format_moves(game.moves)
    first, second = (plan.b, plan.a) if game.swapped else (plan.a, plan.b)
    return {
        "pair_id": plan.id,
        "game": int(game.swapped),
        "first_revision_id": first.revision,
        "second_revision_id": second.revision,
        "board": plan.board,
        "board_class": plan.board_class,
        "moves": moves,
        "opening_plies": len(plan.opening),
        "plies": len(moves),
        "seed": plan.seed,
        "result": game.result.value,
        "termination": game.termination.value,
        "detail": game.detail,
        "offender": offender_of(game.result, game.termination),
        "started_at": game.started,
        "duration_us": game.duration_us,
        **columns_of(game.sides),
        "line_hash": line_hash(plan.board, moves),
        "thoughts": thought_blob.encode(game.thoughts),
    }
