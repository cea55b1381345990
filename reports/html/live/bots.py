"""A bot's page."""

from functools import partial

from ladder.results.overview.bot_page import BotPage
from reports.bots import bot_document
from reports.html.figures import specs_of
from reports.html.live.games import games_table
from reports.html.live.links import bot_link, compare_link, game_link, games_link
from reports.html.live.parts import PageParts, fragment
from reports.html.sections.history import history_figure
from reports.html.tables import Table, table_of_fields
from reports.layout.format import day
from reports.replay import last_output_text
from reports.report.against import FIELDS, OpponentLinks


def bot_parts(data: BotPage) -> PageParts:
    """Return the parts of a bot's page."""
    row, name = data.row, data.row.name
    figure = history_figure(data.history, [name])
    document = bot_document(row)
    facts = [
        ("Specification", row.spec),
        ("Family", row.family),
        ("Revision", f"{row.revision.number} ({row.revision.content_hash[:12]})"),
        ("Plays on", ", ".join(row.revision.budgets)),
    ]
    if not row.revision.launch.is_own:
        facts.append(("Registered", day(row.created_at)))
    git = document.get("git") or {}
    facts += [(key.capitalize(), str(value)) for key, value in git.items()]
    if row.retired_at is not None:
        facts.append(("Retired", day(row.retired_at)))
    standing = data.standing
    if standing is not None:
        if standing.elo is not None:
            facts.append(("Elo", f"{standing.elo:.0f} ± {standing.error95 or 0:.0f}"))
        facts.append(("Games", f"{standing.games:,}"))
    lost = [
        {
            "title": f"Game {game.id}",
            "link": game_link(game.id, len(game.moves)),
            "kind": game.termination.noun,
            "text": last_output_text(game) or game.detail or "no output",
        }
        for game in data.forfeits
    ]
    return PageParts(
        f"Bot {name}",
        {
            "bot": fragment(
                "bot_parts.html.j2",
                name=name,
                change=row.change,
                based_on=row.based_on,
                based_on_link="" if row.based_on is None else bot_link(row.based_on),
                compare="" if row.based_on is None else compare_link([name, row.based_on]),
                successors=[(each, bot_link(each)) for each in data.successors],
                facts=facts,
                division=None if data.division is None else data.division.label,
                figure=figure,
                opponents=_opponents(data),
                forfeits=lost,
                games=games_table(data.games),
                all_games=games_link(bot=name),
                all_forfeits=games_link(bot=name, result="lost", ending="forfeit"),
            )
        },
        specs_of([figure]),
    )


def _opponents(data: BotPage) -> Table:
    name = data.row.name
    links = OpponentLinks(
        bot_link, partial(games_link, bot=name), lambda other: compare_link([name, other])
    )
    return table_of_fields(FIELDS, data.opponents, links)
