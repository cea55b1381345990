"""The new threats that a stone in each column would make, for all columns at once.

Trying the columns one by one would cost a threat map each. The landing cells lie in different
columns, so they can be shifted along a line together, as stones are. From an empty cell, the
landing cell `step` columns away completes three if two own stones stand as follows::

    landing at +1      _ ? L2 L3     R1 _ ? L2     R2 R1 _ ?
    landing at +2      _ L1 ? L3     R1 _ L1 ?
    landing at +3      _ L1 L2 ?

Here `_` is the cell that becomes a threat, `?` the landing cell, and Lk and Rk are own stones k
steps to the left and right. Each distance needs its own map, because its lanes refer to columns at
that distance.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

from engine.compiled import inlined

SLOPES = (0, 1, -1)


def _line_gains_on(layout: ModuleType, slope: int) -> Callable[..., Any]:
    """Build a kernel for new threats along one direction, by distance +1, +2, +3, -1, -2, -3."""
    either, both = layout.either, layout.both
    left1, left2, left3 = (layout.shift_along(slope, step) for step in (1, 2, 3))
    right1, right2, right3 = (layout.shift_along(slope, -step) for step in (1, 2, 3))

    @inlined
    def line_gains(stones: Any, landing: Any) -> Any:
        l1, l2, l3 = left1(stones), left2(stones), left3(stones)
        r1, r2, r3 = right1(stones), right2(stones), right3(stones)
        left, right = both(l1, l2), both(r1, r2)
        beyond_left, beyond_right = either(l3, r1), either(r3, l1)
        return (
            both(left1(landing), either(both(l2, beyond_left), right)),
            both(left2(landing), both(l1, beyond_left)),
            both(left3(landing), left),
            both(right1(landing), either(both(r2, beyond_right), left)),
            both(right2(landing), both(r1, beyond_right)),
            both(right3(landing), right),
        )

    return line_gains


def new_threats_on(layout: ModuleType) -> Callable[..., Any]:
    """Build the kernel that counts new threats, on sets of `engine.lanes` or `engine.vector`.

    The kernel takes a side's stones, the landing cells (at most one per column) and the cells that
    count. For each lane it returns the number of columns with a counted cell that completes four
    only after the side's stone on that lane's landing cell.
    """
    either, both, plus, ones = layout.either, layout.both, layout.plus, layout.ones
    flat, rising, falling = (_line_gains_on(layout, slope) for slope in SLOPES)
    moved = tuple(layout.shift_along(0, -step) for step in (1, 2, 3, -1, -2, -3))
    back1, back2, back3, forth1, forth2, forth3 = moved
    above1, above2, above3 = (layout.shift_up(rows) for rows in (1, 2, 3))

    @inlined
    def new_threats(stones: Any, landing: Any, wanted: Any) -> Any:
        a1, a2, a3, a4, a5, a6 = flat(stones, landing)
        b1, b2, b3, b4, b5, b6 = rising(stones, landing)
        c1, c2, c3, c4, c5, c6 = falling(stones, landing)
        on_top = both(above1(landing), both(above2(stones), above3(stones)))
        near = plus(
            back1(ones(both(either(either(a1, b1), c1), wanted))),
            forth1(ones(both(either(either(a4, b4), c4), wanted))),
        )
        further = plus(
            back2(ones(both(either(either(a2, b2), c2), wanted))),
            forth2(ones(both(either(either(a5, b5), c5), wanted))),
        )
        far = plus(
            back3(ones(both(either(either(a3, b3), c3), wanted))),
            forth3(ones(both(either(either(a6, b6), c6), wanted))),
        )
        return plus(plus(near, further), plus(far, ones(both(on_top, wanted))))

    return new_threats
