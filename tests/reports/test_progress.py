"""The live picture of a run on a terminal that is resized."""

import io
from itertools import count
from threading import Event

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rich.console import Console

from db.records.record import Wdl
from ladder.runs.live import LiveBot, LiveRun
from reports.layout.progress import LivePicture, LogLines, warn_when_slow
from reports.run import RunView
from tests.support.terminal import Terminal

BEFORE = ["$ seq 3", "1", "2", "3"]


def live_run(bots: int = 6, *, is_rated: bool = True) -> LiveRun:
    names = [f"bot-{number}" for number in range(bots)]
    return LiveRun(
        run_id=12,
        seed=7753164418993805,
        title="a, b, random pairs, 6x7, 100 ms a move",
        target_games=1000,
        games_before=0,
        bots={name: LiveBot(name, 1000 + 7.0 * len(name), Wdl(1234)) for name in names},
        is_rated=is_rated,
    )


class Watched:
    """A run shown on a terminal below the lines of a shell."""

    def __init__(self, width: int, height: int, *, bots: int = 6) -> None:
        self.live = live_run(bots)
        self.terminal = Terminal(width, height)
        for line in BEFORE:
            self.terminal.write(f"{line}\n")
        self.console = Console(
            file=self.terminal, force_terminal=True, width=width, height=height, color_system=None
        )
        self.display = LivePicture(self.console, RunView())
        self.display.started(self.live)

    def resize(self, width: int, height: int) -> None:
        self.terminal.resize(width, height)
        self.console.size = (width, height)  # type: ignore[assignment]
        self.display.warned(self.live, f"{width} x {height}")


@pytest.mark.parametrize("width", [40, 80, 120, 200])
def test_the_live_table_cuts_no_number(width: int) -> None:
    """Columns are left out instead, and every row is one line."""
    watched = Watched(width, 30)
    screen = watched.terminal.screen
    heads = next(row for row in screen if row.startswith("#")).split()
    assert heads[:3] == ["#", "bot", "elo"]
    assert ("forfeit" in heads) == (width >= 80)
    rows = [row for row in screen if "bot-" in row]
    assert len(rows) == 6
    for row in rows:
        assert row.split()[2] == "1035"
    assert "…" not in "".join(screen)


def test_an_unrated_run_shows_scores() -> None:
    """The picture has the results of the run, and no ratings."""
    live = live_run(2, is_rated=False)
    live.bots["bot-1"] = LiveBot("bot-1", results=Wdl(7, 0, 3))
    live.bots["bot-0"] = LiveBot("bot-0", results=Wdl(3, 0, 7))
    assert RunView().log(live) == "0/1000 games; bot-1 7-0-3, bot-0 3-0-7"
    output = io.StringIO()
    Console(file=output, width=100).print(RunView().picture(live, 100, 20))
    text = output.getvalue()
    assert "elo" not in text
    assert "1000" not in text.partition("bot")[2]
    assert "70.0%" in text


SIZES = st.tuples(st.integers(30, 150), st.integers(4, 40))


@pytest.mark.slow
@settings(deadline=None, max_examples=8)
@example([(30, 4), (30, 4), (30, 10), (69, 9)])
@given(st.lists(SIZES, min_size=1, max_size=8))
def test_no_frame_is_left_after_a_resize(sizes: list[tuple[int, int]]) -> None:
    """After any resizes there is one picture, and nothing of it is left at the end."""
    watched = Watched(80, 24)
    for width, height in sizes:
        watched.resize(width, height)
        screen = watched.terminal.screen
        assert sum("run 12, seed" in row for row in screen) == 1
        assert sum(row.split()[:2] == ["#", "bot"] for row in screen) <= 1
        assert len(screen) == height
    watched.resize(200, 40)
    watched.display.ended(watched.live)
    left = [row for row in watched.terminal.screen if row]
    assert left[: len(BEFORE)] == BEFORE
    assert left[len(BEFORE)].startswith("run 12, seed")
    assert left[len(BEFORE) + 1 : -1] == [f"warning: {w} x {h}" for w, h in [*sizes, (200, 40)]]
    assert left[-1] == "0/1000 games"


def test_bots_beyond_the_height_are_counted() -> None:
    """With more bots than lines, the leading bots and the number of others are shown."""
    watched = Watched(80, 15, bots=40)
    screen = watched.terminal.screen
    shown = sum("bot-" in row for row in screen)
    assert f"and {40 - shown} more" in screen


def test_a_log_line_without_new_numbers_is_left_out() -> None:
    """Lines in a file carry numbers that move."""
    output, live = io.StringIO(), live_run(2)
    lines = LogLines(Console(file=output, width=200), RunView(), every_s=0.0)
    for games in (0, 0, 2, 2):
        live.games_before = games
        lines.tick(live)
    assert [line.split()[0] for line in output.getvalue().splitlines()] == ["0/1000", "2/1000"]


@pytest.mark.parametrize("step", [0, 1])
def test_slow_work_is_noticed_once(step: int) -> None:
    """A hint on long work must not stand before work that is quick."""
    done, warned = count(step, step), Event()
    with warn_when_slow(warned.set, lambda: next(done), patience_s=0.001):
        assert warned.wait(5.0 if not step else 0.05) is not bool(step)


def test_the_title_of_a_run_on_the_default_boards_explains_them() -> None:
    """The title explains `thu`, as authors of other Connect Four bots expect 6x7."""
    live = live_run()
    live.title = "random, v1, random pairs, thu, 100 ms a move"
    assert "--boards standard plays 6x7" in RunView().title(live)[0]
    live.title = "random, v1, random pairs, 6x7, 100 ms a move"
    assert "--boards" not in RunView().title(live)[0]
