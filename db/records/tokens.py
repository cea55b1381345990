"""Records of tokens, by which users of the web server show a right."""

from dataclasses import dataclass
from enum import Enum


class Right(Enum):
    """What a token allows; each right includes the ones before."""

    READ = "read"
    """Look at everything."""
    SUBMIT = "submit"
    """Submit experiments, and cancel or pause one's own."""
    MANAGE = "manage"
    """Change everybody's experiments and their order."""

    def includes(self, other: "Right") -> bool:
        """Return whether this right includes another one."""
        order = list(Right)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token without its secret."""

    id: int
    name: str
    right: Right
    created_at: float
    used_at: float | None
    """When it was last shown; None if never."""
