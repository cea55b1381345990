"""The index of lines holds all that counting different games of some bots needs."""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Go to this version."""
    op.drop_index(op.f("ix_games_line_hash_division_id"), table_name="games")
    op.create_index(
        op.f("ix_games_lines"),
        "games",
        ["line_hash", "division_id", "rated", "first_revision_id", "second_revision_id"],
        unique=False,
    )


def downgrade() -> None:
    """Go back to the version before."""
    op.drop_index(op.f("ix_games_lines"), table_name="games")
    op.create_index(
        op.f("ix_games_line_hash_division_id"), "games", ["line_hash", "division_id"], unique=False
    )
