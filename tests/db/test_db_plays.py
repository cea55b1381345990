"""Games of people are unrated games of the bot `human`, one a run."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db.records.bots import HUMAN
from db.records.runs import RunKind
from db.store import Store
from engine.result import Result, Termination
from ladder.results.exchange.importing import import_games
from ladder.results.exchange.jsonl import open_games, write_jsonl
from ladder.results.exchange.numbered_game import ImportRefused
from tests.db.making import elo, new_bot, new_play
from tests.db.migrations.versions import go_back
from tests.support.sql import execute_sql

PLAY = new_play(revision=1)
BLOB = {False: "x'90'", True: r"'\x90'"}
"""No thoughts, as a literal of SQLite and of PostgreSQL."""


def faults(store: Store) -> list[Any]:
    """Return what `ladder doctor` would report about the rows."""
    audit = store.audit
    rows = (audit.integrity(), audit.bots(), audit.runs(), audit.pairs(), audit.games())
    return [*(fault for each in rows for fault in each), *store.aggregate.rebuild(elo)]


def test_a_game_of_a_person_is_an_ordinary_unrated_game(store: Store) -> None:
    """It comes back as it was, counts as one game, and breaks no rule; `human` cannot play."""
    store.bots.add(new_bot("hero"))
    ids = [store.plays.add(PLAY), store.plays.add(replace(PLAY, bot_side=0, seed=4))]
    rows = store.games.get_many(ids)
    assert [(row.first, row.second) for row in rows] == [(HUMAN, "hero"), ("hero", HUMAN)]
    assert [row.repeat for row in rows] == [False, True]
    for name in ("board", "moves", "result", "termination", "detail", "thoughts", "opening_plies"):
        assert getattr(rows[0], name) == getattr(PLAY, name)
    assert (rows[0].seed, rows[0].started_at, rows[0].duration_us) == (2**53 - 1, 1.5, 123)
    runs = store.runs.find(kind=RunKind.PLAY)
    assert [store.games.count(run.id) for run in runs] == [1, 1]
    assert store.games.count_by_run() == {run.id: 1 for run in runs}
    assert store.games.count_unrated() == {rows[0].division_id: 2}
    assert [bot.name for bot in store.bots.all()] == ["hero"]
    assert "has no program" in store.bots.get(HUMAN).absence
    assert faults(store) == []
    execute_sql(store.where, "UPDATE runs SET kind = 'match'")
    assert "finished but has 1 of 2 games" in str(faults(store))


def test_games_of_people_travel(store: Store, tmp_path: Path) -> None:
    """An export holds them, and another database takes them in once, beside a bot of that name."""
    store.bots.add(new_bot("hero"))
    store.bots.add(new_bot(HUMAN))
    for seed in (1, 2):
        store.plays.add(replace(PLAY, seed=seed))
    file = tmp_path / "games.jsonl"
    file.write_text("".join(write_jsonl(store.exchange.export_lines())))
    with Store.open(str(tmp_path / "other.db")) as other:
        for games, skipped in ((2, 0), (0, 2)):
            with open_games(file) as lines:
                made = import_games(other, str(file), lines)
            assert (made.games, made.skipped) == (games, skipped)
        again = [line.moves for line in other.exchange.export_lines()]
        assert again == [line.moves for line in store.exchange.export_lines()]
        assert faults(other) == []
    first = json.loads(file.read_text().splitlines()[0])
    file.write_text(json.dumps({**first, "rated": True}) + "\n")
    with (
        Store.open(str(tmp_path / "third.db")) as third,
        open_games(file) as lines,
        pytest.raises(ImportRefused, match="a game against a person cannot be rated"),
    ):
        import_games(third, str(file), lines)


@pytest.mark.slow
@pytest.mark.parametrize("taken", [False, True])
def test_the_migration_keeps_every_saved_game(place: str, *, taken: bool) -> None:
    """Rows of the former table become games that keep all rules, also if a bot is named human."""
    names = ("hero", HUMAN) if taken else ("hero",)
    with Store.open(place) as store:
        for name in names:
            store.bots.add(new_bot(name))
    go_back(place, "0023")
    saved = (
        (1, "6x7", "6060606", "win", "four_in_a_row", ""),
        (0, "10x11@3,4", "01", "loss", "crash", "killed by SIGABRT"),
        (0, "6x7", "6060606", "win", "four_in_a_row", ""),
    )
    for side, board, moves, result, termination, detail in saved:
        blob = BLOB[place.startswith("postgres")]
        execute_sql(
            place,
            "INSERT INTO saved_games (revision_id, bot_side, board, budget, seed, moves, result, "
            "termination, detail, started_at, duration_us, thoughts) "
            f"SELECT 1, {side}, '{board}', '{{\"simulations\":50}}', 7, '{moves}', '{result}', "
            f"'{termination}', '{detail}', 1.5, 123, {blob}",
        )
    Store.migrate(place)
    with Store.open(place) as store:
        rows = list(store.games.stream(thoughts=True))
        found = [(row.first, row.second, row.board, row.board_class, row.detail) for row in rows]
        assert found == [
            (HUMAN, "hero", "6x7", "6x7", ""),
            ("hero", HUMAN, "10x11@3,4", "thu", "killed by SIGABRT"),
            ("hero", HUMAN, "6x7", "6x7", ""),
        ]
        assert [row.repeat for row in rows] == [False, False, True]
        assert [row.moves for row in rows] == [(6, 0, 6, 0, 6, 0, 6), (0, 1), (6, 0, 6, 0, 6, 0, 6)]
        assert (rows[1].result, rows[1].termination) == (Result.LOSS, Termination.CRASH)
        assert faults(store) == []
        assert store.plays.add(new_play(revision=1)) == 4
        assert [bot.name for bot in store.bots.all()] == list(names)
        human = store.bots.get(HUMAN)
        assert (human.spec == HUMAN, human.retired_at is not None) == (not taken, not taken)
