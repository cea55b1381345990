"""Bounds for bots of tests that are about something else."""

from db.records.launch import DEFAULT_LIMITS
from ladder.match.process.confinement import Confinement

UNCONFINED = Confinement(limits=DEFAULT_LIMITS, sandbox=())
"""The default limits, no sandbox, no logs."""
