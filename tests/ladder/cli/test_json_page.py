"""docs/json.md explains every key that the commands print."""

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bots.budget import Budget
from engine.board import parse_board
from engine.opening_set import parse_opening_set
from engine.result import Termination
from ladder.experiments.bisect.result import result_of
from ladder.experiments.bisect.search import BisectQuestion, CommitSearch
from ladder.experiments.select.judge import SelectQuestion
from ladder.experiments.select.session import RankedBot, SelectionEnd, SelectionOutcome
from ladder.experiments.suite.make import Mining
from ladder.experiments.suite.puzzle import Puzzle, Suite
from ladder.experiments.suite.run import Answers, SuiteResult
from ladder.learning.value.folder import GenerationRecord
from ladder.learning.value.loop import LearningState
from ladder.openings.draw import DrawingProgress
from ladder.stats.difference import difference_of
from ladder.tools.bench.harness import HarnessSpeed
from ladder.tools.bench.search import SearchSpeed
from reports.analyze import analysis_document
from reports.bench import harness_document, search_document
from reports.findings.bisect import bisect_document
from reports.findings.nightly import nightly_finding, with_bisections
from reports.findings.select import select_document
from reports.findings.tune import tune_document
from reports.outcomes import made_document
from reports.replay import game_document
from reports.suite import mining_document, suite_document
from reports.train import training_finding
from tests.ladder.cli.conftest import Command
from tests.ladder.cli.test_commands import COMMANDS
from tests.reports.test_learning_view import QUALITY, SETTINGS
from tests.support.data.a_night import a_night
from tests.support.data.analysed import an_analysed_game, an_analysis
from tests.support.data.bisected import history, played
from tests.support.data.league import Game, League
from tests.support.data.tuned import a_tuning

PAGE = Path(__file__).resolve().parents[3] / "docs" / "json.md"
SECTIONS = dict(re.findall(r"^## (.*)\n((?:(?!## ).*\n)*)", PAGE.read_text(), re.M))
DIFFERENCE = next(line for line in PAGE.read_text().splitlines() if line.startswith("- *differe"))
"""The keys that two bots have in many documents."""
BY_NAME = {
    "by_board_class", "by_opponent", "budget", "changes", "files", "first_mover_elo",
    "forfeits", "reasons", "by_theme", "themes", "parameters", "start", "ranges",
}  # fmt: skip
"""Keys under which the keys are data: names of bots, boards, files."""
QUEUE = "ladder queue list, ladder queue add, ladder queue cancel --json"
OPAQUE = {"forfeits", "introduces"}
"""Objects whose keys are data, or described in a sentence."""


SAYS = {
    "ladder report --compare --json": "reason",
    "ladder export --format jsonl": "bots lines nodes aborts detail last_words stderr facts"
    " messages openings name text fixed_opening"
    " adjudicate adjudicated analysis positions solver_version",
    "ladder games --json": "ply value distance",
    QUEUE: "ladder cancel waiting playing done failed cancelled",
    "ladder gate --json": "side e_value",
    "ladder stats sprt --json": "continue accept_h0 accept_h1",
    "ladder report --json": "timeout crash illegal_move protocol_error memory time_ms",
    "ladder bisect --json": "good bad open skipped found ambiguous none undecided",
    "ladder nightly --json": "drop undecided stopped",
    "ladder select --json": "chosen undecided invalid stopped",
    "ladder runs --json": "ladder match gate bisect select tune nightly"
    " running interrupted finished invalid name reason python numba sources players processor",
    "ladder runs show --json": "match gate bisect select tune nightly",
    "ladder replay --json": "stored now person p3 stderr messages",
    "ladder bench search --json": "nodes",
    "ladder openings make --json": "division",
    "ladder analyze --json, ladder report --mistakes --json": "win draw",
    "ladder doctor --json": "ok warning fault",
    "ladder solve --json": "win draw loss",
}
"""Words between backticks that are values, or keys that are there at times, by section."""


def keys(document: Any) -> Iterator[str]:
    """Yield every key of a document, at any depth."""
    if isinstance(document, list):
        for each in document:
            yield from keys(each)
    elif isinstance(document, dict):
        for key, value in document.items():
            yield key
            if key not in OPAQUE or isinstance(value, list):
                yield from keys(
                    list(value.values()) if key in BY_NAME and isinstance(value, dict) else value
                )


def explained_keys(section: str) -> set[str]:
    """Return the words between backticks that have the form of a key."""
    if "keys of a *difference*" in section:
        section += DIFFERENCE
    marked = re.findall(r"`([^`]+)`", section)
    inside = [word for text in marked for word in re.findall(r'"(\w+)"', text)]
    plain = [part for text in marked for part in text.split(".")]
    return {word for word in (*inside, *plain) if re.fullmatch(r"[a-z][a-z0-9_]*", word)}


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a league that gives every key a value."""
    path = tmp_path_factory.mktemp("league") / "ladder.db"
    with League(path, "a", "b", "c") as league:
        league.end(league.run(time_ms=40))
        run = league.run()
        for one, other in (("a", "b"), ("b", "c"), ("a", "c")):
            league.pairs(run, one, other, 9, "1-0", "0-1")
            league.pairs(run, one, other, 2, "0-1", "1/2")
        league.pairs(run, "c", "b", 1, Game("0-1", Termination.TIMEOUT), "1-0")
        for score in ("1-0", "0-1") * 10:
            league.pair(run, "a", "b", score, score)
        league.end(run)
        league.store.queue.add(("gate", "a"), folder="/", author="ann")
    return path


WORDS = {
    "ladder report --json": ("report", "--json"),
    "ladder report --compare --json": ("report", "--compare", "a", "b", "--json"),
    "ladder report --history NAME --json": ("report", "--history", "a", "--json"),
    "ladder report --against --json": ("report", "--against", "a", "--json"),
    "ladder gate --json": (
        "gate", "a", "--against", "b", "--boards", "6x7", "--opening-plies", "0", "--stored",
        "--json",
    ),
    "ladder stats los --json": ("stats", "los", "--wdl", "5,0,0", "--json"),
    "ladder stats sprt --json": (
        "stats", "sprt", "--wdl", "5,0,1", "--elo0", "0", "--elo1", "5", "--json",
    ),
    "ladder solve --json": (
        "solve", "010101", "--board", "4x4", "--columns", "--nodes", "1", "--json",
    ),
    "ladder perft --json": ("perft", "4x4", "2", "--json"),
    "ladder runs --json": ("runs", "--json"),
    "ladder runs show --json": ("runs", "show", "2", "--json"),
    "ladder games --json": ("games", "--json"),
    QUEUE: ("queue", "list", "--json"),
    "ladder replay --json": ("replay", "1", "--json"),
    "ladder doctor --json": ("doctor", "--json"),
}  # fmt: skip


def document_of(heading: str, ladder: Command, folder: Path) -> Any:
    """Return the document that a section describes, without the parts of other sections."""
    if heading == "ladder rate --json":
        (folder / "x.pgn").write_text('[White "a"]\n[Black "b"]\n[Result "1-0"]\n\n1-0\n\n')
        return ladder("rate", "x.pgn", "--json").document
    if heading == "ladder stats elo --json":
        both = ("5,0,0", "0,0,5")
        return [ladder("stats", "elo", "--wdl", counts, "--json").document for counts in both]
    if heading == "ladder export --format jsonl":
        return [json.loads(line) for line in ladder("export").out.splitlines()]
    if heading == "ladder analyze --json, ladder report --mistakes --json":
        return analysis_document(*an_analysis())
    if heading == "ladder openings make --json":
        return made_document("even.txt", parse_opening_set("6x7 33"), DrawingProgress(1))
    if heading == "ladder suite make --json":
        return mining_document("mine.jsonl", Mining(1, Counter(trap=1)))
    if heading == "ladder suite run --json":
        answers = Answers("a", Budget(simulations=1), (True,), ("a crash",))
        suite = SuiteResult(Suite("s", (Puzzle("5x5", "", 2, "draw", None, "trap"),)), (answers,))
        return suite_document(suite, {})
    if heading == "ladder bisect --json":
        search = CommitSearch(history(), BisectQuestion(max_drop=100.0))
        played(search, 3)
        return bisect_document(result_of(search, conditions="6x7", seed=1))
    if heading == "ladder nightly --json":
        night = a_night()
        return with_bisections(nightly_finding(night), night, lambda _: "ladder bisect").document
    if heading == "ladder select --json":
        players = tuple(
            RankedBot(
                name=name, difference=difference_of((1, 2, 1)), games=9, can_be_best=name == "a",
                is_alike=False, reason="",
            )
            for name in "ab"
        )  # fmt: skip
        chosen = SelectionOutcome(
            choice=SelectionEnd.UNDECIDED, reason="", question=SelectQuestion(), baseline="b",
            players=players, games=9, conditions="6x7",
        )  # fmt: skip
        return select_document(chosen)
    if heading == "ladder tune --json":
        return {**tune_document(a_tuning(1, None)), "gate": None}
    if heading == "ladder bench harness --json":
        return harness_document(HarnessSpeed(100, 2000, 1.0, 100.0, 200.0, 0.5))
    if heading == "ladder bench search --json":
        return search_document([SearchSpeed("v1", parse_board("6x7"), 1.0, "nodes", 1)])
    if heading == "ladder train value --json":
        record = GenerationRecord(1, games=400, positions=9000, quality=QUALITY, seconds=1.0)
        state = LearningState(SETTINGS, target=1, records=[record])
        return dict(training_finding(state, "weights.npz").document)
    found = ladder(*WORDS[heading])
    assert found.out.startswith(("{", "[")), found.err
    document = found.document
    if heading == "ladder replay --json":
        document["analysis"] = game_document(*an_analysed_game())["analysis"]
    if heading == "ladder report --compare --json":  # rows as in the list
        rows = set(keys(ladder("report", "--json").document["bots"]))
        for bot in document["bots"]:
            for key in rows & set(bot):
                del bot[key]
    return document


MADE_BY_OTHERS = {
    "ladder run --json and ladder match --json", "ladder report --regressions --json",
    "ladder bots add-all --json",
    "ladder import --json", "ladder bots list --json, ladder bots show --json",
}  # fmt: skip
"""Sections whose documents need games that are really played, or bots that really exist."""
CHECKED = sorted(set(SECTIONS) - MADE_BY_OTHERS)


@pytest.mark.slow
@pytest.mark.parametrize("heading", CHECKED)
def test_every_printed_key_is_explained(
    ladder: Command, stored: Path, tmp_path: Path, heading: str
) -> None:
    """The section about a document must name each of its keys, and no others."""
    shutil.copy(stored, tmp_path / "ladder.db")
    printed = set(keys(document_of(heading, ladder, tmp_path)))
    explained = explained_keys(SECTIONS[heading])
    assert printed - explained == set(), "not explained"
    assert explained - printed - set(SAYS.get(heading, "").split()) == set(), "not printed"


def test_every_command_with_json_has_a_section() -> None:
    """Scripts can rely on a document only if a section describes it."""
    headings = " ".join(SECTIONS)
    missing = [
        " ".join(words)
        for words, command in COMMANDS
        if any("--json" in parameter.opts for parameter in command.params)
        and f"ladder {' '.join(words)}" not in headings
    ]
    assert missing == []
