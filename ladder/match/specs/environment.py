"""The environment of processes that prepare a bot: ours without the secrets of the database."""

import os

SECRETS = frozenset({"LADDER_DB", "PGPASSWORD"})
"""Variables that may contain a password."""


def environment_without_secrets() -> dict[str, str]:
    """Return this process's environment without the variables in `SECRETS`."""
    return {name: value for name, value in os.environ.items() if name not in SECRETS}
