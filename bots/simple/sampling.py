"""The kernel of flat Monte Carlo."""

import numpy as np
from numpy.typing import NDArray

from bots.array_board import PLAYABLE, Cells, State, Tops, draw_column, play
from engine.bits import step_random
from engine.compiled import kernel


@kernel
def sample(
    root_cells: Cells,
    root_tops: Tops,
    root_state: State,
    side: int,
    sums: NDArray[np.int64],
    games: NDArray[np.int64],
    random: np.uint64,
    simulations: int,
) -> np.uint64:
    """Play uniformly random games, adding +1, 0 or -1 to the sum of their first column."""
    cells = root_cells.copy()
    tops = root_tops.copy()
    state = root_state.copy()
    for _ in range(simulations):
        cells[:] = root_cells
        tops[:] = root_tops
        state[:] = root_state
        mover = side
        begun = np.int64(-1)
        result = 0
        while state[PLAYABLE]:
            random = step_random(random)
            column = draw_column(state[PLAYABLE], random)
            if begun < 0:
                begun = column
            if play(cells, tops, state, column, mover):
                result = 1 if mover == side else -1
                break
            mover = 1 - mover
        sums[begun] += result
        games[begun] += 1
    return random
