"""Exports and imports merge databases that have grown, and refuse other games."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from db.records.exchange import BotLine, GameLine, Imported, NotImportable
from db.records.games import LastOutput
from db.records.pairs import PairPlan, PairRecord, PlannedPair
from db.store import Store
from engine.result import Result, Termination
from engine.seeds import SplitMix
from tests.db.making import ensure_revision, new_bot, new_run, revision, to_plan
from tests.support.data.random_games import random_record
from tests.support.storing import finish_pair


def legal_record(plan: PairPlan, random: SplitMix) -> PairRecord:
    """Return a valid pair whose second game is forfeited at its last move."""
    record = random_record(plan, random)
    first, second = record.games
    lost = msgspec.structs.replace(
        second,
        moves=second.moves[:-1],
        result=Result.LOSS if len(second.moves) % 2 else Result.WIN,
        termination=Termination.ILLEGAL_MOVE,
        last_output=LastOutput("Traceback:\n  no idea", ("> {}", "< 3")),
    )
    return msgspec.structs.replace(record, games=(first, lost))


class Played:
    """A database in which a bot called hero changes and plays against a fixed one."""

    def __init__(self, path: Path) -> None:
        self.store = Store.open(str(path))
        self.store.bots.add(new_bot("rival"))
        self.store.bots.add(new_bot("hero", "a"))
        self.run = new_run(self.store)
        self.random = SplitMix(1)

    def play(self, pairs: int = 1) -> None:
        """Pairs of the bots' current revisions."""
        hero, rival = (self.store.bots.get(name).revision.id for name in ("hero", "rival"))
        rows = self.store.pairs.plan(
            self.run.id, pairs, lambda n: PlannedPair(hero, rival, "9x10@3,4", "thu", (), n)
        )
        for row in rows:
            plan = to_plan(row)
            finish_pair(self.store, plan, legal_record(plan, self.random))

    def go(self, steps: str) -> None:
        """Apply steps: a letter changes hero's content to it, a dot plays a pair."""
        for step in steps:
            if step == ".":
                self.play()
            else:
                ensure_revision(self.store, "hero", revision(step))


def lines_of(store: Store) -> list[GameLine]:
    """Return the lines of an export, with launches as an import keeps them."""
    lines = [
        msgspec.json.decode(msgspec.json.encode(line), type=GameLine)
        for line in store.exchange.export_lines()
    ]
    for bot in bots_in(lines):
        bot.launch = msgspec.structs.replace(bot.launch, folder="", archive=None)
    return lines


def take_in(store: Store, lines: Sequence[GameLine]) -> Imported:
    pairs = sorted(zip(lines[::2], lines[1::2], strict=True), key=lambda p: p[1].timing.stored)
    return store.exchange.import_lines(pairs)


def bots_in(lines: Sequence[GameLine]) -> list[BotLine]:
    return [bot for line in lines if line.introduces for bot in line.introduces.bots]


def content(store: Store) -> str:
    return store.bots.get("hero").revision.content_hash


@pytest.mark.slow
def test_the_revision_of_the_latest_game_becomes_the_current_one(tmp_path: Path) -> None:
    """Its games are those of the list, and another export is the same."""
    source = Played(tmp_path / "source.db")
    source.go(".b.a.c.b.")
    lines = lines_of(source.store)
    with Store.open(str(tmp_path / "copy.db")) as copy:
        take_in(copy, lines)
        assert content(copy) == "b"
        hero = copy.bots.get("hero").revision.id
        tables = copy.aggregate.of_division(1)
        current = [table for table in tables if hero in (table.a_revision, table.b_revision)]
        assert sum(table.record.pairs for table in current) == 2
        assert lines_of(copy) == lines
        assert copy.bots.get("hero").retired_at is not None
    source.store.close()


@pytest.mark.slow
def test_another_content_of_a_name_gets_another_name(tmp_path: Path) -> None:
    """No game counts for a bot that did not play it; equal content is one bot."""
    source, other = (Played(tmp_path / f"{name}.db") for name in ("source", "other"))
    source.go(".b.c.")
    other.run = new_run(other.store, stream="s2")
    other.go("..")
    with Store.open(str(tmp_path / "copy.db")) as copy:
        copy.bots.add(new_bot("hero", "d"))
        for _ in range(2):
            assert take_in(copy, lines_of(source.store)).names == {"hero": "hero@c"}
        own, imported = copy.bots.get("hero"), copy.bots.get("hero@c")
        assert (own.revision.content_hash, own.retired_at) == ("d", None)
        assert imported.revision.content_hash == "c"
        assert imported.retired_at is not None
        played = {
            key for row in copy.aggregate.of_division(1) for key in (row.a_revision, row.b_revision)
        }
        assert own.revision.id not in played
        assert imported.revision.id in played
        # The other database has the content that the source had at first, and nothing newer.
        assert take_in(copy, lines_of(other.store)) == Imported(4, 0, {"hero": "hero@c"})
        assert [bot.name for bot in copy.bots.all(include_retired=True)].count("hero@a") == 0
        # The next state of the source continues its bot.
        source.go("e.")
        assert take_in(copy, lines_of(source.store)) == Imported(2, 6, {"hero": "hero@c"})
        assert copy.bots.get("hero@c").revision.content_hash == "e"
        assert take_in(source.store, lines_of(copy)) == Imported(4, 8, {"hero@c": "hero"})
    source.store.close()
    other.store.close()


@pytest.mark.slow
def test_a_bot_with_another_name_here_is_one_bot(tmp_path: Path) -> None:
    """But two bots of a file stay two, even with equal contents."""
    source = Played(tmp_path / "source.db")
    source.go("..")
    with Store.open(str(tmp_path / "copy.db")) as copy:
        copy.bots.add(new_bot("mine", "a"))
        assert take_in(copy, lines_of(source.store)) == Imported(4, 0, {"hero": "mine"})
        assert "hero" not in [bot.name for bot in copy.bots.all(include_retired=True)]
        source.store.bots.add(new_bot("twin", "a"))
        source.run = new_run(source.store, stream="s2")
        twin, rival = (source.store.bots.get(name).revision.id for name in ("twin", "rival"))
        (row,) = source.store.pairs.plan(
            source.run.id, 1, lambda n: PlannedPair(twin, rival, "9x10@3,4", "thu", (), n)
        )
        plan = to_plan(row)
        finish_pair(source.store, plan, legal_record(plan, source.random))
        assert take_in(copy, lines_of(source.store)) == Imported(2, 4, {"hero": "mine"})
        assert copy.bots.get("twin").revision.content_hash == "a"
    source.store.close()


def test_a_local_bot_keeps_its_files(tmp_path: Path) -> None:
    """Other revisions of the bot are imported with their games, and none becomes current."""
    source = Played(tmp_path / "source.db")
    source.go("b.a.")
    with Store.open(str(tmp_path / "copy.db")) as copy:
        copy.bots.add(new_bot("hero", "a"))
        assert take_in(copy, lines_of(source.store)) == Imported(4, 0)
        assert content(copy) == "a"
        assert {("hero", "a"), ("hero", "b")} <= {*copy.bots.contents().values()}
    source.store.close()


@pytest.mark.slow
def test_a_grown_database_is_merged_into_its_beginning(tmp_path: Path) -> None:
    """Equal pairs are skipped, new ones stored; all derived values are those of the source."""
    source = Played(tmp_path / "source.db")
    source.go("..b..")
    with Store.open(str(tmp_path / "copy.db")) as copy:
        assert take_in(copy, lines_of(source.store)) == Imported(8, 0)
        source.go("c..")
        source.run = new_run(source.store, stream="s2")
        source.go("..")
        lines = lines_of(source.store)
        assert take_in(copy, lines) == Imported(8, 8)
        assert content(copy) == content(source.store) == "c"
        assert lines_of(copy) == lines
        assert any(line.timing.last_words for line in lines)
        assert len(copy.runs.find()) == 2
        ours, theirs = (
            {
                frozenset((row.a_name, row.b_name)): row.record.pairs
                for row in store.aggregate.of_division(1)
            }
            for store in (copy, source.store)
        )
        assert ours == theirs
        assert list(copy.audit.outcomes()) == []
        assert take_in(copy, lines) == Imported(0, 16)
        beginning = lines[:8]
        assert take_in(copy, beginning) == Imported(0, 8)
        assert content(copy) == "c"
    source.store.close()


CHANGES: list[tuple[str, str, Any]] = [
    ("first", "first_hash", "b"),
    ("seed", "seed", 99),
    ("board", "board", "9x11"),
    ("moves", "moves", "00"),
    ("result", "result", None),
    ("termination", "termination", "timeout"),
    ("opening_plies", "opening_plies", 1),
    ("rated", "rated", False),
    ("started", "timing", {"started": 1.0}),
    ("duration_us", "timing", {"duration_us": 1}),
    ("aborts", "timing", {"aborts": 1}),
    ("sides", "timing", {"sides": [[1], [1]]}),
]
"""The key that is named, the field of a line that is changed, and its new value."""


class Twins(NamedTuple):
    """A database, and the lines of one that has the same pairs and another one."""

    store: Store
    lines: list[GameLine]


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Twins]:
    """Play the pairs once for all fields: refusals store nothing."""
    folder = tmp_path_factory.mktemp("twins")
    source, twin = (Played(folder / f"{name}.db") for name in ("source", "twin"))
    with source.store, twin.store:
        source.go("..b..")
        twin.go("..b.")
        yield Twins(twin.store, lines_of(source.store))


@pytest.mark.slow
@pytest.mark.parametrize(("key", "name", "value"), CHANGES)
def test_a_pair_that_differs_is_refused(twins: Twins, key: str, name: str, value: Any) -> None:
    """A field in which a stored game differs from the file is named, and nothing stored."""
    before, lines = lines_of(twins.store), [*twins.lines]
    assert lines[:6] == before
    if name == "result":
        value = "loss" if lines[2].result == "win" else "win"
    document = msgspec.to_builtins(lines[2])
    document[name] = {**document[name], **value} if name == "timing" else value
    lines[2] = msgspec.convert(document, GameLine)
    with pytest.raises(NotImportable, match=f"pair 1 of run 1 .* differs in {key}$"):
        take_in(twins.store, lines)
    assert lines_of(twins.store) == before


@pytest.mark.slow
def test_pairs_under_other_conditions_are_refused(twins: Twins) -> None:
    """All lines of a run have one division, so it differs in all of them."""
    before = lines_of(twins.store)
    division = msgspec.structs.replace(twins.lines[0].division, budget={"time_ms": 999})
    lines = [msgspec.structs.replace(line, division=division) for line in twins.lines]
    with pytest.raises(NotImportable, match=r"pair 0 of run 1 .* differs in division$"):
        take_in(twins.store, lines)
    assert lines_of(twins.store) == before
    assert len(twins.store.divisions.all()) == 1


@pytest.mark.slow
def test_a_part_of_a_file_that_does_not_describe_its_bots_is_refused(tmp_path: Path) -> None:
    """Bots are described in the line of their first game; the advice is to import it all."""
    source = Played(tmp_path / "source.db")
    source.go("..")
    with Store.open(str(tmp_path / "copy.db")) as copy:
        with pytest.raises(NotImportable, match=r"no bot called 'hero' .*: import the whole file"):
            take_in(copy, lines_of(source.store)[2:])
        assert copy.runs.find() == []
    source.store.close()


@pytest.mark.slow
def test_a_planned_pair_and_a_repeated_number_are_refused(tmp_path: Path) -> None:
    """A planned pair is not overwritten, and a number may occur once in a file."""
    source = Played(tmp_path / "source.db")
    source.go("..")
    lines = lines_of(source.store)
    with Store.open(str(tmp_path / "copy.db")) as copy:
        twice = [msgspec.structs.replace(line, run=2) for line in lines[:2]]
        with pytest.raises(NotImportable, match="twice"):
            take_in(copy, [*lines, *twice])
        assert copy.runs.find() == []
        a, b = (copy.bots.add(new_bot(name)).revision.id for name in ("x", "y"))
        run = new_run(copy)
        rows = copy.pairs.plan(run.id, 2, lambda n: PlannedPair(a, b, "9x10", "thu", (), n))
        for status in ("planned", "dropped"):
            with pytest.raises(NotImportable, match=f"run {run.id}, but {status} and not finished"):
                take_in(copy, lines)
            copy.pairs.drop([row.id for row in rows])
    source.store.close()


def test_an_export_of_one_division_has_its_games(tmp_path: Path) -> None:
    """Games of other conditions stay out of it."""
    made = Played(tmp_path / "games.db")
    made.play(2)
    former, made.run = made.run, new_run(made.store, stream="s2", boards="9x10@3,4")
    made.play(3)
    for run, games in ((former, 4), (made.run, 6)):
        lines = list(made.store.exchange.export_lines(run.division_id))
        assert len(lines) == games
        assert {line.stream for line in lines} == {run.stream}
    made.store.close()
