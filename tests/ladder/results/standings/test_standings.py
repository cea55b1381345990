"""Standings from the aggregate."""

import json
import math
from dataclasses import replace

import pytest

from db.records.aggregate import PairTableRow, SideTotals
from db.records.measures import LONGEST, MOVES, SEARCHED, SIMULATIONS, TIME
from db.records.record import Record
from db.records.runs import DivisionRow
from ladder.results.standings.build import build_standings
from ladder.results.standings.head_to_head import HeadToHead, scores_by_class, summarize_pairings
from ladder.results.standings.notes import NoRatedGames, NotConnected, RepeatedGames
from ladder.results.standings.pool import rate_tables
from ladder.results.standings.standings import Standings
from ladder.stats.elo import score_to_elo
from ladder.stats.pool.rating import RatingOptions
from reports.html.division_figures import ratings_figure
from reports.layout.fields import Medium, Table
from reports.layout.format import to_json
from reports.layout.terminal import listing_markdown
from reports.report.mistakes import rates
from reports.report.rating_columns import COLUMNS, RatingView, marks
from reports.report.standings import note_text, remarks, standings_document, standings_listing
from tests.support.data.analysed import an_analysis
from tests.support.data.pairs import bot_row

DIVISION = DivisionRow("thu", 0, {"time_ms": 100}, id=1, label="thu/100ms")


def table(one: str, two: str, counts: tuple[int, ...], **changes: object) -> PairTableRow:
    side = SideTotals({MOVES: 100, TIME: 9_000_000, LONGEST: 99_000, SIMULATIONS: 5, SEARCHED: 10})
    values: dict[str, object] = {
        "division_id": 1,
        "board_class": "thu",
        "a_revision": ord(one),
        "b_revision": ord(two),
        "a_name": one,
        "b_name": two,
        "record": Record(counts),
        "a": side,
        "b": side,
    }
    return PairTableRow(**{**values, **changes})  # type: ignore[arg-type]


def standings(*tables: PairTableRow, repeated: int = 0) -> Standings:
    games = sum(2 * row.record.pairs for row in tables) - repeated
    return build_standings(DIVISION, tables, distinct_games=games, notes=[])


# Counts by 3 * (A first) + (A second), each loss, draw, win: here 4 pairs lost, 1 split with the
# first mover winning both, 2 with a draw and a win, 3 won.
MIXED = (4, 0, 0, 0, 0, 2, 1, 0, 3)


def test_counts_follow_from_the_table_of_pairs() -> None:
    """Games, wins, draws, losses, pentanomial and first-mover score."""
    result = standings(table("a", "b", MIXED))
    assert (result.games, result.pairs) == (20, 10)
    a = next(bot for bot in result.bots if bot.name == "a")
    assert a.results == (9, 2, 9)
    assert result.pairs_table[0].record.pentanomial == (4, 0, 1, 2, 3)
    # A first: 4 losses, 2 draws, 4 wins. A second: 5 losses, 0 draws, 5 wins, so B first wins 5.
    assert result.first_mover_score == pytest.approx((4 + 1 + 5) / 20)
    assert result.draw_rate == pytest.approx(2 / 20)


def test_the_better_bot_stands_first() -> None:
    """The rating list is sorted by maximum-likelihood Elo around a mean of 1000."""
    result = standings(table("a", "b", (1, 0, 1, 0, 0, 0, 2, 0, 6)), table("b", "c", MIXED))
    assert [bot.rank for bot in result.bots] == [1, 2, 3]
    elos = [bot.rating.elo for bot in result.bots if bot.rating.elo is not None]
    assert elos == sorted(elos, reverse=True)
    assert sum(elos) / 3 == pytest.approx(1000)
    assert result.bots[0].name == "a"


def test_a_shutout_is_finite_and_noted() -> None:
    """A bot that won or lost everything has a bound, which notes, JSON and list agree on."""
    result = standings(table("a", "b", (0, 0, 0, 0, 0, 0, 0, 0, 9)))
    for bot in result.bots:
        assert math.isfinite(bot.rating.elo or math.nan)
        assert math.isfinite(bot.rating.error95 or math.nan)
    apart = score_to_elo(score=0.025 ** (1 / 9))
    best, worst = result.bots
    assert (best.rating.at_least, best.rating.at_most) == (pytest.approx(1000 + apart / 2), None)
    assert (worst.rating.at_least, worst.rating.at_most) == (None, pytest.approx(1000 - apart / 2))
    said = [note_text(note) for note in result.notes]
    assert any(
        f"won every game: a (rating at least {1000 + apart / 2:.0f}" in text for text in said
    )
    assert any(
        f"lost every game: b (rating at most {1000 - apart / 2:.0f}" in text for text in said
    )
    documents = standings_document(result)["bots"]
    assert documents[0]["elo_at_least"] == pytest.approx(1000 + apart / 2, abs=0.05)
    assert documents[0]["elo_at_most"] is None


def test_bots_that_no_games_connect_are_not_rated() -> None:
    """The largest group is rated; the others have null with a reason."""
    result = standings(table("a", "b", MIXED), table("b", "c", MIXED), table("x", "y", MIXED))
    by_name = {bot.name: bot for bot in result.bots}
    assert by_name["x"].rating.elo is None
    assert "no games connect" in by_name["x"].reasons["elo"]
    assert by_name["a"].rating.elo is not None
    assert NotConnected(("x", "y")) in result.notes


def test_an_empty_division_has_an_empty_list() -> None:
    """An empty division must give an empty list and say so, not fail."""
    result = standings()
    assert result.games == 0
    assert result.first_mover_score is None
    assert list(result.notes) == [NoRatedGames()]
    assert rate_tables([]) is None
    assert result.first_mover_elo == {}


def test_forfeits_mark_a_bot() -> None:
    """More than 2 % of the games and at least 3 make a bot unreliable; fewer do not."""
    losses = (100, 0, 0, 0, 0, 0, 0, 0, 0)
    for crashes, marked in ((3, False), (5, True)):
        side = SideTotals({MOVES: 100, TIME: 100}, failures={"crash": crashes})
        result = standings(table("a", "b", losses, a=side))
        bot = next(bot for bot in result.bots if bot.name == "a")
        assert bot.forfeits["crash"] == crashes
        assert bot.unreliable is marked
        assert any("forfeits more than" in line for line in remarks(result)) is marked


def test_slow_bots_and_repeated_games_are_marked() -> None:
    """A mean move time above the budget and repeated games must be marked."""
    slow = SideTotals({MOVES: 10, TIME: 1_010_000, LONGEST: 120_000})
    result = standings(table("a", "b", MIXED, a=slow), repeated=5)
    bot = next(bot for bot in result.bots if bot.name == "a")
    assert bot.over_budget
    assert marks(bot) == "*"
    assert RepeatedGames(15, 20) in result.notes
    assert bot.measures == {
        "mean_move_ms": 101.0,
        "max_move_ms": 120.0,
        "simulations_per_second": None,
    }
    assert "no simulations" in bot.reasons["simulations_per_second"]


def test_nodes_and_simulations_a_second_have_columns_of_their_own() -> None:
    """A bot that counts nodes must not stand among those that count simulations."""
    kinds = {"a": ("time", "nodes"), "b": ("simulations", "nodes"), "c": ("any",)}
    rows = {name: bot_row(ord(name), name) for name in kinds}
    registered = {
        name: replace(row, revision=replace(row.revision, budgets=kinds[name]))
        for name, row in rows.items()
    }
    tables = [table("a", "b", MIXED), table("b", "c", MIXED)]
    result = build_standings(DIVISION, tables, distinct_games=40, notes=[], registered=registered)
    bots, view = result.bots, RatingView(result)
    shown = Table(COLUMNS, bots, view)
    heads = [field.head for field in shown.on(Medium.TEXT)]
    speeds = [heads.index("simulations/s"), heads.index("nodes/s")]
    texts = {
        bot.name: [row[speed].text for speed in speeds]
        for bot, row in zip(bots, shown.cells(Medium.TEXT), strict=True)
    }
    assert texts == {"a": ["-", "500,000"], "b": ["500,000", "-"], "c": ["500,000", "-"]}
    without = Table(COLUMNS, [bot for bot in bots if not bot.counts_nodes], view)
    assert "nodes/s" not in [field.head for field in without.on(Medium.TEXT)]


def test_equal_pairs_count_once_in_the_errors() -> None:
    """Pairs that are played nine times give the ratings and the errors of one ninth of them."""
    options = RatingOptions(prior=0)
    naive, once = (table("a", "b", tuple(n * count for count in MIXED)) for n in (9, 1))
    repeated = replace(naive, record=replace(naive.record, distinct=10))
    pools = [rate_tables([row], options) for row in (repeated, once, naive)]
    found, known, wrong = [pool.rating for pool in pools if pool is not None]
    assert found.elo == pytest.approx(known.elo)
    assert found.error95 == pytest.approx(known.error95)
    assert max(wrong.error95) < 0.5 * max(found.error95)


def test_every_format_is_complete_and_finite() -> None:
    """JSON must have no NaN; CSV and Markdown a row per bot, and one for every two that met."""
    result = standings(table("a", "b", MIXED), table("x", "y", MIXED))
    json.loads(to_json(standings_document(result)), parse_constant=pytest.fail)
    assert len(standings_listing(result).csv.splitlines()) == 5
    assert listing_markdown(standings_listing(result)).count("\n| ") == 5
    assert listing_markdown(standings_listing(result, pairs=True)).count("\n| ") == 8


def test_every_column_stands_in_every_format_that_it_declares() -> None:
    """One declaration must give the key in JSON, the heads of tables and CSV, and the page's."""
    result = standings(table("a", "b", MIXED))
    document = standings_document(result)["bots"][0]
    assert list(document) == [each.key for each in COLUMNS if each.is_on(Medium.JSON)]
    made = standings_listing(result)
    heads = made.csv.splitlines()[0].split(",")
    assert heads == [each.key for each in COLUMNS if each.is_on(Medium.CSV)]
    assert {each.key for each in COLUMNS} == {*document, *heads, ""}
    text = listing_markdown(made).split("\n| ")[1].partition("\n")[0]
    shown = [
        each.head
        for each in COLUMNS
        if each.head and Medium.TEXT in each.only and each.head != "nodes/s"
    ]
    assert [head.strip().replace("\\", "") for head in text.strip(" |").split(" | ")] == shown
    page = ratings_figure(RatingView(result)).table
    assert isinstance(page, Table)
    heads = [str(each.head_on(Medium.PAGE)) for each in page.on(Medium.PAGE)]
    assert heads[3:5] == ["± 95 %", "games"]


def test_a_pairing_is_listed_both_ways_round() -> None:
    """Without a list of ratings there are no points that it expects."""
    one, other = summarize_pairings([table("a", "b", MIXED)], None)
    assert one.met == HeadToHead("a", "b", Record(MIXED))
    assert other.met == one.met.mirrored
    assert other.met.record.wdl == one.met.record.wdl == (9, 2, 9)
    assert one.z is other.z is None


def test_scores_of_a_class_are_points_per_game() -> None:
    """Of both bots, with the games and draws behind them."""
    (thu,) = scores_by_class([table("a", "b", (6, 0, 0, 0, 0, 2, 1, 0, 1))])
    assert (thu.games, thu.draws) == (20, 2)
    assert thu.scores == {"a": 0.3, "b": 0.7}


@pytest.mark.parametrize(("pairs", "is_shown"), [(5, True), (6, False)])
def test_mistakes_stand_in_the_list_from_a_tenth_of_the_games(pairs: int, is_shown: bool) -> None:
    """One analysed game of ten says something about a bot, one of twelve does not."""
    _, made = an_analysis()
    found = rates(made, standings(table("a", "b", (pairs,) + (0,) * 8)).bots)
    assert [field.head for field in found] == (
        ["analysed", "mistakes/100", "its ±95", "not judged"] if is_shown else []
    )
