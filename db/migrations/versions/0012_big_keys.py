"""Keys of pairs and games with 64 bits on PostgreSQL, as always on SQLite.

Transactions that are rolled back use up keys, too, so 32 bits may not last.
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
    """Migrate from the version before; each table is rewritten once."""
    _make("bigint")


def downgrade() -> None:
    """Migrate back to the version before; fail if a key is too large for it."""
    _make("integer")


def _make(kind: str) -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    for table, columns in KEYS.items():
        # Alembic would rewrite a table once for each column.
        altered = ", ".join(f"ALTER COLUMN {column} TYPE {kind}" for column in columns)
        op.execute(f"ALTER TABLE {table} {altered}")
        if "id" in columns:
            op.execute(f"ALTER SEQUENCE {table}_id_seq AS {kind}")
