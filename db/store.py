"""The store: the few operations on stored games that the rest of the program needs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from types import TracebackType
from typing import Self

from db.connection.database import Database
from db.connection.run_lock import RunLock
from db.queries import aggregate, bots, export, games, human_games, import_, pairs, rebuild, runs
from db.queries.store_pair import (
    PairStorer,
    Rate,
)
from db.records.aggregate import (
    Difference,
    PairTableRow,
    RatingRow,
)
from db.records.bots import (
    BotRow,
    NewBot,
    NewRevision,
    RevisionRow,
)
from db.records.exchange import GameLine
from db.records.games import (
    GameRow,
    NewSavedGame,
    SavedGameRow,
)
from db.records.pairs import (
    FinishedPair,
    PairPlan,
    PairRecord,
    PairRow,
    PlannedPair,
    PlayedPair,
)
from db.records.runs import (
    DivisionRow,
    NewRun,
    RunKind,
    RunRow,
    RunStatus,
)


class Store:
    """An open database, for one thread of one process; others open their own.

    Every operation is one transaction. All of them raise the errors of `db.errors`, and nothing
    of the database library.
    """

    def __init__(self, database: Database) -> None:
        self._database = database

    @cached_property
    def _storer(self) -> PairStorer:
        # Preparing its statements takes 20 ms that a reader need not pay.
        return PairStorer(self._database)

    @classmethod
    def open(cls, where: str, *, create: bool = True, busy_s: float = 10.0) -> Self:
        """Open, create or migrate a database: a file path, or a URL of SQLAlchemy.

        Raises:
            DatabaseError: one of its subclasses says why not; nothing was written then.

        """
        return cls(Database.open(where, create=create, busy_s=busy_s))

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def path(self) -> str | None:
        """The absolute path of the SQLite file; None on a server."""
        return self._database.place.path

    def run_lock(self) -> RunLock:
        """The run locks of this database; close them after use.

        Raises:
            DatabaseError: the database is on a server.
            Unwritable: the lock file cannot be made.

        """
        return RunLock(self.path)

    # Bots.

    def bots(self, *, include_retired: bool = False) -> list[BotRow]:
        """The registered bots in the order of registration."""
        return bots.all_bots(self._database, include_retired=include_retired)

    def bot(self, name: str) -> BotRow:
        """A bot by name, retired ones too. Raises UnknownRow."""
        return bots.one_bot(self._database, name)

    def add_bot(self, new: NewBot) -> BotRow:
        """Register a bot. Raises NameTaken."""
        return bots.add_bot(self._database, new)

    def replace_bot(self, new: NewBot) -> BotRow:
        """Put another content under a registered name. Raises UnknownRow."""
        return bots.replace_bot(self._database, new)

    def ensure_revision(self, name: str, new: NewRevision) -> RevisionRow:
        """Make this content the bot's current revision, adding it when it is new. Idempotent."""
        return bots.ensure_revision(self._database, name, new)

    def retire(self, name: str) -> BotRow:
        """Keep a bot and its games, but out of lists and runs. Idempotent."""
        return bots.retire(self._database, name)

    # Divisions and runs.

    def division(
        self, boards: str, opening_plies: int | None, budget: Mapping[str, int]
    ) -> DivisionRow:
        """The division of these conditions, made when it is new."""
        return runs.division(self._database, boards, opening_plies, budget)

    def divisions(self) -> list[DivisionRow]:
        """All divisions by id."""
        return runs.divisions(self._database)

    def find_division(self, text: str) -> DivisionRow:
        """A division by id, label or a beginning of a label that only one has."""
        return runs.find_division(self._database, text)

    def create_run(self, new: NewRun) -> RunRow:
        """Store a new run as running."""
        return runs.create_run(self._database, new)

    def run(self, run_id: int) -> RunRow:
        """A run by id. Raises UnknownRow."""
        with self._database.reading() as connection:
            return runs.find_run(connection, run_id)

    def runs(
        self,
        *,
        stream: str | None = None,
        identity: str | None = None,
        status: RunStatus | None = None,
    ) -> list[RunRow]:
        """The runs that fit, newest first."""
        return runs.runs(self._database, stream=stream, identity=identity, status=status)

    def latest_run(self, kind: RunKind | None = RunKind.LADDER) -> RunRow | None:
        """The newest run of the kind (None: of any kind)."""
        newest = runs.runs(self._database, kind=kind, limit=1)
        return newest[0] if newest else None

    def set_run_status(
        self, run_id: int, status: RunStatus, *, target_games: int | None = None
    ) -> None:
        """Set a run's status; ended_at follows. `target_games` replaces the stored one if given."""
        runs.set_run_status(self._database, run_id, status, target_games=target_games)

    # Pairs.

    def plan(self, run_id: int, count: int, make: Callable[[int], PlannedPair]) -> list[PairRow]:
        """Take the next `count` numbers of the run's stream and store the pairs as planned."""
        return pairs.plan(self._database, run_id, count, make)

    def planned(self, run_id: int) -> list[PairRow]:
        """The run's planned pairs in the order of their numbers."""
        return pairs.planned(self._database, run_id)

    def adopt(self, run_id: int, from_runs: Sequence[int]) -> int:
        """Move the planned pairs of dead runs of the same stream to this run; how many."""
        return pairs.adopt(self._database, run_id, from_runs)

    def drop(self, pair_ids: Sequence[int]) -> int:
        """Give up planned pairs; how many were still planned."""
        return pairs.drop(self._database, pair_ids)

    def note_aborts(self, pair_id: int, aborts: int) -> None:
        """Add to how often a pair was abandoned; it stays planned."""
        pairs.note_aborts(self._database, pair_id, aborts)

    def finish_pair(self, plan: PairPlan, record: PairRecord, rate: Rate) -> FinishedPair:
        """Store a played pair in one transaction: games, aggregate and live ratings.

        Nothing is stored when the pair is no longer planned; the outcome says so.
        """
        return self._storer.finish(plan, record, rate)

    # Reading.

    def pair_tables(self, division_id: int) -> list[PairTableRow]:
        """The aggregate of all rated pairs of a division."""
        return aggregate.pair_tables(self._database, division_id)

    def tables_since(self, division_id: int, since: float) -> list[PairTableRow]:
        """The same, of the rated pairs whose games both started at `since` or later."""
        return aggregate.tables_since(self._database, division_id, since)

    def run_tables(self, run_id: int) -> list[PairTableRow]:
        """The same, of one run's pairs, rated or not."""
        return aggregate.run_tables(self._database, run_id)

    def ratings(self, division_id: int) -> list[RatingRow]:
        """The live ratings of a division, highest first."""
        return aggregate.ratings(self._database, division_id)

    def games(
        self,
        *,
        division_id: int | None = None,
        run_id: int | None = None,
        since: float | None = None,
        rated: bool | None = None,
        thoughts: bool = False,
    ) -> Iterator[GameRow]:
        """Finished games in the order in which they were stored, streamed."""
        return games.games(
            self._database,
            division_id=division_id,
            run_id=run_id,
            since=since,
            rated=rated,
            thoughts=thoughts,
        )

    def game(self, game_id: int) -> GameRow | None:
        """One game with its thoughts."""
        return games.game(self._database, game_id)

    def played_pairs(self, run_id: int) -> list[PlayedPair]:
        """The results of a run's finished pairs in the order of their numbers."""
        return pairs.of_run(self._database, run_id)

    def stream_pairs(self, stream: str, *, start: int, stop: int) -> list[PlayedPair]:
        """The results of a stream's finished pairs with numbers start .. stop-1, in that order."""
        return pairs.of_stream(self._database, stream, start, stop)

    def owed(self, stream: str, *, below: int) -> list[int]:
        """The numbers of a stream's pairs before `below` that are planned and not finished."""
        return pairs.owed(self._database, stream, below)

    def pairs_between(self, division_id: int, hero: int, others: Sequence[int]) -> list[PlayedPair]:
        """The results of one revision's finished pairs against others, in the order of planning.

        Of all runs of the division, rated or not.
        """
        return pairs.between(self._database, division_id, hero, others)

    def count_games(self, run_id: int) -> int:
        """How many finished games a run has."""
        return games.count_games(self._database, run_id)

    def count_aborts(
        self,
        *,
        division_id: int | None = None,
        run_id: int | None = None,
        since: float | None = None,
    ) -> int:
        """How many games of a division's rated runs, or of one run, the machine has spoiled."""
        return games.count_aborts(
            self._database, division_id=division_id, run_id=run_id, since=since
        )

    # Games of people, which no rating, report or export contains.

    def save_game(self, new: NewSavedGame) -> int:
        """Store a finished game of a person; its key."""
        return human_games.save_game(self._database, new)

    def saved_game(self, key: int) -> SavedGameRow | None:
        """A game of a person with its thoughts."""
        return human_games.saved_game(self._database, key)

    def count_saved(self) -> int:
        """How many games of people are stored."""
        return human_games.count_saved(self._database)

    # Exchange.

    def export_lines(self, division_id: int | None = None) -> Iterator[GameLine]:
        """All finished games by run, pair and game, streamed."""
        return export.export_lines(self._database, division_id)

    def import_lines(self, pairs: Sequence[tuple[GameLine, GameLine]], rate: Rate) -> int:
        """Store whole pairs of another database, all or none; how many games.

        Raises NotImportable.
        """
        return import_.import_lines(self._database, pairs, rate)

    # Care.

    def rebuild(self, rate: Rate, *, repair: bool = True) -> list[Difference]:
        """Compute aggregate and live ratings anew from the games; what was wrong before.

        Without `repair` nothing is written.
        """
        return rebuild.rebuild(self._database, rate, repair=repair)

    def check(self) -> list[str]:
        """What the database's own integrity checks complain about; empty when sound."""
        return rebuild.check(self._database)
