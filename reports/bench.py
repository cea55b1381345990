"""Speeds of the harness and of the players, as plain data and as text."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from rich.console import Console

from ladder.tools.bench.harness import HarnessSpeed
from ladder.tools.bench.search import SearchSpeed
from reports.layout.fields import Field, Table
from reports.layout.terminal import print_tables


def harness_document(speed: HarnessSpeed) -> dict[str, Any]:
    """Return the document of `ladder bench harness --json`; parts are in microseconds per ply."""
    return {
        "games": speed.games,
        "games_per_second": round(speed.games_per_second, 1),
        "plies_per_second": round(speed.plies / speed.seconds, 1),
        "microseconds_per_ply": round(speed.us_per_ply, 2),
        "of_which": {
            "round_trip": round(speed.round_trip_us, 2),
            "rest_of_the_game": round(speed.game_us - speed.round_trip_us, 2),
        },
        "startup_seconds": round(speed.startup_s, 3),
    }


def harness_text(speed: HarnessSpeed) -> str:
    """Return games and plies per second, and the parts of a ply, as lines."""
    return "\n".join(
        (
            f"{speed.games_per_second:,.0f} games/s, "
            f"{speed.plies / speed.seconds:,.0f} plies/s, "
            f"{speed.us_per_ply:.1f} us per ply",
            f"  {speed.round_trip_us:6.1f} us  question to answer: pipes, switches, the bot",
            f"  {speed.game_us - speed.round_trip_us:6.1f} us  the rest of the game: rules, "
            "records, setup and end",
            f"started in {speed.startup_s:.2f} s",
        )
    )


SPEEDS = (
    Field("bot", "bot"),
    Field("board", "board", value=lambda speed: str(speed.board), level=1),
    Field(
        "simulations_per_second",
        "per second",
        digits=1,
        form=",.0f",
        value=attrgetter("per_second"),
    ),
    Field("unit", "unit", text=lambda one, _: one.unit if one.per_second else "-", level=2),
    Field("tree", "tree nodes", form=",d", level=3),
)
"""The columns of speeds of search."""


def search_document(speeds: Sequence[SearchSpeed]) -> list[dict[str, Any]]:
    """Return the document of `ladder bench search --json`."""
    return Table(SPEEDS, speeds).documents()


def print_search(console: Console, speeds: Sequence[SearchSpeed]) -> None:
    """Print a row for each player and board."""
    print_tables(console, [Table(SPEEDS, speeds)])
