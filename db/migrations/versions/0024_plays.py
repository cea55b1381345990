"""The games of people as unrated games of the bot `human`, without a table of their own."""

import hashlib
import json
import secrets
import time
from typing import Any

import sqlalchemy as sa
from alembic import op

from db.json_column import to_json
from db.records.budget import budget_label
from engine.board import BoardClass, parse_board
from engine.opening_set import is_of_class
from engine.result import Termination

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

SUMS = ("moves", "time_us", "max_us", "simulations", "searched_us")


def upgrade() -> None:
    """Migrate from the version before: a saved game becomes a run with one pair of one game."""
    select_saved = sa.text(
        "SELECT saved_games.*, name, content_hash FROM saved_games "
        "JOIN revisions ON revisions.id = revision_id JOIN bots ON bots.id = bot_id "
        "ORDER BY saved_games.id"
    )
    saved = op.get_bind().execute(select_saved).mappings().all()
    human = _insert_human() if saved else 0
    for game in saved:
        _insert_play(game, human)
    op.drop_table("saved_games")


def _insert_human() -> int:
    """Store the bot that stands for people, or its revision in a bot of its name; return that."""
    known = (
        op.get_bind()
        .execute(
            sa.text(
                "SELECT bots.id, max(number) AS number, min(recency) AS recency FROM bots "
                "JOIN revisions ON bot_id = bots.id WHERE name = 'human' GROUP BY bots.id"
            )
        )
        .first()
    )
    now = time.time()
    bot = {"name": "human", "family": "human", "spec": "human", "change": ""}
    return _insert(
        "revisions",
        bot_id=known.id if known else _insert("bots", **bot, created_at=now, retired_at=now),
        number=known.number + 1 if known else 1,
        recency=known.recency - 1 if known else 1,
        content_hash="human",
        launch='{"command":[],"folder":""}',
        budgets="[]",
        files="{}",
        created_at=now,
    )


def _insert_play(game: Any, human: int) -> None:
    """Store a saved game as a run with one pair of one game."""
    board, thu = parse_board(game["board"]), BoardClass(None)
    boards = str(thu if is_of_class(board, thu) else board)
    conditions = {"boards": boards, "opening_plies": 0, "budget": json.loads(game["budget"])}
    bots = {"human": "human", game["name"]: game["content_hash"]}
    settings = to_json({**conditions, "kind": "play", "bots": bots})
    is_forfeit = Termination(game["termination"]).is_forfeit
    digest = hashlib.blake2b(f"{game['board']} {game['moves']}".encode(), digest_size=8).digest()
    ended_at = game["started_at"] + game["duration_us"] / 1e6
    stream = secrets.token_hex(16)
    division = _ensure_division(conditions)
    run = _insert(
        "runs",
        kind="play",
        rated=False,
        stream=stream,
        identity=hashlib.sha256(settings.encode()).hexdigest(),
        settings=settings,
        seed=game["seed"],
        division_id=division,
        target_games=1,
        status="finished",
        started_at=game["started_at"],
        ended_at=ended_at,
        note="",
    )
    players = [human, game["revision_id"]]
    run_bots = sa.table("run_bots", *map(sa.column, ("run_id", "name", "revision_id")))
    names = [
        {"run_id": run, "name": name, "revision_id": player}
        for name, player in zip(("human", game["name"]), players, strict=True)
    ]
    op.get_bind().execute(sa.insert(run_bots), names if game["name"] != "human" else names[:1])
    first, second = players if game["bot_side"] else players[::-1]
    shared = {"run_id": run, "board": game["board"], "board_class": boards, "seed": game["seed"]}
    pair = _insert(
        "pairs",
        **shared,
        stream=stream,
        number=0,
        a_revision_id=first,
        b_revision_id=second,
        opening="",
        status="finished",
        aborts=0,
        finished_at=ended_at,
    )
    line = {
        "line_hash": int.from_bytes(digest, "big", signed=True),
        "division_id": division,
        "board": game["board"],
        "moves": game["moves"],
    }
    same = " AND ".join(f"{name} = :{name}" for name in line)
    earlier = sa.text(f"SELECT id FROM games WHERE {same} LIMIT 1")  # noqa: S608
    _insert(
        "games",
        **{**shared, **line},
        pair_id=pair,
        rated=False,
        game=0,
        first_revision_id=first,
        second_revision_id=second,
        opening_plies=0,
        plies=len(game["moves"]),
        result=game["result"],
        termination=game["termination"],
        detail=game["detail"],
        offender=game["bot_side"] if is_forfeit else None,
        started_at=game["started_at"],
        duration_us=game["duration_us"],
        **{f"{side}_{name}": 0 for side in ("first", "second") for name in SUMS},
        repeat=op.get_bind().execute(earlier, line).first() is not None,
        thoughts=game["thoughts"],
    )


def _ensure_division(conditions: dict[str, Any]) -> int:
    """Return the division with these conditions; store it if it is missing."""
    key = to_json(conditions)
    known = op.get_bind().execute(
        sa.text("SELECT id FROM divisions WHERE key = :key"), {"key": key}
    )
    budget = conditions["budget"]
    row = {**conditions, "budget": to_json(budget)}
    label = f"{conditions['boards']}/{budget_label(budget)}"
    return known.scalar() or _insert("divisions", **row, key=key, label=label)


def _insert(table: str, **values: Any) -> int:
    """Insert a row; return its id."""
    columns = sa.table(table, sa.column("id", sa.BigInteger), *map(sa.column, values))
    statement = sa.insert(columns).values(**values).returning(columns.c.id)
    return int(op.get_bind().execute(statement).scalar_one())


def downgrade() -> None:
    """Migrate back to the version before, to an empty table; the games stay those of `human`."""
    op.create_table(
        "saved_games",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("bot_side", sa.Integer(), nullable=False),
        sa.Column("board", sa.Text(), nullable=False),
        sa.Column("budget", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("moves", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("termination", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("duration_us", sa.BigInteger(), nullable=False),
        sa.Column("thoughts", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["revisions.id"], name=op.f("fk_saved_games_revision_id_revisions")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_saved_games")),
        sqlite_autoincrement=True,
    )
