"""What the versions must see, and that they are players at all."""

import pytest

from bots.catalogue import VERSIONS
from bots.protocol import Budget
from bots.uct.rootlook import look_at
from engine.board import THU_SIDES, Board, parse_board
from engine.opening import has_immediate_win
from engine.position import Position
from engine.seeds import SplitMix
from tests.bots.support import match, player, random_position

UCT = [name for name, version in VERSIONS.items() if version.family == "uct"]
SEES_WINS = [name for name in UCT if name != "v1"]


def thu_board(random: SplitMix) -> Board:
    rows, columns = random.choice(THU_SIDES), random.choice(THU_SIDES)
    return Board(rows, columns, (random.below(rows), random.below(columns)))


def wins_in_one(count: int) -> list[Position]:
    random = SplitMix(11)
    found: list[Position] = []
    while len(found) < count:
        board = thu_board(random)
        position = random_position(board, 12 + random.below(40), random)
        if has_immediate_win(position):
            found.append(position)
    return found


@pytest.mark.parametrize("name", SEES_WINS)
def test_takes_a_win_in_one(name: str) -> None:
    """With ten simulations a column every version from v2 on wins at once where it can."""
    for position in wins_in_one(60):
        budget = Budget(simulations=10 * position.board.columns)
        bot = player(name, position.board, position.to_move, budget)
        choice = bot.choose(position.moves)
        assert position.play(choice.column).winner == position.to_move, position.notation()
        assert choice.info is not None
        assert (choice.info.proven, choice.info.distance) == ("win", 1)


@pytest.mark.parametrize("name", [*UCT, "flat-mc"])
def test_beats_random(name: str) -> None:
    """A Monte Carlo player with a small budget wins nearly all games against random play."""
    boards = [parse_board(text) for text in ("6x7", "9x9@4,4", "10x11@0,3", "7x6", "8x9")]
    assert match(name, "random", boards, Budget(simulations=200)) >= 0.9


BLOCKS = UCT[UCT.index("v8") :]


def blocks_in_one(count: int) -> list[tuple[Position, int]]:
    """Positions without an own win in which one column must be played, and that column."""
    random = SplitMix(12)
    found: list[tuple[Position, int]] = []
    while len(found) < count:
        board = thu_board(random)
        position = random_position(board, 12 + random.below(40), random)
        look = look_at(position)
        if not look.wins and look.threats.bit_count() == 1:
            found.append((position, look.threats.bit_length() - 1))
    return found


@pytest.mark.parametrize("name", BLOCKS)
def test_blocks_in_one(name: str) -> None:
    """With ten simulations a column every version from v8 on meets the only threat."""
    for position, column in blocks_in_one(60):
        budget = Budget(simulations=10 * position.board.columns)
        bot = player(name, position.board, position.to_move, budget)
        assert bot.choose(position.moves).column == column, position.notation()


@pytest.mark.parametrize("name", UCT[UCT.index("v3") :])
def test_a_lost_position_is_answered_with_a_block(name: str) -> None:
    """Against two threats at once one of them is blocked."""
    position = Position.from_moves(parse_board("6x7"), (2, 2, 3, 3, 4))
    assert look_at(position).threats == 1 << 1 | 1 << 5
    bot = player(name, position.board, position.to_move, Budget(simulations=500))
    assert bot.choose(position.moves).column in (1, 5)
