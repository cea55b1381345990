"""The proof rule of trees and graphs (v6): what the outcomes of its children prove about a node.

A node is lost for its mover if one child is a win for the opponent, who moves next. It is decided
otherwise only if every move has a child and every child an outcome: a draw if one of them is, else
a win. The winner takes the nearest end, the loser the farthest.
"""

from typing import NamedTuple

from bots.uct import nodes as form
from bots.uct.nodes import Integer
from engine.compiled import inlined

_NONE = 256
"""A distance that no child has."""


class Children(NamedTuple):
    """What is known of a node's children, each for its mover: the opponent of the node's."""

    open: bool
    """Whether a move has no child yet, or a child no outcome."""
    drawn: bool
    """Whether a child is a draw."""
    win: Integer
    """Distance of the nearest win, in plies from the child."""
    loss: Integer
    """Distance of the farthest loss; -1 without one."""


@inlined
def no_children(meta: Integer) -> Children:
    """Return what is known before the first child of a node with this meta."""
    return Children((meta & form.COLUMNS) != 0, False, _NONE, -1)


@inlined
def add_child(children: Children, meta: Integer, right: bool) -> Children:
    """Add a child's meta; without `right` distances the first win and loss count (until v12)."""
    is_open, drawn, win, loss = children
    outcome = form.outcome_of(meta)
    distance = form.distance_of(meta)
    if outcome == form.OPEN:
        is_open = True
    elif outcome == form.WON:
        if win == _NONE or (right and distance < win):
            win = distance
    elif outcome == form.DRAWN:
        drawn = True
    elif loss < 0 or (right and distance > loss):
        loss = distance
    return Children(is_open, drawn, win, loss)


@inlined
def proven(meta: Integer, children: Children) -> Integer:
    """Return a node's meta, with the outcome and distance if its children prove one."""
    if children.win < _NONE:
        return meta | form.LOST << form.OUTCOME | (children.win + 1) << form.DISTANCE
    if children.open:
        return meta
    if children.drawn:
        return meta | form.DRAWN << form.OUTCOME
    return meta | form.WON << form.OUTCOME | (children.loss + 1) << form.DISTANCE
