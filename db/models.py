"""The database as a list of models. Portable: SQLite and PostgreSQL.

Games are the truth. `pair_tables`, `forfeits` and `ratings` are derived from them, updated in the
transaction that stores a pair, and rebuilt by `Aggregate.rebuild`.

There is one secondary index per question that would else read a whole table, and no more: each
costs every insert. `games.line_hash` is the only one whose entries fall in random places.
"""

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

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
"""Every constraint has a name, so that later migrations can alter it on every database."""


BIG_KEY = BigInteger().with_variant(Integer(), "sqlite")
"""For keys of pairs and games. On SQLite a key that counts itself must be called INTEGER, and has
64 bits all the same."""


NEVER_REUSED = {"sqlite_autoincrement": True}
"""The last table argument of every table that counts its own keys: pages, files and other tables
refer to them, so the key of a deleted row is not given to a new one. PostgreSQL's sequences never
go back; SQLite needs AUTOINCREMENT for it."""


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
    """The specification with which it was registered, such as ``builtin:v4``."""
    based_on: Mapped[str | None]
    """Name of the bot from which it was made."""
    change: Mapped[str]
    """The one idea that makes it differ, or a note."""
    created_at: Mapped[float]
    retired_at: Mapped[float | None]


class Revision(Base):
    """One state of a bot's content: games of different revisions are never mixed."""

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
    """The bot's current revision has its greatest. Not `number`: sources can go back."""
    content_hash: Mapped[str]
    launch: Mapped[str]
    """JSON of `db.records.launch.Launch`."""
    budgets: Mapped[str]
    """JSON list of the kinds it supports, in order of preference."""
    boards: Mapped[str | None]
    """JSON list of the boards it plays; null: all."""
    files: Mapped[str]
    """JSON object: what the hash was taken over."""
    created_at: Mapped[float]


class Division(Base):
    """Conditions under which games can be compared."""

    __tablename__ = "divisions"
    __table_args__ = (NEVER_REUSED,)

    id: Mapped[int] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    """Canonical JSON of all conditions."""
    label: Mapped[str] = mapped_column(unique=True)
    """The conditions for people, such as ``6x7+4/100ms``."""
    boards: Mapped[str]
    """Canonical list of board classes."""
    opening_plies: Mapped[int | None]
    """Null: each board class has its own default, or the openings are those of a set."""
    budget: Mapped[str]
    """JSON object such as ``{"time_ms":100}``."""
    openings: Mapped[str | None]
    """The hash of an `OpeningSet`, which may be unknown here. Null: drawn at random."""


class OpeningSet(Base):
    """A set of openings that divisions name by its hash; kept so that a run can go on with it."""

    __tablename__ = "opening_sets"

    content_hash: Mapped[str] = mapped_column(primary_key=True)
    name: Mapped[str]
    """Of the file that it was read from."""
    lines: Mapped[str]
    """One opening a line, such as ``6x7 3342``, sorted."""
    created_at: Mapped[float]


class Run(Base):
    """One start of the program that played games."""

    __tablename__ = "runs"
    __table_args__ = (NEVER_REUSED,)

    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    """ladder, match, gate, tune, bisect or select."""
    rated: Mapped[bool]
    """Whether its pairs enter the aggregate and the live ratings."""
    stream: Mapped[str] = mapped_column(index=True)
    """Hash of what identifies the run, seed included: such runs continue each other."""
    identity: Mapped[str]
    """Hash of the settings without the seed."""
    settings: Mapped[str]
    """JSON object of all that identifies the run, bots with their content hashes included."""
    seed: Mapped[int] = mapped_column(BigInteger)
    division_id: Mapped[int] = mapped_column(ForeignKey("divisions.id"))
    target_games: Mapped[int | None]
    """Null: no limit was given."""
    status: Mapped[str]
    """running, interrupted, finished or invalid."""
    started_at: Mapped[float]
    ended_at: Mapped[float | None]
    note: Mapped[str]
    verdict: Mapped[str | None]
    """Of a gate, or of the gate at the end of a tuning: pass, regression, inconclusive or invalid;
    of a commit in a bisection: good, bad, open or skipped. Null: none, or not decided yet."""


class RunBot(Base):
    """A bot of a run: its name when the run began, which the settings hold, and its revision."""

    __tablename__ = "run_bots"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    name: Mapped[str] = mapped_column(primary_key=True)
    revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))


class LastCommit(Base):
    """The last transaction that a process has committed on a server; a file has no rows.

    A process whose connection was lost at a commit learns here whether it was done. The server's
    own numbers cannot tell: after a crash it gives some of them to other transactions.
    """

    __tablename__ = "last_commits"

    writer: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    """Drawn at random by the process."""
    number: Mapped[int] = mapped_column(BigInteger)
    """The process counts its transactions from 1."""
    committed_at: Mapped[float]


class TuningStep(Base):
    """One step of a run that is a tuning: the pairs of two settings, which are stored nowhere else.

    The settings are thrown away, so they have no bot, no revision and no rated game.
    """

    __tablename__ = "tuning_steps"

    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"), primary_key=True)
    step: Mapped[int] = mapped_column(primary_key=True)
    """From 1 on."""
    a: Mapped[str]
    """JSON object: the value of each parameter of the setting that moves first in game 0."""
    b: Mapped[str]
    """JSON object, of its opponent."""
    pentanomial: Mapped[str]
    """JSON list: pairs by the points of `a`: 0, 1/2, 1, 3/2, 2."""
    forfeits: Mapped[int]
    """Games among them that either forfeited."""
    estimate: Mapped[str]
    """JSON object: the values that the tuning has come to after the step."""
    duration_us: Mapped[int] = mapped_column(BigInteger)
    """From the start of the step to its end."""
    finished_at: Mapped[float]


class Pair(Base):
    """Two games on one board with the colours swapped: the unit of planning and storing."""

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
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(BIG_KEY, primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"))
    stream: Mapped[str]
    """Of its run; here too because a stream's numbers are unique over all its runs."""
    number: Mapped[int]
    """Place in the stream, from 0."""
    a_revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))
    """Moves first in game 0."""
    b_revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))
    board: Mapped[str]
    """One specific board, such as ``10x11@3,4``."""
    board_class: Mapped[str]
    """The class that it was drawn from, such as ``thu``."""
    opening: Mapped[str]
    """Columns, one character each: 0..9, a, b."""
    seed: Mapped[int] = mapped_column(BigInteger)
    status: Mapped[str]
    """planned, finished or dropped."""
    aborts: Mapped[int]
    """How often a move of it was asked again, or the pair begun again, as the machine stalled."""
    finished_at: Mapped[float | None]


class Game(Base):
    """A finished game."""

    __tablename__ = "games"
    __table_args__ = (
        UniqueConstraint("pair_id", "game"),
        # Holds all that counting different lines needs, so that no game is read for it.
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
    """Ascending in the order of storing, in which live ratings moved."""
    pair_id: Mapped[int] = mapped_column(BIG_KEY, ForeignKey("pairs.id"))
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id"))
    division_id: Mapped[int] = mapped_column(ForeignKey("divisions.id"))
    rated: Mapped[bool]
    game: Mapped[int]
    """0: the pair's A moved first; 1: its B did."""
    first_revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))
    second_revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))
    board: Mapped[str]
    board_class: Mapped[str]
    moves: Mapped[str]
    """Columns, one character each, the opening included."""
    opening_plies: Mapped[int]
    plies: Mapped[int]
    seed: Mapped[int] = mapped_column(BigInteger)
    result: Mapped[str]
    """win, loss or draw from the first player's side."""
    termination: Mapped[str]
    detail: Mapped[str]
    """For a forfeit: what happened."""
    offender: Mapped[int | None]
    """The player that forfeited: 0 the first, 1 the second."""
    started_at: Mapped[float]
    duration_us: Mapped[int] = mapped_column(BigInteger)
    first_moves: Mapped[int]
    first_time_us: Mapped[int] = mapped_column(BigInteger)
    first_max_us: Mapped[int] = mapped_column(BigInteger)
    first_simulations: Mapped[int] = mapped_column(BigInteger)
    first_searched_us: Mapped[int] = mapped_column(BigInteger)
    """Time of those moves that reported simulations."""
    second_moves: Mapped[int]
    second_time_us: Mapped[int] = mapped_column(BigInteger)
    second_max_us: Mapped[int] = mapped_column(BigInteger)
    second_simulations: Mapped[int] = mapped_column(BigInteger)
    second_searched_us: Mapped[int] = mapped_column(BigInteger)
    line_hash: Mapped[int] = mapped_column(BigInteger)
    """Signed 64-bit hash of board and moves."""
    repeat: Mapped[bool]
    """Whether the same board and moves had been stored in the division before, by any bots."""
    thoughts: Mapped[bytes]
    """Packed by `db.records.thought_blob`."""


class LastOutput(Base):
    """The last words of a failing bot and to it; only forfeits have any."""

    __tablename__ = "last_words"

    game_id: Mapped[int] = mapped_column(BIG_KEY, ForeignKey("games.id"), primary_key=True)
    stderr: Mapped[str]
    """The end of its stderr."""
    messages: Mapped[str]
    """The last ones of the protocol, one a line, as `db.records.games.LastOutput` writes them."""


class Machine(Base):
    """A machine of a cluster as it described itself when it joined."""

    __tablename__ = "machines"
    __table_args__ = (
        UniqueConstraint("name", "cpu", "cores", "kernel", "python", "numba", "ladder"),
        NEVER_REUSED,
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    cpu: Mapped[str]
    """The model of its processors."""
    cores: Mapped[int]
    kernel: Mapped[str]
    """Of the operating system."""
    python: Mapped[str]
    numba: Mapped[str]
    ladder: Mapped[str]
    """Version of the ladder."""
    speed: Mapped[float]
    """Million positions a second of the reference search, when it last joined."""
    joined_at: Mapped[float]
    """The last time."""


class PairMachine(Base):
    """The machine that played a pair; pairs of the coordinator's own machine have none."""

    __tablename__ = "pair_machines"

    pair_id: Mapped[int] = mapped_column(BIG_KEY, ForeignKey("pairs.id"), primary_key=True)
    machine_id: Mapped[int] = mapped_column(ForeignKey("machines.id"), index=True)


class PairTable(Base):
    """All rated pairs of two revisions under like conditions, from the view of A.

    The nine counters are named by A's results: first letter when it moved first, second letter
    when it moved second (l loss, d draw, w win).
    """

    __tablename__ = "pair_tables"

    division_id: Mapped[int] = mapped_column(ForeignKey("divisions.id"), primary_key=True)
    board_class: Mapped[str] = mapped_column(primary_key=True)
    a_revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"), primary_key=True)
    """Always the smaller of the two."""
    b_revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"), primary_key=True)
    ll: Mapped[int]
    ld: Mapped[int]
    lw: Mapped[int]
    dl: Mapped[int]
    dd: Mapped[int]
    dw: Mapped[int]
    wl: Mapped[int]
    wd: Mapped[int]
    ww: Mapped[int]
    a_moves: Mapped[int] = mapped_column(BigInteger)
    a_time_us: Mapped[int] = mapped_column(BigInteger)
    a_max_us: Mapped[int] = mapped_column(BigInteger)
    a_simulations: Mapped[int] = mapped_column(BigInteger)
    a_searched_us: Mapped[int] = mapped_column(BigInteger)
    """Time of those moves that reported simulations."""
    b_moves: Mapped[int] = mapped_column(BigInteger)
    b_time_us: Mapped[int] = mapped_column(BigInteger)
    b_max_us: Mapped[int] = mapped_column(BigInteger)
    b_simulations: Mapped[int] = mapped_column(BigInteger)
    b_searched_us: Mapped[int] = mapped_column(BigInteger)
    plies: Mapped[int] = mapped_column(BigInteger)
    repeats: Mapped[int]
    """Games whose board and moves had been stored in the division before, by any bots: where none
    is, no game of a list repeats another."""


class ForfeitCount(Base):
    """Games among those of a `PairTable` that one bot lost by one kind of failure."""

    __tablename__ = "forfeits"

    division_id: Mapped[int] = mapped_column(ForeignKey("divisions.id"), primary_key=True)
    board_class: Mapped[str] = mapped_column(primary_key=True)
    a_revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"), primary_key=True)
    b_revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"), primary_key=True)
    offender: Mapped[int] = mapped_column(primary_key=True)
    """The bot that lost: 0 A, 1 B."""
    termination: Mapped[str] = mapped_column(primary_key=True)
    games: Mapped[int]


class Rating(Base):
    """A live rating: sequential Elo, moved once per pair."""

    __tablename__ = "ratings"

    division_id: Mapped[int] = mapped_column(ForeignKey("divisions.id"), primary_key=True)
    revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"), primary_key=True)
    elo: Mapped[float]
    games: Mapped[int]


class HumanGame(Base):
    """A game of a person against a bot, kept apart from the games that bots play in pairs.

    Nothing is derived from it: it belongs to no run, no division and no rating.
    """

    __tablename__ = "saved_games"
    __table_args__ = (NEVER_REUSED,)

    id: Mapped[int] = mapped_column(primary_key=True)
    revision_id: Mapped[int] = mapped_column(ForeignKey("revisions.id"))
    """Of the bot."""
    bot_side: Mapped[int]
    """0: the bot moved first."""
    board: Mapped[str]
    budget: Mapped[str]
    """JSON object such as ``{"time_ms":100}``."""
    seed: Mapped[int] = mapped_column(BigInteger)
    moves: Mapped[str]
    """Columns, one character each; moves that were taken back are not among them."""
    result: Mapped[str]
    """win, loss or draw from the first player's side."""
    termination: Mapped[str]
    detail: Mapped[str]
    """When the bot failed: what happened."""
    started_at: Mapped[float]
    duration_us: Mapped[int] = mapped_column(BigInteger)
    thoughts: Mapped[bytes]
    """Packed by `db.records.thought_blob`; those of a person hold the time alone."""


class SolvedPosition(Base):
    """Bounds on the values of a position's columns, found by the solver. Free to be thrown away."""

    __tablename__ = "solved_positions"

    key: Mapped[bytes] = mapped_column(primary_key=True)
    """Of the position up to mirroring: 16 bytes."""
    solver_version: Mapped[int]
    nodes: Mapped[int] = mapped_column(BigInteger)
    """The most nodes that might be spent on it."""
    bounds: Mapped[bytes]
    """Packed by `ladder.results.analysis.solved`."""


class Verdict(Base):
    """The verdicts on the moves of a game. Free to be thrown away."""

    __tablename__ = "verdicts"

    game_id: Mapped[int] = mapped_column(BIG_KEY, ForeignKey("games.id"), primary_key=True)
    solver_version: Mapped[int]
    nodes: Mapped[int] = mapped_column(BigInteger)
    """The most nodes that might be spent on a position."""
    moves: Mapped[bytes]
    """Packed by `ladder.results.analysis.verdict`."""
