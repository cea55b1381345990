"""The UCT versions as a table of differences."""

from bots.version import Version

UCT: tuple[Version, ...] = ()
