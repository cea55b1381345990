"""The first tables: bots, conditions, runs, pairs, games, and what is derived from games."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before."""
    op.create_table(
        "bots",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("family", sa.Text(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("based_on", sa.Text(), nullable=True),
        sa.Column("change", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("retired_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bots")),
        sa.UniqueConstraint("name", name=op.f("uq_bots_name")),
    )

    op.create_table(
        "divisions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("boards", sa.Text(), nullable=False),
        sa.Column("opening_plies", sa.Integer(), nullable=True),
        sa.Column("budget", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_divisions")),
        sa.UniqueConstraint("key", name=op.f("uq_divisions_key")),
        sa.UniqueConstraint("label", name=op.f("uq_divisions_label")),
    )

    op.create_table(
        "revisions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("bot_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("recency", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("launch", sa.Text(), nullable=False),
        sa.Column("budgets", sa.Text(), nullable=False),
        sa.Column("boards", sa.Text(), nullable=True),
        sa.Column("files", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name=op.f("fk_revisions_bot_id_bots")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_revisions")),
        sa.UniqueConstraint(
            "bot_id", "content_hash", name=op.f("uq_revisions_bot_id_content_hash")
        ),
        sa.UniqueConstraint("bot_id", "number", name=op.f("uq_revisions_bot_id_number")),
    )

    op.create_table(
        "runs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("stream", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("division_id", sa.Integer(), nullable=False),
        sa.Column("target_games", sa.Integer(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("note", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["division_id"], ["divisions.id"], name=op.f("fk_runs_division_id_divisions")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_runs")),
    )
    op.create_index(op.f("ix_runs_stream"), "runs", ["stream"], unique=False)

    op.create_table(
        "pair_tables",
        sa.Column("division_id", sa.Integer(), nullable=False),
        sa.Column("board_class", sa.Text(), nullable=False),
        sa.Column("a_revision_id", sa.Integer(), nullable=False),
        sa.Column("b_revision_id", sa.Integer(), nullable=False),
        sa.Column("ll", sa.Integer(), nullable=False),
        sa.Column("ld", sa.Integer(), nullable=False),
        sa.Column("lw", sa.Integer(), nullable=False),
        sa.Column("dl", sa.Integer(), nullable=False),
        sa.Column("dd", sa.Integer(), nullable=False),
        sa.Column("dw", sa.Integer(), nullable=False),
        sa.Column("wl", sa.Integer(), nullable=False),
        sa.Column("wd", sa.Integer(), nullable=False),
        sa.Column("ww", sa.Integer(), nullable=False),
        sa.Column("a_moves", sa.BigInteger(), nullable=False),
        sa.Column("a_time_us", sa.BigInteger(), nullable=False),
        sa.Column("a_max_us", sa.BigInteger(), nullable=False),
        sa.Column("a_simulations", sa.BigInteger(), nullable=False),
        sa.Column("a_searched_us", sa.BigInteger(), nullable=False),
        sa.Column("a_timeout", sa.Integer(), nullable=False),
        sa.Column("a_crash", sa.Integer(), nullable=False),
        sa.Column("a_illegal_move", sa.Integer(), nullable=False),
        sa.Column("a_protocol_error", sa.Integer(), nullable=False),
        sa.Column("a_memory", sa.Integer(), nullable=False),
        sa.Column("b_moves", sa.BigInteger(), nullable=False),
        sa.Column("b_time_us", sa.BigInteger(), nullable=False),
        sa.Column("b_max_us", sa.BigInteger(), nullable=False),
        sa.Column("b_simulations", sa.BigInteger(), nullable=False),
        sa.Column("b_searched_us", sa.BigInteger(), nullable=False),
        sa.Column("b_timeout", sa.Integer(), nullable=False),
        sa.Column("b_crash", sa.Integer(), nullable=False),
        sa.Column("b_illegal_move", sa.Integer(), nullable=False),
        sa.Column("b_protocol_error", sa.Integer(), nullable=False),
        sa.Column("b_memory", sa.Integer(), nullable=False),
        sa.Column("plies", sa.BigInteger(), nullable=False),
        sa.Column("repeats", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["a_revision_id"], ["revisions.id"], name=op.f("fk_pair_tables_a_revision_id_revisions")
        ),
        sa.ForeignKeyConstraint(
            ["b_revision_id"], ["revisions.id"], name=op.f("fk_pair_tables_b_revision_id_revisions")
        ),
        sa.ForeignKeyConstraint(
            ["division_id"], ["divisions.id"], name=op.f("fk_pair_tables_division_id_divisions")
        ),
        sa.PrimaryKeyConstraint(
            "division_id",
            "board_class",
            "a_revision_id",
            "b_revision_id",
            name=op.f("pk_pair_tables"),
        ),
    )

    op.create_table(
        "pairs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("stream", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("a_revision_id", sa.Integer(), nullable=False),
        sa.Column("b_revision_id", sa.Integer(), nullable=False),
        sa.Column("board", sa.Text(), nullable=False),
        sa.Column("board_class", sa.Text(), nullable=False),
        sa.Column("opening", sa.Text(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("aborts", sa.Integer(), nullable=False),
        sa.Column("finished_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(
            ["a_revision_id"], ["revisions.id"], name=op.f("fk_pairs_a_revision_id_revisions")
        ),
        sa.ForeignKeyConstraint(
            ["b_revision_id"], ["revisions.id"], name=op.f("fk_pairs_b_revision_id_revisions")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_pairs_run_id_runs")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pairs")),
        sa.UniqueConstraint("stream", "number", name=op.f("uq_pairs_stream_number")),
    )
    op.create_index(op.f("ix_pairs_run_id_status"), "pairs", ["run_id", "status"], unique=False)

    op.create_table(
        "ratings",
        sa.Column("division_id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("elo", sa.Double(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["division_id"], ["divisions.id"], name=op.f("fk_ratings_division_id_divisions")
        ),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["revisions.id"], name=op.f("fk_ratings_revision_id_revisions")
        ),
        sa.PrimaryKeyConstraint("division_id", "revision_id", name=op.f("pk_ratings")),
    )

    op.create_table(
        "games",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("division_id", sa.Integer(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("game", sa.Integer(), nullable=False),
        sa.Column("first_revision_id", sa.Integer(), nullable=False),
        sa.Column("second_revision_id", sa.Integer(), nullable=False),
        sa.Column("board", sa.Text(), nullable=False),
        sa.Column("board_class", sa.Text(), nullable=False),
        sa.Column("moves", sa.Text(), nullable=False),
        sa.Column("opening_plies", sa.Integer(), nullable=False),
        sa.Column("plies", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("termination", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("offender", sa.Integer(), nullable=True),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("duration_us", sa.BigInteger(), nullable=False),
        sa.Column("first_moves", sa.Integer(), nullable=False),
        sa.Column("first_time_us", sa.BigInteger(), nullable=False),
        sa.Column("first_max_us", sa.BigInteger(), nullable=False),
        sa.Column("first_simulations", sa.BigInteger(), nullable=False),
        sa.Column("first_searched_us", sa.BigInteger(), nullable=False),
        sa.Column("second_moves", sa.Integer(), nullable=False),
        sa.Column("second_time_us", sa.BigInteger(), nullable=False),
        sa.Column("second_max_us", sa.BigInteger(), nullable=False),
        sa.Column("second_simulations", sa.BigInteger(), nullable=False),
        sa.Column("second_searched_us", sa.BigInteger(), nullable=False),
        sa.Column("line_hash", sa.BigInteger(), nullable=False),
        sa.Column("repeat", sa.Boolean(), nullable=False),
        sa.Column("thoughts", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["division_id"], ["divisions.id"], name=op.f("fk_games_division_id_divisions")
        ),
        sa.ForeignKeyConstraint(
            ["first_revision_id"],
            ["revisions.id"],
            name=op.f("fk_games_first_revision_id_revisions"),
        ),
        sa.ForeignKeyConstraint(["pair_id"], ["pairs.id"], name=op.f("fk_games_pair_id_pairs")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_games_run_id_runs")),
        sa.ForeignKeyConstraint(
            ["second_revision_id"],
            ["revisions.id"],
            name=op.f("fk_games_second_revision_id_revisions"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_games")),
        sa.UniqueConstraint("pair_id", "game", name=op.f("uq_games_pair_id_game")),
    )
    op.create_index(
        op.f("ix_games_line_hash_division_id"), "games", ["line_hash", "division_id"], unique=False
    )


def downgrade() -> None:
    """Drop all tables."""
    op.drop_index(op.f("ix_games_line_hash_division_id"), table_name="games")
    op.drop_table("games")
    op.drop_table("ratings")
    op.drop_index(op.f("ix_pairs_run_id_status"), table_name="pairs")
    op.drop_table("pairs")
    op.drop_table("pair_tables")
    op.drop_index(op.f("ix_runs_stream"), table_name="runs")
    op.drop_table("runs")
    op.drop_table("revisions")
    op.drop_table("divisions")
    op.drop_table("bots")
