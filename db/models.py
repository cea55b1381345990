"""The tables, as SQLAlchemy models for SQLite and PostgreSQL.

The outcome columns of `pairs` repeat what its games hold, so that lists count pairs by one index
and read no game; an audit compares them (`db.derived.pair_outcome`).

Each secondary index serves a query that would otherwise scan a table; every index makes inserts
slower. `games.line_hash` is the only one whose new entries are scattered over the index.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from db.columns import Json, Thoughts, Word
from db.records.archives import Manifest
from db.records.games import Thought
from db.records.launch import Launch
from db.records.pairs import PairStatus
from db.records.queue import JobStatus
from db.records.runs import RunKind, RunStatus
from db.records.sides import SideSums
from engine.result import Result, Termination

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
"""Names of constraints, by which migrations can alter them on both databases."""


BIG_KEY = BigInteger().with_variant(Integer(), "sqlite")
"""Type of the keys of pairs and games: 64 bits. SQLite generates keys only for the type INTEGER,
which has 64 bits there."""


NEVER_REUSED = {"sqlite_autoincrement": True}
"""Last table argument of every table with generated keys. Pages, files and other tables refer to a
key, so a new row must not get the key of a deleted one. PostgreSQL's sequences ensure that; SQLite
needs AUTOINCREMENT."""


COUNTED_BY = (
    *("division_id", "rated", "board_class", "a_revision_id", "b_revision_id"),
    *("first_result", "second_result"),
)
"""Columns by which pairs are counted."""
PAIR_SUMS = tuple(f"{side}_{name}" for side in "ab" for name in SideSums.__struct_fields__)
"""Columns of a pair with the sums of A's and of B's moves."""


class Base(DeclarativeBase):
    """Base of all models. Texts are unbounded, `float` is a double, times are epoch seconds."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {str: Text(), float: Double()}  # noqa: RUF012 (read by SQLAlchemy)


class Bot(Base):
    """A registered bot."""

    __tablename__ = "bots"
    __table_args__ = (NEVER_REUSED,)

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(unique=True)
    family: Mapped[str]
    spec: Mapped[str]
    """The specification that it was registered with, such as ``builtin:v4``."""
    based_on: Mapped[str | None]
    """Name of the bot that it is a change of."""
    change: Mapped[str]
    """The idea that distinguishes it from `based_on`, or a note."""
    created_at: Mapped[float]
    retired_at: Mapped[float | None]


class Revision(Base):
    """One state of a bot's content; ratings never mix games of different revisions."""

    __tablename__ = "revisions"
    __table_args__ = (
        UniqueConstraint("bot_id", "number"),
        UniqueConstraint("bot_id", "content_hash"),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    bot_id: Mapped[int] = mapped_column(ForeignKey("bots.id"))
    number: Mapped[int]
    """1, 2, ... in the order in which they were first seen."""
    recency: Mapped[int]
    """Greatest for the current revision, which need not have the last `number`: sources revert."""
    content_hash: Mapped[str]
    launch: Mapped[Launch] = mapped_column(Json(Launch))
    budgets: Mapped[tuple[str, ...]] = mapped_column(Json(tuple[str, ...]))
    """Budget kinds that it supports, in order of preference."""
    boards: Mapped[tuple[str, ...] | None] = mapped_column(Json(tuple[str, ...]))
    """Boards that it plays; null for all."""
    files: Mapped[dict[str, str]] = mapped_column(Json(dict[str, str]))
    """JSON object of the parts outside of the archive: a hash or value by file or option."""
    created_at: Mapped[float]
    archive: Mapped[str | None] = mapped_column(ForeignKey("bot_archives.sha256"))
    """Its files; null for players of this project, and for bots that cannot play."""


class BotArchive(Base):
    """The files of a bot."""

    __tablename__ = "bot_archives"

    sha256: Mapped[str] = mapped_column(primary_key=True)
    """Hash of the manifest."""
    manifest: Mapped[Manifest] = mapped_column(Json(Manifest))
    bytes: Mapped[int] = mapped_column(BigInteger)
    """Size of all files together."""


class BotFile(Base):
    """A part of a file that archives share by its hash."""

    __tablename__ = "bot_files"

    sha256: Mapped[str] = mapped_column(primary_key=True)
    """Hash of the whole file."""
    part: Mapped[int] = mapped_column(primary_key=True)
    """From 0; each but the last holds 1 MiB."""
    content: Mapped[bytes]
    """Compressed by zlib."""


class Division(Base):
    """Rating conditions: games of one division can be compared."""

    __tablename__ = "divisions"
    __table_args__ = (NEVER_REUSED,)

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    """Canonical JSON of all conditions."""
    label: Mapped[str] = mapped_column(unique=True)
    """The conditions in short, such as ``6x7+4/100ms``."""
    boards: Mapped[str]
    """Canonical list of board classes."""
    opening_plies: Mapped[int | None]
    """Null for each board class's default, or if the openings come from a set."""
    budget: Mapped[dict[str, int]] = mapped_column(Json(dict[str, int]))
    """JSON object such as ``{"time_ms":100}``."""
    openings: Mapped[str | None]
    """Hash of a `StoredOpeningSet`, which this database may lack; null for random openings."""
    fixed_opening: Mapped[int | None]
    """Opening plies for board classes with a single board, such as ``6x7``; null if
    `opening_plies` or `openings` decides."""
    adjudicate: Mapped[int | None]
    """Plies within which a proven end ends the game; null if games are played out."""


class StoredOpeningSet(Base):
    """A set of openings, stored so that a run can be resumed without the file."""

    __tablename__ = "opening_sets"

    content_hash: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    """Name of the file that it was read from."""
    lines: Mapped[str]
    """Sorted openings, one per line, such as ``6x7 3342``."""
    created_at: Mapped[float]


class Run(Base):
    """A series of pairs with fixed settings and seed, started by one command and perhaps resumed.

    A bisection has one run per commit.
    """

    __tablename__ = "runs"
    __table_args__ = (NEVER_REUSED,)

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[RunKind] = mapped_column(Word(RunKind))
    """ladder, match, gate, tune, bisect, select or play."""
    rated: Mapped[bool]
    """Whether its pairs count in the rating list."""
    stream: Mapped[str] = mapped_column(index=True)
    """Hash of the settings and the seed. Runs of one stream share its pair numbers."""
    identity: Mapped[str]
    """Hash of the settings without the seed."""
    settings: Mapped[dict[str, Any]] = mapped_column(Json(dict[str, Any]))
    """JSON object of what identifies the run, including its bots' content hashes."""
    seed: Mapped[int] = mapped_column(BigInteger)
    division_id: Mapped[int] = mapped_column(ForeignKey("divisions.id"))
    target_games: Mapped[int | None]
    """Null if no limit was given."""
    status: Mapped[RunStatus] = mapped_column(Word(RunStatus))
    """running, interrupted, finished or invalid."""
    started_at: Mapped[float]
    ended_at: Mapped[float | None]
    note: Mapped[str]
    verdict: Mapped[str | None]
    """Of a gate, or a tuning's final gate: pass, regression, inconclusive or invalid; of a bisected
    commit: good, bad, open or skipped; of a selection: ``best: NAME`` or undecided. Null if there
    is no verdict yet."""


class RunBot(Base):
    """A bot of a run: its revision, and its name when the run began, as in the settings."""

    __tablename__ = "run_bots"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))


class TuningStep(Base):
    """One step of a tuning run: the result of pairs between two parameter settings.

    The settings are not registered as bots, so the step's games are stored nowhere else.
    """

    __tablename__ = "tuning_steps"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    step: Mapped[int] = mapped_column(primary_key=True)
    """From 1."""
    a: Mapped[dict[str, float]] = mapped_column(Json(dict[str, float]))
    """JSON object of parameter values: the setting that moves first in game 0."""
    b: Mapped[dict[str, float]] = mapped_column(Json(dict[str, float]))
    """JSON object of parameter values: its opponent."""
    pentanomial: Mapped[tuple[int, ...]] = mapped_column(Json(tuple[int, ...]))
    """JSON list of pair counts by the points of `a`: 0, 1/2, 1, 3/2, 2."""
    forfeits: Mapped[int]
    """Games that one of the two forfeited."""
    estimate: Mapped[dict[str, float]] = mapped_column(Json(dict[str, float]))
    """JSON object of the parameter values estimated after the step."""
    duration_us: Mapped[int] = mapped_column(BigInteger)
    """Wall time of the step."""
    finished_at: Mapped[float]


class Pair(Base):
    """Two games on one board with the colours swapped: the unit of planning and storing.

    A pair of a run of the kind `play` has game 0 only.
    """

    __tablename__ = "pairs"
    __table_args__ = (
        UniqueConstraint("stream", "number"),
        Index(None, "run_id", "status"),
        Index(
            "ix_pairs_aborted",
            "run_id",
            sqlite_where=text("aborts > 0"),
            postgresql_where=text("aborts > 0"),
        ),
        # Counts and sums of rating lists come from it alone, in the order of their groups.
        Index(
            "ix_pairs_counts",
            *COUNTED_BY,
            *PAIR_SUMS,
            sqlite_where=text("second_result IS NOT NULL"),
            postgresql_where=text("second_result IS NOT NULL"),
        ),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(BIG_KEY, primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"))
    division_id: Mapped[int] = mapped_column(ForeignKey("divisions.id"))
    """Its run's, repeated here for the index of counts, as is `rated`."""
    rated: Mapped[bool]
    stream: Mapped[str]
    """Its run's stream, repeated here because numbers are unique within a stream."""
    number: Mapped[int]
    """Position in the stream, from 0."""
    coordinator: Mapped[int | None] = mapped_column(BigInteger)
    """Random number of the process that planned it, by which that finds a batch again whose commit
    got no answer; null for pairs that were not planned here."""
    a_revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))
    """Moves first in game 0."""
    b_revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))
    board: Mapped[str]
    """A specific board, such as ``10x11@3,4``."""
    board_class: Mapped[str]
    """The class that the board was drawn from, such as ``thu``."""
    opening: Mapped[str]
    """Columns, one character each: 0 to 9, a, b."""
    seed: Mapped[int] = mapped_column(BigInteger)
    status: Mapped[PairStatus] = mapped_column(Word(PairStatus))
    """planned, finished or dropped."""
    aborts: Mapped[int]
    """How often a move was requested again or the pair restarted after a host stall."""
    finished_at: Mapped[float | None]
    first_result: Mapped[Result | None] = mapped_column(Word(Result))
    """win, loss or draw of A in game 0, in which it moved first; null until the pair is finished,
    as are all columns below."""
    second_result: Mapped[Result | None] = mapped_column(Word(Result))
    """The same in game 1, in which A moved second."""
    first_termination: Mapped[Termination | None] = mapped_column(Word(Termination))
    second_termination: Mapped[Termination | None] = mapped_column(Word(Termination))
    started_at: Mapped[float | None]
    """Start of the earlier game."""
    duration_us: Mapped[int | None] = mapped_column(BigInteger)
    """Duration of both games together."""
    content: Mapped[int | None] = mapped_column(BigInteger)
    """Signed 64-bit hash of the board and the moves of both games, the game in which the lower
    revision id moved first before the other."""
    a_moves: Mapped[int | None] = mapped_column(BigInteger)
    a_time_us: Mapped[int | None] = mapped_column(BigInteger)
    a_max_us: Mapped[int | None] = mapped_column(BigInteger)
    a_simulations: Mapped[int | None] = mapped_column(BigInteger)
    a_searched_us: Mapped[int | None] = mapped_column(BigInteger)
    """Total time of the moves for which simulations were reported."""
    b_moves: Mapped[int | None] = mapped_column(BigInteger)
    b_time_us: Mapped[int | None] = mapped_column(BigInteger)
    b_max_us: Mapped[int | None] = mapped_column(BigInteger)
    b_simulations: Mapped[int | None] = mapped_column(BigInteger)
    b_searched_us: Mapped[int | None] = mapped_column(BigInteger)


class Game(Base):
    """A finished game."""

    __tablename__ = "games"
    __table_args__ = (
        UniqueConstraint("pair_id", "game"),
        # Covers the columns that counting distinct games needs, so no row is read for it.
        Index(
            "ix_games_lines",
            *("line_hash", "division_id", "rated", "first_revision_id", "second_revision_id"),
        ),
        Index(
            "ix_games_forfeited",
            "division_id",
            sqlite_where=text("offender IS NOT NULL"),
            postgresql_where=text("offender IS NOT NULL"),
        ),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(BIG_KEY, primary_key=True)
    """Ascending in the order of storing."""
    pair_id: Mapped[int] = mapped_column(BIG_KEY, ForeignKey("pairs.id"))
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"))
    division_id: Mapped[int] = mapped_column(ForeignKey("divisions.id"))
    rated: Mapped[bool]
    game: Mapped[int]
    """0 if the pair's A moved first, 1 if its B did."""
    first_revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))
    second_revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))
    board: Mapped[str]
    board_class: Mapped[str]
    moves: Mapped[str]
    """Columns, one character each, the opening included."""
    opening_plies: Mapped[int]
    plies: Mapped[int]
    seed: Mapped[int] = mapped_column(BigInteger)
    result: Mapped[Result] = mapped_column(Word(Result))
    """win, loss or draw from the first player's side."""
    termination: Mapped[Termination] = mapped_column(Word(Termination))
    detail: Mapped[str]
    """What happened, for a forfeit; the proof of an adjudicated game, such as ``win 7``."""
    offender: Mapped[int | None]
    """The player that forfeited: 0 for the first, 1 for the second."""
    started_at: Mapped[float]
    duration_us: Mapped[int] = mapped_column(BigInteger)
    first_moves: Mapped[int]
    first_time_us: Mapped[int] = mapped_column(BigInteger)
    first_max_us: Mapped[int] = mapped_column(BigInteger)
    first_simulations: Mapped[int] = mapped_column(BigInteger)
    first_searched_us: Mapped[int] = mapped_column(BigInteger)
    """Total time of the moves for which simulations were reported."""
    second_moves: Mapped[int]
    second_time_us: Mapped[int] = mapped_column(BigInteger)
    second_max_us: Mapped[int] = mapped_column(BigInteger)
    second_simulations: Mapped[int] = mapped_column(BigInteger)
    second_searched_us: Mapped[int] = mapped_column(BigInteger)
    line_hash: Mapped[int] = mapped_column(BigInteger)
    """Signed 64-bit hash of board and moves."""
    thoughts: Mapped[tuple[Thought, ...]] = mapped_column(Thoughts())


class StoredLastOutput(Base):
    """The last output of a bot that forfeited a game, and the last messages to it."""

    __tablename__ = "last_words"

    game_id: Mapped[int] = mapped_column(BIG_KEY, ForeignKey("games.id"), primary_key=True)
    stderr: Mapped[str]
    """The end of its stderr."""
    messages: Mapped[str]
    """The last protocol messages, one per line, as in `db.records.games.LastOutput`."""


class StoredSolution(Base):
    """Bounds on the values of a position's columns, found by the solver; a cache."""

    __tablename__ = "solved_positions"

    key: Mapped[bytes] = mapped_column(primary_key=True)
    """16 bytes, equal for mirrored positions."""
    solver_version: Mapped[int]
    nodes: Mapped[int] = mapped_column(BigInteger)
    """Node limit of the search."""
    bounds: Mapped[bytes]
    """Packed by `ladder.results.analysis.solved`."""


class StoredVerdict(Base):
    """The verdicts on the moves of a game; a cache."""

    __tablename__ = "verdicts"

    game_id: Mapped[int] = mapped_column(BIG_KEY, ForeignKey("games.id"), primary_key=True)
    solver_version: Mapped[int]
    nodes: Mapped[int] = mapped_column(BigInteger)
    """Node limit for each position."""
    moves: Mapped[bytes]
    """Packed by `ladder.results.analysis.verdict`."""


class Job(Base):
    """A command line in the queue. Its worker holds its lock while it is played."""

    __tablename__ = "jobs"
    __table_args__ = (NEVER_REUSED,)

    id: Mapped[int] = mapped_column(primary_key=True)
    command: Mapped[str]
    """Command line without ``ladder`` and the database, quoted for a shell."""
    folder: Mapped[str]
    """Folder in which it was added, and is played."""
    author: Mapped[str]
    note: Mapped[str]
    status: Mapped[JobStatus] = mapped_column(Word(JobStatus))
    """waiting, playing, done, failed or cancelled."""
    added_at: Mapped[float]
    ended_at: Mapped[float | None]
    exit_code: Mapped[int | None]
    """Negative for the signal that killed its command."""
    result: Mapped[str]
    """What its command printed, or why it failed."""
