"""Forfeits are counted in rows instead of columns, so that a new kind needs no migration."""

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
    """Go to this version. The cost grows with the pairings, not with the games."""
    op.create_table(
        "forfeits",
        sa.Column("division_id", sa.Integer(), nullable=False),
        sa.Column("board_class", sa.Text(), nullable=False),
        sa.Column("a_revision_id", sa.Integer(), nullable=False),
        sa.Column("b_revision_id", sa.Integer(), nullable=False),
        sa.Column("offender", sa.Integer(), nullable=False),
        sa.Column("termination", sa.Text(), nullable=False),
        sa.Column("games", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["division_id"], ["divisions.id"], name=op.f("fk_forfeits_division_id_divisions")
        ),
        sa.ForeignKeyConstraint(
            ["a_revision_id"], ["revisions.id"], name=op.f("fk_forfeits_a_revision_id_revisions")
        ),
        sa.ForeignKeyConstraint(
            ["b_revision_id"], ["revisions.id"], name=op.f("fk_forfeits_b_revision_id_revisions")
        ),
        sa.PrimaryKeyConstraint(
            *("division_id", "board_class", "a_revision_id", "b_revision_id"),
            *("offender", "termination"),
            name=op.f("pk_forfeits"),
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
    """Go back to the version before."""
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
