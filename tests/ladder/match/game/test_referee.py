"""The referee: failures are charged to their cause, and the next game starts normally."""

import contextlib
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import psutil
import pytest

from bots.protocol import Budget, Info
from db.invariants import StoredEnd, find_ending_fault
from db.records import thought_blob
from db.records.games import SideSums
from db.records.launch import Restart, Start
from db.records.pairs import MARGIN_MS, Entrant
from db.records.rules import GameRules
from engine.board import parse_board
from engine.position import Position
from engine.result import Result, Termination
from ladder.errors import UsageError
from ladder.match.game.asking import make_thought
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import PAUSES_S, play_game, play_pair
from ladder.registry.specs.archive import pack
from tests.support.fakes import PLENTY, fake_start, pair_plan
from tests.support.unconfined import UNCONFINED
from tests.support.waiting import eventually


@pytest.fixture
def pool() -> Iterator[BotPool]:
    """Yield a pool of bot processes, and close it afterwards."""
    bots = BotPool(UNCONFINED)
    yield bots
    bots.close()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mode", "argument", "termination", "words"),
    [
        ("hangs-in-move", "", Termination.TIMEOUT, "within"),
        ("answers", "99", Termination.ILLEGAL_MOVE, "legal columns were"),
    ],
)
def test_only_the_failing_side_loses(
    mode: str,
    argument: str,
    termination: Termination,
    words: str,
    pool: BotPool,
    tmp_path: Path,
) -> None:
    """A failing bot loses with both colours, and the reason is stored."""
    bad = fake_start(mode, *([argument] if argument else []), folder=tmp_path)
    good = fake_start("honest", folder=tmp_path)
    short = Budget(time_ms=100) if termination is Termination.TIMEOUT else PLENTY
    record = play_pair(pair_plan(bad, good, short), pool)
    first, second = record.games
    assert (first.result, first.termination) == (Result.LOSS, termination)
    assert (second.result, second.termination) == (Result.WIN, termination)
    assert words in first.detail
    assert words in second.detail
    assert (not first.swapped, second.swapped) == (True, True)
    if mode == "hangs-in-move":  # the move that never came counts, with all its time
        stats = first.sides[0]
        limit_us = 1000 * (100 + MARGIN_MS)
        assert (stats.moves, stats.time_us, stats.max_us) == (1, limit_us, limit_us)


def test_an_unusable_value_costs_no_game(pool: BotPool, tmp_path: Path) -> None:
    """The move counts with the usable values, and the pair's record says what was left out."""
    bot = fake_start("reports-nan", folder=tmp_path)
    record = play_pair(pair_plan(bot, fake_start("honest", folder=tmp_path)), pool)
    assert [game.termination for game in record.games] == [Termination.FOUR_IN_A_ROW] * 2
    thoughts = thought_blob.decode(record.games[0].thoughts)
    assert (thoughts[0].value, thoughts[0].depth) == (None, 2)
    assert [*record.unusable.values()] == ["info.value (NaN)"]


@pytest.mark.parametrize(
    ("mode", "argument", "answer", "stderr"),
    [
        ("segfaults", "", None, "about to crash"),
        ("answers", "99", '< {"type": "move", "column": 99}', ""),
    ],
)
def test_the_last_output_of_a_failing_bot_is_stored(
    mode: str, argument: str, answer: str | None, stderr: str, pool: BotPool, tmp_path: Path
) -> None:
    """The last question and its answer are stored, even if the process ended without one."""
    bad = fake_start(mode, *([argument] if argument else []), folder=tmp_path)
    good = fake_start("honest", folder=tmp_path)
    words = play_game(pair_plan(bad, good), pool, swapped=True).last_output
    assert words is not None
    assert words.stderr == stderr
    question, *answers = words.messages[-1:] if answer is None else words.messages[-2:]
    assert question.startswith('> {"type":"move","ply":1,')
    assert all(message.startswith(answer or "never") for message in answers)
    assert any(message.startswith('> {"type":"new_game"') for message in words.messages)


@pytest.mark.slow
def test_the_stored_last_output_is_limited(pool: BotPool, tmp_path: Path) -> None:
    """Of endless output some KiB are stored, and nothing of a game without a failure."""
    good = fake_start("honest", folder=tmp_path)
    modes = {"floods-output": PLENTY, "floods-errors": Budget(time_ms=100)}
    for mode, budget in modes.items():
        bad = fake_start(mode, folder=tmp_path)
        game = play_game(pair_plan(bad, good, budget), pool, swapped=False)
        assert game.last_output is not None
        size = len(msgspec.json.encode(game.last_output))
        assert 200 < size < 16_000, mode
    assert play_game(pair_plan(good, good), pool, swapped=False).last_output is None


def test_an_honest_pair_replays_to_its_results(pool: BotPool, tmp_path: Path) -> None:
    """The record holds both games with swapped colours, the opening and a thought per move."""
    good, idle = (fake_start("honest", name, folder=tmp_path) for name in ("good", "idle"))
    waiting = pool.acquire(idle)
    pool.release(idle, waiting, renew=False)
    began = time.perf_counter_ns()
    record = play_pair(pair_plan(good, good, opening=(3, 3, 2)), pool)
    elapsed_us = (time.perf_counter_ns() - began) // 1000
    assert sum(game.duration_us for game in record.games) <= elapsed_us
    for game in record.games:
        assert game.duration_us >= sum(side.time_us for side in game.sides)
        assert game.moves[:3] == (3, 3, 2)
        position = Position.from_moves(parse_board("6x7"), game.moves)
        assert position.is_over
        assert game.result is (Result.WIN if position.winner == 0 else Result.LOSS)
        thoughts = thought_blob.decode(game.thoughts)
        assert len(thoughts) == len(game.moves) - 3
        assert sum(side.moves for side in game.sides) == len(thoughts)
        assert all(thought.cpu_us is not None for thought in thoughts)
        assert sum(thought.cpu_us or 0 for thought in thoughts) > 0
    assert [game.swapped for game in record.games] == [False, True]
    # The processors are the game's alone, once the other process has seen its signal.
    (other,) = psutil.Process(waiting.supervisor.popen.pid).children(recursive=True)
    eventually(lambda: other.status() == psutil.STATUS_STOPPED)


@pytest.mark.slow
def test_output_after_the_game_changes_nothing(pool: BotPool, tmp_path: Path) -> None:
    """After game_over the result stands, and the process is replaced."""
    talker = fake_start("talks-after-game-over", folder=tmp_path)
    good = fake_start("honest", folder=tmp_path)
    for swapped in (False, True):
        game = play_game(pair_plan(talker, good), pool, swapped=swapped)
        assert not game.termination.is_forfeit
        talkers = [process for start, process in pool._idle if talker == start]
        if talkers:
            eventually(talkers[0].is_unusable, 0.001)


def test_a_bot_that_cannot_start_forfeits_and_is_reported(pool: BotPool, tmp_path: Path) -> None:
    """The record names the bot, so that the runner can pause it."""
    missing = Start(argv=("./missing",), folder=str(tmp_path))
    good = fake_start("honest", folder=tmp_path)
    record = play_pair(pair_plan(missing, good), pool)
    assert [game.termination for game in record.games] == [Termination.CRASH] * 2
    assert "cannot start ./missing" in record.games[0].detail
    assert record.games[0].sides == (SideSums(), SideSums())
    assert record.failed_starts == (1, 1)


def test_a_process_is_renewed_after_each_game_each_pair_or_never(tmp_path: Path) -> None:
    start = fake_start("honest", folder=tmp_path)
    for restart, renewed in (
        (Restart.GAME, [True, True]), (Restart.PAIR, [False, True]), (Restart.NEVER, [False] * 2),
    ):  # fmt: skip
        bot = Entrant(1, "bot", start, PLENTY, restart=restart)
        assert [bot.should_restart(pair_ended=ended) for ended in (False, True)] == renewed


@pytest.mark.parametrize(
    ("reported", "stored"),
    [
        ((3, 4, 11), "4b"),
        ((3, 4, 12, 5), "4"),
        (tuple(range(12)), "123456789a"),
    ],
)
def test_the_expected_line_is_stored_without_the_move(
    reported: tuple[int, ...], stored: str
) -> None:
    """At most ten columns after the bot's own are stored, up to the first invalid number."""
    assert make_thought(1000, Info(pv=reported)).line == stored


@pytest.mark.slow
@pytest.mark.parametrize("losses", [1, 3, 4])
def test_a_disturbed_pair_is_played_again_three_times_at_most(tmp_path: Path, losses: int) -> None:
    """It starts again with fresh processes; after that the record has a reason and no games."""
    lost = fake_start("loses-supervisor", f"{tmp_path}/lost,{losses}", folder=tmp_path)
    good = fake_start("honest", folder=tmp_path)
    with contextlib.closing(BotPool(UNCONFINED)) as pool:
        record = play_pair(pair_plan(lost, good), pool)
    assert record.stalls == losses
    assert len(record.games) == (0 if losses > len(PAUSES_S) else 2)
    assert ("its supervisor was killed" in record.abort_reason) is not bool(record.games)
    assert not any(game.termination.is_forfeit for game in record.games)


@contextlib.contextmanager
def too_many_open_files() -> Iterator[Callable[[], None]]:
    """Let this process open no more files; yields what ends that earlier."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)

    def end() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))

    resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
    try:
        yield end
    finally:
        end()


@pytest.mark.slow
@pytest.mark.parametrize("ends", [True, False])
def test_an_error_of_the_system_is_charged_to_no_bot(
    pool: BotPool, tmp_path: Path, ends: bool
) -> None:
    """The pair is played again; where that does not help, it has no games but a reason."""
    good = fake_start("honest", folder=tmp_path)
    with too_many_open_files() as end:
        timer = threading.Timer(PAUSES_S[0] / 2, end)
        if ends:
            timer.start()
        record = play_pair(pair_plan(good, good), pool)
        timer.cancel()
    assert record.failed_starts == ()
    assert not any(game.termination.is_forfeit for game in record.games)
    if ends:
        assert (len(record.games), record.stalls, record.abort_reason) == (2, 1, "")
    else:
        assert (record.games, record.stalls) == ((), 1 + len(PAUSES_S))
        assert record.abort_reason.startswith("a bot could not be started: [Errno 24]")
        assert record.abort_reason.endswith("; allow more open files (ulimit -n)")


def test_a_file_in_place_of_the_logs_is_refused(tmp_path: Path) -> None:
    """No other attempt would help, so that it is a sentence for the user."""
    (tmp_path / "logs").write_text("")
    good = fake_start("honest", folder=tmp_path)
    with (
        contextlib.closing(BotPool(replace(UNCONFINED, logs=tmp_path / "logs" / "1"))) as pool,
        pytest.raises(UsageError, match=r"cannot be stored in .*logs.*: move the file away"),
    ):
        play_pair(pair_plan(good, good), pool)


@pytest.mark.slow
def test_files_that_vanish_are_charged_to_no_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot that crashes for want of what the ladder unpacked has not failed."""
    monkeypatch.setenv("LADDER_CACHE", str(tmp_path / "cache"))
    (tmp_path / "bot.py").write_text("import other")
    (tmp_path / "other.py").write_text("import no_such_module")
    packed = pack(tmp_path, [tmp_path / "bot.py", tmp_path / "other.py"])
    start = Start(argv=(sys.executable, "bot.py"), folder=str(packed.root))
    with contextlib.closing(BotPool(UNCONFINED)) as pool:
        crashed = play_pair(pair_plan(start, start), pool)
        packed.root.chmod(0o755)
        (packed.root / "other.py").unlink()
        lost = play_pair(pair_plan(start, start), pool)
    assert [game.termination for game in crashed.games] == [Termination.CRASH] * 2
    assert (lost.games, lost.failed_starts) == ((), ())
    assert "a lost its files in mid-run: " in lost.abort_reason


@pytest.mark.parametrize("swapped", [False, True])
def test_a_bot_that_resigns_loses_without_a_forfeit(
    pool: BotPool, tmp_path: Path, swapped: bool
) -> None:
    """The side to move loses, its process plays on, and the time of its answer counts."""
    resigns = fake_start("resigns", "3", folder=tmp_path)
    good = fake_start("honest", folder=tmp_path)
    game = play_game(pair_plan(resigns, good), pool, swapped=swapped)
    assert game.termination is Termination.RESIGNED
    assert game.result is (Result.WIN if swapped else Result.LOSS)
    assert len(thought_blob.decode(game.thoughts)) == len(game.moves) == (3 if swapped else 4)
    assert sum(side.moves for side in game.sides) == len(game.moves) + 1
    position = Position.from_moves(parse_board("6x7"), game.moves)
    for result in Result:
        end = StoredEnd(position, result, game.termination, game.detail, GameRules())
        fault = find_ending_fault(end)
        assert (fault is None) is (result is game.result)
    process = pool.idle_process(resigns)
    assert process is not None
    assert process.alive


@pytest.mark.slow
def test_a_log_that_cannot_be_written_costs_no_game(tmp_path: Path) -> None:
    """As on a full disk: what the bot writes to stderr is lost, and it plays on."""
    talking = fake_start("honest", "words", folder=tmp_path)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    with contextlib.closing(BotPool(replace(UNCONFINED, logs=tmp_path / "logs"))) as pool:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
        try:
            pool.release(talking, pool.acquire(talking), renew=False)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        record = play_pair(pair_plan(talking, fake_start("honest", folder=tmp_path)), pool)
    assert [game.termination.is_forfeit for game in record.games] == [False, False]
    assert record.stalls == 0
    assert [log.read_text() for log in (tmp_path / "logs").iterdir()] == [""]
