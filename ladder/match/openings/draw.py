"""Openings drawn at random and kept when their value fits."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from bots.budget import Budget
from bots.catalogue import build
from engine.board import BoardClass
from engine.errors import OpeningError
from engine.opening import draw_opening
from engine.opening_set import Opening
from engine.position import Position
from engine.position_key import key_of
from engine.seeds import SplitMix, mix
from engine.solver.solver import Solver
from engine.solver.value import Outcome
from ladder.errors import UsageError

SEARCHER = "v20"
"""Says how even a position is where the solver cannot."""
SIMULATIONS = 100_000
"""Of its search."""
VAIN = 2_000
"""Positions in a row of which none is kept, after which there are no more to be found."""
TABLE_MIB = 256


class Wanted(StrEnum):
    """Which positions are kept."""

    ANY = "any"
    DRAW = "draw"
    """Proven by the solver."""
    WIN = "win"
    """For the side to move, proven by the solver."""
    LOSS = "loss"
    BALANCED = "balanced"
    """A draw where the solver can decide, else near 0 in a strong player's search."""


@dataclass(slots=True)
class Drawing:
    """How far the drawing has come."""

    count: int
    """Openings that are asked for."""
    found: int = 0
    tried: int = 0
    """Different positions looked at."""
    by_search: int = 0
    """Openings kept because of a player's search, the solver having left them open."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """The conditions that openings are drawn by."""

    boards: tuple[BoardClass, ...]
    """They take turns."""
    plies: int
    count: int
    wanted: Wanted
    seed: int
    nodes: int
    """The most nodes of the solver for one position."""
    within: float
    """How far from 0 the value of a search may be, -1..1."""


def draw_openings(
    recipe: Recipe,
    state: Drawing,
    is_stopped: Callable[[], bool] = lambda: False,
    tick: Callable[[Drawing], None] = lambda _: None,
) -> Iterator[Opening]:
    """The openings of a recipe, different positions up to mirroring.

    Equal recipes give equal openings. Ends early when a stop is wished for.

    Args:
        recipe: what is asked for.
        state: is brought up to date with every position.
        is_stopped: asked before each position.
        tick: told after each position.

    Raises:
        UsageError: there are no more openings that fit.

    """
    seen: set[bytes] = set()
    judge = _Judge(recipe)
    vain = number = 0
    while state.found < recipe.count and not is_stopped():
        if vain >= VAIN:
            raise UsageError(_too_few(recipe, state))
        kind = recipe.boards[state.found % len(recipe.boards)]
        random = SplitMix(mix(recipe.seed, number))
        number += 1
        vain += 1
        tick(state)
        opening = _draw(kind, recipe.plies, random)
        key, _ = key_of(opening)
        if key in seen:
            continue
        seen.add(key)
        state.tried += 1
        if judge.keeps(opening, state):
            vain = 0
            state.found += 1
            yield Opening(opening.board, opening.moves)


def _draw(kind: BoardClass, plies: int, random: SplitMix) -> Position:
    board = kind.draw(random)
    try:
        return Position.from_moves(board, draw_opening(board, plies, random))
    except OpeningError as error:
        raise UsageError(f"--plies: {error}") from error


def _too_few(recipe: Recipe, state: Drawing) -> str:
    told = f"only {state.found} of {recipe.count} openings were found"
    remedy = "ask for fewer, or for more --plies"
    if recipe.wanted is not Wanted.ANY:
        remedy += ", or give the solver more --nodes"
    return f"{told}: the last {VAIN} positions drawn were known or did not fit; {remedy}"


class _Judge:
    """Keeps the solver and the player of the board that came last."""

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe
        self._solver: Solver | None = None

    def keeps(self, position: Position, state: Drawing) -> bool:
        """Whether a position has the wanted value."""
        wanted = self._recipe.wanted
        if wanted is Wanted.ANY:
            return True
        if self._solver is None or self._solver.board != position.board:
            self._solver = None  # its table goes before the next one comes
            self._solver = Solver(position.board, table_mib=TABLE_MIB)
        found = self._solver.solve(position, weak=True, nodes=self._recipe.nodes)
        if wanted is not Wanted.BALANCED:
            return found.outcome is not None and str(found.outcome) == wanted.value
        if found.outcome is not None:
            return found.outcome is Outcome.DRAW
        is_even = abs(_searched(position)) <= self._recipe.within
        state.by_search += is_even
        return is_even


def _searched(position: Position) -> float:
    """The value of a position by a strong player's search, -1..1."""
    player = build(
        SEARCHER,
        board=position.board,
        side=position.to_move,
        seed=1,
        budget=Budget(simulations=SIMULATIONS),
    )
    info = player.choose(position.moves).info
    return 1.0 if info is None or info.value is None else info.value


def lines_of(openings: Sequence[Opening]) -> str:
    """The text of a file of openings."""
    return "".join(f"{opening}\n" for opening in openings)
