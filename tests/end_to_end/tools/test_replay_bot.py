"""What a bot was sent in a stored game, and what it answers when it is sent that again."""

import json

import pytest

from tests.end_to_end.conftest import Ladder

BOT = """
import json, sys

with open({log!r}, "a") as log:
    for line in sys.stdin:
        log.write(line)
        log.flush()
        request = json.loads(line)
        if request["type"] == "hello":
            reply = {{"type": "hello", "name": "x", "budgets": ["clock"]}}
        elif request["type"] == "new_game":
            rows, columns, reply = request["rows"], request["columns"], {{"type": "ready"}}
        elif request["type"] == "move":
            free = [c for c in range(columns) if request["moves"].count(c) < rows]
            reply = {{"type": "move", "column": free[{choice}]}}
        elif request["type"] == "quit":
            break
        else:
            continue
        print(json.dumps(reply), flush=True)
"""
"""Writes down what it is sent."""


@pytest.mark.slow
def test_the_lines_of_a_game_and_the_answers_to_them_come_back(ladder: Ladder) -> None:
    """`--input` must print what the bot has read, its clock included; `--rerun` what it answers."""
    log = ladder.folder / "log"
    program = ladder.folder / "mine.py"
    program.write_text(BOT.format(log=str(log), choice=0))
    add = ("bots", "add", "mine", "exec:python3 -I -S mine.py")
    assert ladder(*add).code == 0
    log.unlink()
    # With this seed the bot always has two columns to choose from.
    words = ("--boards", "5x5", "--clock", "20s+100ms", "--games", "2", "--seed", "1")
    assert ladder("match", "mine", "random", *words).code == 0
    read = log.read_text().splitlines()
    games = [row["game"] for row in ladder("games", "--json").document["games"]]
    sent = [ladder("replay", game, "--input", "mine").out.splitlines() for game in sorted(games)]
    assert {lines[0] for lines in sent} == {read[0]}
    assert [line for lines in sent for line in lines[1:]] == read[1:]
    moves = ladder("replay", games[0], "--rerun", "mine", "--json").document["moves"]
    assert moves
    assert all(move["stored"] == move["now"] for move in moves)
    program.write_text(BOT.format(log=str(log), choice=-1))
    assert ladder(*add, "--replace").code == 0
    other = ladder("replay", games[0], "--rerun", "mine")
    assert f"{len(moves)} of {len(moves)} answers differ" in other.out
    assert "another revision" in other.err
    refused = ladder("replay", games[0], "--input", "stupid")
    assert (refused.code, "did not play game" in refused.err) == (2, True)


@pytest.mark.slow
def test_a_game_of_a_run_without_settings_has_its_lines(ladder: Ladder) -> None:
    """Imported runs may lack their settings; the budget is that of the division."""
    words = ("--boards", "5x5", "--simulations", "7", "--games", "2")
    assert ladder.instant()("match", "stupid", "random", *words).code == 0
    lines = [json.loads(line) for line in ladder("export").out.splitlines()]
    for line in lines:
        line.get("introduces", {}).pop("settings", None)
    file = ladder.folder / "bare.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert ladder("import", file, "--db", "bare.db").code == 0
    shown = ladder("replay", "1", "--input", "stupid", "--db", "bare.db")
    assert shown.code == 0, shown.err
    assert json.loads(shown.out.splitlines()[1])["budget"] == {"simulations": 7}
