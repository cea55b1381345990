"""Logs of the bots' stderr: who wrote what in which game, and no more than a budget allows."""

from dataclasses import replace
from pathlib import Path

import pytest

from bots.protocol import Budget
from db.records.pairs import Entrant, PairPlan
from db.records.restart import Restart
from ladder.errors import BotCrash
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.match.process.log_budget import FORFEIT, LEAST_BYTES, LogBudget, log_path
from tests.support.fakes import fake_start
from tests.support.unconfined import UNCONFINED


def write(path: Path, size: int = 3 * LEAST_BYTES) -> Path:
    path.write_bytes(b"x" * size)
    return path


def test_old_logs_are_deleted_first_and_those_of_forfeits_last(tmp_path: Path) -> None:
    """The budget is kept for all logs; a small file counts as a larger one."""
    logs = LogBudget(9 * LEAST_BYTES)
    for number in range(2):
        logs.add(write(tmp_path / f"failed-{number}.log"), forfeit=True)
    for number in range(4):
        logs.add(write(tmp_path / f"plain-{number}.log", 1), forfeit=False)
    names = {path.name for path in tmp_path.iterdir()}
    kept = {f"failed-{number}{FORFEIT}" for number in range(2)}
    assert names == kept | {"plain-1.log", "plain-2.log", "plain-3.log"}
    for number in range(2, 5):
        logs.add(write(tmp_path / f"failed-{number}.log"), forfeit=True)
    assert {path.name for path in tmp_path.iterdir()} == {
        f"failed-{number}{FORFEIT}" for number in range(2, 5)
    }
    logs.add(tmp_path / "none.log", forfeit=True)


def test_a_log_is_named_after_its_bot(tmp_path: Path) -> None:
    """No bot's name leads out of the folder or to a hidden file."""
    for name in ("guest", "../../etc/passwd", ".hidden", "a b", ""):
        path = log_path(tmp_path, name)
        assert path.parent == tmp_path
        assert not path.name.startswith(".")
    assert log_path(tmp_path, "guest").name.startswith("guest-")


@pytest.mark.slow
def test_each_game_has_a_line_in_the_log(tmp_path: Path) -> None:
    """Output follows the line of its game; bots without output have no log."""
    flag = tmp_path / "flag"
    flag.touch()
    logs = tmp_path / "logs"
    budget = Budget(time_ms=5000)
    pool = BotPool(replace(UNCONFINED, logs=logs))
    pair = PairPlan(
        id=9,
        number=4,
        a=Entrant(1, "guest", fake_start("late-once", str(flag), folder=tmp_path), budget),
        b=Entrant(2, "quiet", fake_start("honest", folder=tmp_path), budget),
        board="6x7",
        board_class="6x7",
        opening=(),
        seed=7,
    )
    play_pair(pair, pool)
    pool.close()
    (path,) = logs.iterdir()
    assert path.name.startswith("guest-")
    lines = path.read_text().splitlines()
    first = "--- game 1 of pair 4: guest moves first, against quiet on 6x7 ---"
    second = "--- game 2 of pair 4: guest moves second, against quiet on 6x7 ---"
    assert lines[0] == first  # on a busy machine the supervisor may read both games' words at once
    assert [line for line in lines if line.startswith("---")] == [first, second]
    assert lines.index(second) < lines.index("ply 1")
    assert {"new game", "ply 0"} <= {*lines}


@pytest.mark.slow
def test_the_log_of_a_forfeit_is_marked(tmp_path: Path) -> None:
    """Its name shows it, and many short-lived processes stay within the budget."""
    logs = tmp_path / "logs"
    budget = Budget(time_ms=5000)
    pool = BotPool(replace(UNCONFINED, logs=logs, log_bytes=2 * LEAST_BYTES))
    pair = PairPlan(
        id=9,
        number=4,
        a=Entrant(1, "bad", fake_start("segfaults", folder=tmp_path), budget),
        b=Entrant(
            2,
            "chatty",
            fake_start("late-once", str(tmp_path), folder=tmp_path),
            budget,
            restart=Restart.GAME,
        ),
        board="6x7",
        board_class="6x7",
        opening=(),
        seed=7,
    )
    record = play_pair(pair, pool)
    pool.close()
    assert "--- game" not in record.games[0].detail
    names = [path.name for path in logs.iterdir()]
    assert len(names) == 2
    assert all(name.startswith("bad-") and name.endswith(FORFEIT) for name in names)


@pytest.mark.slow
def test_old_logs_are_deleted_while_a_pool_is_in_use(tmp_path: Path) -> None:
    """The start of a process deletes the logs of ended ones beyond the budget."""
    logs = tmp_path / "logs"
    pool = BotPool(replace(UNCONFINED, logs=logs, log_bytes=LEAST_BYTES))
    loud = fake_start("exits-at-once", folder=tmp_path)
    for number in range(4):
        with pytest.raises(BotCrash):
            pool.acquire(loud, f"bot{number}")
    left = {path.name.partition("-")[0] for path in logs.iterdir()}
    assert len(left) < 4
    assert "bot3" in left
    pool.close()
