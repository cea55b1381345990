"""Mining of puzzles from stored games, or from games of a careless player that sees two plies."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import count

from db.records.games import GameQuery
from db.records.runs import DivisionRow
from db.store import Store
from engine.board import BoardClass, parse_board
from engine.position import Position
from engine.position_key import key_of
from engine.seeds import SplitMix, mix
from engine.solver.solver import Solver
from ladder.experiments.suite.puzzle import TABLE_MIB, Puzzle, puzzle_of, right_column
from ladder.experiments.suite.themes import THEMES, theme_of
from ladder.results.analysis.solved import solve_columns

MAX_PER_GAME = 2
"""Most puzzles of one game, so that a suite does not repeat itself."""


@dataclass(slots=True)
class Mining:
    """The progress of mining."""

    count: int
    """Requested puzzles."""
    themes: Counter[str] = field(default_factory=Counter)
    """Puzzles found, by theme."""
    games: int = 0
    positions: int = 0
    """Positions solved."""

    @property
    def found(self) -> int:
        """Number of puzzles found."""
        return self.themes.total()


def careless_games(boards: tuple[BoardClass, ...], seed: int) -> Iterator[Position]:
    """Yield games without end: random moves, but a win in one is taken.

    A move that allows a win in one is avoided.
    """
    for number in count():
        random = SplitMix(mix(seed, number))
        position = Position(boards[number % len(boards)].draw(random))
        while not position.is_over:
            position = position.play(_careless_move(position, random))
        yield position


def _careless_move(position: Position, random: SplitMix) -> int:
    legal = position.legal_moves()
    for column in legal:
        if position.play(column).winner is not None:
            return column
    safe = []
    for column in legal:
        after = position.play(column)
        if not any(after.play(reply).winner is not None for reply in after.legal_moves()):
            safe.append(column)
    return random.choice(safe or legal)


def stored_games(store: Store, division: DivisionRow) -> Iterator[Position]:
    """Yield the games of a division that ended without a forfeit, in the order of their ids."""
    for game in store.games.stream(GameQuery(division_id=division.id)):
        if game.offender is None:
            yield Position.from_moves(parse_board(game.board), game.moves)


def mine(
    games: Iterable[Position],
    state: Mining,
    *,
    nodes: int,
    is_stopped: Callable[[], bool] = lambda: False,
    tick: Callable[[Mining], None] = lambda _: None,
) -> Iterator[Puzzle]:
    """Yield puzzles from games, equally many of each theme, until `state.count` are found.

    Args:
        games: Finished positions, with the moves that led to them.
        state: The progress, which is updated.
        nodes: Most nodes of the solver for a position.
        is_stopped: Called before each position; ends the mining if it returns true.
        tick: Called after each game.

    """
    quota = -(-state.count // len(THEMES))
    seen: set[bytes] = set()
    solver: Solver | None = None
    for game in games:
        taken = 0
        line = [Position.from_moves(game.board, game.moves[:ply]) for ply in range(len(game.moves))]
        for position in reversed(line):
            if state.found >= state.count or is_stopped():
                return
            key, _ = key_of(position)
            if taken == MAX_PER_GAME or len(position.legal_moves()) < 2:
                break
            if key in seen:
                continue
            seen.add(key)
            if solver is None or solver.board != position.board:
                solver = Solver(position.board, table_mib=TABLE_MIB)
            columns = solve_columns(solver, position, nodes)
            state.positions += 1
            if right_column(columns) is None:
                if any(column is not None and column.outcome is None for column in columns):
                    break  # earlier positions of the game are harder
                continue
            theme = theme_of(solver, position, columns)
            if theme is None or state.themes[theme] >= quota:
                continue
            taken += 1
            state.themes[theme] += 1
            yield puzzle_of(position, columns, theme)
        state.games += 1
        tick(state)
