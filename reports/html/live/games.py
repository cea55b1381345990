"""The list of games and the page of a game."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

from bots.champion import CHAMPION
from db.records.games import GameRow, GameSummary
from ladder.results.analysis.division import GameTruth
from ladder.results.overview.games import ENDINGS, BotResult, Mover
from reports.games import FIELDS
from reports.html.live import links
from reports.html.live.links import bot_link, game_link, run_link
from reports.html.live.parts import PageParts, fragment
from reports.html.tables import Table, table_of_fields
from reports.html.viewer import viewer_game
from reports.layout.format import day
from reports.replay import last_output_text


def games_table(games: Sequence[GameSummary]) -> Table:
    """Return a table of games with links to the games, bots and runs."""
    return table_of_fields(FIELDS, games, links)


def games_parts(
    games: Sequence[GameSummary],
    given: Mapping[str, str],
    groups: Mapping[str, Sequence[str]],
    next_id: int | None,
    *,
    before: int | None,
) -> PageParts:
    """Return the list of matching games and the form of conditions.

    Args:
        games: the games, newest first.
        given: the conditions by parameter.
        groups: all bots, by group.
        next_id: the parameter ``before`` of the next page; None on the last page.
        before: the parameter ``before`` of this page; None on the first page.

    """
    conditions = dict(given)
    older = f"/games?{urlencode({**conditions, 'before': next_id})}" if next_id else ""
    return PageParts(
        "Games",
        {
            "games": fragment(
                "games_list.html.j2",
                table=games_table(games),
                older=older,
                newest=f"/games?{urlencode(conditions)}" if before is not None else "",
            ),
            "form": fragment(
                "games_form.html.j2",
                given=conditions,
                groups=groups,
                endings=ENDINGS,
                results=[each.value for each in BotResult],
                sides=[each.value for each in Mover],
            ),
        },
    )


def game_shown(game: GameRow, truth: GameTruth | None) -> dict[str, Any]:
    """Return a game for the replay viewer of its page."""
    return {**viewer_game(game, "", truth), "address": game_link(game.id)}


def game_parts(
    game: GameRow,
    truth: GameTruth | None,
    *,
    may_analyse: bool = False,
    is_analysed_now: bool = False,
) -> PageParts:
    """Return the parts of a game's page: links, last output, and the game for the replay viewer.

    Args:
        game: the game with its thoughts.
        truth: the result of its analysis; None if it was not analysed.
        may_analyse: whether visitors may start an analysis.
        is_analysed_now: whether one is running.

    """
    has_more = len(game.moves) > game.opening_plies and (truth is None or truth.is_improvable)
    return PageParts(
        f"Game {game.id}: {game.first} against {game.second}",
        {
            "about": fragment(
                "game_about.html.j2",
                game=game,
                first_link=bot_link(game.first),
                second_link=bot_link(game.second),
                run_link=run_link(game.run_id),
                started=day(game.started_at),
                output=last_output_text(game),
                may_analyse=may_analyse and has_more,
                is_analysed_now=is_analysed_now,
                champion=CHAMPION,
            )
        },
        games=[game_shown(game, truth)],
    )
