"""`ladder games` and `ladder replay`: which stored games they find, and the analysis of one."""

import shutil
from datetime import datetime
from pathlib import Path

import pytest

from bots.champion import CHAMPION
from db.records.games import Thought
from db.store import Store
from engine.result import Termination
from tests.ladder.cli.conftest import Command
from tests.ladder.results.analysis.making import Games, random_moves
from tests.support.data.league import LAST_WORDS, Game, League
from tests.support.sql import execute_sql

KEYS = {"game", "first", "second", "board", "result", "termination", "plies", "run",
        "adjudicated", "started_at", "ended_at", "reason"}  # fmt: skip


@pytest.fixture
def league(games: Path, tmp_path: Path) -> None:
    """Copy the league into the folder of the commands."""
    shutil.copy(games, tmp_path / "ladder.db")


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ((), [*range(20, 0, -1)]),
        (("--limit", "3"), [20, 19, 18]),
        (("--bot", "a", "--lost"), [20, 11]),
        (("--bot", "b", "--opponent", "c"), [18, 17, 16, 15, 14, 13]),
        (("--bot", "c", "--opponent", "b", "--lost"), [18, 17]),
        (("--bot", "b", "--drawn", "--limit", "2"), [16, 15]),
        (("--forfeit",), [17]),
        (("--bot", "a", "--forfeit"), []),
        (("--run", "2"), [20, 19]),
        (("--run", "1", "--bot", "a", "--won", "--limit", "2"), [12, 10]),
        (("--ending", "forfeit", "--bot", "b"), [17]),
        (("--ending", "board_full"), [16, 15, 14, 13]),
        (("--plies", "9", "--limit", "1"), [20]),
        (("--board", "standard", "--limit", "1"), [20]),
        (("--bot", "a", "--side", "second", "--lost"), [20]),
        (("--division", "1", "--forfeit"), [17]),
        (("--upsets",), [20, 11]),
        (("--upsets", "--division", "1", "--side", "second", "--bot", "b"), [11]),
        (("--upsets", "--run", "1"), [11]),
        (("--since", "2100-01-01"), []),
        (("--since", "2001-01-01", "--limit", "1"), [20]),
    ],
)
@pytest.mark.usefixtures("league")
def test_games_are_found_newest_first(
    ladder: Command, words: tuple[str, ...], ids: list[int]
) -> None:
    """Exactly the games that fit must be listed, with the keys of the contract."""
    done = ladder("games", *words, "--json")
    assert done.code == 0, done.err
    assert list(done.document) == ["games"]
    assert [game["game"] for game in done.document["games"]] == ids
    for game in done.document["games"]:
        assert set(game) == KEYS
        began, ended = (datetime.fromisoformat(game[key]) for key in ("started_at", "ended_at"))
        assert began.utcoffset() is not None
        assert began <= ended


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "game"),
    [(("a",), 20), (("a", "b"), 11), (("b",), 12), (("c", "b"), 18), (("c",), 19)],
)
@pytest.mark.usefixtures("league")
def test_the_last_loss_is_replayed(ladder: Command, words: tuple[str, ...], game: int) -> None:
    """`replay --last-loss` must show the newest game that the bot lost, against B if named."""
    done = ladder("replay", "--last-loss", *words, "--json")
    assert done.code == 0, done.err
    assert done.document["id"] == game


@pytest.mark.slow
def test_replay_shows_the_last_output_of_a_failing_bot(ladder: Command, tmp_path: Path) -> None:
    """Messages and stderr stand behind the moves, made harmless; other games have none."""
    with League(tmp_path / "ladder.db", "a", "b") as league:
        failed = Game("0-1", Termination.CRASH, plies=4)
        league.pair(league.run(), "a", "b", failed, Game("1-0", plies=4))
    words = ladder("replay", "1", "--json").document["timing"]["last_words"]
    assert words == {"stderr": LAST_WORDS.stderr, "messages": list(LAST_WORDS.messages)}
    shown = ladder("replay", "1").out
    assert shown.index("< what?") < shown.rindex("invented") < shown.rindex(" words")
    assert "\x1b" not in shown
    assert ladder("replay", "2", "--json").document["timing"]["last_words"] is None
    assert "stderr" not in ladder("replay", "2").out


@pytest.fixture
def random_games(tmp_path: Path) -> Path:
    """Return a database with random games on 4x4: 1 and 2 are equal."""
    path = tmp_path / "ladder.db"
    with Store.open(str(path)) as store:
        moves = random_moves("4x4", 7)
        Games(store, "4x4").add(moves, thoughts=[Thought(1, 0.25)] * len(moves))
    return path


@pytest.mark.slow
@pytest.mark.usefixtures("random_games")
def test_a_game_is_analysed_once(ladder: Command) -> None:
    """Text and JSON have the turning point, at once and in later replays."""
    assert ladder("replay", "1", "--json").document["analysis"] is None
    done = ladder("replay", "1", "--analyze", "--json")
    assert done.code == 0, done.err
    analysis = done.document["analysis"]
    plies = len(done.document["moves"])
    assert [move["ply"] for move in analysis["moves"]] == list(range(plies))
    assert all(move["value"] in ("win", "draw", "loss") for move in analysis["moves"])
    assert (analysis["estimated_by"], analysis["moves"][0]["estimate"]) == (None, None)
    mistakes = [move["ply"] for move in analysis["moves"] if move["mistake"]]
    assert analysis["turning_point"] == mistakes[-1]
    assert analysis["summary"].startswith(f"Turning point, ply {mistakes[-1] + 1}: ")
    assert ladder("replay", "1", "--json").document == done.document
    text = ladder("replay", "1").out
    assert analysis["summary"] in text
    assert ", the turning point" in text
    assert text.count("true      ") == plies


@pytest.mark.slow
@pytest.mark.usefixtures("random_games")
def test_undecided_positions_have_estimates(ladder: Command) -> None:
    """With too few nodes the champion's values stand beside the proven ones, and are not stored."""
    done = ladder("replay", "1", "--analyze", "--nodes", "1", "--json")
    analysis = done.document["analysis"]
    assert analysis["estimated_by"] == CHAMPION
    for move in analysis["moves"]:
        assert (move["value"] is None) == (move["estimate"] is not None)
    later = ladder("replay", "1", "--json").document["analysis"]
    assert later["estimated_by"] is None
    assert f"by {CHAMPION}, not proven" in ladder("replay", "1", "--analyze", "--nodes", "1").out


def test_a_damaged_game_is_refused(ladder: Command, random_games: Path) -> None:
    """A move that is not legal ends the analysis with a sentence."""
    execute_sql(str(random_games), "UPDATE games SET moves = '0000000' WHERE id = 1")
    damaged = ladder("replay", "1", "--analyze")
    assert (damaged.code, "column 0" in damaged.err) == (2, True)
    assert "Traceback" not in damaged.err
