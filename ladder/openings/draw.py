"""Drawing of openings: random positions that are kept if their value fits."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from itertools import count

from bots.budget import Budget
from bots.catalogue import build
from engine.board_class import BoardClass
from engine.errors import OpeningError
from engine.opening import draw_opening
from engine.opening_set import Opening
from engine.position import Position
from engine.position_key import key_of
from engine.seeds import SplitMix, mix
from ladder.errors import UsageError
from ladder.look_ahead import idle_threads, in_order
from ladder.search_watch import SearchWatch

SEARCHER = "v20"
"""The player that evaluates positions which the solver cannot solve."""
SIMULATIONS = 100_000
"""Simulations of its search."""
TABLE_MIB = 64


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
    threads: int = 1,
) -> Iterator[Opening]:
    """Yield different openings, of which none is the mirror image of another.

    Equal conditions give equal openings, whatever the number of threads.

    Args:
        conditions: the conditions.
        progress: updated with every position.
        is_stopped: called before and while a position is searched; True ends the drawing.
        report: called with the progress before each position.
        search: returns the value of a position that the solver cannot solve.
        threads: number of threads that evaluate positions ahead.

    Raises:
        UsageError: no further openings fit.

    """
    seen: set[bytes] = set()

    def evaluate(number: int) -> tuple[Position, bytes, tuple[bool, bool]]:
        kind = conditions.boards[number % len(conditions.boards)]
        drawn = _draw(kind, conditions.plies, SplitMix(mix(conditions.seed, number)))
        key, _ = key_of(drawn)
        # a repetition is left out below
        if key in seen or is_stopped():
            return drawn, key, (False, False)
        return drawn, key, _judge(drawn, conditions, search, is_stopped)

    with idle_threads(threads) as pool:
        streams = [
            in_order(count(place, len(conditions.boards)), evaluate, threads, pool)
            for place in range(len(conditions.boards))
        ]
        rejected = 0
        while progress.found < conditions.count and not is_stopped():
            if rejected >= conditions.most_rejected:
                raise UsageError(_describe_shortage(conditions, progress))
            rejected += 1
            report(progress)
            position, key, (fits, is_searched) = next(streams[progress.found % len(streams)])
            if key in seen:
                continue
            seen.add(key)
            progress.tried += 1
            if fits:
                rejected = 0
                progress.found += 1
                progress.by_search += is_searched
                yield Opening(position.board, position.moves)


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


def _judge(
    position: Position,
    conditions: OpeningConditions,
    search: Callable[[Position], float | None],
    is_stopped: Callable[[], bool],
) -> tuple[bool, bool]:
    """Return whether a position has the wanted value, and whether only a player's search decides.

    After a stop it has not.

    Each solver has an empty table, so that bounds do not depend on other positions.
    """
    wanted = conditions.wanted
    if wanted is WantedValue.ANY:
        return True, False
    from engine.solver.solver import Solver  # loads the compiler

    solver = Solver(position.board, TABLE_MIB)
    solve = partial(solver.solve, position, weak=True, nodes=conditions.nodes)
    outcome = SearchWatch([solver], is_stopped).wait(solve).outcome
    if is_stopped():
        return False, False
    if outcome is None and wanted is WantedValue.BALANCED:
        value = search(position)
        return value is not None and abs(value) <= conditions.within, True
    expected = WantedValue.DRAW if wanted is WantedValue.BALANCED else wanted
    return str(outcome) == expected.value, False
