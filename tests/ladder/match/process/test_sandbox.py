"""The program and options of the sandbox before a bot's command, and what they protect."""

import json
import shlex
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from bots.protocol import Budget, Hello, HelloReply
from db.records.pairs import Entrant, PairPlan
from ladder.errors import BotCrash
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.match.specs.start_command import builtin_launch, make_entrant
from ladder.tools.doctor.sandbox_probe import Reach, probe_database
from tests.support.fakes import StartFake, fake_start, open_game
from tests.support.unconfined import UNCONFINED

NEEDED = " ".join(
    f"--ro-bind {path} {path}"
    for path in map(shlex.quote, (str(Path(__file__).parents[4]), sys.prefix, sys.base_prefix))
)
ADVISED = (
    f"bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp {NEEDED} "
    "--ro-bind {folder} {folder} "
    "--bind {scratch} {scratch} --unshare-all --die-with-parent --chdir {folder} --"
)
"""As docs/sandbox.md advises, but that homes stay visible, and what the bots of these tests
are made of: the project, its environment and Python, which may lie below /tmp."""
BWRAP = tuple(shlex.split(ADVISED))
needs_bwrap = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not installed: its protection is untested"
)


def read_report(bot: object) -> dict[str, str]:
    reply = bot.ask(Hello(), timeout_s=20).reply  # type: ignore[attr-defined]
    assert isinstance(reply, HelloReply)
    report: dict[str, str] = json.loads(reply.version)
    return report


def test_sandbox_words_precede_the_command(start_fake: StartFake, tmp_path: Path) -> None:
    """The sandbox program runs the bot, and gets the names of its two folders."""
    sandbox = ("env", "-i", "HOME={scratch}", "WHERE={folder}/x")
    bot = start_fake("reports-environment", sandbox=sandbox)
    environment = read_report(bot)["environment"]
    assert isinstance(environment, dict)
    environment.pop("LC_CTYPE", None)  # Python's own doing in the C locale
    assert environment == {"HOME": str(bot.scratch), "WHERE": f"{tmp_path}/x"}


def test_the_output_of_a_failing_sandbox_is_reported(start_fake: StartFake) -> None:
    """It is the bot's last output."""
    bot = start_fake("honest", sandbox=("sh", "-c", "echo no namespaces here >&2; exit 1"))
    with pytest.raises(BotCrash, match=r"exited with status 1 .*\nno namespaces here"):
        open_game(bot)


def test_programs_of_the_sandbox_end_with_the_bot(start_fake: StartFake) -> None:
    """A program that waits for the bot ends with it (the fixture checks both)."""
    bot = start_fake("leaves-orphans", sandbox=("sh", "-c", '"$@"; exit $?', "sh"))
    open_game(bot)
    bot.kill()


@pytest.mark.slow
def test_players_of_this_installation_have_no_sandbox(tmp_path: Path) -> None:
    """They are part of the ladder; every other bot starts in the sandbox."""
    wrapper = tmp_path / "wrapper"
    wrapper.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/started\nexec "$@"\n')
    wrapper.chmod(0o755)
    pool = BotPool(replace(UNCONFINED, sandbox=(str(wrapper),)))
    budget = Budget(simulations=5)
    try:
        record = play_pair(
            PairPlan(
                id=1,
                number=0,
                a=Entrant(1, "a", fake_start("honest", folder=tmp_path), budget),
                b=make_entrant(builtin_launch("random"), revision=2, name="b", budget=budget),
                board="6x7",
                board_class="6x7",
                opening=(),
                seed=7,
            ),
            pool,
        )
    finally:
        pool.close()
    assert not any(game.termination.is_forfeit for game in record.games)
    started = (tmp_path / "started").read_text().splitlines()
    assert len(started) == 1
    assert started[0].endswith("bot.py honest")


def test_without_a_sandbox_a_bot_can_write_the_database(tmp_path: Path) -> None:
    """It runs as the same user; the probe reports it, and changes nothing."""
    database = tmp_path / "ladder.db"
    database.write_bytes(b"games")
    assert probe_database(str(database), UNCONFINED) == (Reach.WRITABLE, "")
    assert database.read_bytes() == b"games"
    assert probe_database(str(tmp_path / "missing"), UNCONFINED) == (Reach.SEALED, "")


def test_a_probe_that_cannot_run_is_an_error(tmp_path: Path) -> None:
    """A sandbox that does not start is an error."""
    broken = replace(UNCONFINED, sandbox=("sh", "-c", "echo broken >&2; exit 3"))
    reach, reason = probe_database(str(tmp_path), broken)
    assert (reach, reason) == (Reach.UNKNOWN, "sh: broken")


@needs_bwrap
def test_bubblewrap_keeps_bots_from_the_database(
    start_fake: StartFake, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """The database is out of reach, the two folders exist, and the game continues."""
    database = tmp_path_factory.mktemp("elsewhere") / "ladder.db"
    database.write_bytes(b"games")
    bot = start_fake("reaches", str(database), sandbox=BWRAP)
    assert read_report(bot)["file"] == "No such file or directory"
    open_game(bot)
    assert probe_database(str(database), replace(UNCONFINED, sandbox=BWRAP)) == (Reach.SEALED, "")


@needs_bwrap
@pytest.mark.parametrize("mode", ["leaves-orphans", "hangs-in-move", "hops"])
def test_no_process_survives_bubblewrap(start_fake: StartFake, mode: str) -> None:
    """Processes in a process namespace of the bot end with it, too."""
    bot = start_fake(mode, sandbox=BWRAP)
    open_game(bot)
    bot.kill()
