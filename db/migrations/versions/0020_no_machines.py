"""Drop the tables of the machines that played pairs."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before."""
    op.drop_table("pair_machines")
    op.drop_table("machines")


def downgrade() -> None:
    """Migrate back to the version before, to empty tables."""
    words = ("name", "cpu", "cores", "kernel", "python", "numba", "ladder")
    op.create_table(
        "machines",
        sa.Column("id", sa.Integer(), nullable=False),
        *(
            sa.Column(word, sa.Integer() if word == "cores" else sa.Text(), nullable=False)
            for word in words
        ),
        sa.Column("speed", sa.Double(), nullable=False),
        sa.Column("joined_at", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_machines")),
        sa.UniqueConstraint(*words, name=op.f("uq_machines_" + "_".join(words))),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "pair_machines",
        sa.Column("pair_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
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
