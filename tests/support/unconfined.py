"""A confinement without limits, for tests of other things."""

from db.records.launch import DEFAULT_LIMITS
from ladder.match.process.sandbox import Confinement

UNCONFINED = Confinement(limits=DEFAULT_LIMITS, sandbox=())
"""The default limits, no sandbox, no logs."""
