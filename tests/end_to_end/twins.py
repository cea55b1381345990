"""Commands killed at random moments and repeated until they end, compared with an undisturbed twin.

Under a work budget and a seed, a command that is killed by SIGKILL and repeated must end with the
same output, the same stored games and the same status of its runs as an undisturbed one.
"""

import os
import random
import re
import shlex
import shutil
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from db.store import Store
from tests.end_to_end.conftest import Done, Ladder
from tests.end_to_end.disturbing import DisturbedRun
from tests.end_to_end.traces import faults_of, lines_of, marked, query
from tests.support.data.history import BUILD, player_history
from tests.support.shared import made_once

TIMED_KEYS = frozenset(
    {
        *("duration_s", "max_move_ms", "mean_move_ms", "seconds", "simulations_per_second"),
        "session",  # what the last of several calls did
    }
)
"""Keys of documents whose values do not follow from the seed."""
RUNS = "select kind, seed, target_games, status, verdict, note from runs order by id"
FINISHED = "select id from runs where status = 'finished'"
BOTS = "select name from bots order by name"
PAIRS = "select stream, number, status from pairs order by 1, 2"
VERDICTS = "select game_id, nodes, moves from verdicts order by game_id"
POSITIONS = "select key, nodes, bounds from solved_positions order by key"


@dataclass(frozen=True)
class Experiment:
    """A command line whose result depends on its seed alone."""

    words: tuple[object, ...]
    prepare: Callable[[Ladder], object] = Ladder.stock
    """Fills the folder in which the command runs."""
    files: tuple[str, ...] = ()
    """Files that the command writes."""
    is_sequential: bool = False
    """Whether it ends by a decision: pairs that were in play then are stored and do not count."""


def _with_history(ladder: Ladder) -> None:
    made = made_once("player-history", lambda folder: player_history(folder / "repo"))
    shutil.copytree(made / "repo", ladder.folder, dirs_exist_ok=True)
    ladder.stock()


def _with_games(ladder: Ladder) -> None:
    played = (
        "run", "--bots", "random,stupid", "--simulations", 1, "--boards", "5x5", "--games", 24,
        "--seed", 3, "--concurrency", 1,
    )  # fmt: skip
    made = made_once("games-to-analyze", lambda folder: _play(Ladder(folder).stock(), played))
    shutil.copy(made / "ladder.db", ladder.folder)


def _play(ladder: Ladder, words: tuple[object, ...]) -> None:
    done = ladder(*words)
    assert done.code == 0, done.err


FIELD = ("--boards", "5x5", "--simulations", 1, "--concurrency", 2, "--seed", 7)
EXPERIMENTS = {
    "run": Experiment(
        ("run", "--bots", "steady,random,stupid", *FIELD, "--games", 60, "--json"),
    ),
    "gate": Experiment(
        ("gate", "random", "--against", "steady,stupid", *FIELD, "--max-games", 80, "--json"),
        is_sequential=True,
    ),
    "select": Experiment(
        ("select", "random", "stupid", "v1", "--against", "steady", *FIELD, "--indifference", 150,
         "--json"),
        is_sequential=True,
    ),
    "tune": Experiment(
        ("tune", "builtin:ab1", "--param", "two=0..30:int", "--boards", "5x5", "--depth", 1,
         "--seed", 5, "--concurrency", 1, "--games", 24, "--pairs", 3, "--max-games", 8,
         "--register", "better", "--json"),
    ),
    "bisect": Experiment(
        ("bisect", "python:built.py:Bot", "--good", "HEAD~9", "--bad", "HEAD~5", "--build", BUILD,
         *FIELD, "--max-drop", 100, "--json"),
        _with_history,
        is_sequential=True,
    ),
    "analyze": Experiment(("analyze", "--nodes", 3000, "--json"), _with_games),
    "suite make": Experiment(
        ("suite", "make", "mined.suite", "--boards", "5x5", "--seed", 2, "--count", 12, "--nodes",
         20000, "--json"),
        files=("mined.suite",),
    ),
    "suite run": Experiment(
        ("suite", "run", "stupid", "v1", "standard", "--simulations", "1,20", "--json"),
    ),
}  # fmt: skip
"""One command of each kind that plays or solves for some time."""


@dataclass(frozen=True)
class Outcome:
    """A finished command and everything that it left behind."""

    code: int | None
    """None: it was killed after it had printed its result."""
    document: Any
    games: dict[tuple[Any, ...], tuple[Any, ...]]
    """By seed of the run, number of the pair and game."""
    rows: dict[str, list[Any]]
    steps: list[Any]
    files: dict[str, str]


def outcome_of(experiment: Experiment, ladder: Ladder, done: Done) -> Outcome:
    """Collect what a finished command printed and stored, without what depends on the clock."""
    rows = {sql: query(ladder.db, sql) for sql in (RUNS, BOTS, VERDICTS, POSITIONS)}
    if not experiment.is_sequential:
        rows[PAIRS] = query(ladder.db, PAIRS)
    with Store.open_to_read(ladder.db) as store:
        steps = [
            (run.id, row.step, row.a, row.b, row.pentanomial, row.estimate)
            for run in store.runs.find()
            for row in store.tuning_steps.of_run(run.id)
        ]
    return Outcome(
        code=None if done.code == -signal.SIGKILL else done.code,
        document=untimed(done.document),
        games={line[:3]: line[3:] for line in lines_of(ladder.db)},
        rows=rows,
        steps=steps,
        files={name: (ladder.folder / name).read_text() for name in experiment.files},
    )


def untimed(document: Any) -> Any:
    """Return a document without the keys whose values depend on the clock."""
    if isinstance(document, dict):
        return {key: untimed(each) for key, each in document.items() if key not in TIMED_KEYS}
    return [untimed(each) for each in document] if isinstance(document, list) else document


@dataclass
class Twins:
    """The same command twice: undisturbed in one folder, killed and repeated in another."""

    experiment: Experiment
    folder: Path
    draw: random.Random
    kills: int = 0
    """Processes or groups that were killed while they worked."""
    gone_s: list[float] = field(default_factory=list)
    """Seconds from each kill until every process of the command was gone."""
    printed: int = 0
    """Commands that were resumed as they were printed."""
    quiet_s: float = 0.0
    """Duration of the undisturbed command."""

    def undisturbed(self) -> Outcome:
        """Run the command undisturbed."""
        quiet = self._ladder("quiet")
        begun = time.monotonic()
        done = quiet(*self.experiment.words, timeout=600)
        self.quiet_s = time.monotonic() - begun
        assert done.code in (0, 3, 4), done.err
        return outcome_of(self.experiment, quiet, done)

    def disturbed(self, kills: int, *, group: bool, printed: bool = False) -> Outcome:
        """Kill the command at moments drawn from its undisturbed duration, then let it end.

        A command that ends before its first kill, as it may if the undisturbed one was slowed down
        by other programs, is started anew and killed earlier.

        Args:
            kills: how many times; fewer when the command ends before.
            group: kill its whole process group and not its leader alone.
            printed: resume by the command that `ladder run --resume` prints, where it prints one.

        """
        killed = self.kills
        for share in (1.1, 0.5, 0.25, 0.1):
            outcome = self._disturb(kills, share * self.quiet_s, group=group, printed=printed)
            if self.kills > killed:
                break
        return outcome

    def _disturb(self, kills: int, within_s: float, *, group: bool, printed: bool) -> Outcome:
        """Start the command and kill it, each time within so many seconds, then let it end."""
        ladder = self._ladder(f"disturbed-{len(os.listdir(self.folder))}")
        scratch = DisturbedRun(ladder, lambda _: (), self.draw)
        mark, words = scratch.mark(), self.experiment.words
        for _ in range(kills):
            process = ladder.start(*words)
            self._sleep(self.draw.uniform(0.02, max(0.03, within_s)), process)
            if process.poll() is None:
                (os.killpg if group else os.kill)(process.pid, signal.SIGKILL)
            done = ladder.finish(process, timeout=600)
            self._wait_gone(mark)
            if done.code != -signal.SIGKILL:
                break
            self.kills += 1
            if self._is_finished(ladder):  # it was killed while it exited, its result printed
                break
            words = self._resuming(ladder) if printed else words
        else:
            done = ladder(*words, timeout=600)
            self._wait_gone(mark)
        assert "Traceback" not in done.err, done.err
        faults, left = faults_of(ladder.db), scratch.scratch_left()
        assert not faults, faults
        assert not left, left
        return outcome_of(self.experiment, ladder, done)

    def _resuming(self, ladder: Ladder) -> tuple[object, ...]:
        """Return the printed command that resumes; before a run is stored, the command itself."""
        others = ladder("run", "--resume", "--bots", "random,stupid", "--simulations", 99)
        commands = re.findall(r"^run \d+ \(.*?\): ladder (.*)$", others.err, re.MULTILINE)
        if not commands:
            return self.experiment.words
        (command,) = commands
        self.printed += 1
        return (*shlex.split(command), "--json")

    def _is_finished(self, ladder: Ladder) -> bool:
        """Return whether the command's run is finished: repeated, it would play the next one."""
        starts_anew = self.experiment.words[0] in ("run", "gate", "select")
        return starts_anew and query(ladder.db, FINISHED) != []

    def _ladder(self, name: str) -> Ladder:
        (self.folder / name).mkdir(parents=True)
        ladder = Ladder(self.folder / name)
        self.experiment.prepare(ladder)
        return ladder

    def _sleep(self, seconds: float, process: Any) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until and process.poll() is None:
            time.sleep(0.005)

    def _wait_gone(self, mark: str) -> None:
        begun = time.monotonic()
        while marked(mark):
            assert time.monotonic() - begun < 30, f"still there: {marked(mark)}"
            time.sleep(0.01)
        self.gone_s.append(time.monotonic() - begun)


def differences(quiet: Outcome, disturbed: Outcome, experiment: Experiment) -> list[str]:
    """Return what differs between the outcomes of a command and of its disturbed twin, in words."""
    found = [
        name
        for name in ("document", "rows", "steps", "files")
        if getattr(quiet, name) != getattr(disturbed, name)
    ]
    if disturbed.code not in (None, quiet.code):
        found.append(f"exit code {disturbed.code} instead of {quiet.code}")
    if not experiment.is_sequential and quiet.games.keys() != disturbed.games.keys():
        found.append(f"{len(disturbed.games)} games instead of {len(quiet.games)}")
    both = quiet.games.keys() & disturbed.games.keys()
    found += [f"game {key}" for key in both if quiet.games[key] != disturbed.games[key]]
    return found
