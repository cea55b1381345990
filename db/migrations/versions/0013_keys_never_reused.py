"""No reuse of the keys of deleted rows on SQLite; PostgreSQL's sequences never reuse them.

SQLite accepts AUTOINCREMENT only when a table is created, so each table is copied once.
"""

import re

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

TABLES = (
    *("bots", "revisions", "divisions", "runs"),
    *("pairs", "games", "machines", "saved_games"),
)


def upgrade() -> None:
    """Migrate from the version before. Foreign keys must be off, as tables are dropped."""
    for table in TABLES:
        # A later migration that copies one of these tables in a batch must pass
        # table_kwargs={"sqlite_autoincrement": True}, or AUTOINCREMENT is lost.
        _copy(
            table,
            (rf",\s*CONSTRAINT pk_{table} PRIMARY KEY \(id\)|,\s*PRIMARY KEY \(id\)", ""),
            (
                r"\bid INTEGER NOT NULL",
                f"id INTEGER NOT NULL CONSTRAINT pk_{table} PRIMARY KEY AUTOINCREMENT",
            ),
        )


def downgrade() -> None:
    """Migrate back to the version before."""
    for table in TABLES:
        _copy(
            table,
            (
                rf"\bid INTEGER NOT NULL( CONSTRAINT pk_{table})? PRIMARY KEY AUTOINCREMENT",
                "id INTEGER NOT NULL",
            ),
            (r"\)\s*\Z", f", CONSTRAINT pk_{table} PRIMARY KEY (id))"),
        )


def _copy(table: str, *changes: tuple[str, str]) -> None:
    """Copy a SQLite table to one whose CREATE statement is changed by patterns."""
    connection = op.get_bind()
    if connection.dialect.name != "sqlite":
        return
    made = sa.text(
        "SELECT sql FROM sqlite_master "
        "WHERE type = :kind AND tbl_name = :table AND sql IS NOT NULL ORDER BY rowid"
    )
    (statement,) = connection.execute(made, {"kind": "table", "table": table}).scalars()
    indexes = list(connection.execute(made, {"kind": "index", "table": table}).scalars())
    named = (rf"\ACREATE TABLE \"?{table}\"?", f"CREATE TABLE {table}_copied")
    for pattern, replacement in (named, *changes):
        statement, count = re.subn(pattern, replacement, statement, count=1)
        if not count:
            raise ValueError(f"the table {table} was not made by a migration: {statement}")
    op.execute(statement)
    if connection.execute(sa.text(f"SELECT 1 FROM {table} LIMIT 1")).first() is not None:  # noqa: S608
        op.execute(f"INSERT INTO {table}_copied SELECT * FROM {table}")  # noqa: S608
    op.execute(f"DROP TABLE {table}")
    op.execute(f"ALTER TABLE {table}_copied RENAME TO {table}")
    for index in indexes:
        op.execute(index)
