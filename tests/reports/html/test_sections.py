"""The words and tables of a page, without a browser."""

from dataclasses import replace

import pytest

from db.records.games import LastOutput
from db.records.launch import Origin
from engine.result import Termination
from ladder.results.standings.history import RatedMoment
from ladder.results.standings.lineage import Step
from ladder.results.standings.notes import NotConnected, SharedMachine
from ladder.results.standings.report_data import ReportData
from ladder.results.standings.showcase import ShownGame
from reports.html.charts.pairings import heat_map
from reports.html.report import report_page
from reports.html.sections.failures import WORDS_LIMIT, failures
from reports.html.sections.history import dates_figure, history_figure, history_said
from reports.html.sections.ratings import rated_bots, ratings_figure
from reports.html.sections.speed import speed_figure
from reports.html.sections.verdict import facts, verdict, warnings
from reports.report.rating_columns import View, rating_words


def test_every_kind_of_warning_stands_first(data: ReportData) -> None:
    """Forfeits, budgets that are passed, late moves, and whatever the list notes."""
    first, second, *others = data.standings.bots
    bots = [
        replace(first, forfeits={"timeout": 3, "crash": 1}),
        replace(second, over_budget=True, mean_move_ms=130.0),
        *others,
    ]
    late = [replace(data.move_times[0], moves=100, late=7), *data.move_times[1:]]
    standings = replace(data.standings, bots=bots, notes=[NotConnected(["x"])])
    found = warnings(replace(data, standings=standings, move_times=late))
    assert "forfeited 4 of" in found[0]
    assert "3 timeout, 1 crash" in found[0]
    assert "do not trust" in found[0]
    assert "130 ms" in found[1]
    assert "7 of its latest 100" in found[2]
    assert found[3] == "x cannot be rated yet: no games connect them with the others."
    assert report_page(data).count('class="warning"') == len(warnings(data))


def test_many_late_bots_are_one_warning(data: ReportData) -> None:
    """A wall of warnings that all say the machine's load would hide the others."""
    late = [replace(data.move_times[0], bot=f"b{n}", moves=100, late=n) for n in range(5)]
    found = [said for said in warnings(replace(data, move_times=late)) if "late" in said]
    assert found == [
        "3 bots were late with 2.0% to 4.0% of their latest moves, within the margin, but beyond "
        "the budget: b4, b3 and b2."
    ]


def test_a_shared_machine_is_said_once(data: ReportData) -> None:
    """Bots that waited are not blamed one by one, neither for late moves nor for their mean."""
    late = [
        replace(data.move_times[0], bot=f"b{n}", moves=100, late=50, wall_ms=11.0, cpu_ms=4.0)
        for n in range(4)
    ]
    found = warnings(replace(data, move_times=late))
    assert [said for said in found if "late" in said] == []
    assert sum("the machine was shared" in said for said in found) == 1
    noted = replace(data.standings, notes=[SharedMachine(4 / 11)])
    found = warnings(replace(data, move_times=late, standings=noted))
    assert sum("the machine was shared" in said for said in found) == 1


def test_speeds_stand_by_orders_of_magnitude(data: ReportData) -> None:
    """Ten times as many nodes as simulations squeeze no bot to nothing, and none made is no dot."""
    speeds = [12_000_000.0, 1_000_000.0, 0.0, None]
    bot = data.standings.bots[0]
    bots = [
        replace(bot, name=f"b{n}", simulations_per_second=speed) for n, speed in enumerate(speeds)
    ]
    figure = speed_figure(bots)
    assert figure.spec is not None
    dots = figure.spec["layer"][0]
    scale = dots["encoding"]["x"]["scale"]
    assert (scale["type"], scale["domain"]) == ("log", [500_000, 20_000_000])
    (rows,) = figure.spec["datasets"].values()
    assert [row["bot"] for row in rows] == ["b0", "b1"]
    assert len(figure.table.rows) == 4


def test_lost_steps_come_first(data: ReportData) -> None:
    """With the number that chance would bring, and the way to be sure."""
    steps = [
        Step("b1", "b0", "", elo=-20.0, error95=30.0, games=9),
        Step("b2", "b1", "", elo=-40.0, error95=30.0, games=9),
        Step("b3", "b2", "", elo=50.0, error95=30.0, games=9),
    ]
    failing = [replace(data.standings.bots[0], forfeits={"crash": 1})]
    standings = replace(data.standings, bots=failing)
    first, second, *_ = warnings(replace(data, standings=standings, steps=steps))
    assert "forfeited 1" in second
    assert first == (
        "b2 lost 40 ± 30 Elo against b1. 0.1 of 3 steps would seem lost by chance; "
        "ladder gate b2 --against b1 settles it."
    )
    (alone, *_) = warnings(replace(data, steps=[steps[1]]))
    assert "It may be chance" in alone
    assert not any("lost" in said for said in warnings(replace(data, steps=[steps[0], steps[2]])))


def test_no_more_lines_are_drawn_than_there_are_colours() -> None:
    """The table keeps all bots, and a sentence says who is not in the chart."""
    names = [f"b{number}" for number in range(10)]
    history = [RatedMoment(name, games, 0.0, 1e3, 50.0) for name in names for games in (10, 20)]
    figure = history_figure(history, names)
    assert figure.spec is not None
    (rows,) = figure.spec["datasets"].values()
    assert {row["bot"] for row in rows} == set(names[:8])
    assert {row[0].text for row in figure.table.rows} == set(names)
    assert history_said(names) == "The best 8 of 10 bots are drawn; the table has all."
    assert history_said(names[:8]) == ""


def test_the_conditions_name_what_played(data: ReportData) -> None:
    """Programs as the runs kept them, each once, and the machine that writes."""
    harness = {"ladder": "9.8", "python": "3.99", "numba": "7", "sources": "f"}
    runs = [replace(run, settings={"harness": harness}) for run in data.runs] * 2
    told = dict(facts(replace(data, runs=runs)))
    assert told["Played by"] == "ladder 9.8, Python 3.99, numba 7"
    assert "CPUs" in told["Machine"]


def failed(shown: ShownGame, words: LastOutput | None) -> ShownGame:
    detail = "exited; its last words on stderr:\nboom"
    game = replace(
        shown.game, offender=1, termination=Termination.CRASH, detail=detail, last_words=words
    )
    return replace(shown, game=game)


def test_last_words_are_shown_once_and_within_bounds(data: ReportData) -> None:
    """The sentence does not say again what stands below it; many forfeits do not fill the page."""
    words = LastOutput("boom\nboom", ('> {"type":"move"}', "< <b>"))
    (one, bare) = failures([failed(data.games[0], words), failed(data.games[1], None)])
    assert (one.sentence, one.stderr, one.messages) == ("exited", words.stderr, words.messages)
    assert bare.sentence.endswith("boom")
    many = failures([failed(data.games[0], LastOutput("x" * 4000))] * 200)
    assert sum(len(each.stderr) for each in many) < WORDS_LIMIT + 4000
    assert len(many) == 200
    page = report_page(replace(data, games=[failed(data.games[0], words)]))
    assert "&lt; &lt;b&gt;" in page


def test_a_bot_from_git_stands_at_its_commit(data: ReportData) -> None:
    """Registration is the date of all others."""
    name, bot = next(iter(data.bots.items()))
    origin = Origin("main", "c", "t", "", "", "/", "d", committed_at=86_400.0)
    launch = type(bot.revision.launch)(command=(), folder="/", origin=origin)
    dated = replace(bot, revision=replace(bot.revision, launch=launch))
    rated = [replace(rated_bots(data.standings)[0], name=name)]
    (row,) = dates_figure(rated, {name: dated}).table.rows
    assert [cell.text for cell in row[:3]] == [name, "1970-01-02 00:00 UTC", "commit"]
    (row,) = dates_figure(rated, {name: bot}).table.rows
    assert row[2].text == "registration"


@pytest.mark.parametrize(("bots", "texts"), [(9, 3), (16, 2), (17, 0)])
def test_cells_hold_as_much_as_fits(bots: int, texts: int) -> None:
    """All numbers of few bots, score and surprises of more, and only colours of many."""
    row = {"a": "x", "b": "y", "score": 0.5, "surprise": True}
    spec = heat_map([row], [str(number) for number in range(bots)])
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks.count("text") == texts
    assert marks.count("rect") == 2


def test_a_bot_that_won_everything_has_a_bound(data: ReportData) -> None:
    """As in the printed list: the number that the prior sets would say too much."""
    best = replace(rated_bots(data.standings)[0], elo_at_least=1017.3)
    assert rating_words(best) == "at least 1017"
    (_, _, elo, error, *_) = ratings_figure(View(replace(data.standings, bots=[best]))).table.rows[
        0
    ]
    assert (elo.text, error.text) == ("at least 1017", "-")
    assert verdict([best, *rated_bots(data.standings)[1:]]).startswith(
        f"{best.name} leads with at least 1017 Elo"
    )
