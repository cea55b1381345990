"""The texts and tables of a page, without a browser."""

import re
from dataclasses import replace

import pytest

from db.records.games import LastOutput
from engine.result import Termination
from ladder.results.standings.lineage import Step
from ladder.results.standings.notes import NotConnected
from ladder.results.standings.pool import RatedMoment
from ladder.results.standings.report_data import ReportData, ShownGame
from ladder.stats.difference import difference_of
from ladder.stats.own_rating import Rating
from reports.html.charts import heat_map
from reports.html.division_figures import history_figure, rated_bots, ratings_figure
from reports.html.report import report_page, verdict, warnings
from reports.html.viewer import failure_texts
from reports.layout.fields import Medium
from reports.report.rating_columns import RatingView


@pytest.mark.slow
def test_every_kind_of_warning_is_shown(data: ReportData) -> None:
    """Forfeits, exceeded budgets, and notes of the list are warnings."""
    first, second, *others = data.standings.bots
    bots = [
        replace(first, forfeits={"timeout": 3, "crash": 1}),
        replace(second, over_budget=True, measures={"mean_move_ms": 130.0}),
        *(replace(bot, over_budget=True, measures={"mean_move_ms": 110.0}) for bot in others),
    ]
    standings = replace(data.standings, bots=bots, notes=[NotConnected(["x"])])
    found = warnings(replace(data, standings=standings))
    assert "forfeited 4 of" in found[0]
    assert "3 timeout, 1 crash" in found[0]
    assert "do not trust" in found[0]
    assert found[1].startswith("Own time per move over the budget, on average: ")
    assert f"{second.name} 130.0 ms, {others[0].name} 110.0 ms" in found[1]
    assert found[2] == "No games connect x with the other bots: no rating yet."
    page = report_page(data, elsewhere=["8x8"])
    assert page.count('class="warning"') == len(warnings(data))
    assert "no gates or matches in this division, but in 8x8" in page


@pytest.mark.slow
def test_a_page_has_the_columns_that_are_chosen(data: ReportData) -> None:
    """In their order, and those that no page has otherwise, too."""
    page = report_page(data, keys=("win_rate", "name", "low", "mistakes"))
    (heads,) = re.findall(r"(?s)<caption>Rating list.*?<thead>(.*?)</thead>", page)
    assert re.findall(r"<th[^>]*>([^<]+)<", heads) == [
        *("win rate", "bot", "low"),
        *("analysed", "mistakes/100", "its ±95", "not judged"),
    ]


def test_regressions_are_the_first_warning(data: ReportData) -> None:
    """The warning has the expected number of false alarms of many, and the gate that decides."""
    steps = [
        Step("b1", "b0", "", difference_of((4, 2, 3, 2, 3)), games=9),
        Step("b2", "b1", "", difference_of((9, 9, 9, 1, 0)), games=9),
        Step("b3", "b2", "", difference_of((0, 1, 9, 9, 9)), games=9),
    ]
    failing = [replace(data.standings.bots[0], forfeits={"crash": 1})]
    standings = replace(data.standings, bots=failing)
    first, second, *_ = warnings(replace(data, standings=standings, steps=steps))
    assert "forfeited 1" in second
    assert first.startswith("b2 is weaker than b1 by ")
    assert "3 versions, 0.1" in first
    assert "`ladder gate b2 --against b1`" in first
    (alone, *_) = warnings(replace(data, steps=[steps[1]]))
    assert alone.endswith("by all games of the list. Run `ladder gate b2 --against b1` to decide.")
    assert not any("weaker" in each for each in warnings(replace(data, steps=[steps[0], steps[2]])))


def failed(shown: ShownGame, output: LastOutput | None) -> ShownGame:
    detail = "exited; the last lines of its stderr:\nboom"
    game = replace(
        shown.game, offender=1, termination=Termination.CRASH, detail=detail, last_output=output
    )
    return replace(shown, game=game)


@pytest.mark.slow
def test_last_output_is_shown_once_and_limited(data: ReportData) -> None:
    """The sentence does not repeat the output below it, and only the first forfeits show output."""
    output = LastOutput("boom\nboom", ('> {"type":"move"}', "< <b>"))
    one = failure_texts(failed(data.games[0], output).game)
    assert (one["cause"], one["stderr"], one["messages"]) == (
        "exited",
        output.stderr,
        output.messages,
    )
    assert failure_texts(failed(data.games[1], None).game)["cause"].endswith("boom")
    page = report_page(replace(data, games=[failed(data.games[0], output)] * 200))
    assert page.count("&lt; &lt;b&gt;") == 100


@pytest.mark.parametrize(("bots", "texts"), [(16, 1), (17, 0)])
def test_cells_hold_as_much_as_fits(bots: int, texts: int) -> None:
    """Cells show the score, and for many bots only a colour."""
    row = {"a": "x", "b": "y", "score": 0.5, "surprise": True}
    spec = heat_map([row], [str(number) for number in range(bots)])
    marks = [layer["mark"]["type"] for layer in spec["layer"]]
    assert marks.count("text") == texts
    assert marks.count("rect") == 2


def test_a_bot_that_won_everything_has_a_bound(data: ReportData) -> None:
    """The page shows a bound with an arrow, as the rating itself depends on the prior."""
    rated = rated_bots(data.standings)
    best = replace(rated[0], rating=replace(rated[0].rating, at_least=1017.3))
    assert best.rating.words() == "at least 1017"
    standings = replace(data.standings, bots=[best, *rated[1:]])
    figure = ratings_figure(RatingView(standings))
    assert figure.spec is not None
    (arrows,) = [layer for layer in figure.spec["layer"] if layer["mark"].get("dx") == 12]
    assert [(row["elo"], row["arrow"]) for row in arrows["data"]["values"]] == [(1017.3, "\u2192")]
    table = figure.table
    assert table is not None
    (_, _, elo, error, *_) = table.cells(Medium.PAGE)[0]
    assert (elo.text, error.text) == ("at least 1017", "-")
    assert verdict(standings).startswith(f"{best.name} leads with at least 1017 Elo")


def test_ratings_over_time_begin_with_the_first_that_is_no_bound() -> None:
    """A bot that has won or lost everything until then would be drawn where its prior puts it."""
    bound = RatedMoment("a", 2, 1.0, Rating(elo=1900.0, at_least=1017.3))
    rated = RatedMoment("a", 4, 2.0, Rating(elo=1100.0, error95=90.0))
    figure = history_figure([bound, rated], ["a"])
    assert figure.spec is not None
    assert "1017.3" not in str(figure.spec)
    assert "1190.0" in str(figure.spec)
    assert history_figure([bound], ["a"]).spec is None
