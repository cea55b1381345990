"""The tables, for SQLite and PostgreSQL.

Columns are not null unless they are `optional`. Texts are unbounded, times are epoch seconds.

Every table with generated keys has `sqlite_autoincrement`: pages, files and other tables refer to a
key, so a new row must not get the key of a deleted one, as PostgreSQL's sequences ensure.

The outcome columns of `pairs` repeat what its games hold, so that lists count pairs by one index
and read no game; an audit compares them (`db.outcomes`).

Each secondary index serves a query that would otherwise scan a table; every index makes inserts
slower. `games.line_hash` alone has new entries all over its index. The PostgreSQL backend takes the
conditions of partial ones from SQLite's: to name that database here would load its dialect.

The tables are those of SQLAlchemy's Core: its object-relational part takes as long to load as a
small database to read.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from db.columns import BIG_KEY, Json, Thoughts, Word, column, optional
from db.records.archives import Manifest
from db.records.games import SideSums
from db.records.launch import Launch
from db.records.pairs import PairStatus
from db.records.queue import JobStatus
from db.records.runs import RunKind, RunStatus
from engine.result import Result, Termination

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
"""Names of constraints, by which migrations can alter them on both databases."""

COUNTED_BY = (
    *("division_id", "rated", "board_class", "a_revision_id", "b_revision_id"),
    *("first_result", "second_result", "first_termination", "second_termination"),
)
"""Columns by which pairs are counted."""
PAIR_SUMS = tuple(f"{side}_{name}" for side in "ab" for name in SideSums.__struct_fields__)
"""Columns of a pair with the sums of A's and of B's moves."""
PAIR_PLIES = ("first_plies", "second_plies")
"""Columns of a pair with the plies of its games, openings included."""
GAME_SUMS = tuple(
    f"{side}_{name}" for side in ("first", "second") for name in SideSums.__struct_fields__
)
"""Columns of a game with the sums of the first and of the second player's moves."""

METADATA = MetaData(naming_convention=NAMING)


def _table(name: str, *parts: Any) -> Table:
    return Table(name, METADATA, *parts)


def _keyed_table(name: str, *parts: Any) -> Table:
    """Return a table whose first column is its generated key."""
    kind = BIG_KEY if name in ("pairs", "games") else Integer
    key = column("id", kind, primary_key=True)
    return Table(name, METADATA, key, *parts, sqlite_autoincrement=True)


BOTS = _keyed_table(
    "bots",
    column("name", Text, unique=True),
    column("family", Text),
    # The specification that it was registered with, such as ``builtin:v4``.
    column("spec", Text),
    # Name of the bot that it is a change of.
    optional("based_on", Text),
    # The idea that distinguishes it from `based_on`, or a note.
    column("change", Text),
    column("created_at", Double),
    optional("retired_at", Double),
)
Bot = BOTS.c
"""A registered bot."""

REVISIONS = _keyed_table(
    "revisions",
    column("bot_id", Integer, ForeignKey("bots.id")),
    # 1, 2, ... in the order in which they were first seen.
    column("number", Integer),
    # Greatest for the current revision, which need not have the last `number`: sources revert.
    column("recency", Integer),
    column("content_hash", Text),
    column("launch", Json(Launch)),
    # Budget kinds that it supports, in order of preference.
    column("budgets", Json(tuple[str, ...])),
    # Boards that it plays; null for all.
    optional("boards", Json(tuple[str, ...])),
    # JSON object of the parts outside of the archive: a hash or value by file or option.
    column("files", Json(dict[str, str])),
    column("created_at", Double),
    # Its files; null for players of this project, and for bots that cannot play.
    optional("archive", Text, ForeignKey("bot_archives.sha256")),
    UniqueConstraint("bot_id", "number"),
    UniqueConstraint("bot_id", "content_hash"),
)
Revision = REVISIONS.c
"""One state of a bot's content; ratings never mix games of different revisions."""

BOT_ARCHIVES = _table(
    "bot_archives",
    # Hash of the manifest.
    column("sha256", Text, primary_key=True),
    column("manifest", Json(Manifest)),
    # Size of all files together.
    column("bytes", BigInteger),
)
BotArchive = BOT_ARCHIVES.c
"""The files of a bot."""

BOT_FILES = _table(
    "bot_files",
    # Hash of the whole file.
    column("sha256", Text, primary_key=True),
    # From 0; each but the last holds 1 MiB.
    column("part", Integer, primary_key=True),
    # Compressed by zlib.
    column("content", LargeBinary),
)
BotFile = BOT_FILES.c
"""A part of a file that archives share by its hash."""

DIVISIONS = _keyed_table(
    "divisions",
    # The conditions as canonical JSON, such as ``{"boards":"6x7","budget":{"time_ms":100},
    # "opening_plies":4}``; see `db.records.runs.Conditions.exported`.
    column("key", Text, unique=True),
    # The conditions in short, such as ``6x7+4/100ms``.
    column("label", Text, unique=True),
)
Division = DIVISIONS.c
"""Rating conditions: games of one division can be compared."""

OPENING_SETS = _table(
    "opening_sets",
    column("content_hash", Text, primary_key=True),
    # Name of the file that it was read from.
    column("name", Text),
    # Sorted openings, one per line, such as ``6x7 3342``.
    column("lines", Text),
    column("created_at", Double),
)
StoredOpeningSet = OPENING_SETS.c
"""A set of openings, stored so that a run can be resumed without the file."""

RUNS = _keyed_table(
    "runs",
    # ladder, match, gate, tune, bisect, select or play.
    column("kind", Word(RunKind)),
    # Whether its pairs count in the rating list.
    column("rated", Boolean),
    # Hash of the settings and the seed. Runs of one stream share its pair numbers.
    column("stream", Text, index=True),
    # Hash of the settings without the seed.
    column("identity", Text),
    # JSON object of what identifies the run, including its bots' content hashes.
    column("settings", Json(dict[str, Any])),
    column("seed", BigInteger),
    column("division_id", Integer, ForeignKey("divisions.id")),
    # Null if no limit was given.
    optional("target_games", Integer),
    # running, interrupted, finished or invalid.
    column("status", Word(RunStatus)),
    column("started_at", Double),
    optional("ended_at", Double),
    column("note", Text),
    # Of a gate, or a tuning's final gate: pass, regression, inconclusive or invalid; of a bisected
    # commit: good, bad, open or skipped; of a selection: ``best: NAME`` or undecided. Null if there
    # is no verdict yet.
    optional("verdict", Text),
    # JSON object of what an experiment that has ended found, with references to bots
    # (`db.records.results`); null until a process that may write has judged its pairs.
    optional("result", Json(dict[str, Any])),
)
Run = RUNS.c
"""A series of pairs with fixed settings and seed, started by one command and perhaps resumed.

A bisection has one run per commit."""

RUN_BOTS = _table(
    "run_bots",
    column("run_id", Integer, ForeignKey("runs.id"), primary_key=True),
    column("name", Text, primary_key=True),
    column("revision_id", Integer, ForeignKey("revisions.id")),
)
RunBot = RUN_BOTS.c
"""A bot of a run: its revision, and its name when the run began, as in the settings."""

TUNING_STEPS = _table(
    "tuning_steps",
    column("run_id", Integer, ForeignKey("runs.id"), primary_key=True),
    # From 1.
    column("step", Integer, primary_key=True),
    # JSON object of parameter values: the setting that moves first in game 0.
    column("a", Json(dict[str, float])),
    # JSON object of parameter values: its opponent.
    column("b", Json(dict[str, float])),
    # JSON list of pair counts by the points of `a`: 0, 1/2, 1, 3/2, 2.
    column("pentanomial", Json(tuple[int, ...])),
    # Games that one of the two forfeited.
    column("forfeits", Integer),
    # JSON object of the parameter values estimated after the step.
    column("estimate", Json(dict[str, float])),
    # Wall time of the step.
    column("duration_us", BigInteger),
    column("finished_at", Double),
)
TuningStep = TUNING_STEPS.c
"""One step of a tuning run: the result of pairs between two parameter settings.

The settings are not registered as bots, so the step's games are stored nowhere else."""

PAIRS = _keyed_table(
    "pairs",
    column("run_id", Integer, ForeignKey("runs.id")),
    # Its run's, repeated here for the index of counts, as is `rated`.
    column("division_id", Integer, ForeignKey("divisions.id")),
    column("rated", Boolean),
    # Its run's stream, repeated here because numbers are unique within a stream.
    column("stream", Text),
    # Position in the stream, from 0.
    column("number", Integer),
    # Random number of the process that planned it, by which that finds a batch again whose commit
    # got no answer; null for pairs that were not planned here.
    optional("coordinator", BigInteger),
    # Moves first in game 0.
    column("a_revision_id", Integer, ForeignKey("revisions.id")),
    column("b_revision_id", Integer, ForeignKey("revisions.id")),
    # A specific board, such as ``10x11@3,4``.
    column("board", Text),
    # The class that the board was drawn from, such as ``thu``.
    column("board_class", Text),
    # Columns, one character each: 0 to 9, a, b.
    column("opening", Text),
    column("seed", BigInteger),
    # planned, finished or dropped.
    column("status", Word(PairStatus)),
    # Late moves that counted because of a host stall, and times that the pair was played again.
    column("stalls", Integer),
    optional("finished_at", Double),
    # win, loss or draw of A in game 0, in which it moved first; null until the pair is finished,
    # as are all columns below.
    optional("first_result", Word(Result)),
    # The same in game 1, in which A moved second.
    optional("second_result", Word(Result)),
    optional("first_termination", Word(Termination)),
    optional("second_termination", Word(Termination)),
    # Start of the earlier game.
    optional("started_at", Double),
    # Duration of both games together.
    optional("duration_us", BigInteger),
    # Signed 64-bit hash of the board and the moves of both games, the game in which the lower
    # revision id moved first before the other.
    optional("content", BigInteger),
    *[optional(name, BigInteger) for name in PAIR_SUMS],
    *[optional(name, Integer) for name in PAIR_PLIES],
    UniqueConstraint("stream", "number"),
    Index(None, "run_id", "status"),
    Index(
        "ix_pairs_stalled",
        "run_id",
        sqlite_where=text("stalls > 0"),
    ),
    Index(
        "ix_pairs_counts",
        *COUNTED_BY,
        *PAIR_SUMS,
        *PAIR_PLIES,
        *("run_id", "started_at"),
        sqlite_where=text("second_result IS NOT NULL"),
    ),
)
Pair = PAIRS.c
"""Two games on one board with the colours swapped: the unit of planning and storing.

A pair of a run of the kind `play` has game 0 only."""

GAMES = _keyed_table(  # keys ascend in the order of storing
    "games",
    column("pair_id", BIG_KEY, ForeignKey("pairs.id")),
    column("run_id", Integer, ForeignKey("runs.id")),
    column("division_id", Integer, ForeignKey("divisions.id")),
    column("rated", Boolean),
    # 0 if the pair's A moved first, 1 if its B did.
    column("game", Integer),
    column("first_revision_id", Integer, ForeignKey("revisions.id")),
    column("second_revision_id", Integer, ForeignKey("revisions.id")),
    column("board", Text),
    column("board_class", Text),
    # Columns, one character each, the opening included.
    column("moves", Text),
    column("opening_plies", Integer),
    column("plies", Integer),
    column("seed", BigInteger),
    # win, loss or draw from the first player's side.
    column("result", Word(Result)),
    column("termination", Word(Termination)),
    # What happened, for a forfeit; the proof of an adjudicated game, such as ``win 7``.
    column("detail", Text),
    # The player that forfeited: 0 for the first, 1 for the second.
    optional("offender", Integer),
    column("started_at", Double),
    column("duration_us", BigInteger),
    *[column(name, Integer if name.endswith("_moves") else BigInteger) for name in GAME_SUMS],
    # Signed 64-bit hash of board and moves.
    column("line_hash", BigInteger),
    column("thoughts", Thoughts),
    UniqueConstraint("pair_id", "game"),
    Index(
        "ix_games_lines",
        *("line_hash", "division_id", "rated", "first_revision_id", "second_revision_id"),
    ),
    Index(
        "ix_games_forfeited",
        "division_id",
        sqlite_where=text("offender IS NOT NULL"),
    ),
)
Game = GAMES.c
"""A finished game."""

LAST_OUTPUTS = _table(
    "last_words",
    column("game_id", BIG_KEY, ForeignKey("games.id"), primary_key=True),
    # The end of its stderr.
    column("stderr", Text),
    # The last protocol messages, one per line, as in `db.records.games.LastOutput`.
    column("messages", Text),
)
StoredLastOutput = LAST_OUTPUTS.c
"""The last output of a bot that forfeited a game, and the last messages to it."""

SOLVED_POSITIONS = _table(
    "solved_positions",
    # 16 bytes, equal for mirrored positions.
    column("key", LargeBinary, primary_key=True),
    column("solver_version", Integer),
    # Node limit of the search.
    column("nodes", BigInteger),
    # Packed by `ladder.results.analysis.verdict`.
    column("bounds", LargeBinary),
)
StoredSolution = SOLVED_POSITIONS.c
"""Bounds on the values of a position's columns, found by the solver; a cache."""

VERDICTS = _table(
    "verdicts",
    column("game_id", BIG_KEY, ForeignKey("games.id"), primary_key=True),
    column("solver_version", Integer),
    # Node limit for each position.
    column("nodes", BigInteger),
    # Packed by `ladder.results.analysis.verdict`.
    column("moves", LargeBinary),
)
StoredVerdict = VERDICTS.c
"""The verdicts on the moves of a game; a cache."""

JOBS = _keyed_table(
    "jobs",
    # Command line without ``ladder`` and the database, quoted for a shell.
    column("command", Text),
    # Folder in which it was added, and is played.
    column("folder", Text),
    column("author", Text),
    column("note", Text),
    # waiting, playing, done, failed or cancelled.
    column("status", Word(JobStatus)),
    column("added_at", Double),
    # Of its last start; null while it waits.
    optional("started_at", Double),
    optional("ended_at", Double),
    # Negative for the signal that killed its command.
    optional("exit_code", Integer),
    # What its command printed, or why it failed.
    column("result", Text),
)
Job = JOBS.c
"""A command line in the queue. Its worker holds its lock while it is played."""
