"""A late move is charged unless something that its bot cannot cause explains the delay."""

import subprocess
import sys

import pytest

from ladder.match.game.blame import LateMove, judge_late_move
from ladder.match.game.control import ControlMeasurement, measure_control
from ladder.match.process.cpu_wait import Stall
from tests.support.crowd import crowd_to_come

CALM = ControlMeasurement(elapsed_us=100_000, waited_us=1_000)
CROWDED = ControlMeasurement(elapsed_us=100_000, waited_us=90_000)


def late(stall: Stall, *, usual_us: int | None = None, alone: bool = False) -> LateMove:
    return LateMove(100_000, 50_000, stall, usual_us=usual_us, alone=alone)


def stall(**known: int) -> Stall:
    base = {"elapsed_us": 150_000, "bot_wait_us": 0, "harness_wait_us": 0, "used_us": 0}
    return Stall(**{**base, **known})


CASES = {
    "it slept": (late(stall(outside_us=150_000)), False, False),
    "others kept it from running": (late(stall(bot_wait_us=46_000, outside_us=46_000)), True, True),
    "others explain too little": (late(stall(bot_wait_us=60_000, outside_us=44_000)), False, True),
    "it waited too little": (late(stall(bot_wait_us=44_000, outside_us=90_000)), False, False),
    "it made its own wait": (late(stall(bot_wait_us=140_000, outside_us=2_000)), False, True),
    "others that are not seen": (late(stall(bot_wait_us=140_000)), False, True),
    "the referee waited": (late(stall(harness_wait_us=50_000, outside_us=50_000)), True, True),
    "it made the referee wait": (late(stall(harness_wait_us=150_000)), False, True),
    "the referee was stopped": (
        late(stall(elapsed_us=230_000, bot_wait_us=51_000, outside_us=51_000, stopped_us=80_000)),
        True,
        True,
    ),
    "the host took its processor": (late(stall(used_us=150_000, stolen_us=50_000)), True, True),
    "the host took too little": (late(stall(used_us=150_000, stolen_us=40_000)), False, False),
    "it always computes for longer": (
        late(stall(bot_wait_us=75_000, outside_us=75_000), usual_us=140_000),
        False,
        False,
    ),
    "it computes for as long as it may": (
        late(stall(bot_wait_us=75_000, outside_us=75_000), usual_us=104_000),
        True,
        True,
    ),
    "it alone is ever late": (
        late(stall(bot_wait_us=75_000, outside_us=75_000), alone=True),
        False,
        False,
    ),
    "it alone is late, and this time its host did it": (
        late(stall(stolen_us=60_000), usual_us=140_000, alone=True),
        True,
        True,
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_late_move_is_excused_as_far_as_others_used_the_processor(
    case: tuple[LateMove, bool, bool],
) -> None:
    """A wait counts as far as others used the processor, as measured or by a control."""
    move, excused, excused_in_a_crowd = case
    assert move.is_excused() is excused
    assert move.is_excused(CALM) is excused
    assert move.is_excused(CROWDED) is excused_in_a_crowd


def test_a_crowd_without_long_interruptions_explains_a_late_move() -> None:
    """What counts is the time that others took during a control, however short each turn was."""
    move = late(stall(bot_wait_us=140_000))
    assert move.to_explain_us == 45_000
    assert move.explains(ControlMeasurement(elapsed_us=100_000, waited_us=30_000))
    assert not move.explains(ControlMeasurement(elapsed_us=100_000, waited_us=29_000))


def test_a_control_is_measured_only_where_it_decides() -> None:
    """A bot that slept is charged at once, and one whose host stopped it is excused at once."""
    assert judge_late_move(CASES["it slept"][0], 10.0) == (False, None)
    assert judge_late_move(CASES["the host took its processor"][0], 10.0) == (True, None)
    verdict = judge_late_move(CASES["it made its own wait"][0], 0.01)
    assert verdict.control is not None
    assert verdict.control.elapsed_us >= 10_000


@pytest.mark.slow
def test_a_control_measures_other_programs() -> None:
    """With ten busy processes beside it the referee gets a small part of its processor."""
    with crowd_to_come() as crowd:
        crowd.come()
        control = measure_control(0.3)
    assert control.waited_us > control.elapsed_us // 2
    assert control.waited_us <= control.elapsed_us
    assert control.contended_us(100) == 100 * control.waited_us // control.elapsed_us


def test_a_stopped_referee_has_waited() -> None:
    """The time in which the referee was stopped counts as waiting."""
    code = (
        "import os, signal, subprocess, sys\n"
        "from ladder.match.game.control import measure_control\n"
        "wake = f'sleep 0.2; kill -CONT {os.getpid()}'\n"
        "subprocess.Popen(['sh', '-c', wake])\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.05)\n"
        "signal.signal(signal.SIGALRM, lambda *_: os.kill(os.getpid(), signal.SIGSTOP))\n"
        "control = measure_control(0.1)\n"
        "print(control.waited_us)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) >= 50_000
