"""Rating lists from files of games."""

import math
from pathlib import Path

import pytest

from tests.ladder.cli.conftest import Command

PLAIN = ("--first-mover-advantage", "0", "--prior", "0")


def pgn(white: str, black: str, result: str) -> str:
    return f'[White "{white}"]\n[Black "{black}"]\n[Result "{result}"]\n\n1. e4 {result}\n\n'


@pytest.mark.slow
def test_two_players_stand_where_the_plain_model_puts_them(ladder: Command) -> None:
    """Three wins of four must be 400 log10(3) Elo apart, around the asked mean."""
    games = pgn("a", "b", "1-0") * 2 + pgn("b", "a", "0-1") + pgn("b", "a", "1-0")
    Path("x.pgn").write_text(games)
    document = ladder("rate", "x.pgn", *PLAIN, "--mean", "0", "--json").document
    assert set(document) >= {"games", "first_mover_advantage", "draw_rate_equal", "players"}
    assert document["games"] == 4
    first, second = document["players"]
    assert list(first)[:3] == ["name", "elo", "error95"]
    assert {"low", "high", "games", "score"} <= {*first}
    assert first["name"] == "a"
    assert first["elo"] - second["elo"] == pytest.approx(400 * math.log10(3), abs=0.05)
    assert first["elo"] + second["elo"] == pytest.approx(0, abs=0.05)
    anchored = ladder("rate", "x.pgn", *PLAIN, "--anchor", "b=2500", "--json").document
    assert anchored["players"][1]["elo"] == 2500
    both = ladder("rate", "x.pgn", "--anchor", "a=1500", "--anchor", "b=1600", "--json").document
    assert [player["elo"] for player in both["players"]] == [1600, 1500]
    assert "No such option: --draws" in ladder("rate", "x.pgn", "--draws", "fit").err
    assert "player" in ladder("rate", "x.pgn").out


@pytest.mark.parametrize(
    ("games", "words", "named"),
    [
        (pgn("a", "b", "1-0") + pgn("c", "d", "1-0"), (), "a, b; c, d"),
        (pgn("a", "b", "1-0"), PLAIN, "without a prior"),
        ("", (), "no finished game"),
        (pgn("a", "b", "1-0"), ("--anchor", "z=1"), "z"),
        (pgn("a", "b", "1-0"), ("--anchor", "a"), "--anchor"),
        (pgn("a", "b", "1-0"), ("--anchor", "a=nan"), "--anchor"),
        (pgn("a", "b", "1-0"), ("--anchor", "a=1", "--mean", "1"), "--mean"),
        (pgn("a", "b", "1-0"), ("--prior", "-1"), "--prior"),
        (pgn("a", "b", "1-0"), ("--first-mover-advantage", "much"), "--first-mover-advantage"),
    ],
)
def test_what_cannot_be_rated_is_refused(
    ladder: Command, games: str, words: tuple[str, ...], named: str
) -> None:
    """Disconnected or one-sided games and bad options must be refused with exit 2 and a reason."""
    Path("x.pgn").write_text(games)
    done = ladder("rate", "x.pgn", *words)
    assert done.code == 2, done.out
    assert named in done.err
    assert "Traceback" not in done.err
    assert ladder("rate", "none.pgn").code == 2
