"""Hosts of foreign bots: scripts that import nothing of this project.

They run under the interpreter that a bot needs, beside packages whose names may clash with this
project's. They therefore import each other relatively, from the package that `start_host.py` makes
of this folder, and use the standard library of Python 3.8.
"""

from pathlib import Path

SCRIPT = str(Path(__file__).resolve().parent / "start_host.py")
"""Absolute path of the script that starts a host."""
