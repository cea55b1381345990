"""A bot that gives games up, from its answer to every list that shows the end of a game."""

import pytest

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import examined

QUITTER = """
class Quitter:
    def new_game(self, board, side, seed, budget):
        pass

    def choose(self, moves):
        return "resign" if len(moves) > 3 else 0
"""


@pytest.mark.slow
def test_a_resigned_game_is_a_loss_and_no_forfeit(ladder: Ladder, other: str) -> None:
    """It is found, shown, exported, imported and checked as such."""
    (ladder.folder / "quitter.py").write_text(QUITTER)
    added = ladder("bots", "add", "quitter", "python:quitter.py:Quitter")
    assert added.code == 0, added.err
    words = ("--simulations", "1", "--boards", "6x7", "--games", "4")
    assert ladder("run", "--bots", "quitter,random", *words).code == 0
    games = ladder("games", "--ending", "resigned", "--json").document["games"]
    assert sorted(game["plies"] for game in games) == [4, 4, 5, 5]
    assert {(game["first"], game["result"]) for game in games} == {
        ("quitter", "loss"), ("random", "win"),
    }  # fmt: skip
    assert ladder("games", "--forfeit", "--json").document["games"] == []
    shown = ladder("replay", games[0]["game"], "--ply", "1").out
    assert "random won by resignation after" in shown
    bots = {bot["name"]: bot for bot in ladder("report", "--json").document["bots"]}
    assert (bots["quitter"]["losses"], sum(bots["quitter"]["forfeits"].values())) == (4, 0)
    for name, text in (("jsonl", '"termination":"resigned"'), ("pgn", 'Termination "resigned"')):
        assert ladder("export", "--format", name, "-o", f"games.{name}").code == 0
        assert (ladder.folder / f"games.{name}").read_text().count(text) == 4
    assert ladder("import", "games.jsonl", "--db", other).code == 0
    assert examined(other) == []
