"""The environment of processes that prepare a bot: ours, but for what opens the database."""

import os

SECRETS = frozenset({"LADDER_DB", "PGPASSWORD"})
"""Variables that may hold a password, and that no preparation of a bot needs."""


def environment_without_secrets() -> dict[str, str]:
    """The variables of this process that a bot's sources may see while they are prepared."""
    return {name: value for name, value in os.environ.items() if name not in SECRETS}
