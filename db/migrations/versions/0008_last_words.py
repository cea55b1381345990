"""The last output of bots that forfeited a game, and the last messages to them."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before, which stored no such output: no rows."""
    op.create_table(
        "last_words",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("stderr", sa.Text(), nullable=False),
        sa.Column("messages", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.id"], name=op.f("fk_last_words_game_id_games")
        ),
        sa.PrimaryKeyConstraint("game_id", name=op.f("pk_last_words")),
    )


def downgrade() -> None:
    """Migrate back to the version before."""
    op.drop_table("last_words")
