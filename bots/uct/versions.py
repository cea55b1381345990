"""The UCT versions as a table of differences.

Each row names only what it changes from the row it is based on. Adding a version is adding a row.
"""

from typing import Any, NamedTuple

from bots.version import Version

PLAYERS = {
    "array": "bots.uct.array_player:ArrayPlayer",
    "tree": "bots.uct.tree_player:TreePlayer",
    "graph": "bots.uct.graph_player:GraphPlayer",
}
"""Who plays a version, by its row's `player`."""


class Row(NamedTuple):
    """One version: what it is based on, the one change, and the values that make it."""

    name: str
    based_on: str | None
    change: str
    differences: dict[str, Any]
    """Fields of `bots.uct.settings.Settings`, and ``player`` where the machinery changes."""


ROWS = (
    Row(
        "v1",
        None,
        "plain UCT: look-ahead rollouts, array board, floating-point totals",
        {"player": "array"},
    ),
    Row("v2", "v1", "notices a four on the board when a rollout starts", {"win_check": True}),
    Row(
        "v3",
        "v2",
        "exact integer totals; the end of the game is flagged when a node is made",
        {"exact": True},
    ),
    Row(
        "v4",
        "v3",
        "a new node whose side to move wins at once becomes an end node",
        {"convert": True},
    ),
    Row("v5", "v4", "bitboards: the same decisions, faster", {"player": "tree", "bitboards": True}),
    Row("v6", "v5", "results proven at end nodes travel up the tree", {"solve": True}),
    Row("v7", "v6", "the search starts from what the last one found", {"reuse": True}),
    Row(
        "v8",
        "v7",
        "only forced replies are expanded; two threats at once decide",
        {"forced": True},
    ),
    Row("v9", "v8", "uses 2.95/3.00 of the move time", {"clock_share": 2.95 / 3.00}),
    Row("v10", "v9", "vector registers: the same decisions, faster", {"vector": True}),
    Row(
        "v11",
        "v10",
        "plays the shortest win and the longest resistance (two threats counted as one)",
        {"distances": True},
    ),
    Row(
        "v12",
        "v11",
        "right distances: the best of all proven children, two threats end it in two plies",
        {"right_distances": True},
    ),
    Row(
        "v13",
        "v12",
        "a node just expanded is visited once more before its siblings are expanded",
        {"urgent": True},
    ),
    Row(
        "v14",
        "v13",
        "a graph: move orders share positions, visits on edges, emptied every tenth move",
        {"player": "graph", "memory": "emptied"},
    ),
    Row(
        "v15",
        "v14",
        "reference counts: what the root cannot reach is freed, the rest is kept",
        {"memory": "counted"},
    ),
    Row(
        "v16",
        "v15",
        "a sweep at every move frees what does not contain the position's stones",
        {"memory": "swept"},
    ),
    Row(
        "v17",
        "v16",
        "bump allocation, reset in one step at every move; nothing is kept",
        {"memory": "bump"},
    ),
    # From here on ideas of this project's own. They build on the tree, which makes nearly twice as
    # many simulations as the graph in the same time (docs/ideas.md).
    Row(
        "v18",
        "v13",
        "explores less: c = 0.45; exact solving of the last 24 cells ends games as the graph did",
        {"c": 0.45, "endgame": 24},
    ),
    Row(
        "v19",
        "v18",
        "never below a winning cell of the opponent in the tree, nor in half of the rollouts",
        {"careful": 128},
    ),
    Row(
        "v20",
        "v19",
        "unseen children take part in selection, expected by the threats they would make",
        {"urgent": False, "expect": 2, "hint": 0.12},
    ),
)


def compose(rows: tuple[Row, ...]) -> tuple[Version, ...]:
    """The catalogue's rows: each with everything that it inherits."""
    composed: dict[str, dict[str, Any]] = {}
    versions = []
    for row in rows:
        inherited = composed[row.based_on] if row.based_on is not None else {}
        options = {**inherited, **row.differences}
        composed[row.name] = options
        versions.append(
            Version(
                row.name,
                "uct",
                row.based_on,
                row.change,
                PLAYERS[options["player"]],
                ("time", "simulations"),
                {name: value for name, value in options.items() if name != "player"},
            )
        )
    return tuple(versions)


UCT: tuple[Version, ...] = compose(ROWS)
