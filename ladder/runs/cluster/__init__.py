"""Runs on many machines: bots are shipped, pairs played there, records sent back (Dask)."""

import sys
from importlib.util import find_spec

from ladder.errors import UsageError

if find_spec("distributed") is None:
    raise UsageError(
        "playing on other machines needs the extra `cluster`, which is not installed: run "
        f"`{sys.executable} -m pip install -c constraints.txt '.[cluster]'` in a checkout"
    )
