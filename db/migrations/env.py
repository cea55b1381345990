"""Alembic's script: migrate on the caller's connection, in its transaction."""

from alembic import context

from db.models import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    # SQLite alters a table by copying it.
    render_as_batch=True,
)
context.run_migrations()
