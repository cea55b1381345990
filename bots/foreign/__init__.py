"""Hosts of foreign bots: scripts that import nothing of this project.

They run under the interpreter that a bot needs, beside packages that may have the names of this
project's. So they share only the modules `ladder_*`, which they import from this folder, and keep
to the standard library and to Python 3.8.
"""

from pathlib import Path


def script_of(host: str) -> str:
    """The absolute path of a host's script: python, kaggle, thu or saiblo."""
    return str(Path(__file__).resolve().parent / f"{host}_host.py")
