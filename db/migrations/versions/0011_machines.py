"""Machines of clusters, and which of them played a pair."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before, which knew no clusters: no rows."""
    words = ("name", "cpu", "cores", "kernel", "python", "numba", "ladder")
    op.create_table(
        "machines",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("cpu", sa.Text(), nullable=False),
        sa.Column("cores", sa.Integer(), nullable=False),
        sa.Column("kernel", sa.Text(), nullable=False),
        sa.Column("python", sa.Text(), nullable=False),
        sa.Column("numba", sa.Text(), nullable=False),
        sa.Column("ladder", sa.Text(), nullable=False),
        sa.Column("speed", sa.Double(), nullable=False),
        sa.Column("joined_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_machines")),
        sa.UniqueConstraint(*words, name=op.f("uq_machines_" + "_".join(words))),
    )
    op.create_table(
        "pair_machines",
        sa.Column("pair_id", sa.Integer(), nullable=False),
        sa.Column("machine_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["pair_id"], ["pairs.id"], name=op.f("fk_pair_machines_pair_id_pairs")
        ),
        sa.ForeignKeyConstraint(
            ["machine_id"], ["machines.id"], name=op.f("fk_pair_machines_machine_id_machines")
        ),
        sa.PrimaryKeyConstraint("pair_id", name=op.f("pk_pair_machines")),
    )
    op.create_index(op.f("ix_pair_machines_machine_id"), "pair_machines", ["machine_id"])


def downgrade() -> None:
    """Migrate back to the version before."""
    op.drop_table("pair_machines")
    op.drop_table("machines")
