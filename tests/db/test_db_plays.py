"""Games of people are unrated games of the bot `human`, one a run."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from db.records import thought_blob
from db.records.bots import HUMAN
from db.records.runs import RunKind
from db.store import Store
from ladder.experiments.stored import check_result
from ladder.results.exchange.importing import import_games
from ladder.results.exchange.jsonl import ImportRefused, open_games, write_jsonl
from tests.db.making import new_bot, new_play
from tests.support.sql import execute_sql

PLAY = new_play(revision=1)
BLOB = {False: "x'90'", True: r"'\x90'"}
"""No thoughts, as a literal of SQLite and of PostgreSQL."""


def faults(store: Store) -> list[Any]:
    """Return what `ladder doctor` would report about the rows."""
    audit = store.audit
    rows = (audit.integrity(), audit.bots(), audit.runs(), audit.pairs(), audit.games())
    return [*(fault for each in rows for fault in each), *store.audit.outcomes()]


def test_a_game_of_a_person_is_an_ordinary_unrated_game(store: Store) -> None:
    """It comes back as it was, counts as one game, and breaks no rule; `human` cannot play."""
    store.bots.add(new_bot("hero"))
    ids = [store.plays.add(PLAY), store.plays.add(replace(PLAY, bot_side=0, seed=4))]
    rows = store.games.get_many(ids)
    assert [(row.first, row.second) for row in rows] == [(HUMAN, "hero"), ("hero", HUMAN)]
    assert (rows[0].board, rows[0].opening_plies) == (PLAY.board, PLAY.opening_plies)
    for name in ("moves", "result", "termination", "detail"):
        assert getattr(rows[0], name) == getattr(PLAY.game, name)
    assert rows[0].thoughts == thought_blob.decode(PLAY.game.thoughts)
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
                made = import_games(other, str(file), lines, check_result=check_result)
            assert (made.games, made.skipped) == (games, skipped)
        games_here, games_there = (
            [(game.moves, game.thoughts) for game in each.games.stream(thoughts=True)]
            for each in (other, store)
        )
        assert games_here == games_there
        assert faults(other) == []
    first = json.loads(file.read_text().splitlines()[0])
    file.write_text(json.dumps({**first, "rated": True}) + "\n")
    with (
        Store.open(str(tmp_path / "third.db")) as third,
        open_games(file) as lines,
        pytest.raises(ImportRefused, match="a game against a person cannot be rated"),
    ):
        import_games(third, str(file), lines, check_result=check_result)
