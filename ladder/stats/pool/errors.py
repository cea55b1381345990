"""Errors of pool ratings.

UsageError
|-- Disconnected   groups of players without a game between them
`-- Unbounded      without a prior, the likelihood has no highest point
"""

from ladder.errors import UsageError


class Disconnected(UsageError):
    """No games connect these groups, so they cannot be rated together."""

    def __init__(self, *, groups: tuple[tuple[str, ...], ...]) -> None:
        self.groups = groups
        listed = "; ".join(", ".join(group) for group in groups)
        super().__init__(
            f"the games do not connect these groups of players: {listed}; play games between them, "
            "or rate each group alone"
        )


class Unbounded(UsageError):
    """Without a prior some ratings are infinite; a prior above 0 keeps them finite."""

    def __init__(self, *, groups: tuple[tuple[str, ...], ...]) -> None:
        self.groups = groups
        """Groups from best to worst: none lost half a point to a later one. A single group means
        that the first-mover advantage is the cause."""
        if len(groups) > 1:
            listed = "; ".join(", ".join(group) for group in groups)
            why = f"these groups of players have only won or only lost against each other: {listed}"
        else:
            why = "these games do not determine the first-mover advantage beside the ratings"
        super().__init__(f"no finite ratings without a prior: {why}; choose a prior above 0")
