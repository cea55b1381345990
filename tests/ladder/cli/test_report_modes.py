"""`ladder report`: each mode reads its options, and refuses the others."""

import itertools
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ladder.cli.commands.report import report
from ladder.cli.output import Format
from ladder.cli.report_modes import REPORTS, Mode, ReportOptions
from ladder.errors import UsageError
from tests.ladder.cli.conftest import Command
from tests.support.data.league import League

MODES: Mapping[Mode, Mapping[str, Any]] = {
    Mode.PAGE: {"html": Path("page.html")},
    Mode.COMPARE: {"compare": True, "names": ["a", "b"]},
    Mode.AGAINST: {"against": "a"},
    Mode.MISTAKES: {"mistakes": True},
    Mode.REGRESSIONS: {"regressions": True},
    Mode.HISTORY: {"history": "a"},
    Mode.LIST: {},
}
OTHERS: Mapping[str, Any] = {
    "threshold": 10.0,
    "fail_undecided": True,
    "division": "6x7",
    "since": "2020-01-01",
    "bots": "a,b",
    "retired": True,
    "anchor": ["a=1000"],
    "pairs": True,
    "columns": "name,elo",
    "format_": Format.MARKDOWN,
    "json": True,
    "output": Path("out.txt"),
    "games": 3,
    "force": True,
}
"""The options that choose no mode, with values that are not their defaults."""
READ_THROUGH = {"patterns": "bots", "moment": "since", "rating": "anchor", "keys": "columns"}


class Recorded(ReportOptions):
    """Options that note which of them are read after they were checked."""

    def check(self) -> None:
        super().check()
        object.__setattr__(self, "seen", set())

    def __getattribute__(self, name: str) -> Any:
        own = object.__getattribute__(self, "__dict__")
        if "seen" in own:
            own["seen"].add(READ_THROUGH.get(name, name))
        return super().__getattribute__(name)


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three bots: each but the first lost against the one on which it is based."""
    path = tmp_path_factory.mktemp("league") / "ladder.db"
    with League(path, "a") as opened:
        opened.revisions["b"] = opened.add("b", "a")
        opened.revisions["c"] = opened.add("c", "b")
        run = opened.run()
        for one, other in (("a", "b"), ("b", "c")):
            opened.pairs(run, one, other, 9, "1-0", "0-1")
            opened.pairs(run, one, other, 1, "0-1", "1-0")
        opened.end(run)
    return path


@pytest.fixture(autouse=True)
def league(stored: Path, tmp_path: Path) -> Path:
    """Copy the database into the folder of the commands."""
    return Path(shutil.copy(stored, tmp_path / "ladder.db"))


@pytest.mark.slow
@pytest.mark.parametrize("mode", Mode, ids=lambda mode: mode or "list")
def test_a_mode_reads_the_options_of_its_row_and_no_other(
    monkeypatch: pytest.MonkeyPatch, league: Path, mode: Mode
) -> None:
    """The table must name what the code reads: an option that is accepted has an effect."""
    monkeypatch.chdir(league.parent)
    options = Recorded(**MODES[mode])
    report(options=options, db=str(league))
    asked = {name for choice in MODES.values() for name in choice if name != "names"}
    read = object.__getattribute__(options, "__dict__")["seen"] & {*OTHERS, "names"}
    # The form of the output was settled by the check.
    settled = {"force", "json", "format_"}
    assert read - settled == REPORTS[mode].reads - asked - settled


def test_every_pair_of_options_is_read_or_refused() -> None:
    """Of every two options and every mode: both are read, or one sentence names one of them."""
    for (mode, choice), given in itertools.product(
        MODES.items(), itertools.combinations(OTHERS.items(), 2)
    ):
        options = ReportOptions(**choice, **dict(given))
        unread = [name for name in dict(given) if name not in REPORTS[mode].reads]
        if not unread:
            assert options.mode is mode
            continue
        with pytest.raises(UsageError) as refused:
            _ = options.mode
        spelled = "--" + unread[0].rstrip("_").replace("_", "-")
        ending = rf" (has no effect with {mode}: leave one .*|needs --.*: give both, or neither)"
        assert re.fullmatch(spelled + ending, str(refused.value))
    for one, other in itertools.combinations([mode for mode in Mode if mode], 2):
        values = {**MODES[one], **MODES[other]}
        if (one, other) == (Mode.PAGE, Mode.COMPARE):
            assert ReportOptions(**values).mode is Mode.PAGE
        else:
            with pytest.raises(UsageError, match=f"^{other} has no effect with {one}: leave"):
                _ = ReportOptions(**values).mode


@pytest.mark.slow
def test_options_in_the_configuration_wait_for_their_mode(ladder: Command, tmp_path: Path) -> None:
    """A value of `ladder.toml` is not refused, and what is typed has precedence over it."""
    (tmp_path / "ladder.toml").write_text(
        '[report]\nthreshold = 50\nbots = ["b"]\npairs = true\n'
        'format = "csv"\nhtml = "night.html"\n'
    )
    assert ladder("report", "--history", "a").out.startswith("bot,based_on,")
    assert ladder("report", "--against", "a", "--json").document["bot"] == "a"
    assert not (tmp_path / "night.html").exists()
    refused = ladder("report", "--against", "a", "--threshold", "40")
    assert (refused.code, refused.err) == (
        2,
        "ladder: --threshold has no effect with --against: leave one of them out\n",
    )


@pytest.mark.slow
def test_regressions_of_some_bots_decide_the_exit_code(ladder: Command) -> None:
    """With --bots only these bots are reported, and only they set the exit code."""
    every = ladder("report", "--regressions", "--json")
    assert {one["bot"] for one in every.document["regressions"]} == {"b", "c"}
    some = ladder("report", "--regressions", "--bots", "c", "--json")
    assert (some.code, [one["bot"] for one in some.document["regressions"]]) == (3, ["c"])
    none = ladder("report", "--regressions", "--bots", "a", "--json")
    assert (none.code, none.document["regressions"]) == (0, [])


@pytest.mark.parametrize(
    "words", [[], ["--against", "a"], ["--mistakes"], ["--regressions"], ["--html", "x.html"]]
)
def test_bots_that_are_not_registered_are_refused(ladder: Command, words: list[str]) -> None:
    """In every mode that reads --bots, also beside names that are known."""
    done = ladder("report", *words, "--bots", "a,nosuch")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "no registered bot is called 'nosuch'" in done.err
