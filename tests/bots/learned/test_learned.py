"""The learned evaluation: its patterns against a slow form, its file, its symmetry."""

import json
from pathlib import Path

import numpy as np
import pytest

from bots.budget import Budget
from bots.catalogue import build, find
from bots.errors import SpecError
from bots.golden import content_hash
from bots.learned.fit import (
    FEATURES,
    fit,
    logits,
    network_of,
    new_network,
    rows_of_moves,
    zero_moments,
)
from bots.learned.network import HIDDEN, WHOLE
from bots.learned.patterns import FIRST_FAR, FIRST_INFLUENCE, FIRST_NEAR, FIRST_PHASE, NOTHING
from bots.learned.player import LearnedPlayer
from bots.learned.search import MOST_VISITS
from bots.learned.weights import pack_weights, quantize, read_evaluation, read_weights
from bots.learned.weights_file import (
    SHIPPED_FILE,
    SHIPPED_FILES,
    find_weights,
    hash_of,
    store_weights,
)
from bots.uct.tree.memory import ROOT
from engine.arrays import board_words
from engine.board import Board, parse_board
from engine.layout import MAX_SIDE
from engine.position import Position
from engine.seeds import SplitMix
from tests.engine.oracle import DIRECTIONS, SlowGame
from tests.engine.oracle import CellXY as Cell


def random_games(board: Board, count: int) -> list[tuple[int, ...]]:
    random = SplitMix(17)
    games = []
    for _ in range(count):
        position = Position(board)
        while not position.is_over:
            position = position.play(random.choice(position.legal_moves()))
        games.append(position.moves)
    return games


def upright(window: list[Cell]) -> bool:
    return window[0][1] == window[1][1]


class SlowReading:
    """The patterns of a position, computed cell by cell from their definitions."""

    def __init__(self, position: Position) -> None:
        self.board = position.board
        self.game = game = SlowGame.of(position)
        self.side, self.free = game.to_move, set(game.free_cells())
        self.own, self.other = (game.stones_of(side) for side in (self.side, 1 - self.side))
        self.odd = len(self.free) % 2

    def windows(self, cell: Cell) -> list[list[Cell]]:
        """Return the other three cells of all lines of four through a cell, also off the board."""
        found = []
        for rise, run in DIRECTIONS:
            for start in range(-3, 1):
                steps = [step for step in range(start, start + 4) if step]
                found.append([(cell[0] + rise * s, cell[1] + run * s) for s in steps])
        return found

    def promise(self, cell: Cell, stones: set[Cell], gaps: set[Cell]) -> bool:
        # Of upright lines only that with two stones directly below and the gap above.
        return any(
            sum(one in stones for one in window) == 2 and any(one in gaps for one in window)
            for window in self.windows(cell)
            if not upright(window) or window[1][0] + 2 == window[2][0]
        )

    def influence(self, cell: Cell, stones: set[Cell]) -> bool:
        # Upright lines are left out: one stone on another is no influence yet.
        return any(
            all(one in stones or one in self.free for one in window)
            and any(one in stones for one in window)
            for window in self.windows(cell)
            if not upright(window)
        )

    def good(self) -> set[Cell]:
        """Return the free cells that the side to move would fill after all other columns."""
        return {
            (row, column)
            for row, column in self.free
            if sum((r, column) in self.free for r in range(row, self.board.rows)) % 2 == self.odd
        }

    def rows(self, column: int) -> tuple[int, int, int, int]:
        cells = sorted(cell for cell in self.free if cell[1] == column)
        if not cells:
            return (NOTHING,) * 4
        context = len(cells) % 2 | self.odd << 1
        good = self.good()
        bad = self.free - good

        def bits(facts: list[bool]) -> int:
            return sum(fact << place for place, fact in enumerate(facts))

        threats = bits([self.game.four_through(cell, self.side) for cell in cells[1:6]]) | (
            bits([self.game.four_through(cell, 1 - self.side) for cell in cells[:6]]) << 5
        )
        promised = [
            [self.promise(cell, stones, gaps) for cell in cells[:4]] + [False] * 4
            for stones in (self.own, self.other)
            for gaps in (good, bad)
        ]
        near, far = (
            bits([fact for one in promised for fact in one[first : first + 2]]) for first in (0, 2)
        )
        influence = bits([self.influence(cell, self.own) for cell in cells[:4]]) | (
            bits([self.influence(cell, self.other) for cell in cells[:4]]) << 4
        )
        return (
            threats | context << 11,
            FIRST_NEAR + (near | context << 8),
            FIRST_FAR + (far | context << 8),
            FIRST_INFLUENCE + (influence | context << 8),
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["6x7", "4x5@3,2", pytest.param("12x12@0,11", marks=pytest.mark.very_slow)]
)
def test_patterns_are_what_their_definitions_say(name: str) -> None:
    board = parse_board(name)
    for moves in random_games(board, 3):
        wanted = np.ones(len(moves), np.bool_)
        rows = np.zeros((len(moves), FEATURES), np.uint16)
        assert rows_of_moves(board_words(board), np.array(moves, np.int8), wanted, rows) == len(
            moves
        )
        position = Position(board)
        for ply, column in enumerate(moves):
            slow = SlowReading(position)
            for one in range(MAX_SIDE):
                expected = slow.rows(one) if one < board.columns else (NOTHING,) * 4
                found = tuple(int(rows[ply, kind * MAX_SIDE + one]) for kind in range(4))
                assert found == expected, (position, one)
            empty = len(slow.free)
            assert rows[ply, -1] == FIRST_PHASE + 2 * min(empty // 4, 19) + empty % 2
            position = position.play(column)


def test_a_mirrored_position_has_the_same_value() -> None:
    board, mirror = parse_board("9x10@3,2"), parse_board("9x10@3,7")
    network = new_network(HIDDEN, 5)
    for moves in random_games(board, 5):
        wanted = np.ones(len(moves), np.bool_)
        both = []
        for one, columns in ((board, moves), (mirror, [9 - column for column in moves])):
            rows = np.zeros((len(moves), FEATURES), np.uint16)
            rows_of_moves(board_words(one), np.array(columns, np.int8), wanted, rows)
            both.append(logits(rows, network))
        assert np.allclose(both[0], both[1], atol=1e-5)


@pytest.mark.slow
def test_targets_are_learned_and_equal_starts_give_equal_weights() -> None:
    """If one row determines the target, the loss falls far below that of a coin toss."""
    random = np.random.default_rng(1)
    rows = np.full((4096, FEATURES), NOTHING, np.uint16)
    rows[:, 0] = random.integers(0, 2, 4096)
    targets = rows[:, 0].astype(np.float32)
    learned = []
    for _ in range(2):
        network = new_network(HIDDEN, 3)
        moments, steps, losses = zero_moments(network), 0, []
        for _ in range(20):
            loss, steps = fit(rows, targets, np.arange(4096), 256, 0.01, network, moments, steps)
            losses.append(loss)
        assert losses[0] > 0.4
        assert losses[-1] < 0.05
        assert steps == 20 * 16
        learned.append(pack_weights(quantize(*network)))
    assert learned[0] == learned[1]


@pytest.mark.parametrize("name", SHIPPED_FILES)
def test_training_further_begins_with_the_weights_of_a_file(name: str) -> None:
    """The network made of a file must give that file again."""
    content = SHIPPED_FILES[name].read_bytes()
    assert find_weights(name) == find_weights(hash_of(SHIPPED_FILES[name])) == SHIPPED_FILES[name]
    network = network_of(read_weights(SHIPPED_FILES[name]))
    assert pack_weights(quantize(*network)) == content


@pytest.mark.slow
def test_other_weights_are_another_revision_and_survive_their_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LADDER_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "mine.npz"
    file.write_bytes(pack_weights(quantize(*new_network(HIDDEN, 1))))
    version = find("v21")
    digest = store_weights(str(file))
    assert digest == hash_of(file)
    assert content_hash(version, {"weights": str(file)}) == content_hash(
        version, {"weights": digest}
    )
    assert content_hash(version, {"weights": str(file)}) != content_hash(version, {})
    assert content_hash(version, {"weights": hash_of(SHIPPED_FILE)}) == content_hash(version, {})
    expected = read_evaluation(str(file)).table
    file.unlink()
    assert np.array_equal(read_evaluation(digest).table, expected)
    for text, sentence in (("0" * 64, "not on this machine"), ("nowhere.npz", "cannot be read")):
        with pytest.raises(SpecError, match=sentence):
            store_weights(text)


def test_the_shipped_weights_have_a_record_of_their_making() -> None:
    """It has their hash and the command that makes them again."""
    record = json.loads(SHIPPED_FILE.with_suffix(".json").read_text())
    assert record["weights"] == hash_of(SHIPPED_FILE)
    assert record["command"].startswith("ladder train value ")
    assert f"--seed {record['seed']}" in record["command"]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "holds no weights"),
        (b"text", "holds no weights"),
        (b"0" * 1_000_001, "more than 1,000,000 bytes"),
        (pack_weights(quantize(*new_network(16, 1))), "numbers of shape"),
    ],
)
def test_a_file_that_holds_no_weights_is_refused(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    file = tmp_path / "bad.npz"
    file.write_bytes(content)
    with pytest.raises(SpecError, match=sentence):
        build(
            f"v21?weights={file}",
            board=Board(6, 7),
            side=0,
            seed=1,
            budget=Budget.of("simulations", 1),
        )


def test_a_long_search_ends_before_its_scores_overflow() -> None:
    """A won position adds 256 per visit, and eight million visits overflow 32 bits."""
    budget = Budget.of("simulations", 10_000)
    player = build("v22", board=Board(9, 9), side=0, seed=1, budget=budget)
    assert isinstance(player, LearnedPlayer)
    player._set_position(())
    assert player.advance(100)
    player._tree[ROOT] = MOST_VISITS - 5
    assert not player.advance(100)
    assert player._tree[ROOT] == MOST_VISITS
    assert MOST_VISITS * WHOLE < 2**31
