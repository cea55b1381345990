"""An index of the few pairs with an abandoned game, for the share that reports show."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before."""
    op.create_index(
        op.f("ix_pairs_aborted"),
        "pairs",
        ["run_id"],
        unique=False,
        sqlite_where=sa.text("aborts > 0"),
        postgresql_where=sa.text("aborts > 0"),
    )


def downgrade() -> None:
    """Migrate back to the version before."""
    op.drop_index(op.f("ix_pairs_aborted"), table_name="pairs")
