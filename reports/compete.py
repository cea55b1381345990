"""The result file of the course's match program."""

from collections.abc import Callable, Iterable, Iterator
from typing import TextIO

from ladder.tools.compete import WON_BY_A, WON_BY_B, CourseRound


def write_results(rounds: Iterable[CourseRound], file: TextIO) -> str:
    """Write every round as it ends, then the statistics, and return the statistics.

    A round is ``NUMBER:``, two lines ``CODE<TAB>SECONDS_A<TAB>SECONDS_B`` and an empty line.
    """
    codes: list[int] = []
    for number, games in enumerate(rounds):
        lines = [f"{game.code}\t{game.seconds_a}\t{game.seconds_b}\n" for game in games]
        file.write(f"{number}:\n{''.join(lines)}\n")
        file.flush()
        codes += [game.code for game in games]
    statistics = _statistics(codes)
    file.write(statistics)
    return statistics


def report_forfeits(
    rounds: Iterable[CourseRound], report: Callable[[str], None]
) -> Iterator[CourseRound]:
    """Yield the rounds and report each distinct forfeit once."""
    known = set()
    for number, games in enumerate(rounds):
        for game in games:
            if game.detail and game.detail not in known:
                known.add(game.detail)
                report(f"round {number}, code {game.code}: {game.detail}")
        yield games


def _statistics(codes: list[int]) -> str:
    a = sum(code in WON_BY_A for code in codes) / len(codes)
    b = sum(code in WON_BY_B for code in codes) / len(codes)
    tie = sum(code == 0 for code in codes) / len(codes)
    return (
        "Stat:\n"
        f"ratio of A wins : {a:g}\n"
        f"ratio of B wins : {b:g}\n"
        f"ratio of Tie : {tie:g}\n"
        "\n"
        f"ratio of (A wins + tie) : {a + tie:g}\n"
        f"ratio of (B wins + tie) : {b + tie:g}\n"
    )
