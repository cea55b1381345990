"""The UCT versions up to v20 as a table of differences; `bots.learned.versions` has the others.

Each row has only its differences from the row it is based on.
"""

from bots.uct.settings import ArraySettings, GraphSettings, NoLookaheadSettings, TreeSettings
from bots.version import Factory, Idea, Row, compose

PLAYERS = {
    "array": Factory("bots.uct.array.player:ArrayPlayer", ArraySettings),
    "tree": Factory("bots.uct.tree.player:TreePlayer", TreeSettings),
    "graph": Factory("bots.uct.graph.player:GraphPlayer", GraphSettings),
    "no_lookahead": Factory("bots.uct.no_lookahead.player:NoLookaheadPlayer", NoLookaheadSettings),
}
"""The factory of a version, by its row's `player`."""


ROWS = (
    Row(
        "v1",
        None,
        "plain UCT: look-ahead rollouts, array board, floating-point totals",
        {"player": "array"},
        idea=Idea("bots/uct/array/search.py:search"),
    ),
    Row(
        "v2",
        "v1",
        "notices a four on the board when a rollout starts",
        {"win_check": True},
        idea=Idea("bots/uct/array/search.py:search", "+168 [+100, +251] at 1,000 simulations"),
    ),
    Row(
        "v3",
        "v2",
        "exact integer totals; the end of the game is flagged when a node is made",
        {"exact": True},
        idea=Idea("bots/uct/array/search.py:search", "+164 [+101, +240] at 2,000 simulations"),
    ),
    Row(
        "v4",
        "v3",
        "a new node whose side to move wins at once becomes an end node",
        {"convert": True},
        idea=Idea(
            "bots/uct/array/search.py:search",
            "-160 [-268, -54] at 100 ms",
            "a third of the simulations",
        ),
    ),
    Row(
        "v5",
        "v4",
        "bitboards: the same decisions, faster",
        {"player": "tree"},
        idea=Idea("bots/uct/tree/search.py:search_on", "+144 [+28, +262] at 100 ms"),
    ),
    Row(
        "v6",
        "v5",
        "results proven at end nodes travel up the tree",
        {"solve": True},
        idea=Idea("bots/uct/tree/memory.py:back_up", "0 [-55, +55] at 2,000 simulations"),
    ),
    Row(
        "v7",
        "v6",
        "the search starts from what the last one found",
        {"reuse": True},
        idea=Idea(
            "bots/uct/tree/player.py:_reuse",
            "+35 [-33, +105] at 2,000 simulations",
            "the tree's memory stays in use between moves",
        ),
    ),
    Row(
        "v8",
        "v7",
        "only forced replies are expanded; two threats at once decide",
        {"forced": True},
        idea=Idea("bots/uct/leaf.py:expand", "+156 [+93, +229] at 2,000 simulations"),
    ),
    Row(
        "v9",
        "v8",
        "uses 2.95/3.00 of the move time",
        {"clock_share": 2.95 / 3.00},
        idea=Idea("bots/move_budget.py:spend", "", "the reserve for late answers"),
    ),
    Row(
        "v10",
        "v9",
        "vector registers: the same decisions, faster",
        {"vector": True},
        idea=Idea("engine/vector.py:threats", "+44 [-59, +148] at 100 ms"),
    ),
    Row(
        "v11",
        "v10",
        "plays the shortest win and the longest resistance (two threats counted as one)",
        {"distances": True},
        idea=Idea("bots/uct/root.py:best_proven", "-12 [-120, +96] at 100 ms"),
    ),
    Row(
        "v12",
        "v11",
        "right distances: the best of all proven children, two threats end it in two plies",
        {"right_distances": True},
        idea=Idea("bots/uct/proof.py:proven"),
    ),
    Row(
        "v13",
        "v12",
        "a node just expanded is visited once more before its siblings are expanded",
        {"urgent": True},
        idea=Idea("bots/uct/tree/search.py:step", "-17 [-86, +50] at 2,000 simulations"),
    ),
    Row(
        "v14",
        "v13",
        "a graph: move orders share positions, visits on edges, emptied every tenth move",
        {"player": "graph", "memory": "emptied"},
        behaviour=2,
        idea=Idea(
            "bots/uct/graph/memory.py:find_or_slot",
            "+67 [0, +139] at 2,000 simulations",
            "half of the simulations",
        ),
    ),
    Row(
        "v15",
        "v14",
        "reference counts: what the root cannot reach is freed, the rest is kept",
        {"memory": "counted"},
        behaviour=2,
        idea=Idea("bots/uct/graph/memory.py:release", "about 0 at 2,000 simulations"),
    ),
    Row(
        "v16",
        "v15",
        "a sweep at every move frees nodes that lack a stone of the current position",
        {"memory": "swept"},
        behaviour=2,
        idea=Idea("bots/uct/graph/memory.py:sweep", "about 0 at 2,000 simulations"),
    ),
    Row(
        "v17",
        "v16",
        "bump allocation, reset in one step at every move; nothing is kept",
        {"memory": "bump"},
        behaviour=2,
        idea=Idea(
            "bots/uct/graph/player.py:_begin",
            "against v13 -53 [-116, +8] at 20 ms",
            "what former moves found",
        ),
    ),
    # From here on the ideas are this project's own. They build on the tree, which makes nearly
    # twice as many simulations as the graph in the same time (docs/results/ideas.md).
    Row(
        "v18",
        "v13",
        "explores less: c = 0.45; the last 24 cells are solved exactly (no gain was measured)",
        {"c": 0.45, "endgame": 24},
        idea=Idea(
            "bots/uct/endgame.py:solve_endgame", "+151 [+90, +221] at 20 ms, by the smaller c"
        ),
    ),
    Row(
        "v19",
        "v18",
        "the tree and half of the rollouts never play below a winning cell of the opponent",
        {"careful": 128},
        idea=Idea(
            "bots/uct/leaf.py:rollout",
            "+68 [+30, +108] at 6,000 simulations",
            "a tenth of the simulations",
        ),
    ),
    Row(
        "v20",
        "v19",
        "untried children get a first value from the threats that they make or take away",
        {"urgent": False, "expect": 2, "hint": 0.12},
        idea=Idea(
            "bots/uct/tree/first_play.py:first_play",
            "+25 ± 37 at 300 ms",
            "an eighth of the simulations",
        ),
    ),
)

# The players of two course reports: the same search with rollouts without look-ahead. Values
# are 0 .. 1 here and +1, 0, -1 in the reports, so half of their c selects the same.
COMPACT_ROWS = (
    Row(
        "mcts1",
        None,
        "UCT without look-ahead: c = 0.8 on values +1, 0, -1, children in order, uniform rollouts",
        {"player": "no_lookahead", "c": 0.8 / 2},
    ),
    Row(
        "mcts2",
        "mcts1",
        "the root moves down with the game; the rest is freed after the answer, off the clock",
        {"reuse": True},
    ),
    Row(
        "mcts3",
        "mcts2",
        "decided nodes are never simulated again: a value so bad that selection leaves them alone",
        {"solve": True, "leave": True},
    ),
)

ROLLOUT_ROWS = (
    Row(
        "uct-random",
        None,
        "v + sqrt(2) * sqrt(ln(n_p) / n) on values +1, 0, -1, no look-ahead, uniform rollouts",
        {"player": "no_lookahead", "c": 0.5, "central": True},
    ),
    Row(
        "uct-middle",
        "uct-random",
        "rollouts draw columns by 1 + the distance to the nearer edge",
        {"rollout": "middle"},
    ),
    Row(
        "uct-seven",
        "uct-random",
        "rollouts draw columns by max(1, 7 - the distance to the centre line)",
        {"rollout": "seven"},
    ),
)

UCT, COMPACT, ROLLOUTS = (
    compose(rows, family=family, players=PLAYERS, budgets=("time", "simulations"))
    for family, rows in (("uct", ROWS), ("mcts", COMPACT_ROWS), ("uct-rollouts", ROLLOUT_ROWS))
)
