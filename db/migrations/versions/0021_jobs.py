"""The queue as a list of command lines, without services, stored bots and tokens."""

import json
import shlex

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before; what has not ended waits, what has ended is dropped."""
    jobs = op.create_table(
        "jobs",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("added_at", sa.Double(), nullable=False),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("result", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_jobs")),
        sqlite_autoincrement=True,
    )
    waiting = sa.text(
        "SELECT command, arguments, folder, author, note, submitted_at FROM queue_entries "
        "WHERE state IN ('waiting', 'playing', 'paused') ORDER BY priority DESC, place, id"
    )
    for row in op.get_bind().execute(waiting).all():
        op.get_bind().execute(
            sa.insert(jobs).values(
                command=shlex.join([*row.command.split(), *json.loads(row.arguments)]),
                folder=row.folder,
                author=row.author,
                note=row.note,
                status="waiting",
                added_at=row.submitted_at,
                result="",
            )
        )
    for table in ("tokens", "queue_bots", "archives", "queue_entries", "queue_services"):
        op.drop_table(table)


def downgrade() -> None:
    """Migrate back to the version before, to an empty queue."""
    op.drop_table("jobs")
    op.create_table(
        "queue_services",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("cluster", sa.Text(), nullable=True),
        sa.Column("jobs", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=False),
        sa.Column("seen_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_queue_services")),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "queue_entries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("arguments", sa.Text(), nullable=False),
        sa.Column("folder", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("note", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("request", sa.Text(), nullable=True),
        sa.Column("submitted_at", sa.Double(), nullable=False),
        sa.Column("started_at", sa.Double(), nullable=True),
        sa.Column("ended_at", sa.Double(), nullable=True),
        sa.Column("exit_code", sa.Integer(), nullable=True),
        sa.Column("output", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Integer(), nullable=True),
        sa.Column("service_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_queue_entries_run_id_runs")),
        sa.ForeignKeyConstraint(
            ["service_id"],
            ["queue_services.id"],
            name=op.f("fk_queue_entries_service_id_queue_services"),
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_queue_entries")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_queue_entries_state"), "queue_entries", ["state"])
    op.create_table(
        "archives",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_archives")),
    )
    op.create_table(
        "queue_bots",
        sa.Column("entry_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("archive", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["entry_id"], ["queue_entries.id"], name=op.f("fk_queue_bots_entry_id_queue_entries")
        ),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["revisions.id"], name=op.f("fk_queue_bots_revision_id_revisions")
        ),
        sa.ForeignKeyConstraint(
            ["archive"], ["archives.digest"], name=op.f("fk_queue_bots_archive_archives")
        ),
        sa.PrimaryKeyConstraint("entry_id", "name", name=op.f("pk_queue_bots")),
    )
    op.create_table(
        "tokens",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("right", sa.Text(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("used_at", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tokens")),
        sa.UniqueConstraint("hash", name=op.f("uq_tokens_hash")),
        sa.UniqueConstraint("name", name=op.f("uq_tokens_name")),
        sqlite_autoincrement=True,
    )
