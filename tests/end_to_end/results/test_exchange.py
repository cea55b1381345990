"""Export and import of games, with real runs."""

import csv
import json
import re
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.traces import examined, query
from tests.support.shared import made_once

RUN = ("run", "--bots", "random,stupid", "--simulations", "10", "--games", "8", "--seed", "3")


def play(ladder: Ladder) -> None:
    """Play a rated run with a foreign bot and one that reports thoughts, and an unrated match."""
    ladder.stock().instant()
    words = ("--simulations", "10", "--boards", "5x5,6x7")
    run = ladder("run", "--bots", "flat-mc,random,steady", "--games", "16", *words)
    assert run.code == 0, run.err
    assert ladder("match", "flat-mc", "random", "--games", "4", *words).code == 0


@pytest.fixture
def played(ladder: Ladder) -> Ladder:
    """Return a folder with the database of `play`."""
    made = made_once("played", lambda folder: play(Ladder(folder)))
    shutil.copy(made / "ladder.db", ladder.folder)
    return ladder


@pytest.mark.slow
def test_json_lines_make_an_equal_database(played: Ladder, other: str) -> None:
    """Games, pairs, rating list and a second export must be those of the first database.

    But for the folder and the files of a foreign bot, which stay where it was registered.
    """
    assert played("export", "-o", "one.jsonl").code == 0
    done = played("import", "one.jsonl", "--db", other, "--json")
    assert done.code == 0, done.err
    assert done.document == {"games": 20, "skipped": 0, "names": {}}
    assert played("export", "-o", "two.jsonl", "--db", other).code == 0
    one, two = (played.folder / name for name in ("one.jsonl", "two.jsonl"))
    own = re.compile(r'"(folder|archive)":"[^"]+"')
    told = one.read_text()
    assert len(own.findall(told)) == 2
    stripped = own.sub(
        lambda found: {"folder": '"folder":""'}.get(found[1], '"archive":null'), told
    )
    assert stripped == two.read_text()
    old, new = played.db, other
    for sql in (
        "select line_hash, thoughts, first_time_us, detail, result from games order by id",
        "select first_result, second_result, a_time_us, b_max_us from pairs order by id",
    ):
        assert query(old, sql) == query(new, sql)
    assert examined(other) == []
    assert query(new, "select retired_at is null from bots where name = 'steady'") == [(0,)]
    words = ("report", "--retired", "--json", "--db")
    report = [played(*words, db).document["bots"] for db in (played.db, other)]
    assert [bot["name"] for bot in report[1] if bot.pop("retired")] == ["steady"]
    assert not any(bot.pop("retired") for bot in report[0])
    assert report[0] == report[1]


@pytest.mark.slow
def test_csv_and_pgn_are_written_only(ladder: Ladder) -> None:
    """They hold players, moves, results and the date, and an import refuses them."""
    words = ("--simulations", "10", "--boards", "5x5@2,2", "--games", "4", "--concurrency", "1")
    assert ladder("match", "stupid", "random", *words).code == 0
    for form in ("csv", "pgn"):
        assert ladder("export", "--format", form, "-o", f"one.{form}").code == 0
        done = ladder("import", f"one.{form}", "--db", "other.db")
        assert done.code == 2
        assert (
            f"one.{form}, line 1: it is not a game that `ladder export` wrote in JSON" in done.err
        )
    assert "No such option: --format" in ladder("import", "one.pgn", "--format", "pgn").err
    games = (ladder.folder / "one.pgn").read_text()
    assert games.count('[White "stupid"]') == games.count('[Black "stupid"]') == 2
    assert '[Board "5x5@2,2"]' in games
    today = datetime.now(UTC)
    with (ladder.folder / "one.csv").open() as file:
        dates = [datetime.fromisoformat(row["date"]) for row in csv.DictReader(file)]
    assert all(abs(today - date.replace(tzinfo=UTC)) < timedelta(days=2) for date in dates)


@pytest.mark.slow
def test_an_export_does_not_depend_on_the_clock(
    ladder: Ladder, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Beside `timing`, the lines of equal runs must be equal on any number of workers.

    Under a work budget a run is reproducible, whichever worker plays a pair.
    """
    other = Ladder(tmp_path_factory.mktemp("other"))
    assert ladder.stock()(*RUN, "--concurrency", "1").code == 0
    assert other.stock()(*RUN, "--concurrency", "2").code == 0
    texts = []
    for each in (ladder, other):
        lines = [json.loads(line) for line in each("export").out.splitlines()]
        assert set(lines[0]) >= {
            "pair", "game", "kind", "first", "second", "board", "seed", "moves", "result",
            "termination", "timing",
        }  # fmt: skip
        texts.append([{**line, "timing": None} for line in lines])
    assert texts[0] == texts[1]


@pytest.mark.slow
def test_an_import_is_all_or_nothing(played: Ladder, other: str) -> None:
    """A broken line, or a game that differs, must be named, and nothing stored."""
    assert played("export", "-o", "one.jsonl").code == 0
    lines = (played.folder / "one.jsonl").read_text().splitlines()
    last = json.loads(lines[-1])
    breaks: list[tuple[Any, str]] = [
        ("{", "not a game that `ladder export` wrote"),
        ({**last, "result": "draw"}, "do not end in a draw"),
        (None, "games 0 and 1"),
    ]
    for broken, named in breaks:
        text = broken if isinstance(broken, str) else json.dumps(broken)
        content = lines[:-1] if broken is None else [*lines[:-1], text]
        (played.folder / "bad.jsonl").write_text("\n".join(content) + "\n")
        done = played("import", "bad.jsonl", "--db", other)
        assert done.code == 2, (named, done.out)
        assert "Traceback" not in done.err
        assert named in done.err
        assert f"line {19 if broken is None else 20}" in done.err
        assert not Path(other).exists()
    changed = {**last, "timing": {**last["timing"], "duration_us": 1}}
    (played.folder / "bad.jsonl").write_text("\n".join([*lines[:-1], json.dumps(changed)]))
    done = played("import", "bad.jsonl")
    assert done.code == 2
    assert "is already stored, but differs in duration_us" in done.err
    assert query(played.db, "select count(*) from games") == [(20,)]
