"""Who is better: all outputs that name two bots give one answer."""

import csv
import io
import re
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from db.records.runs import RunKind
from ladder.web.server import ServerOptions
from tests.ladder.cli.conftest import Command
from tests.ladder.web.conftest import Running
from tests.support.data.league import League
from tests.support.unconfined import UNCONFINED

SCORES = (("0-1", "1-0"), ("1/2", "1-0"), ("1-0", "1-0"), ("1/2", "0-1"), ("1-0", "0-1"))
"""The two games of a pair by the points of A, each from the side that moves first."""
FLIPPED = {"stronger": "weaker", "weaker": "stronger", "undecided": "undecided"}
SENTENCE = re.compile(
    r"(\w+) is (probably )?(stronger|weaker) than (\w+)|(\w+) is [^:.;]*? than (\w+): no clear"
)
COLOURS = {"gained": "stronger", "lost": "weaker", "undecided": "undecided"}
LISTED = re.compile(
    r"\b(\w+) against (\w+), .*? (probably )?(stronger|weaker|no clear difference)\b"
)
INTERVAL = re.compile(r"(?:([+-]\d+) \.\. ([+-]\d+)|at least ([+-]\d+)|at most ([+-]\d+))")
DATE = re.compile(r"\d{4}-\d\d-\d\d")
BALANCE = re.compile(r"(even|beats|loses to)(\??)$")
BALANCES = {"beats": "stronger", "loses to": "weaker", "even?": "undecided"}
GATE = "--stored --boards 6x7 --time 100ms --opening-plies 0"
Answers = dict[tuple[str, str], set[str]]
Said = Iterator[tuple[str, str, str]]


def store_pairs(league: League, run: Any, a: str, b: str, counts: Sequence[int]) -> None:
    """Store pairs of A and B by points, B moving first in every other one."""
    for points, count in enumerate(counts):
        for number in range(count):
            if number % 2:
                league.pair(run, b, a, *SCORES[4 - points])
            else:
                league.pair(run, a, b, *SCORES[points])


def said(text: str) -> Said:
    """Return the two bots and the verdict of every sentence of a text or a page."""
    plain = " ".join(text.split())
    for best, close in re.findall(r"(\w+) is not clearly stronger than ([\w, ]+), by", plain):
        for name in re.findall(r"\w+", close):
            yield best, name, "undecided"
    for found in SENTENCE.finditer(plain):
        one, probably, side, other, first, second = found.groups()
        if first:
            yield first, second, "undecided"
        else:
            yield one, other, "undecided" if probably else side


def tabled(text: str, names: Sequence[str], bot: str) -> Said:
    """Return the two bots and the verdict of every row of a table with an interval.

    A row names both bots, or one opponent of `bot`, or with a date a version, which is compared
    with the one before; the names have these in their order.
    """
    for line in text.splitlines():
        listed = [word for word in re.findall(r"\w+", line) if word in names]
        title, found = LISTED.search(line), INTERVAL.search(line)
        if title:
            a, b, probably, word = title.groups()
            yield a, b, word if word in FLIPPED and not probably else "undecided"
        elif found and listed and "Elo" not in line:
            low, high, least, most = found.groups()
            low, high = low or least, high or most
            verdict = "stronger" if low and float(low) > 0 else "undecided"
            verdict = "weaker" if high and float(high) < 0 else verdict
            one, other = (bot, *listed)[-2:]
            if DATE.search(line):
                one, other = other, names[names.index(other) - 1]
            yield one, other, verdict
            balance = BALANCE.search(line.rstrip(" |"))
            if balance and bot:
                word = "undecided" if balance[2] else BALANCES[balance[1]]
                yield bot, listed[0], word
                assert verdict == word


def charted(page: str) -> Said:
    """Return the two bots and the verdict of every interval of a page's chart of versions."""
    for row in re.findall(r"\{[^{}]*\}", page):
        found = re.search(r'"name": ?"(\w+) over (\w+)"', row)
        if found:
            yield found[1], found[2], COLOURS[re.findall(r'"verdict": ?"(\w+)"', row)[0]]


def documented(value: Any, one: str = "") -> Said:
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


class Collector:
    """The answers about every two bots, from all outputs."""

    def __init__(self, ladder: Command, names: Sequence[str]) -> None:
        self._ladder = ladder
        self._names = names
        self.answers: Answers = {}
        self.sources: dict[str, set[str]] = {}
        """The answers by kind of output."""

    def take(self, kind: str, statements: Said) -> None:
        """Note the statements about two bots of the league."""
        for one, other, verdict in statements:
            if one in self._names and other in self._names:
                key = (min(one, other), max(one, other))
                verdict = verdict if one < other else FLIPPED[verdict]
                self.answers.setdefault(key, set()).add(verdict)
                self.sources.setdefault(kind, set()).add(verdict)

    def text(self, kind: str, text: str, bot: str = "") -> None:
        """Note what a text or Markdown says in sentences and in tables."""
        self.take(kind, said(text))
        self.take(kind, tabled(text, self._names, bot))

    def page(self, kind: str, page: str, bot: str = "") -> None:
        """Note what a page says in sentences, tables and the chart of versions."""
        self.take(kind, charted(page))
        rows = re.sub(r"\s+", " ", re.sub(r"(?s)<(script|style|svg).*?</\1>", "", page))
        plain = re.sub(r"<[^>]*>", " ", re.sub(r"</(tr|p|li|dd|h\d)>", "\n", rows))
        self.text(kind, re.sub(r" +", " ", unescape(plain)), bot)

    def command(self, *words: str) -> None:
        """Run a command in each of its formats."""
        bot = words[-1] if "--against" in words else ""
        for form in ((), ("--format", "markdown")) if words[0] == "report" else ((),):
            done = self._ladder(*words, *form)
            assert done.code in (0, 3, 4), done.err
            self.text("".join(form[1:]) or "terminal", done.out, bot)
        self.take("json", documented(self._ladder(*words, "--json").document))
        if words[0] == "report":
            rows = csv.DictReader(io.StringIO(self._ladder(*words, "--format", "csv").out))
            self.take("csv", documented([{**row, **_numbers(row)} for row in rows], bot))
        if len(words) == 1 or "--compare" in words:
            page = self._ladder(*words, "--html", "page.html", "--games", "0")
            assert page.code == 0, page.err
            self.page("html", Path("page.html").read_text())

    def gate(self, candidate: str, baseline: str) -> None:
        """Decide a gate from the stored games, and read all that it writes."""
        files = ("--junit", "j.xml", "--summary", "s.md", "--html", "g.html")
        words = ("gate", candidate, "--against", baseline, *GATE.split())
        done = self._ladder(*words, *files, "--verbose")
        assert done.code in (0, 3, 4), done.err
        self.text("terminal", done.out, candidate)
        self.take("json", documented(self._ladder(*words, "--json").document))
        self.text("summary", Path("s.md").read_text(), candidate)
        self.page("html", Path("g.html").read_text(), candidate)
        root = ElementTree.parse("j.xml").getroot()
        for each in ("system-out", "failure", "error"):
            for one in root.iter(each):
                self.text(each, one.text or "", candidate)
        values = {each.get("name"): each.get("value") for each in root.iter("property")}
        facts = {name: float(values[name] or 0) for name in ("low", "high") if name in values}
        low, high = facts.get("low", -1.0), facts.get("high", 1.0)
        verdict = "stronger" if low > 0 else "weaker" if high < 0 else "undecided"
        self.take("junit", iter([(candidate, baseline, verdict)]))

    def pages(self, *addresses: str) -> None:
        """Ask the pages of `ladder serve`, and the documents that they are made of."""
        server = Running(ServerOptions("ladder.db", port=0, confinement=UNCONFINED))
        try:
            for address in addresses:
                answer = server.ask(address)
                assert answer.status == 200, answer.text
                bot = address.partition("/bots/")[2]
                if address.startswith("/api/"):
                    self.take("web", documented(answer.document))
                else:
                    self.page("web", answer.text, bot)
        finally:
            server.end()


def _numbers(row: dict[str, str]) -> dict[str, float | None]:
    return {key: float(row[key]) if row.get(key) else None for key in ("low", "los") if key in row}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("counts", "answer"),
    [
        pytest.param(
            (0, 0, 0, 1, 0), "undecided", marks=pytest.mark.very_slow
        ),  # +1 =1 -0, the match of two games with seed 1
        pytest.param(
            (0, 0, 0, 0, 1), "undecided", marks=pytest.mark.very_slow
        ),  # +2 =0 -0, a better result
        pytest.param((0, 0, 1, 0, 0), "undecided", marks=pytest.mark.very_slow),
        ((5, 0, 0, 0, 0), "undecided"),  # 0-10
        pytest.param((6, 0, 0, 0, 0), "weaker", marks=pytest.mark.very_slow),
        pytest.param(
            (3, 0, 2, 0, 0), "undecided", marks=pytest.mark.very_slow
        ),  # 2-8, no worse than 0-10
        ((0, 1, 5, 6, 8), "stronger"),
    ],
)
def test_two_bots_that_met_only_each_other_have_one_answer(
    ladder: Command, tmp_path: Path, counts: tuple[int, ...], answer: str
) -> None:
    """A list of two, a match, a gate and all reports of them agree, in every format."""
    compared = ("/compare?bots=alpha,beta", "/api/compare?bots=beta,alpha")
    found = Collector(ladder, ("alpha", "beta"))
    with League(tmp_path / "ladder.db", "alpha") as league:
        league.revisions["beta"] = league.add("beta", "alpha")
        run = league.run()
        store_pairs(league, run, "alpha", "beta", counts)
        found.pages("/", "/runs/1", "/bots/alpha", *compared)  # while it is played
        league.end(run)
        found.gate("beta", "alpha")
        match = league.run(kind=RunKind.MATCH, settings={"options": {"a": "alpha"}})
        store_pairs(league, match, "alpha", "beta", counts)
        found.pages("/", "/runs/2")
        league.end(match)
    for words in (
        "runs show 2",
        "report",
        "report --compare alpha beta",
        "report --against alpha",
        "report --against beta",
        "report --regressions",
        "report --history beta",
    ):
        found.command(*words.split())
    found.pages("/", "/runs/1", "/runs/2", "/bots/alpha", "/bots/beta", *compared)
    assert found.answers == {("alpha", "beta"): {answer}}, found.sources
    kinds = {"terminal", "markdown", "json", "csv", "html", "summary", "system-out", "junit", "web"}
    assert kinds <= found.sources.keys()


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
    names = list(league.revisions)
    by_list = Collector(ladder, names)
    for words in ("report", "report --regressions", "report --history a5"):
        by_list.command(*words.split())
    by_list.command("report", "--compare", *names)
    by_list.pages(
        "/", "/runs/1", *(f"/{each}compare?bots={','.join(names)}" for each in ("", "api/"))
    )
    assert len(by_list.answers) == 10
    assert all(len(verdicts) == 1 for verdicts in by_list.answers.values()), by_list.answers
    assert {"weaker", "undecided"} <= {each for one in by_list.answers.values() for each in one}
    alone = Collector(ladder, names)
    for name in ("a1", "a2", "a4"):  # every two that have met
        alone.command("report", "--against", name)
    alone.gate("a4", "a3")
    assert alone.answers.keys() == results.keys()
    assert all(len(verdicts) == 1 for verdicts in alone.answers.values()), alone.answers


@pytest.mark.slow
def test_a_gate_of_a_bot_against_itself_is_a_control(ladder: Command, tmp_path: Path) -> None:
    """The first line gives the true difference, by which the gate itself is judged."""
    with League(tmp_path / "ladder.db", "alpha") as league:
        league.end(league.run())
    done = ladder("gate", "alpha", "--against", "alpha", *GATE.split())
    assert done.err.splitlines()[0] == (
        "a control: alpha plays against itself, so the true difference is 0 Elo"
    )
    assert done.code == 4
