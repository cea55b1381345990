"""The tables of release 0.2.0, as `db.models` has them: a new database has no migration to do."""

revision = "0100"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Do nothing: `db.migrations.create_tables` creates them from the models."""
