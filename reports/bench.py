"""Measured speeds of the harness and of the players, as plain data, text and a table."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Console

from ladder.tools.bench.harness import HarnessSpeed
from ladder.tools.bench.search import SearchSpeed
from reports.layout.format import number, rounded
from reports.layout.table import Column, fit


def harness_document(speed: HarnessSpeed) -> dict[str, Any]:
    """The document of `ladder bench harness --json`; parts are in microseconds a ply."""
    yardstick = speed.ping_pong
    return {
        "games": speed.games,
        "games_per_second": round(speed.games_per_second, 1),
        "plies_per_second": round(speed.plies / speed.seconds, 1),
        "microseconds_per_ply": round(speed.us_per_ply, 2),
        "ping_pong_microseconds": rounded(yardstick and yardstick.us, 2),
        "ping_pongs_per_ply": rounded(speed.ping_pongs_per_ply, 2),
        "ping_pongs_at_once": rounded(yardstick and yardstick.at_once, 2),
        "of_which": {
            "round_trip": round(speed.round_trip_us, 2),
            "rest_of_the_game": round(speed.game_us - speed.round_trip_us, 2),
        },
        "beside_it": {"store": round(speed.store_us, 2)},
        "startup_seconds": round(speed.startup_s, 3),
    }


def harness_text(speed: HarnessSpeed) -> str:
    """Games and plies a second, and the parts of a ply, a line each."""
    return "\n".join(
        (
            f"{speed.games_per_second:,.0f} games a second, "
            f"{speed.plies / speed.seconds:,.0f} plies a second, "
            f"{speed.us_per_ply:.1f} us a ply",
            *_yardstick_lines(speed),
            f"  {speed.round_trip_us:6.1f} us  question to answer: pipes, switches, the bot",
            f"  {speed.game_us - speed.round_trip_us:6.1f} us  the rest of the game: rules, "
            "records, setting up and ending",
            f"  {speed.store_us:6.1f} us  the pair's transaction, beside the worker's play",
            f"started in {speed.startup_s:.2f} s",
        )
    )


def _yardstick_lines(speed: HarnessSpeed) -> Iterator[str]:
    if speed.ping_pong is None:
        yield "no C compiler: the yardstick, two C programs over pipes, was not measured"
        return
    yield (
        f"a ply costs {speed.ping_pongs_per_ply:.1f} times a question and its answer between "
        f"two C programs on one processor ({speed.ping_pong.us:.1f} us)"
    )
    if speed.ping_pong.at_once is not None:
        yield (
            "as many such pairs as workers, each on a processor of its own, make "
            f"{speed.ping_pong.at_once:.2f} times as many of them at once as one alone"
        )


def search_document(speeds: Sequence[SearchSpeed]) -> list[dict[str, Any]]:
    """The document of `ladder bench search --json`."""
    return [
        {
            "bot": speed.bot,
            "board": str(speed.board),
            "simulations_per_second": rounded(speed.per_second, 1),
            "unit": speed.unit,
            "tree": speed.tree,
        }
        for speed in speeds
    ]


def print_search(console: Console, speeds: Sequence[SearchSpeed]) -> None:
    """A row for each player and board."""
    units = ["-" if speed.per_second is None else speed.unit for speed in speeds]
    columns = [
        Column("bot", [speed.bot for speed in speeds], number=False),
        Column("board", [str(speed.board) for speed in speeds], number=False, level=1),
        Column("a second", [number(speed.per_second, ",.0f") for speed in speeds]),
        Column("of", units, number=False, level=2),
        Column("nodes held", [number(speed.tree, ",d") for speed in speeds], level=3),
    ]
    console.print(fit(columns, console.width).table())
