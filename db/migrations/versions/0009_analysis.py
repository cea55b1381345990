"""Solved positions, and the verdicts on the moves of games."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before."""
    op.create_table(
        "solved_positions",
        sa.Column("key", sa.LargeBinary(), nullable=False),
        sa.Column("solver_version", sa.Integer(), nullable=False),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column("bounds", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_solved_positions")),
    )
    op.create_table(
        "verdicts",
        sa.Column("game_id", sa.Integer(), nullable=False),
        sa.Column("solver_version", sa.Integer(), nullable=False),
        sa.Column("nodes", sa.BigInteger(), nullable=False),
        sa.Column("moves", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.id"], name=op.f("fk_verdicts_game_id_games")),
        sa.PrimaryKeyConstraint("game_id", name=op.f("pk_verdicts")),
    )


def downgrade() -> None:
    """Migrate back to the version before."""
    op.drop_table("verdicts")
    op.drop_table("solved_positions")
