"""Who is better: all outputs that name two bots give one answer."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from db.records.runs import RunKind
from tests.ladder.cli.conftest import Command
from tests.support.data.league import League

SCORES = (("0-1", "1-0"), ("1/2", "1-0"), ("1-0", "1-0"), ("1/2", "0-1"), ("1-0", "0-1"))
"""The two games of a pair by the points of A, each from the side that moves first."""
FLIPPED = {"stronger": "weaker", "weaker": "stronger", "undecided": "undecided"}
SENTENCE = re.compile(
    r"(\w+) is (probably )?(stronger|weaker) than (\w+)|(\w+) is [^:.;]*? than (\w+): no clear"
)
Answers = dict[tuple[str, str], set[str]]


def store_pairs(league: League, run: Any, a: str, b: str, counts: Sequence[int]) -> None:
    """Store pairs of A and B by points, B moving first in every other one."""
    for points, count in enumerate(counts):
        for number in range(count):
            if number % 2:
                league.pair(run, b, a, *SCORES[4 - points])
            else:
                league.pair(run, a, b, *SCORES[points])


def said(text: str) -> Iterator[tuple[str, str, str]]:
    """Return the two bots and the verdict of every sentence of a text or a page."""
    plain = " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())
    for best, close in re.findall(r"(\w+) is not clearly stronger than ([\w, ]+), by", plain):
        for name in re.findall(r"\w+", close):
            yield best, name, "undecided"
    for found in SENTENCE.finditer(plain):
        one, probably, side, other, first, second = found.groups()
        if first:
            yield first, second, "undecided"
        else:
            yield one, other, "undecided" if probably else side


def documented(value: Any, one: str = "") -> Iterator[tuple[str, str, str]]:
    """Return the two bots and the verdict of every object of a document that names them."""
    if isinstance(value, list):
        for each in value:
            yield from documented(each, one)
    elif isinstance(value, dict):
        one = value.get("candidate") or value.get("bot") or one
        pair = (value.get("a") or one, value.get("b") or value.get("based_on") or value.get("name"))
        if value.get("verdict") in FLIPPED and all(isinstance(name, str) for name in pair):
            yield (*pair, value["verdict"])  # type: ignore[misc]
            if "los" in value:
                assert (value["los"] > 0.975) is (value["verdict"] == "stronger")
                assert ((value["low"] or -1.0) > 0.0) is (value["verdict"] == "stronger")
        for each in value.values():
            yield from documented(each, one)


def collect(ladder: Command, names: str, commands: Sequence[str]) -> Answers:
    """Return all answers about every two bots, as text, as JSON, as CSV and as a page."""
    found: Answers = {}

    def take(statements: Iterator[tuple[str, str, str]]) -> None:
        for one, other, verdict in statements:
            if one in names.split() and other in names.split():
                key = (min(one, other), max(one, other))
                found.setdefault(key, set()).add(verdict if one < other else FLIPPED[verdict])

    for command in commands:
        text = ladder(*command.split())
        assert text.code in (0, 3), text.err
        take(said(text.out))
        take(documented(ladder(*command.split(), "--json").document))
        if command.startswith("report"):
            rows = csv.DictReader(io.StringIO(ladder(*command.split(), "--format", "csv").out))
            bot = command.split()[-1] if "--against" in command else ""
            take(documented([{**row, **_numbers(row)} for row in rows], bot))
        if command == "report" or "--compare" in command:
            page = ladder(*command.split(), "--html", "page.html", "--games", "0")
            assert page.code == 0, page.err
            take(said(Path("page.html").read_text()))
    return found


def _numbers(row: dict[str, str]) -> dict[str, float | None]:
    return {key: float(row[key]) if row.get(key) else None for key in ("low", "los") if key in row}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("counts", "answer"),
    [
        ((0, 0, 0, 1, 0), "undecided"),  # +1 =1 -0, the match of two games with seed 1
        ((0, 0, 0, 0, 1), "undecided"),  # +2 =0 -0, a better result
        ((0, 0, 1, 0, 0), "undecided"),
        ((5, 0, 0, 0, 0), "undecided"),  # 0-10
        ((6, 0, 0, 0, 0), "weaker"),
        ((3, 0, 2, 0, 0), "undecided"),  # 2-8, no worse than 0-10
        ((0, 1, 5, 6, 8), "stronger"),
    ],
)
def test_two_bots_that_met_only_each_other_have_one_answer(
    ladder: Command, tmp_path: Path, counts: tuple[int, ...], answer: str
) -> None:
    """A list of two, a match and all reports of them give the same verdict, in every format."""
    with League(tmp_path / "ladder.db", "alpha") as league:
        league.revisions["beta"] = league.add("beta", "alpha")
        run = league.run()
        store_pairs(league, run, "alpha", "beta", counts)
        league.end(run)
        match = league.run(kind=RunKind.MATCH, settings={"options": {"a": "alpha"}})
        store_pairs(league, match, "alpha", "beta", counts)
        league.end(match)
    found = collect(
        ladder,
        "alpha beta",
        (
            "runs show 2",
            "report",
            "report --compare alpha beta",
            "report --compare beta alpha",
            "report --against alpha",
            "report --against beta",
            "report --regressions",
            "report --history beta",
        ),
    )
    assert found == {("alpha", "beta"): {answer}}


@pytest.mark.slow
def test_a_list_of_many_bots_has_one_answer_about_any_two(ladder: Command, tmp_path: Path) -> None:
    """Comparisons, steps and the sentence about the best agree on all games of the list."""
    results = {
        ("a1", "a2"): (4, 4, 9, 2, 1),
        ("a2", "a3"): (2, 3, 9, 4, 2),
        ("a3", "a4"): (9, 4, 3, 0, 0),
        ("a1", "a4"): (7, 3, 2, 0, 0),
        ("a4", "a5"): (2, 4, 8, 4, 3),
        ("a1", "a3"): (1, 3, 8, 3, 1),
    }
    with League(tmp_path / "ladder.db", "a1") as league:
        for number in range(2, 6):
            league.revisions[f"a{number}"] = league.add(f"a{number}", f"a{number - 1}")
        run = league.run()
        for (one, other), counts in results.items():
            store_pairs(league, run, one, other, counts)
        league.end(run)
    names = " ".join(league.revisions)
    listed = collect(
        ladder,
        names,
        ("report", "report --regressions", "report --history a5", f"report --compare {names}"),
    )
    assert len(listed) == 10
    assert all(len(verdicts) == 1 for verdicts in listed.values()), listed
    assert {"weaker", "undecided"} <= {each for found in listed.values() for each in found}
    met = collect(ladder, names, [f"report --against {name}" for name in league.revisions])
    assert met.keys() == results.keys()
    assert all(len(verdicts) == 1 for verdicts in met.values()), met
