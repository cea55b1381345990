"""`ladder report`: which bots stand in the list, what stands beside it, and how it fits."""

import csv
import io
import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, redirect_stdout
from pathlib import Path
from typing import Any, TextIO, cast

import pytest

from db.records.runs import RunKind
from engine.result import Termination
from ladder.stats.elo import score_to_elo
from tests.ladder.cli.conftest import Command
from tests.support.data.league import Game, League

Wide = Callable[[int], None]


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five bots: e beats nobody and forfeits, d is retired; a second division and a match."""
    path = tmp_path_factory.mktemp("league") / "ladder.db"
    with League(path, "a", "b", "c", "d", "e") as league:
        run = league.run()
        for one, other in (("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")):
            league.pairs(run, one, other, 6, "1-0", "0-1")
            league.pairs(run, one, other, 4, "1-0", "1-0")
            league.pairs(run, one, other, 1, "0-1", "1/2")
        league.pairs(run, "e", "c", 3, Game("0-1", Termination.TIMEOUT), "1-0")
        league.pairs(run, "c", "e", 4, "1-0", Game("0-1", Termination.CRASH))
        league.end(run)
        other_run = league.run(time_ms=40)
        league.pairs(other_run, "a", "b", 2, "1-0", "0-1")
        league.end(other_run)
        league.run(time_ms=7, kind=RunKind.MATCH)
        league.end(league.run())
        league.store.bots.retire("d")
    return path


@pytest.fixture(autouse=True)
def league(stored: Path, tmp_path: Path) -> Path:
    """Copy the database into the folder of the commands."""
    return Path(shutil.copy(stored, tmp_path / "ladder.db"))


class Screen:
    """A stream that is a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def isatty(self) -> bool:
        return True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Wide]:
    """Yield a function that makes standard output a terminal of a width."""
    with ExitStack() as outputs:

        def wide(width: int) -> None:
            for name, value in (("TERM", "dumb"), ("COLUMNS", str(width)), ("LINES", "50")):
                monkeypatch.setenv(name, value)
            outputs.enter_context(redirect_stdout(cast(TextIO, Screen(sys.stdout))))

        yield wide


@pytest.mark.slow
@pytest.mark.parametrize("width", [32, 80, 200])
def test_the_list_fits_and_cuts_no_number(ladder: Command, terminal: Wide, width: int) -> None:
    """Columns are left out instead, a row stays a line, and a mark stays in its row."""
    terminal(width)
    lines = ladder("report", "--retired").out.splitlines()
    start = next(
        n for n, line in enumerate(lines) if "bot" in line.split() and "elo" in line.split()
    )
    heads, rows = lines[start].replace("win rate", "rate").split(), lines[start + 1 : start + 6]
    assert max(map(len, lines[start : start + 6])) <= width
    assert "…" not in "".join(lines[start : start + 6])
    ranked = ladder("report", "--retired", "--json").document["bots"]
    for bot, row in zip(ranked, rows, strict=True):
        words = row.split()
        assert bot["name"] in words
        if bot["name"] != "e":
            assert f"{bot['elo']:.0f}" in words
        assert ("retired" in words) is (bot["name"] == "d")
        assert ("!" in words) is (bot["name"] == "e")
        for head, key in (("games", "games"), ("win", "wins"), ("loss", "losses")):
            assert head not in heads or str(bot[key]) in words
    assert ("ms/move" in heads) is (width >= 100)
    assert ("games" in heads) is (width >= 60)
    assert ("hidden, as the terminal" in "".join(lines)) is (width < 120)


@pytest.mark.slow
def test_retired_bots_are_left_out_unless_asked_for(ladder: Command) -> None:
    """Their games count; their rows are shown with --retired, by name or by a pattern."""
    plain = ladder("report", "--json").document
    assert [bot["name"] for bot in plain["bots"]] == ["a", "b", "c", "e"]
    assert [bot["rank"] for bot in plain["bots"]] == [1, 2, 3, 4]
    assert plain["ranked"] == 4
    assert any("1 retired bot is left out" in note for note in plain["notes"])
    assert not any("d" in (line["a"], line["b"]) for line in plain["pairs_table"])
    everybody = ladder("report", "--retired", "--json").document
    assert [bot["name"] for bot in everybody["bots"] if bot["retired"]] == ["d"]
    assert everybody["games"] == plain["games"]
    assert {bot["name"]: bot["elo"] for bot in plain["bots"]} == {
        bot["name"]: bot["elo"] for bot in everybody["bots"] if bot["name"] != "d"
    }
    named = ladder("report", "--bots", "d,a", "--json").document
    assert {bot["name"] for bot in named["bots"]} == {"a", "d"}
    assert named["ranked"] == 5
    for pattern, found in (("[d-f]", {"e"}), ("[d]*", {"d"})):
        shown = ladder("report", "--bots", pattern, "--json").document["bots"]
        assert {bot["name"] for bot in shown} == found


def test_forfeited_games_are_listed_by_number(ladder: Command) -> None:
    """The numbers must stand under the list and in JSON, and lead to the games."""
    document = ladder("report", "--json").document
    failing = next(bot for bot in document["bots"] if bot["name"] == "e")
    assert failing["forfeits"] == {
        **dict.fromkeys(failing["forfeits"], 0),
        "timeout": 3,
        "crash": 4,
    }
    named = failing["forfeit_games"]
    assert [one["termination"] for one in named] == ["crash"] * 4 + ["timeout"]
    listed = ladder("games", "--bot", "e", "--lost", "--forfeit", "--json").document["games"]
    assert [one["game"] for one in named] == [game["game"] for game in listed[:5]]
    text = ladder("report").out
    assert (
        f"e forfeited 7 games (3 timeout, 4 crash), the latest {named[0]['game']} (crash)" in text
    )
    assert "`ladder games --bot e --lost --forfeit`" in text
    assert all(bot["forfeit_games"] == [] for bot in document["bots"] if bot["name"] != "e")


@pytest.mark.slow
def test_against_gives_the_share_of_opponents_that_a_bot_beats(ladder: Command) -> None:
    """Each opponent's games must be counted from the bot's side, and the share be theirs."""
    document = ladder("report", "--against", "c", "--json").document
    facts = {one["name"]: one for one in document["opponents"]}
    assert list(facts) == ["e", "b"]
    assert (facts["e"]["wins"], facts["e"]["draws"], facts["e"]["losses"]) == (14, 0, 0)
    assert facts["e"]["pentanomial"] == [0, 0, 0, 0, 7]
    assert facts["e"]["balance"] == "beats"
    assert facts["e"]["clear"]
    assert facts["e"]["elo_at_least"] == pytest.approx(
        score_to_elo(score=0.025 ** (1 / 7)), abs=0.1
    )
    assert (facts["b"]["wins"], facts["b"]["draws"], facts["b"]["losses"]) == (5, 1, 16)
    assert facts["b"]["pentanomial"] == [6, 0, 4, 1, 0]
    assert facts["b"]["balance"] == "loses to"
    assert (document["beats"], document["even"], document["loses"]) == (1, 0, 1)
    assert document["share"] == 0.5
    assert any("retired opponents" in note for note in document["notes"])
    everybody = ladder("report", "--against", "c", "--retired", "--json").document
    assert everybody["share"] == pytest.approx(2 / 3, abs=1e-4)
    text = ladder("report", "--against", "c").out.splitlines()
    assert text[-1] == (
        "6x7/100ms: c beats 1 of 2 opponents (50.0%), 1 of them beyond chance (95 %); it loses to 1"
    )
    some = ladder("report", "--against", "c", "--bots", "e,a", "--json").document
    assert [one["name"] for one in some["opponents"]] == ["e"]
    assert some["never_met"] == ["a"]
    assert "| e |" in ladder("report", "--against", "c", "--format", "markdown").out
    rows = list(
        csv.DictReader(io.StringIO(ladder("report", "--against", "c", "--format", "csv").out))
    )
    assert [row["name"] for row in rows] == ["e", "b"]


@pytest.mark.slow
def test_a_comparison_agrees_with_the_list_and_with_itself(ladder: Command, league: Path) -> None:
    """The sentence names the stronger bot, shares add up, and groups without games differ by None.

    It is printed for every two of the named bots, in every format.
    """
    document = ladder("report", "--compare", "a", "b", "--json").document
    listed = {bot["name"]: bot for bot in ladder("report", "--json").document["bots"]}
    (versus,) = document["versus"]
    assert versus["elo"] == pytest.approx(listed["a"]["elo"] - listed["b"]["elo"], abs=0.2)
    assert versus["error95"] > 0
    assert versus["sentence"].startswith("a is ")
    assert "more pairs would halve the error" in versus["sentence"]
    for bot in document["bots"]:
        games = listed[bot["name"]]["games"]
        for part in ("by_board_class", "by_opponent"):
            assert sum(share["games"] for share in bot[part].values()) == games
        assert bot["moving_first"]["games"] == bot["moving_second"]["games"] == games // 2
        points = sum(share["games"] * share["score"] for share in bot["by_opponent"].values())
        assert points == pytest.approx(listed[bot["name"]]["score"] * games, abs=0.05)
    head = document["bots"][0]["by_opponent"]["b"]["games"]
    assert sum(versus["wdl"]) == 2 * sum(versus["pentanomial"]) == head
    turned = ladder("report", "--compare", "b", "a", "--json").document["versus"][0]
    assert (turned["sentence"], turned["elo"]) == (versus["sentence"], -versus["elo"])
    assert ladder("report", "--compare", "a", "c", "--json").document["common_opponents"] == [
        "b",
        "d",
    ]
    three = ladder("report", "--compare", "a", "b", "c")
    assert three.out.count("would halve the error") == 3
    words = ("report", "--compare", "a", "b", "--format")
    assert "### by board class" in ladder(*words, "markdown").out
    rows = ladder(*words, "csv").out.splitlines()
    assert [row.split(",")[0] for row in rows] == ["a", "a"]
    with League(league, "x", "y") as opened:
        opened.pairs(opened.run(), "x", "y", 2, "1-0", "0-1")
    apart = ladder("report", "--compare", "a", "x", "--json").document
    versus = apart["versus"][0]
    assert versus["elo"] is versus["error95"] is versus["los"] is None
    assert apart["summary"] == ["a and x cannot be compared: no games connect them"]


@pytest.mark.parametrize("name", ["a", "a2", "a3"])
def test_a_history_lists_the_whole_line_of_a_bot(ladder: Command, league: Path, name: str) -> None:
    """Whichever version is named: its predecessors, and of its successors the newest."""
    with League(league) as opened:
        for new, before in (("a2", "a"), ("a2-bad", "a2"), ("a3", "a2")):
            opened.add(new, before, f"change of {new}")
    division = ("--division", "6x7/100ms")
    line = ladder("report", "--history", name, *division, "--json").document["line"]
    assert [(each["bot"], each["based_on"], each["change"]) for each in line] == [
        ("a", None, ""),
        ("a2", "a", "change of a2"),
        ("a3", "a2", "change of a3"),
    ]
    listed = ladder("report", *division, "--json").document["bots"]
    assert line[0]["elo"] == next(bot["elo"] for bot in listed if bot["name"] == "a")
    assert [each["games"] for each in line[1:]] == [0, 0]
    text = ladder("report", "--history", name, *division).out.splitlines()
    assert [row.split()[0] for row in text] == ["bot", "a", "a2", "a3"]
    assert ladder("report", "--history", name, "--format", "csv").out.startswith("bot,based_on,")


def test_a_report_in_a_file_has_no_colours_and_no_width(
    ladder: Command, terminal: Wide, tmp_path: Path
) -> None:
    """Whatever terminal the command was typed at, the file must hold the whole table as text."""
    terminal(40)
    assert ladder("report", "-o", "night.txt").code == 0
    text = (tmp_path / "night.txt").read_text()
    assert "max ms" in text
    assert "\x1b" not in text
    assert not any(line.endswith(" ") for line in text.splitlines())


@pytest.mark.slow
def test_chosen_columns_stand_in_every_format_by_their_keys(
    ladder: Command, terminal: Wide
) -> None:
    """Every key of JSON gives a column of each format, in the order that was asked for."""
    whole = ladder("report", "--json").document["bots"]
    keys = [*reversed(whole[0]), "mistakes"]
    words = ("report", "--columns", ",".join(keys))
    shown = ladder(*words, "--json").document["bots"]
    assert [list(bot) for bot in shown] == [keys] * len(whole)
    assert [{**bot, "mistakes": None} for bot in whole] == shown
    few = ("report", "--columns", "max_move_ms,forfeits,name,low,retired")
    rows = list(csv.reader(io.StringIO(ladder(*few, "--format", "csv").out)))
    kinds = list(whole[0]["forfeits"])
    assert rows[0] == ["max_move_ms", *kinds, "name", "low", "retired"]
    assert [row[-3] for row in rows[1:]] == [bot["name"] for bot in whole]
    heads = ["max ms", "forfeits", "bot", "", "low", "retired"]
    lines = ladder(*few, "--format", "markdown").out.splitlines()
    assert [cell.strip() for cell in lines[2].strip("|").split("|")] == heads
    assert lines[4].split("|")[-2].strip() == "no"
    nested = list(csv.DictReader(io.StringIO(ladder(*words, "--format", "csv").out)))
    failing = next(bot for bot in nested if bot["name"] == "e")
    assert json.loads(failing["forfeit_games"]) == next(
        bot["forfeit_games"] for bot in whole if bot["name"] == "e"
    )
    terminal(24)
    words = ladder(*few).out.split()
    assert "hidden, as the terminal is too narrow: low, retired" in " ".join(words)


def test_an_unknown_column_is_refused_with_the_known_ones(ladder: Command) -> None:
    """One sentence lists all keys; nothing is printed."""
    done = ladder("report", "--columns", "name,elos")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(
        "ladder: --columns: the rating list has no column 'elos': choose from rank, name, elo, "
    )
    assert done.err.endswith(", mean_move_ms, max_move_ms, reasons, mistakes\n")
