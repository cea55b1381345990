"""A rating list from a file of games, as plain data and as text."""

from typing import Any

from ladder.names import counted
from ladder.results.standings.pgn_list import FileRating
from ladder.stats.pool.rating import PoolRating
from ladder.visible import visible
from reports.layout.format import rounded, text_of_lines

BOUND = "only wins or only losses: the rating depends on the prior"


def rating_document(made: FileRating) -> dict[str, Any]:
    """Return the document of `ladder rate --json`."""
    rating = made.rating
    return {
        "games": made.games,
        "first_mover_advantage": round(float(rating.advantage[0]), 3),
        "draw_rate_equal": rating.draw_rate_equal and round(rating.draw_rate_equal, 5),
        "skipped": made.skipped,
        "players": [_player(rating, index) for index in ranking(rating)],
    }


def _player(rating: PoolRating, index: int) -> dict[str, Any]:
    games = float(rating.games[index])
    document: dict[str, Any] = {
        "name": rating.players[index],
        "elo": round(float(rating.elo[index]), 3),
        "error95": round(float(rating.error95[index]), 3),
        "games": round(games),
        "score": round(float(rating.points[index]) / games, 5),
        "elo_at_least": rounded(rating.at_least[index], 3),
        "elo_at_most": rounded(rating.at_most[index], 3),
    }
    if rating.bounded[index]:
        document["note"] = BOUND
    return document


def rating_text(made: FileRating) -> str:
    """Return the list as text."""
    rating = made.rating
    names = [visible(rating.players[index]) for index in ranking(rating)]
    width = max([6, *(len(name) for name in names)])
    draws = "-" if rating.draw_rate_equal is None else f"{rating.draw_rate_equal:.1%}"
    lines = [
        f"{counted(made.games, 'game')}, first mover {float(rating.advantage[0]):+.1f} Elo, "
        f"draws between equals {draws}"
        + (f", {counted(made.skipped, 'game')} without a result left out" if made.skipped else ""),
        f"{'#':>4}  {'player':<{width}}  {'elo':>8}  {'±95':>7}  {'games':>7}  {'score':>7}",
    ]
    for rank, index in enumerate(ranking(rating), start=1):
        row = _player(rating, index)
        lines.append(
            f"{rank:>4}  {visible(row['name']):<{width}}  {row['elo']:>8.1f}  "
            f"{row['error95']:>7.1f}  {row['games']:>7}  {row['score']:>7.1%}{_bound(row)}"
        )
    if bool(rating.bounded.any()):
        lines.append(f"at least, at most: bounds at 95 % confidence; {BOUND}")
    return text_of_lines(lines)


def _bound(row: dict[str, Any]) -> str:
    if row["elo_at_least"] is not None:
        return f"  at least {row['elo_at_least']:.1f}"
    if row["elo_at_most"] is not None:
        return f"  at most {row['elo_at_most']:.1f}"
    return ""


def ranking(rating: PoolRating) -> list[int]:
    """Return the players' indices, best first."""
    return sorted(
        range(len(rating.players)), key=lambda index: (-rating.elo[index], rating.players[index])
    )
