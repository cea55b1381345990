"""The store: the few operations on stored games that the rest of the program needs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Self

from db.records import PairPlan, PairRecord
from db.rows import (
    BotRow,
    Difference,
    DivisionRow,
    FinishedPair,
    GameRow,
    NewBot,
    NewRevision,
    NewRun,
    PairRow,
    PairTableRow,
    PlannedPair,
    RatingRow,
    RevisionRow,
    RunKind,
    RunRow,
    RunStatus,
)

Rate = Callable[[RatingRow, RatingRow, float], tuple[float, float]]
"""(A's rating, B's rating, A's points of the pair 0..2) -> their new Elo."""


class Store:
    """An open database. One thread uses it; another thread opens its own."""

    @classmethod
    def open(cls, where: str, *, create: bool = True, busy_s: float = 10.0) -> Self:
        """Open, create or migrate a database: a file path, or a URL of SQLAlchemy.

        Raises:
            DatabaseError: one of its subclasses says why not; nothing was written then.

        """
        raise NotImplementedError

    def close(self) -> None:
        """Let go of the database."""
        raise NotImplementedError

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
        raise NotImplementedError

    # Bots.

    def bots(self, *, include_retired: bool = False) -> list[BotRow]:
        """The registered bots in the order of registration."""
        raise NotImplementedError

    def bot(self, name: str) -> BotRow:
        """A bot by name, retired ones too. Raises UnknownRow."""
        raise NotImplementedError

    def add_bot(self, new: NewBot) -> BotRow:
        """Register a bot. Raises NameTaken."""
        raise NotImplementedError

    def ensure_revision(self, name: str, new: NewRevision) -> RevisionRow:
        """Make this content the bot's current revision, adding it when it is new. Idempotent."""
        raise NotImplementedError

    def retire(self, name: str) -> BotRow:
        """Keep a bot and its games, but out of lists and runs. Idempotent."""
        raise NotImplementedError

    # Divisions and runs.

    def division(
        self, boards: str, opening_plies: int | None, budget: Mapping[str, int]
    ) -> DivisionRow:
        """The division of these conditions, made when it is new."""
        raise NotImplementedError

    def divisions(self) -> list[DivisionRow]:
        """All divisions by id."""
        raise NotImplementedError

    def find_division(self, text: str) -> DivisionRow:
        """A division by id, label or a beginning of a label that only one has."""
        raise NotImplementedError

    def create_run(self, new: NewRun) -> RunRow:
        """Store a new run as running."""
        raise NotImplementedError

    def run(self, run_id: int) -> RunRow:
        """A run by id. Raises UnknownRow."""
        raise NotImplementedError

    def runs(
        self,
        *,
        stream: str | None = None,
        identity: str | None = None,
        status: RunStatus | None = None,
    ) -> list[RunRow]:
        """The runs that fit, newest first."""
        raise NotImplementedError

    def latest_run(self, kind: RunKind | None = RunKind.LADDER) -> RunRow | None:
        """The newest run of the kind (None: of any kind)."""
        raise NotImplementedError

    def set_run_status(
        self, run_id: int, status: RunStatus, *, target_games: int | None = None
    ) -> None:
        """Set a run's status; ended_at follows. `target_games` replaces the stored one if given."""
        raise NotImplementedError

    # Pairs.

    def plan(self, run_id: int, count: int, make: Callable[[int], PlannedPair]) -> list[PairRow]:
        """Take the next `count` numbers of the run's stream and store the pairs as planned."""
        raise NotImplementedError

    def planned(self, run_id: int) -> list[PairRow]:
        """The run's planned pairs in the order of their numbers."""
        raise NotImplementedError

    def adopt(self, run_id: int, from_runs: Sequence[int]) -> int:
        """Move the planned pairs of dead runs of the same stream to this run; how many."""
        raise NotImplementedError

    def drop(self, pair_ids: Sequence[int]) -> int:
        """Give up planned pairs; how many were still planned."""
        raise NotImplementedError

    def note_aborts(self, pair_id: int, aborts: int) -> None:
        """Store how often a pair was abandoned; it stays planned."""
        raise NotImplementedError

    def finish_pair(self, plan: PairPlan, record: PairRecord, rate: Rate) -> FinishedPair:
        """Store a played pair in one transaction: games, aggregate and live ratings.

        Nothing is stored when the pair is no longer planned; the outcome says so.
        """
        raise NotImplementedError

    # Reading.

    def pair_tables(self, division_id: int) -> list[PairTableRow]:
        """The aggregate of all rated pairs of a division."""
        raise NotImplementedError

    def tables_since(self, division_id: int, since: float) -> list[PairTableRow]:
        """The same, of the rated pairs whose games both started at `since` or later."""
        raise NotImplementedError

    def run_tables(self, run_id: int) -> list[PairTableRow]:
        """The same, of one run's pairs, rated or not."""
        raise NotImplementedError

    def ratings(self, division_id: int) -> list[RatingRow]:
        """The live ratings of a division, highest first."""
        raise NotImplementedError

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
        raise NotImplementedError

    def game(self, game_id: int) -> GameRow | None:
        """One game with its thoughts."""
        raise NotImplementedError

    def count_games(self, run_id: int) -> int:
        """How many finished games a run has."""
        raise NotImplementedError

    # Care.

    def rebuild(self, rate: Rate) -> list[Difference]:
        """Compute aggregate and live ratings anew from the games; what was wrong before."""
        raise NotImplementedError

    def check(self) -> list[str]:
        """What the database's own integrity checks complain about; empty when sound."""
        raise NotImplementedError
