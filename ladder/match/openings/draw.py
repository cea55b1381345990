"""Drawing of openings: random positions that are kept if their value fits."""

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
"""The player that evaluates positions which the solver cannot solve."""
SIMULATIONS = 100_000
"""Simulations of its search."""
TABLE_MIB = 256


class WantedValue(StrEnum):
    """The value of openings for the side to move."""

    ANY = "any"
    DRAW = "draw"
    """Proven by the solver."""
    WIN = "win"
    """Proven by the solver."""
    LOSS = "loss"
    """Proven by the solver."""
    BALANCED = "balanced"
    """A draw if the solver can solve the position, else near 0 in a strong player's search."""


@dataclass(slots=True)
class DrawingProgress:
    """The progress of a drawing."""

    count: int
    """Number of openings wanted."""
    found: int = 0
    tried: int = 0
    """Number of different positions evaluated."""
    by_search: int = 0
    """Openings accepted by a player's search because the solver could not solve them."""


@dataclass(frozen=True, slots=True)
class OpeningConditions:
    """The conditions of drawn openings."""

    boards: tuple[BoardClass, ...]
    """Board classes, used in turn."""
    plies: int
    count: int
    wanted: WantedValue
    seed: int
    nodes: int
    """Maximum number of nodes of the solver for one position."""
    within: float
    """Largest distance from 0 of the value of a search, which is in -1..1."""
    most_rejected: int = 2_000
    """Number of rejected positions in a row after which the drawing fails."""


def search_value(
    position: Position, *, player: str = SEARCHER, simulations: int = SIMULATIONS
) -> float | None:
    """Return the value of a position in a built-in player's search, -1..1; None if it has none."""
    searcher = build(
        player,
        board=position.board,
        side=position.to_move,
        seed=1,
        budget=Budget(simulations=simulations),
    )
    info = searcher.choose(position.moves).info
    return None if info is None else info.value


def draw_openings(
    conditions: OpeningConditions,
    progress: DrawingProgress,
    is_stopped: Callable[[], bool] = lambda: False,
    report: Callable[[DrawingProgress], None] = lambda _: None,
    *,
    search: Callable[[Position], float | None] = search_value,
) -> Iterator[Opening]:
    """Yield different openings, of which none is the mirror image of another.

    Equal conditions give equal openings.

    Args:
        conditions: the conditions.
        progress: updated with every position.
        is_stopped: called before each position; the drawing ends when it returns True.
        report: called with the progress before each position.
        search: returns the value of a position that the solver cannot solve.

    Raises:
        UsageError: no further openings fit.

    """
    seen: set[bytes] = set()
    evaluator = _Evaluator(conditions, search)
    rejected = number = 0
    while progress.found < conditions.count and not is_stopped():
        if rejected >= conditions.most_rejected:
            raise UsageError(_describe_shortage(conditions, progress))
        kind = conditions.boards[progress.found % len(conditions.boards)]
        random = SplitMix(mix(conditions.seed, number))
        number += 1
        rejected += 1
        report(progress)
        opening = _draw(kind, conditions.plies, random)
        key, _ = key_of(opening)
        if key in seen:
            continue
        seen.add(key)
        progress.tried += 1
        if evaluator.accepts(opening, progress):
            rejected = 0
            progress.found += 1
            yield Opening(opening.board, opening.moves)


def _draw(kind: BoardClass, plies: int, random: SplitMix) -> Position:
    board = kind.draw(random)
    try:
        return Position.from_moves(board, draw_opening(board, plies, random))
    except OpeningError as error:
        raise UsageError(str(error), option="plies") from error


def _describe_shortage(conditions: OpeningConditions, progress: DrawingProgress) -> str:
    remedy = "ask for fewer or for longer openings"
    if conditions.wanted is not WantedValue.ANY:
        remedy += ", or give the solver more nodes"
    return (
        f"only {progress.found} of {conditions.count} openings were found: the last "
        f"{conditions.most_rejected} positions were repetitions or did not fit; {remedy}"
    )


class _Evaluator:
    """Compares positions with the wanted value; keeps the solver of the last board."""

    def __init__(
        self, conditions: OpeningConditions, search: Callable[[Position], float | None]
    ) -> None:
        self._conditions = conditions
        self._search = search
        self._solver: Solver | None = None

    def accepts(self, position: Position, progress: DrawingProgress) -> bool:
        """Return whether a position has the wanted value."""
        wanted = self._conditions.wanted
        if wanted is WantedValue.ANY:
            return True
        if self._solver is None or self._solver.board != position.board:
            self._solver = None  # frees its table before the next one is allocated
            self._solver = Solver(position.board, table_mib=TABLE_MIB)
        found = self._solver.solve(position, weak=True, nodes=self._conditions.nodes)
        if wanted is not WantedValue.BALANCED:
            return found.outcome is not None and str(found.outcome) == wanted.value
        if found.outcome is not None:
            return found.outcome is Outcome.DRAW
        value = self._search(position)
        is_even = value is not None and abs(value) <= self._conditions.within
        progress.by_search += is_even
        return is_even


def format_openings(openings: Sequence[Opening]) -> str:
    """Return the text of a file of openings."""
    return "".join(f"{opening}\n" for opening in openings)
