"""What a page about a division is made from: pairings, classes, move times, games."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from db.records.games import Thought
from engine.result import Termination
from ladder.results.standings.division import read_division, standings_of_division
from ladder.results.standings.report_data import Reason, ReportData, move_times, read_report_data
from tests.support.data.league import Game, League


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[League]:
    """Three bots that beat each other in a circle, a fourth that is retired and forfeits."""
    with League(tmp_path_factory.mktemp("circle") / "games.db", "a", "b", "c", "old") as made:
        run = made.run()
        for one, other in (("a", "b"), ("b", "c"), ("c", "a")):
            made.pairs(run, one, other, 20, "1-0", "0-1")
            made.pairs(run, one, other, 2, "0-1", "1-0")
        failed = Game("0-1", Termination.TIMEOUT, 30)
        made.pairs(run, "old", "a", 3, failed, Game("1-0", plies=7))
        made.store.bots.retire("old")
        yield made


def of(league: League, since: float | None = None, **how: object) -> ReportData:
    games = read_division(league.store, league.store.divisions.all()[0], since=since)
    return read_report_data(league.store, games, **how)  # type: ignore[arg-type]


@pytest.mark.slow
def test_a_circle_shows_in_the_residuals(league: League) -> None:
    """No list can hold it: each pairing is far above what it expects."""
    data = of(league)
    residuals = {(pair.met.a, pair.met.b): pair.z for pair in data.pairings}
    for one, other in (("a", "b"), ("b", "c"), ("c", "a")):
        assert (residuals[one, other] or 0.0) > 3.0
        assert residuals[other, one] == pytest.approx(-(residuals[one, other] or 0.0))


@pytest.mark.slow
def test_retired_bots_are_shown_if_asked_for(league: League) -> None:
    """As in the printed report; their games count all the same."""
    assert {bot.name for bot in of(league).standings.bots} == {"a", "b", "c"}
    everybody = of(league, retired=True)
    assert {bot.name for bot in everybody.standings.bots} == {"a", "b", "c", "old"}
    assert {"old"} < {pair.met.b for pair in everybody.pairings}
    assert "old" not in {pair.met.b for pair in of(league).pairings}
    assert "old" not in {moment.bot for moment in of(league).history}


@pytest.mark.slow
def test_forfeits_come_first_with_their_last_output(league: League) -> None:
    """Then short losses; as many games as are wanted, none twice."""
    data = of(league, games=20, retired=True)
    assert len(data.games) == len({shown.game.id for shown in data.games}) == 20
    forfeits = data.games[:3]
    assert {shown.reason for shown in forfeits} == {Reason.FORFEIT}
    assert all(shown.game.last_output for shown in forfeits)
    assert Reason.SHORT in {shown.reason for shown in data.games}
    assert of(league, games=0).games == []


@pytest.mark.slow
def test_late_moves_and_processor_time_are_distinguished(league: League) -> None:
    """A move over the budget is late; the mean of both clocks is over measured moves alone."""
    (shown, *_) = of(league).games
    thoughts = [
        Thought(90_000, cpu_us=45_000),
        Thought(50_000),
        Thought(101_000, cpu_us=50_500),
        Thought(50_000),
    ]
    game = replace(shown.game, first="x", second="y", thoughts=tuple(thoughts), opening_plies=0)
    x, y = move_times([game], {"time_ms": 100})
    assert (x.moves, x.late, x.wall_ms, x.cpu_ms, x.cpu_share) == (2, 1, 95.5, 47.75, 0.5)
    assert (y.late, y.cpu_share) == (0, None)
    assert move_times([game], {"depth": 3})[0].late == 0


def test_the_latest_forfeits_of_each_bot_are_named(league: League) -> None:
    """The list names the newest games that a bot forfeited, and none of other bots."""
    games = read_division(league.store, league.store.divisions.all()[0])
    bots = {bot.name: bot for bot in standings_of_division(league.store, games).bots}
    named = [(one.termination, one.game) for one in bots["old"].forfeit_games]
    assert [termination for termination, _ in named] == [Termination.TIMEOUT] * 3
    assert [game for _, game in named] == sorted((game for _, game in named), reverse=True)
    assert all(not bot.forfeit_games for name, bot in bots.items() if name != "old")
