"""Keys of pairs and games have 64 bits on PostgreSQL, as they always had on SQLite.

A key is spent also by what is undone: two thousand million are not as far away as they look.
"""

from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

KEYS = {
    "pairs": ("id",),
    "games": ("id", "pair_id"),
    "last_words": ("game_id",),
    "verdicts": ("game_id",),
    "pair_machines": ("pair_id",),
}


def upgrade() -> None:
    """Go to this version; each table is written anew once."""
    _make("bigint")


def downgrade() -> None:
    """Go back to the version before. Fails when a key is too large for it."""
    _make("integer")


def _make(kind: str) -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    for table, columns in KEYS.items():
        # Alembic would alter, and so rewrite, a table for each column by itself.
        altered = ", ".join(f"ALTER COLUMN {column} TYPE {kind}" for column in columns)
        op.execute(f"ALTER TABLE {table} {altered}")
        if "id" in columns:
            op.execute(f"ALTER SEQUENCE {table}_id_seq AS {kind}")
