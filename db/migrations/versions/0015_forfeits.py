"""Counts of forfeits in rows instead of columns, so that new kinds need no migration."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

KEY = "division_id, board_class, a_revision_id, b_revision_id"
KINDS = ("timeout", "crash", "illegal_move", "protocol_error", "memory", "pondering")
COLUMNS = tuple((offender, kind) for offender in (0, 1) for kind in KINDS)


def upgrade() -> None:
    """Migrate from the version before, in a time that grows with the pairings, not games."""
    integers = ("division_id", "a_revision_id", "b_revision_id", "offender", "games")
    tables = ("divisions", "revisions", "revisions")
    op.create_table(
        "forfeits",
        *(sa.Column(name, sa.Integer(), nullable=False) for name in integers),
        *(sa.Column(name, sa.Text(), nullable=False) for name in ("board_class", "termination")),
        *(
            sa.ForeignKeyConstraint(
                [name], [f"{table}.id"], name=op.f(f"fk_forfeits_{name}_{table}")
            )
            for name, table in zip(integers, tables, strict=False)
        ),
        sa.PrimaryKeyConstraint(
            *KEY.split(", "), "offender", "termination", name=op.f("pk_forfeits")
        ),
    )
    for offender, kind in COLUMNS:
        column = _column(offender, kind)
        op.execute(
            f"INSERT INTO forfeits ({KEY}, offender, termination, games) "  # noqa: S608
            f"SELECT {KEY}, {offender}, '{kind}', {column} FROM pair_tables WHERE {column} > 0"
        )
    for which in COLUMNS:
        op.execute(f"ALTER TABLE pair_tables DROP COLUMN {_column(*which)}")  # no copy on SQLite


def downgrade() -> None:
    """Migrate back to the version before."""
    same = " AND ".join(f"forfeits.{name} = pair_tables.{name}" for name in KEY.split(", "))
    for offender, kind in COLUMNS:
        name = _column(offender, kind)
        op.add_column(
            "pair_tables", sa.Column(name, sa.Integer(), nullable=False, server_default="0")
        )
        row = f"{same} AND offender = {offender} AND termination = '{kind}'"
        op.execute(
            f"UPDATE pair_tables SET {name} = "  # noqa: S608
            f"coalesce((SELECT games FROM forfeits WHERE {row}), 0)"
        )
    op.drop_table("forfeits")


def _column(offender: int, kind: str) -> str:
    return f"{'ab'[offender]}_{kind}"
