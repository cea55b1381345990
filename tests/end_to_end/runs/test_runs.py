"""Runs from the command line to the database: real processes, real signals."""

import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import ROOT, Ladder
from tests.end_to_end.disturbing import WORKER, parts_of
from tests.end_to_end.traces import (
    QUICK,
    QUICK_ALONE,
    descendants_of_session,
    lines_of,
    lines_of_safely,
    query,
)
from tests.support.shared import made_once


@pytest.fixture
def stocked(ladder: Ladder) -> Ladder:
    """Return a folder with a database for `QUICK`."""
    return ladder.stock()


WORDS = ("run", *QUICK, "--games", "24", "--seed", "9")


@pytest.fixture(scope="session")
def undisturbed() -> list[Any]:
    """Return the games of `WORDS` played in peace."""

    def make(folder: Path) -> None:
        done = Ladder(folder).stock()(*WORDS)
        assert done.code == 0, done.err

    return lines_of(made_once("undisturbed", make))


@pytest.mark.slow
@pytest.mark.both_databases
def test_a_first_run_makes_the_database_plays_and_reports(ladder: Ladder) -> None:
    words = ("--bots", "v4,stupid,random", "--simulations", "40", "--concurrency", "2")
    done = ladder("run", *words, "--games", "11", "--seed", "5", "--json")
    assert done.code == 0, done.err
    document = done.document
    assert document["run"]["games"] == 12
    assert document["run"]["status"] == "finished"
    report = document["report"]
    assert report["games"] == 12
    assert report["pairs"] == 6
    assert {bot["name"] for bot in report["bots"]} <= {"v4", "stupid", "random"}
    assert sum(bot["games"] for bot in report["bots"]) == 24
    assert sum(bot["wins"] for bot in report["bots"]) == sum(
        bot["losses"] for bot in report["bots"]
    )
    assert query(ladder.db, "select count(*) from games") == [(12,)]
    assert ladder("doctor", "--json").code == 0


@pytest.mark.slow
def test_the_same_seed_gives_the_same_games_on_any_number_of_workers(
    ladder: Ladder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Under a work budget a run must be reproducible, whichever worker plays a pair."""
    other = Ladder(tmp_path_factory.mktemp("other"))
    words = ("run", "--bots", "stupid,random", "--simulations", "30", "--games", "8", "--seed", "3")
    assert ladder(*words, "--concurrency", "1").code == 0
    assert other(*words, "--concurrency", "2").code == 0
    assert lines_of(ladder.db) == lines_of(other.folder)


@pytest.mark.slow
def test_ctrl_c_saves_and_the_same_command_resumes(
    stocked: Ladder, undisturbed: list[Any], eventually: Callable[..., None]
) -> None:
    """Ctrl-C must end with 130 and lose nothing; the resumed run must equal an undisturbed one."""
    with stocked.slow():
        process = stocked.start(*WORDS)
        eventually(lambda: len(lines_of_safely(stocked.db)) >= 4)
        stopped = stocked.interrupt(process, group=True)
    assert stopped.code == 130, stopped.err
    assert "Traceback" not in stopped.err
    assert "stopped: the same command resumes run 1" in stopped.err
    played = len(lines_of(stocked.db))
    assert 4 <= played < 24
    assert query(stocked.db, "select status from runs") == [("interrupted",)]
    resumed = stocked(*WORDS)
    assert resumed.code == 0, resumed.err
    assert f"resuming run 1 ({played} games)" in resumed.err
    assert lines_of(stocked.db) == undisturbed
    assert query(stocked.db, "select count(*), status from runs group by 2") == [(1, "finished")]


BY_RESULTS = (
    "run", "--bots", "steady,random,stupid,other", "--simulations", "1", "--boards", "5x5",
    "--games", "80", "--seed", "17",
)  # fmt: skip


@pytest.mark.parametrize(
    "pairing", ["swiss", pytest.param("uncertain", marks=pytest.mark.very_slow)]
)
@pytest.mark.slow
def test_pairing_by_results_is_reproducible(
    stocked: Ladder,
    tmp_path_factory: pytest.TempPathFactory,
    eventually: Callable[..., None],
    pairing: str,
) -> None:
    """Batches depend on finished batches alone: not on workers, kills or companions."""
    words = (*BY_RESULTS[:-4], "--pairing", pairing, *BY_RESULTS[-4:])
    assert stocked("bots", "add", "other", "builtin:stupid").code == 0
    alone, together = (Ladder(tmp_path_factory.mktemp(name)) for name in ("alone", "together"))
    for each in (alone, together):
        shutil.copy(stocked.folder / "ladder.db", each.folder)
    assert alone(*words, "--concurrency", "1").code == 0
    with stocked.slow():
        process = stocked.start(*words, "--concurrency", "2")
        eventually(lambda: len(lines_of_safely(stocked.db)) >= 20)
        assert stocked.interrupt(process, signal.SIGKILL).code == -signal.SIGKILL
    assert stocked(*words, "--concurrency", "2").code == 0
    assert lines_of(stocked.db) == lines_of(alone.folder)
    half = [*words[:-3], "40", *words[-2:], "--concurrency", "1"]
    with together.slow():
        first, second = together.start(*half), together.start(*half)
        eventually(lambda: len(lines_of_safely(together.folder)) >= 4)
    assert (together.finish(first).code, together.finish(second).code) == (0, 0)
    assert query(together.folder, "select count(*) from pairs") == [(40,)]
    games = "select g.moves from games g join pairs p on p.id = g.pair_id order by p.number, g.game"
    assert query(together.folder, games) == query(alone.folder, games)


@pytest.mark.slow
def test_a_killed_coordinator_leaves_no_process_and_loses_no_pair(
    stocked: Ladder, undisturbed: list[Any], eventually: Callable[..., None]
) -> None:
    """After SIGKILL everything must be gone, and the resumed run must equal an undisturbed one."""
    with stocked.slow():
        for games in (2, 8):
            process = stocked.start(*WORDS)
            eventually(lambda wanted=games: len(lines_of_safely(stocked.db)) >= wanted)
            assert stocked.interrupt(process, signal.SIGKILL).code == -signal.SIGKILL
            eventually(lambda session=process.pid: not descendants_of_session(session))
    assert stocked(*WORDS).code == 0
    assert lines_of(stocked.db) == undisturbed
    assert stocked("doctor").code == 0


@pytest.mark.slow
def test_a_killed_worker_is_replaced_and_its_pair_played_again(
    stocked: Ladder, undisturbed: list[Any], eventually: Callable[..., None]
) -> None:
    """A worker's death must cost nothing but time."""
    with stocked.slow():
        process = stocked.start(*WORDS)
        eventually(lambda: len(lines_of_safely(stocked.db)) >= 2)
        parts_of(process.pid, WORKER)[0].kill()
    done = stocked.finish(process)
    assert done.code == 0, done.err
    assert "a worker process died" in done.err
    assert lines_of(stocked.db) == undisturbed


@pytest.mark.slow
def test_a_run_after_a_finished_one_continues_its_stream(stocked: Ladder) -> None:
    """The same command after a finished run must play the next pairs, none of them twice."""
    words = ("run", *QUICK_ALONE, "--games", "6")
    assert stocked(*words).code == 0
    assert stocked(*words).code == 0
    assert query(stocked.db, "select count(*), count(distinct stream) from runs") == [(2, 1)]
    assert query(stocked.db, "select number from pairs order by 1") == [
        (number,) for number in range(6)
    ]


@pytest.mark.slow
def test_two_runs_beside_each_other_share_the_stream(stocked: Ladder) -> None:
    """The same command beside a living run must take other pairs, and both must finish."""
    words = ("run", *QUICK, "--games", "16", "--seed", "21")
    with stocked.slow():
        first, second = stocked.start(*words), stocked.start(*words)
        one, two = stocked.finish(first), stocked.finish(second)
    assert (one.code, two.code) == (0, 0), one.err + two.err
    numbers = query(stocked.db, "select number, status from pairs order by 1")
    assert numbers == [(number, "finished") for number in range(16)]


@pytest.mark.slow
def test_resume_only_completes_an_interrupted_run(stocked: Ladder) -> None:
    """Without an interrupted run `--resume` must report that, play nothing, and succeed."""
    assert stocked("run", *QUICK_ALONE, "--games", "2").code == 0
    done = stocked("run", *QUICK_ALONE, "--games", "2", "--resume")
    assert done.code == 0
    assert "nothing to resume" in done.err
    assert query(stocked.db, "select count(*) from games") == [(2,)]


@pytest.mark.slow
def test_a_run_of_some_bots_prints_those_alone(stocked: Ladder) -> None:
    """After a run its bots alone must be listed, with places of their own."""
    words = ("--boards", "5x5", "--simulations", "10", "--seed", "3", "--concurrency", "1")
    assert stocked("bots", "add", "other", "builtin:random").code == 0
    first = ("run", "--bots", "other,steady,random,stupid", "--games", "24", *words)
    assert stocked(*first).code == 0
    done = stocked("run", "--bots", "random,steady", "--games", "2", *words)
    assert "2 of 4 bots are shown" in done.out
    rows = done.out.split("max ms\n")[1].splitlines()[:2]
    listed = [bot["name"] for bot in stocked("report", "--json").document["bots"]]
    assert len(listed) == 4
    shown = [name for name in listed if name in ("random", "steady")]
    assert [row.split()[:2] for row in rows] == [["1", shown[0]], ["2", shown[1]]]


@pytest.mark.slow
def test_each_division_has_a_rating_list_of_its_own(stocked: Ladder) -> None:
    """Games under other conditions must not be rated together."""
    bots = ("--bots", "stupid,random", "--games", "4", "--concurrency", "1")
    assert stocked("run", *bots, "--simulations", "20", "--boards", "6x7").code == 0
    assert stocked("run", *bots, "--simulations", "30", "--boards", "6x7").code == 0
    assert stocked("run", *bots, "--simulations", "30", "--boards", "5x5@2,2").code == 0
    latest = stocked("report", "--json").document
    assert latest["division"]["boards"] == "5x5@2,2"
    assert latest["games"] == 4
    labels = [label for (label,) in query(stocked.db, "select label from divisions order by id")]
    assert len(labels) == 3
    first = stocked("report", "--json", "--division", labels[0]).document
    assert first["division"]["budget"] == {"simulations": 20}
    assert first["games"] == 4


@pytest.mark.slow
def test_a_bot_that_crashes_once_loses_one_game(ladder: Ladder) -> None:
    """A crash must cost its author one game, be shown as what it is, and not end the run."""
    # The marker lies elsewhere: the files of its folder are what a bot is made of.
    crashed = Path(f"{ladder.folder}-crashed")
    script = f"exec python3 {ROOT}/tests/fake_bots/bot.py crashes-once {crashed}\n"
    (ladder.folder / "shaky.sh").write_text(script)
    crashed.touch()
    registered = ladder("bots", "add", "shaky", "exec:sh shaky.sh")
    assert registered.code == 0, registered.err
    crashed.unlink()
    done = ladder(
        "run", "--bots", "shaky,random", "--games", "8", "--simulations", "5", "--boards", "6x7",
        "--concurrency", "1", "--json",
    )  # fmt: skip
    assert done.code == 0, done.err
    shaky = next(bot for bot in done.document["report"]["bots"] if bot["name"] == "shaky")
    assert shaky["games"] == 8
    assert sum(shaky["forfeits"].values()) == shaky["forfeits"]["crash"] == 1
    terminations = query(ladder.db, "select detail from games where termination = 'crash'")
    assert len(terminations) == 1
    assert "SIGABRT" in terminations[0][0]


@pytest.mark.slow
def test_a_match_stays_outside_the_rating_list(ladder: Ladder) -> None:
    """A match must be stored and shown, and rated only when asked."""
    words = ("match", "stupid", "random", "--games", "6", "--simulations", "30", "--json")
    words = (*words, "--concurrency", "1")
    done = ladder(*words)
    assert done.code == 0, done.err
    assert done.document["report"]["games"] == 6
    result = done.document["match"]
    assert (result["a"], result["b"], sum(result["wdl"])) == ("stupid", "random", 6)
    assert sum(result["pentanomial"]) == 3
    assert ladder("report", "--json").document["games"] == 0
    assert ladder(*words, "--rated").code == 0
    assert ladder("report", "--json").document["games"] == 6


@pytest.mark.slow
def test_a_report_shows_the_same_games_in_every_format(stocked: Ladder) -> None:
    """Table, JSON, CSV and Markdown must agree."""
    assert stocked("run", *QUICK_ALONE, "--games", "6", "--seed", "9").code == 0
    table = stocked("report")
    assert "win rate" in table.out
    assert "6 games" in table.out
    rows = stocked("report", "--format", "csv").out.splitlines()
    assert rows[0].startswith("rank,name,elo,error95")
    assert len(rows) == 4
    assert stocked("report", "--format", "markdown").out.count("|---|") >= 2
    target = stocked.folder / "report.json"
    assert stocked("report", "--json", "-o", target).out == ""
    assert '"games": 6' in target.read_text()


@pytest.mark.slow
def test_a_replay_shows_what_the_bots_thought(stocked: Ladder) -> None:
    """A stored game must replay with the statistics of its moves."""
    words = ("run", "--bots", "flat-mc,random", "--simulations", "40", "--concurrency", "1")
    assert stocked(*words, "--games", "2", "--seed", "2").code == 0
    text = stocked("replay", "1")
    assert text.code == 0, text.err
    assert "simulations" in text.out
    game = stocked("replay", "1", "--json").document
    assert len(game["timing"]["moves"]) == len(game["moves"]) - game["opening_plies"]
    assert "ply 3" in stocked("replay", "1", "--ply", "3").out


@pytest.mark.slow
def test_a_run_ends_at_the_wanted_error(ladder: Ladder, tmp_path_factory: Any) -> None:
    """The number of workers changes neither the moment nor the games before it."""
    words = (
        "run", "--bots", "steady,stupid,random", "--boards", "5x5", "--simulations", 1, "--seed", 3,
        "--until-error", 70, "--json",
    )  # fmt: skip
    one = ladder.stock()(*words, "--concurrency", 1)
    other = Ladder(tmp_path_factory.mktemp("other")).stock()(*words, "--concurrency", 3)
    assert (one.code, other.code) == (0, 0), one.err + other.err
    assert "until 70" in one.err
    games = one.document["run"]["games"]
    assert 40 <= games < 1000
    # Pairs in play are finished: up to 64 of them, which quick workers have in batches.
    assert abs(other.document["run"]["games"] - games) <= 2 * 64 * 2
    assert all(bot["error95"] < 75 for bot in one.document["report"]["bots"])
