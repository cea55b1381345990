"""The pages of games, bots, runs and comparisons."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from db.records.bots import NewBot
from db.records.runs import RunKind, RunStatus
from engine.result import Termination
from ladder.cli.main import run_command
from ladder.registry.specs.spec import BotSource, pack_bot
from tests.ladder.web.conftest import Running
from tests.support.browser import Opened
from tests.support.data.league import Game, League

Visit = Callable[..., Opened]


@pytest.fixture
def played(league: League) -> Iterator[League]:
    """Three bots, a ladder run with a forfeit, and a gate."""
    run = league.run(note="the first night")
    won, lost, drawn = (Game(score, plies=5) for score in ("1-0", "0-1", "1/2"))
    league.pairs(run, "alpha", "beta", 3, won, lost)
    league.pair(run, "beta", "gamma", Game("0-1", by=Termination.CRASH, plies=3), drawn)
    league.end(run)
    gate = league.run(kind=RunKind.GATE, bots=("alpha", "beta"))
    league.pair(gate, "alpha", "beta", won, drawn)
    league.end(gate)
    league.end(league.run(), RunStatus.INTERRUPTED)
    for note in ("", "<b>bold</b>"):
        words = ("match", "alpha", "beta", "--games", "2")
        league.store.queue.add(words, folder="/", author="ann", note=note)
    league.store.queue.start(2)
    return league


OTHERS = ("/games", "/bots/nobody", "/runs/1", "/compare", "/play?game=1&ply=3")
ONE_OF_EACH_KIND = (
    "/",
    "/games/7",
    "/bots/beta",
    "/runs/2",
    "/compare?bots=alpha,beta",
    "/play",
    "/queue",
)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheme", "paths"),
    [("light", ONE_OF_EACH_KIND), pytest.param("dark", OTHERS, marks=pytest.mark.very_slow)],
    ids=["light", "dark"],
)
@pytest.mark.usefixtures("played")
def test_every_page_is_accessible_and_fits(
    server: Running, visit: Visit, scheme: str, paths: tuple[str, ...]
) -> None:
    """axe-core finds no violation, no script fails, and no narrow page scrolls sideways.

    A page takes a second: one of each kind is checked in the light, the others in the dark.
    """
    opened = visit("about:blank", width=380, scheme=scheme)
    for path in paths:
        opened.page.goto(server.address.rstrip("/") + path)
        opened.page.wait_for_selector("body[data-charts=drawn]")
        assert opened.violations() == "", path
        sideways = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert opened.page.evaluate(sideways) <= 0, path
        assert [each for each in opened.errors if "404" not in each] == [], path


@pytest.mark.slow
@pytest.mark.usefixtures("played")
@pytest.mark.parametrize("path", ["/play", "/games/7"])
def test_a_board_has_a_text_before_it_is_drawn(server: Running, path: str) -> None:
    """A screen reader may be there before the script."""
    assert re.search(r'id="board-text"[^>]*>[^<]+<', server.ask(path).text)


@pytest.mark.slow
@pytest.mark.usefixtures("played")
def test_every_link_leads_somewhere(server: Running) -> None:
    """Each link of a page leads to a page."""
    seen, ahead = set(), ["/"]
    while ahead and len(seen) < 60:
        path = ahead.pop(0)
        answer = server.ask(path)
        assert answer.status == 200, (path, answer.text[:2000])
        for link in re.findall(r'href="(/[^"#]*)', answer.text):
            link = link.replace("&amp;", "&")
            if link not in seen:
                seen.add(link)
                ahead.append(link)
    assert {"/games/7", "/bots/beta", "/runs/2"} <= seen


@pytest.mark.slow
def test_a_version_shows_the_lines_that_it_changes(
    league: League, server: Running, tmp_path: Path
) -> None:
    """Its page links them, and text from its files is no markup."""
    spec, parent = "exec:python3 bot.py", None
    for name, text in (("mine-1", "X = 1\n"), ("mine-2", "X = '<b>'\n")):
        (tmp_path / "bot.py").write_text(text)
        bot = replace(pack_bot(BotSource(spec, tmp_path)), budgets=("any",))
        league.store.bots.add(NewBot(name, "foreign", spec, bot, parent))
        parent = name
    assert 'href="/bots/mine-2/diff"' in server.ask("/bots/mine-2").text
    shown = server.ask("/bots/mine-2/diff").text
    assert "-X = 1\n+X = &#39;&lt;b&gt;&#39;" in shown
    assert server.ask("/bots/mine-1/diff").status == 200
    assert server.ask("/bots/nobody/diff").status == 404


def options_of(text: str, name: str) -> list[tuple[str, list[str]]]:
    """Return the groups of a page's select, with their options."""
    select = re.search(rf'<select name="{name}"[^>]*>(.*?)</select>', text, re.DOTALL)
    assert select
    groups = re.findall(r'<optgroup label="([^"]*)"[^>]*>(.*?)</optgroup>', select[1])
    return [(label, re.findall(r"<option[^>]*>([^<]*)", inner)) for label, inner in groups]


@pytest.mark.slow
def test_a_comparison_chooses_among_the_bots_of_a_division(played: League, server: Running) -> None:
    """The form has the bots of the chosen division, also below an error."""
    run = played.run(boards="7x8", bots=("alpha", "gamma"))
    played.pair(run, "alpha", "gamma", Game("1-0"), Game("0-1"))
    played.end(run)
    gate_only = played.run(kind=RunKind.GATE, boards="8x8", bots=("alpha", "beta"))
    played.pair(gate_only, "alpha", "beta", Game("1-0"), Game("0-1"))
    first, second = (str(each.id) for each in played.store.divisions.all()[:2])
    text = server.ask(f"/compare?division={first}").text
    assert options_of(text, "one") == [("With games", ["alpha", "beta", "gamma"])]
    assert f'href="/compare?division={second}"' in text
    assert f'href="/compare?division={first}" aria-current="true"' in text
    assert "8x8" not in text
    text = server.ask(f"/compare?bots=alpha,beta&division={second}").text
    assert options_of(text, "other") == [("With games", ["alpha", "gamma"])]
    assert "has no rated games in 7x8" in text
    assert f'href="/compare?bots=alpha,beta&amp;division={first}"' in text
    for path in (f"/compare?one=alpha&division={second}", "/compare?bots=alpha,alpha"):
        answer = server.ask(path)
        assert answer.status == 200
        assert "two or more different bots" in answer.text
        assert "--compare" not in answer.text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("upsets=1", "--upsets"),
        (
            "upsets=1&division=1&side=first&bot=beta",
            "--upsets --division 1 --side first --bot beta",
        ),
        ("ending=forfeit", "--forfeit"),
        ("ending=crash&run=1", "--ending crash --run 1"),
        ("shortest=4&longest=5&bot=beta&result=lost", "--plies 4..5 --bot beta --lost"),
        ("board=standard&result=drawn&since=9999d", "--board standard --drawn --since 9999d"),
    ],
)
def test_the_command_and_the_page_have_the_same_conditions(
    played: League, server: Running, capsys: pytest.CaptureFixture[str], query: str, words: str
) -> None:
    """A condition selects the same games in an address as in the command's options."""
    surprise = Game("1-0", plies=5)
    played.pair(played.run(), "beta", "alpha", surprise, surprise)
    database = str(played.store.path)
    assert run_command(["games", *words.split(), "--json", "--db", database]) == 0
    listed = [game["game"] for game in json.loads(capsys.readouterr().out)["games"]]
    asked = [game["game"] for game in server.ask(f"/api/games?{query}").document["games"]]
    assert asked == listed != []
    paged, before = [], ""
    while before is not None:
        answer = server.ask(f"/api/games?{query}&limit=1{before and f'&before={before}'}").document
        paged += [game["game"] for game in answer["games"]]
        before = answer["next"]
    assert paged == listed
    page = server.ask(f"/games?{query}").text
    assert [game for game in range(12, 0, -1) if f'href="/games/{game}"' in page] == listed


@pytest.mark.slow
def test_documents_are_those_of_the_commands(
    played: League,
    server: Running,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """The server's JSON equals that of the commands."""
    monkeypatch.chdir(tmp_path)
    database = str(played.store.path)
    for path, words in (
        ("/api/standings", ["report", "--json"]),
        ("/api/compare?bots=alpha,beta", ["report", "--compare", "alpha", "beta", "--json"]),
        ("/api/games/7", ["replay", "7", "--json"]),
        ("/api/queue", ["queue", "list", "--json"]),
        ("/api/games?since=9999d", ["games", "--json"]),
    ):
        capsys.readouterr()
        assert run_command([*words, "--db", database]) == 0
        answered = {**server.ask(path).document}
        answered.pop("next", None)
        assert answered == json.loads(capsys.readouterr().out), path
    queue = server.ask("/queue").text
    assert "&lt;b&gt;bold" in queue
    assert "playing" not in queue  # no worker lives
    assert server.ask("/api/queue", method="POST", token=server.token).status == 405
    runs = server.ask("/api/runs").document["runs"]
    assert [run["run"] for run in runs] == [3, 2, 1]
    keys = {"run", "kind", "status", "title", "games", "target_games", "games_an_hour", "note"}
    assert keys <= set(runs[0])
    for path, status in (("/api/games/99", 404), ("/api/games?bot=nobody", 404), ("/api/x", 404)):
        answer = server.ask(path)
        assert (answer.status, list(answer.document)) == (status, ["error"])
    assert server.ask("/api/compare?bots=alpha").status == 400


def test_unknown_names_give_404(server: Running) -> None:
    """Unknown names give status 404 and a link to the overview."""
    for path in ("/bots/nobody", "/games/77", "/games/p1", "/games/x", "/runs/9", "/runs/x"):
        answer = server.ask(path)
        assert answer.status == 404, path
        assert 'href="/"' in answer.text
