"""Addresses of the server's pages, each built in one place."""

from urllib.parse import quote, urlencode


def bot_link(name: str) -> str:
    """Return a bot's page."""
    return f"/bots/{quote(name, safe='')}"


def game_link(game: int | str, ply: int | None = None) -> str:
    """Return a game's page, at a ply."""
    return f"/games/{game}" if ply is None else f"/games/{game}#game-{game}-ply-{ply}"


def games_link(**conditions: object) -> str:
    """Return the list of games that fit conditions; those that are None are left out."""
    given = {name: value for name, value in conditions.items() if value is not None}
    return f"/games?{urlencode(given)}" if given else "/games"


def run_link(run: int) -> str:
    """Return a run's page."""
    return f"/runs/{run}"


def division_link(division: int) -> str:
    """Return the first page with the list of a division."""
    return f"/?division={division}"


def compare_link(names: list[str], division: int | None = None) -> str:
    """Bots side by side."""
    given: dict[str, object] = {"bots": ",".join(names)} if names else {}
    if division is not None:
        given["division"] = division
    return f"/compare?{urlencode(given, safe=',')}"
