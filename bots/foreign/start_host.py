"""Starts the host of a foreign bot: ``python start_host.py KIND FOLDER PROGRAM [ARGUMENTS]``.

The hosts and what they share are the other modules of this folder. They are imported as a package
whose name no bot has, so that a bot's own modules and packages never clash with them. The kinds are
python, kaggle, thu, saiblo and moves.

Self-contained: the standard library of Python 3.8, and no package of this project.
"""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType

PACKAGE = "ladder_hosts"

# Not in a function: a crash shows few lines of the stack, which are to name the bot's.
if __name__ == "__main__":
    kind, *arguments = sys.argv[1:]
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [place for place in sys.path if place != here]
    package = sys.modules[PACKAGE] = ModuleType(PACKAGE)
    package.__path__ = [here]
    host = importlib.import_module(f"{PACKAGE}.{kind}_host").make_host(*arguments)
    importlib.import_module(f"{PACKAGE}.host_loop").serve(host)
