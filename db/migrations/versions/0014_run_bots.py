"""The revisions of a run's bots, so that stored experiments find renamed bots."""

import json
from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

PLAYED = """
    SELECT run_id, a_revision_id FROM pairs UNION SELECT run_id, b_revision_id FROM pairs
"""


def upgrade() -> None:
    """Migrate from the version before: find earlier runs' bots by content and pairs."""
    run_bots = op.create_table(
        "run_bots",
        sa.Column("run_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"], name=op.f("fk_run_bots_run_id_runs")),
        sa.ForeignKeyConstraint(
            ["revision_id"], ["revisions.id"], name=op.f("fk_run_bots_revision_id_revisions")
        ),
        sa.PrimaryKeyConstraint("run_id", "name", name=op.f("pk_run_bots")),
    )
    connection = op.get_bind()
    known: dict[str, dict[int, str]] = {}
    for key, content, name in connection.execute(
        sa.text(
            "SELECT revisions.id, content_hash, name FROM revisions "
            "JOIN bots ON bots.id = bot_id ORDER BY revisions.id"
        )
    ):
        known.setdefault(content, {})[key] = name
    played = {(run, key) for run, key in connection.execute(sa.text(PLAYED))}
    rows = [
        {"run_id": run, "name": name, "revision_id": key}
        for run, settings in connection.execute(sa.text("SELECT id, settings FROM runs"))
        for name, key in _bots_of(run, json.loads(settings).get("bots"), known, played).items()
    ]
    if rows:
        op.bulk_insert(run_bots, rows)


def _bots_of(
    run: int,
    bots: Any,
    known: Mapping[str, Mapping[int, str]],
    played: set[tuple[int, int]],
) -> dict[str, int]:
    """Return the revision of each bot of a run, by the bot's name in the settings.

    Among revisions of equal content, prefer one that played in the run, then one whose bot still
    has the name.
    """
    found: dict[str, int] = {}
    if not isinstance(bots, dict):
        return found
    fitting = [
        ((run, key) not in played, now != name, key, name)
        for name, content in bots.items()
        for key, now in known.get(content, {}).items()
    ]
    for _, _, key, name in sorted(fitting):
        if name not in found and key not in found.values():
            found[name] = key
    return found


def downgrade() -> None:
    """Migrate back to the version before."""
    op.drop_table("run_bots")
