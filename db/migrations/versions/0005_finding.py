"""Runs keep the verdict of a gate; an index of the few games that a bot lost by failing."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this version: the verdicts of earlier gates were not kept, hence null."""
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
    """Go back to the version before."""
    op.drop_index(op.f("ix_games_forfeited"), table_name="games")
    with op.batch_alter_table("runs") as batch:
        batch.drop_column("verdict")
