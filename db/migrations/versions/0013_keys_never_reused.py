"""Keys of deleted rows are not given out again on SQLite; PostgreSQL's sequences never do.

SQLite can only set this when it makes a table, so each table is copied once.
"""

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
    """Go to this version. Foreign keys must be off: a copied table is dropped meanwhile."""
    _copy_tables(autoincrement=True)


def downgrade() -> None:
    """Go back to the version before."""
    _copy_tables(autoincrement=False)


def _copy_tables(*, autoincrement: bool) -> None:
    if op.get_bind().dialect.name != "sqlite":
        return
    for table in TABLES:
        # A batch that copies one of these tables later must give the same argument, or loses this.
        with op.batch_alter_table(
            table, recreate="always", table_kwargs={"sqlite_autoincrement": autoincrement}
        ):
            pass
