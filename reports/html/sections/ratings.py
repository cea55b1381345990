"""The rating list as a picture and as a table."""

from collections.abc import Callable, Mapping, Sequence

from ladder.results.standings.standings import BotStanding, Standings
from reports.html.charts.ratings import rating_chart
from reports.html.figures import Figure, Row
from reports.html.tables import Cell, Table, columns, number


def no_link(_: str) -> str:
    """Of pages that stand alone: there is no other page to lead to."""
    return ""


def rated_bots(standings: Standings) -> list[BotStanding]:
    """The bots that have a rating with an error, best first."""
    return [bot for bot in standings.bots if bot.elo is not None and bot.error95 is not None]


def ratings_figure(
    standings: Standings,
    *,
    before: Mapping[str, float] | None = None,
    link: Callable[[str], str] = no_link,
) -> Figure:
    """A dot and a whisker per bot.

    Args:
        standings: the list.
        before: earlier ratings by name, for a column of what has changed since; None: no column.
        link: the address of a bot's page; empty: none.

    """
    rows = _rows(rated_bots(standings), standings.anchors)
    return Figure(
        name="ratings",
        label="Ratings in Elo with 95 % intervals, best on top; the table below has the numbers",
        caption=f"Rating list of {standings.label}",
        table=_table(standings.bots, standings.anchors, before, link),
        spec=rating_chart(rows) if rows else None,
        is_open=True,
    )


def _rows(rated: Sequence[BotStanding], anchors: Mapping[str, float]) -> list[Row]:
    return [
        {
            "bot": bot.name,
            "elo": bot.elo,
            "error": bot.error95,
            "low": (bot.elo or 0.0) - (bot.error95 or 0.0),
            "high": (bot.elo or 0.0) + (bot.error95 or 0.0),
            "games": bot.games,
            "wins": bot.wins,
            "draws": bot.draws,
            "losses": bot.losses,
            "anchored": bot.name in anchors,
            "label": f"{bot.elo:.0f} fixed" if bot.name in anchors else rating_words(bot),
        }
        for bot in rated
    ]


def rating_words(bot: BotStanding) -> str:
    """Elo with its error, or the bound that is all that is known of a bot that won or lost all."""
    if bot.elo_at_least is not None:
        return f"at least {bot.elo_at_least:.0f}"
    if bot.elo_at_most is not None:
        return f"at most {bot.elo_at_most:.0f}"
    return f"{bot.elo:.0f} ± {bot.error95:.0f}"


def _table(
    bots: Sequence[BotStanding],
    anchors: Mapping[str, float],
    before: Mapping[str, float] | None,
    link: Callable[[str], str],
) -> Table:
    change = () if before is None else ("#change",)
    heads = columns(
        "#rank", "bot", "#Elo", "#± 95 %", *change, "#live", "#games", "#win", "#draw", "#loss",
        "#score", "#forfeits",
    )  # fmt: skip
    return Table(
        heads,
        [
            (
                number(bot.rank, "d"),
                Cell(
                    f"{bot.name} (anchor)" if bot.name in anchors else bot.name,
                    href=link(bot.name),
                ),
                _elo(bot),
                Cell("-") if _is_bound(bot) else number(bot.error95),
                *(() if before is None else (_change(bot, before),)),
                number(bot.elo_live, ".0f"),
                number(bot.games),
                number(bot.wins),
                number(bot.draws),
                number(bot.losses),
                number(bot.score, ".1%"),
                number(bot.all_forfeits),
            )
            for bot in bots
        ],
    )


def _is_bound(bot: BotStanding) -> bool:
    """Whether a bot won or lost all its games, so that its rating is only a bound."""
    return bot.elo_at_least is not None or bot.elo_at_most is not None


def _elo(bot: BotStanding) -> Cell:
    """The rating, sorted by its place in the list also where a bound is shown."""
    if bot.elo is None:
        return Cell("-", title=bot.reasons.get("elo", ""))
    if _is_bound(bot):
        return Cell(rating_words(bot), bot.elo)
    return number(bot.elo, ".0f")


def _change(bot: BotStanding, before: Mapping[str, float]) -> Cell:
    """Elo won or lost since; a bot that had no rating then is new."""
    if bot.elo is None:
        return Cell("-")
    if bot.name not in before:
        return Cell("new", -1e9)
    change = bot.elo - before[bot.name]
    return Cell(f"{change:+.0f}" if abs(change) >= 0.5 else "0", change)
