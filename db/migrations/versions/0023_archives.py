"""Files of bots, which the database holds from now on.

Bots that were added by the path of their files stay without: they cannot play until they are added
again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

REFERENCE = "fk_revisions_archive_bot_archives"


def upgrade() -> None:
    """Migrate from the version before."""
    op.create_table(
        "bot_archives",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("manifest", sa.Text(), nullable=False),
        sa.Column("bytes", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", name=op.f("pk_bot_archives")),
    )
    op.create_table(
        "bot_files",
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("sha256", "part", name=op.f("pk_bot_files")),
    )
    if op.get_bind().dialect.name == "sqlite":  # which adds no constraint to an existing table
        op.execute(
            f"ALTER TABLE revisions ADD COLUMN archive TEXT CONSTRAINT {REFERENCE} "
            "REFERENCES bot_archives (sha256)"
        )
    else:
        op.add_column("revisions", sa.Column("archive", sa.Text(), nullable=True))
        op.create_foreign_key(op.f(REFERENCE), "revisions", "bot_archives", ["archive"], ["sha256"])


def downgrade() -> None:
    """Migrate back to the version before."""
    op.execute("ALTER TABLE revisions DROP COLUMN archive")  # with its foreign key
    op.drop_table("bot_files")
    op.drop_table("bot_archives")
