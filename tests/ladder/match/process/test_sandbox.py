"""The program and options of the sandbox before a bot's command, and what they protect."""

import json
import shutil
import subprocess
import venv
from dataclasses import replace
from pathlib import Path

import pytest

from bots.protocol import Budget
from ladder.errors import BotCrash
from ladder.match.game.bot_pool import BotPool
from ladder.match.game.referee import play_pair
from ladder.match.process.bot_process import BotProcess
from ladder.match.process.sandbox import STANDARD, sandbox_words
from ladder.registry.specs.start_command import builtin_launch, make_entrant
from ladder.tools.doctor.sandbox_probe import ProbeFailed, probe_sandbox
from tests.support.fakes import StartFake, fake_start, open_game, pair_plan
from tests.support.unconfined import UNCONFINED

needs_bwrap = pytest.mark.skipif(
    shutil.which("bwrap") is None, reason="bubblewrap is not installed: its protection is untested"
)


def read_report(bot: BotProcess) -> dict[str, str]:
    report: dict[str, str] = json.loads(bot.hello(20).version)
    return report


def test_sandbox_words_precede_the_command(start_fake: StartFake, tmp_path: Path) -> None:
    """The sandbox program runs the bot, and gets the names of its two folders."""
    sandbox = ("env", "-i", "HOME={scratch}", "WHERE={folder}/x")
    bot = start_fake("reports-environment", sandbox=sandbox)
    environment = read_report(bot)["environment"]
    assert isinstance(environment, dict)
    environment.pop("LC_CTYPE", None)  # Python's own doing in the C locale
    assert environment == {"HOME": str(bot.supervisor.scratch), "WHERE": f"{tmp_path}/x"}


def test_the_output_of_a_failing_sandbox_is_reported(start_fake: StartFake) -> None:
    """It is the bot's last output, and the reason why the probes cannot be made."""
    broken = ("sh", "-c", "echo no namespaces here >&2; exit 1")
    with pytest.raises(ProbeFailed, match="no namespaces here"):
        probe_sandbox(replace(UNCONFINED, sandbox=broken))
    bot = start_fake("honest", sandbox=broken)
    with pytest.raises(BotCrash, match=r"exited with status 1 .*\nno namespaces here"):
        open_game(bot)


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
            pair_plan(
                fake_start("honest", folder=tmp_path),
                make_entrant(builtin_launch("random"), revision=2, name="b", budget=budget),
                budget,
            ),
            pool,
        )
    finally:
        pool.close()
    assert not any(game.termination.is_forfeit for game in record.games)
    started = (tmp_path / "started").read_text().splitlines()
    assert len(started) == 1
    assert started[0].endswith("bot.py honest")


def test_without_a_sandbox_the_probes_succeed(tmp_path: Path) -> None:
    """A bot runs as the same user; the probes report it, and change nothing."""
    database = tmp_path / "ladder.db"
    database.write_bytes(b"games")
    found = probe_sandbox(UNCONFINED, str(database))
    assert {"connect to this machine", "read the home", "open the database"} < {*found}
    assert "not write into its scratch folder" not in found
    assert database.read_bytes() == b"games"


@needs_bwrap
def test_the_standard_sandbox_holds(tmp_path: Path) -> None:
    """All ten probes, at a network, homes, other processes and files, must fail or succeed so."""
    database = tmp_path / "ladder.db"
    database.write_bytes(b"games")
    assert probe_sandbox(replace(UNCONFINED, sandbox=(STANDARD,)), str(database)) == []


@needs_bwrap
def test_the_standard_sandbox_shows_interpreters_in_a_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A virtual environment, behind links as pyenv and uv make them, is shown; its home is not."""
    home = tmp_path / "home"
    venv.create(home / "envs" / "3.11.7", symlinks=True)
    (home / "envs" / "3.11").symlink_to("3.11.7")
    (home / ".local" / "bin").mkdir(parents=True)
    link = home / ".local" / "bin" / "python3.11"
    link.symlink_to("../../envs/3.11/bin/python3")
    secret = home / "secret"
    secret.write_text("x")
    monkeypatch.setenv("HOME", str(home))
    for name in ("bot", "scratch"):
        (tmp_path / name).mkdir()
    folders = (str(tmp_path / "bot"), str(tmp_path / "scratch"))
    code = f"import os, sys; print(sys.prefix, os.path.exists({str(secret)!r}))"
    for python in (link, home / "envs" / "3.11" / "bin" / "python3"):
        command = [str(python), "-c", code]
        words = sandbox_words((STANDARD,), command, *folders, {})
        told = [
            subprocess.run([*before, *command], capture_output=True, text=True, check=True).stdout
            for before in ([], words)
        ]
        assert told[1] == told[0].replace("True", "False") != told[0]


@needs_bwrap
@pytest.mark.parametrize("mode", ["leaves-orphans", "hops"])
def test_no_process_survives_bubblewrap(start_fake: StartFake, mode: str) -> None:
    """Processes in a process namespace of the bot end with it, too."""
    bot = start_fake(mode, sandbox=(STANDARD,))
    open_game(bot)
    bot.kill()
