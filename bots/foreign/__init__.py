"""Hosts of foreign bots: scripts that import nothing of this project.

They run under the interpreter that a bot needs, beside packages whose names may clash with this
project's. They therefore share only the modules `ladder_*` of this folder, and use the standard
library of Python 3.8.
"""

from pathlib import Path


def script_of(host: str) -> str:
    """Return the absolute path of a host's script: python, kaggle, thu or saiblo."""
    return str(Path(__file__).resolve().parent / f"{host}_host.py")
