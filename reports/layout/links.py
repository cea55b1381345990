"""Addresses of the server's pages."""

from urllib.parse import quote, urlencode


def bot_link(name: str) -> str:
    """Return the address of a bot's page."""
    return f"/bots/{quote(name, safe='')}"


def commits_link(name: str) -> str:
    """Return the address of the page of a bot's commits."""
    return f"/commits/{quote(name, safe='')}"


def diff_link(name: str) -> str:
    """Return the address of the page of how a bot's files differ from its parent's."""
    return f"{bot_link(name)}/diff"


def game_link(game: int | str, ply: int | None = None) -> str:
    """Return the address of a game's page, at a ply."""
    return f"/games/{game}" if ply is None else f"/games/{game}#game-{game}-ply-{ply}"


def games_link(**conditions: object) -> str:
    """Return the address of the list of games with conditions; None is no condition."""
    given = {name: value for name, value in conditions.items() if value is not None}
    return f"/games?{urlencode(given)}" if given else "/games"


def run_link(run: int) -> str:
    """Return the address of a run's page."""
    return f"/runs/{run}"


def division_link(division: int) -> str:
    """Return the address of the overview page of a division."""
    return f"/?division={division}"


def compare_link(names: list[str], division: int | None = None) -> str:
    """Return the address of the page that compares bots."""
    given: dict[str, object] = {"bots": ",".join(names)} if names else {}
    if division is not None:
        given["division"] = division
    return f"/compare?{urlencode(given, safe=',')}"


LINKS = {
    link.__name__: link
    for link in (
        *(bot_link, commits_link, diff_link, game_link, games_link),
        *(run_link, division_link, compare_link),
    )
}
"""The functions that templates may call."""
