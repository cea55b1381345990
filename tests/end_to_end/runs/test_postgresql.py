"""The main commands with a database on a server: runs, kills, gates, games out and in."""

import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from db.store import Store
from tests.end_to_end.conftest import Ladder
from tests.support.fakes import FAKE_BOT
from tests.support.postgresql import Server, shared_server, why_none
from tests.support.waiting import eventually

pytestmark = pytest.mark.skipif(why_none() is not None, reason=str(why_none()))
RUN = ("run", "--bots", "random,stupid", "--simulations", 1, "--no-pin", "--concurrency", 1)


@pytest.fixture
def server() -> Server:
    return shared_server()


@pytest.fixture
def url(server: Server, ladder: Ladder) -> Iterator[str]:
    """Return an empty database, which the commands of `ladder` use without being told."""
    with server.database("template1") as made:
        ladder.environment["LADDER_DB"] = made
        yield made


def lines_of(where: str) -> list[tuple[object, ...]]:
    """Every game as it must not depend on how the run went."""
    with closing(Store.open_to_read(where)) as store:
        return sorted(
            (line.run_seed, line.pair, line.game, line.board, line.moves, line.result)
            for line in store.exchange.export_lines()
        )


def faults_of(where: str) -> list[object]:
    """Return the faults of the stored pairs."""
    with closing(Store.open(where)) as store:
        return [*store.audit.pairs(), *store.audit.outcomes()]


@pytest.mark.very_slow
def test_two_coordinators_share_a_stream_while_sessions_are_cut(
    ladder: Ladder, url: str, server: Server
) -> None:
    """Two runs of one command beside each other, their sessions ended again and again.

    Not before both have begun: one that begins then rightly resumes the other's run.
    """
    words = (*RUN, "--games", 60, "--seed", 6)
    both = [ladder.start(*words), ladder.start(*words)]
    with closing(Store.open(url)) as store:
        eventually(lambda: len(store.runs.find()) == 2)
    name = url.partition("@/")[2].partition("?")[0]
    ours = f"WHERE datname = '{name}'"
    for _ in range(3):
        server.execute(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity {ours}")  # noqa: S608
        time.sleep(0.7)
    done = [ladder.finish(process) for process in both]
    assert [each.code for each in done] == [0, 0], done
    assert faults_of(url) == []
    games = lines_of(url)
    assert len({game[1:3] for game in games}) == len(games) == 120


@pytest.mark.slow
def test_games_imported_by_a_server_are_exported_byte_for_byte(
    ladder: Ladder, url: str, tmp_path: Path
) -> None:
    """A file's export, imported by the server and exported there, imported by a file: equal.

    A bot that passes its trial crashes in the run, so that games without all moves are among them.
    """
    first, last, broken = tmp_path / "first.db", tmp_path / "last.db", tmp_path / "broken"
    (ladder.folder / "late.sh").write_text(
        f"[ -e {broken} ] && exec {sys.executable} -I -S {FAKE_BOT} segfaults\n"
        f"exec {sys.executable} -I -S {FAKE_BOT} honest\n"
    )
    assert ladder("bots", "add", "crashing", "exec:sh late.sh", "--db", first).code == 0
    broken.touch()
    bots = ("--bots", "random,stupid,crashing")
    played = ladder("run", *bots, *RUN[3:], "--games", 20, "--seed", 7, "--db", first)
    assert played.code == 0, played.err
    exports = []
    for where, other in ((str(first), url), (url, str(last)), (str(last), None)):
        done = ladder("export", "--format", "jsonl", "--bots", "--db", where)
        assert done.code == 0, done.err
        # The folder of a bot holds on its own machine only: an import leaves it out.
        exports.append(done.out.replace(f'"folder":"{ladder.folder}"', '"folder":""'))
        if other is not None:
            (tmp_path / "games.jsonl").write_text(done.out)
            taken = ladder("import", tmp_path / "games.jsonl", "--db", other)
            assert taken.code == 0, taken.err
    assert exports[0].count('"moves"') == 20
    assert '"crash"' in exports[0]
    assert exports[0] == exports[1] == exports[2]
