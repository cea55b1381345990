"""The steps of tunings."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before."""
    op.create_table(
        "tuning_steps",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("a", sa.Text(), nullable=False),
        sa.Column("b", sa.Text(), nullable=False),
        sa.Column("pentanomial", sa.Text(), nullable=False),
        sa.Column("forfeits", sa.Integer(), nullable=False),
        sa.Column("estimate", sa.Text(), nullable=False),
        sa.Column("duration_us", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_tuning_steps_run_id_runs")),
        sa.PrimaryKeyConstraint("run_id", "step", name=op.f("pk_tuning_steps")),
    )


def downgrade() -> None:
    """Migrate back to the version before."""
    op.drop_table("tuning_steps")
