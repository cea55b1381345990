"""A slow solver of small positions: the whole tree, values and exact distances."""

from engine.position import Position, connects_four, geometry

Value = tuple[int, int]
"""1, 0 or -1 for the side to move, and the plies to the fastest win or slowest loss."""

_known: dict[tuple[object, int, int], Value] = {}


def true_value(position: Position) -> Value:
    """Return the value of a position that is not over."""
    masks = geometry(position.board)
    own, other = position.stones[position.to_move], position.stones[1 - position.to_move]
    return _value(position.board, masks, own, other)


def _value(board: object, masks: object, own: int, other: int) -> Value:
    key = (board, own, other)
    if key in _known:
        return _known[key]
    occupied = own | other | masks.forbidden  # type: ignore[attr-defined]
    landing = (occupied + masks.bottoms) & ~occupied & masks.cells  # type: ignore[attr-defined]
    best: Value | None = None
    while landing:
        cell = landing & -landing
        landing ^= cell
        if connects_four(own | cell):
            best = (1, 1)
            break
        value, plies = _value(board, masks, other, own | cell)
        mine = (-value, plies + 1)
        if best is None or _better(mine, best):
            best = mine
    result = best or (0, 0)
    _known[key] = result
    return result


def _better(left: Value, right: Value) -> bool:
    if left[0] != right[0]:
        return left[0] > right[0]
    return left[1] < right[1] if left[0] > 0 else left[1] > right[1]
