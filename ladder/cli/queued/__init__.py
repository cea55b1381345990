"""The process of a command that the service of the queue plays: `python -m ladder.cli.queued`."""
