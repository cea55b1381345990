"""An index that covers the columns that counting distinct games needs."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before."""
    op.drop_index(op.f("ix_games_line_hash_division_id"), table_name="games")
    op.create_index(
        op.f("ix_games_lines"),
        "games",
        ["line_hash", "division_id", "rated", "first_revision_id", "second_revision_id"],
        unique=False,
    )


def downgrade() -> None:
    """Migrate back to the version before."""
    op.drop_index(op.f("ix_games_lines"), table_name="games")
    op.create_index(
        op.f("ix_games_line_hash_division_id"), "games", ["line_hash", "division_id"], unique=False
    )
