"""Kill parts of running ladders some hundred times, stop others, and compare what is stored.

    python -m benchmarks.kills --times 40

For each kind of process: SIGKILL at random moments, the same command given again until its games
are played, then every game is compared with that of a quiet run. Then SIGINT, SIGTERM and SIGHUP
at random moments, each followed by a second signal while the first is served. Any fault ends the
program with an AssertionError.
"""

import argparse
import random
import signal
import tempfile
import time
from pathlib import Path
from statistics import median

from tests.end_to_end.conftest import Ladder
from tests.end_to_end.disturbing import (
    BOT,
    COORDINATOR,
    SUPERVISOR,
    WORKER,
    DisturbedRun,
    serves_signals,
)
from tests.end_to_end.traces import faults_of, lines_of, marked

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def words(seed: int) -> tuple[object, ...]:
    """Return the arguments of a run of some seconds that depends on its seed alone."""
    return (
        "run", "--bots", "v4,flat-mc,random", "--simulations", "300", "--games", "100",
        "--seed", seed, "--concurrency", "2",
    )  # fmt: skip


def compare(disturbed: Path, quiet: Path) -> tuple[int, int]:
    """Return the number of games, and of those that ended by the crash of a killed bot.

    All others must be equal.
    """
    games, expected = lines_of(disturbed), lines_of(quiet)
    assert len(games) == len(expected)
    crashed = 0
    for game, same in zip(games, expected, strict=True):
        if game != same:
            assert game[:4] == same[:4], (game, same)
            assert same[4].startswith(game[4]), (game, same)
            assert game[6] == "crash", (game, same)
            crashed += 1
    return len(games), crashed


def disturb(kind: str, times: int, folder: Path, draw: random.Random) -> None:
    """Print one row of the table of kills."""
    (folder / "disturbed").mkdir(parents=True)
    (folder / "quiet").mkdir()
    disturbed = DisturbedRun(Ladder(folder / "disturbed"), words, draw, longest_s=4.0)
    disturbed.kill(*[kind] * times)
    quiet = Ladder(folder / "quiet")
    for seed in range(disturbed.seed):
        assert quiet(*words(seed), timeout=600).code == 0
    assert faults_of(disturbed.ladder.folder) == []
    assert disturbed.scratch_left() == []
    games, crashed = compare(disturbed.ladder.folder, quiet.folder)
    assert crashed == 0 or kind == BOT
    print(f"{disturbed.summary()}; {games} games equal but {crashed} crashes", flush=True)


def stop(times: int, folder: Path, draw: random.Random) -> None:
    """Send signals, each followed by a second one, at random moments."""
    (folder / "disturbed").mkdir(parents=True)
    (folder / "quiet").mkdir()
    ladder, quiet = Ladder(folder / "disturbed"), Ladder(folder / "quiet")
    disturbed = DisturbedRun(ladder, words, draw)
    mark = disturbed.mark()
    seed = 0
    ended_s, gone_s = [], []
    while len(ended_s) < times:
        process = ladder.start(*words(seed))
        while not serves_signals(process.pid):
            time.sleep(0.001)
        time.sleep(draw.uniform(0, 4))
        if process.poll() is not None:
            assert process.returncode == 0
            seed += 1
            continue
        begun = time.monotonic()
        process.send_signal(draw.choice(SIGNALS))
        time.sleep(draw.uniform(0, 0.2))
        process.send_signal(draw.choice(SIGNALS))
        done = ladder.finish(process)
        ended_s.append(time.monotonic() - begun)
        assert done.code in (0, 130), done
        assert "Traceback" not in done.err, done.err
        seed += done.code == 0
        while marked(mark):
            time.sleep(0.005)
        gone_s.append(time.monotonic() - begun)
    assert ladder(*words(seed), "--resume", timeout=600).code == 0
    for each in range(seed + 1):
        assert quiet(*words(each), timeout=600).code == 0
    assert faults_of(ladder.folder) == []
    assert disturbed.scratch_left() == []
    games, crashed = compare(ladder.folder, quiet.folder)
    assert crashed == 0
    print(
        f"{times} stops, two signals each: ended after {median(ended_s):.2f} s in the median, "
        f"{max(ended_s):.2f} s at worst; all gone after {max(gone_s):.2f} s at worst; "
        f"{games} games equal",
        flush=True,
    )


def main() -> None:
    """Print a row for each kind of disturbance."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--times", type=int, default=40, help="kills of each kind, and stops")
    parser.add_argument("--seed", type=int, default=1, help="of the random moments")
    parser.add_argument(
        "--only", choices=[COORDINATOR, WORKER, BOT, SUPERVISOR, "stop"], help="one row"
    )
    arguments = parser.parse_args()
    draw = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        for kind in (COORDINATOR, WORKER, BOT, SUPERVISOR):
            if arguments.only in (None, kind):
                disturb(kind, arguments.times, Path(folder, kind), draw)
        if arguments.only in (None, "stop"):
            stop(arguments.times, Path(folder, "stop"), draw)


if __name__ == "__main__":
    main()
