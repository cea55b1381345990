"""Built-in players are identified by their behaviour.

Until now a hash of the code that a player imports identified it. What is current becomes behaviour
1, so that its games go on to count; earlier revisions stay apart.
"""

import hashlib
import json

import sqlalchemy as sa
from alembic import op

from bots.catalogue import parse_player
from bots.errors import BotsError

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Migrate from the version before."""
    connection = op.get_bind()
    current = connection.execute(
        sa.text(
            "SELECT id, content_hash, launch, files FROM revisions WHERE recency = "
            "(SELECT max(recency) FROM revisions AS other WHERE other.bot_id = revisions.bot_id)"
        )
    )
    renamed = {}
    for row in current.all():
        launch, files = json.loads(row.launch), json.loads(row.files)
        is_from_git = launch.get("origin") is not None
        if is_from_git or not any(name.startswith("bots/") for name in files):
            continue
        try:
            version, given = parse_player(launch["player"])
            options = version.resolve_options({**version.options, **given})
        except BotsError:  # a player that these sources lack
            continue
        text = json.dumps((version.name, options, "1"), sort_keys=True, default=str)
        new = renamed[row.content_hash] = hashlib.sha256(text.encode()).hexdigest()[:16]
        kept = {name: value for name, value in files.items() if name.startswith("option ")}
        connection.execute(
            sa.text("UPDATE revisions SET content_hash = :new, files = :files WHERE id = :id"),
            {"id": row.id, "new": new, "files": json.dumps({"behaviour": "1", **kept})},
        )
    for row in connection.execute(sa.text("SELECT id, settings FROM runs")).all():
        settings = json.loads(row.settings)
        bots = settings.get("bots", {})
        settings["bots"] = {name: renamed.get(content, content) for name, content in bots.items()}
        if settings["bots"] != bots:
            connection.execute(
                sa.text("UPDATE runs SET settings = :settings WHERE id = :id"),
                {"id": row.id, "settings": json.dumps(settings)},
            )


def downgrade() -> None:
    """Migrate back to the version before, where the next start makes new revisions."""
