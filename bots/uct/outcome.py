"""The proven result of a node for its mover, the side whose move led into it."""

from typing import Final

OPEN: Final = 0
WON: Final = 1
DRAWN: Final = 2
LOST: Final = 3
