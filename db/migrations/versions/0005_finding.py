"""The verdict of a gate in its run; an index of the few forfeited games."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before, which stored no verdicts: all are null."""
    op.add_column("runs", sa.Column("verdict", sa.Text(), nullable=True))
    op.create_index(
        op.f("ix_games_forfeited"),
        "games",
        ["division_id"],
        unique=False,
        sqlite_where=sa.text("offender IS NOT NULL"),
        postgresql_where=sa.text("offender IS NOT NULL"),
    )


def downgrade() -> None:
    """Migrate back to the version before."""
    op.drop_index(op.f("ix_games_forfeited"), table_name="games")
    with op.batch_alter_table("runs") as batch:
        batch.drop_column("verdict")
