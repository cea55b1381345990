"""The table of a cluster's machines."""

from rich.console import Console

from ladder.runs.cluster.status import ClusterStatus
from reports.cluster.status import lending_line, print_status
from tests.support.data.cluster import a_cluster


def text_of(status: ClusterStatus, width: int = 120) -> str:
    console = Console(width=width, color_system=None)
    with console.capture() as capture:
        print_status(console, status)
    return capture.get()


def test_each_machine_has_a_line_with_what_it_plays() -> None:
    """Reasons of a run that the line does not show follow below, without control characters."""
    lines = text_of(a_cluster()).splitlines()
    assert lines[0] == "tls://lab1:8786: 3 machines, 8 of 12 slots lent, 1 run"
    assert lines[3].split()[:7] == ["lab1", "playing", "4", "run", "7:", "pairs", "17,"]
    assert lines[4].split()[:3] == ["lab2", "reserved", "0/4"]
    assert "leaves at" in lines[5]
    assert lines[7] == "run 7 (gate) of ann@lab1 in lab.db: 2 pairs in play on 1 machine"
    assert lines[8].startswith("lab1 in run 7: ready: it has no bot")
    assert "\x1b" not in lines[8]


def test_a_narrow_terminal_keeps_machines_and_states() -> None:
    """Columns of less importance are left out, and no line of the table is wider."""
    table = text_of(a_cluster(), width=40).splitlines()[2:6]
    assert table[0].split()[:3] == ["machine", "state", "slots"]
    assert max(map(len, table)) <= 40


def test_a_cluster_without_machines_names_the_command_that_lends_one() -> None:
    """There is no empty table."""
    assert "start `ladder worker" in text_of(ClusterStatus("tcp://lab1:8786", (), ()))


def test_a_change_says_what_is_lent_and_in_play() -> None:
    """One line for each worker of the machine."""
    assert [lending_line(each) for each in a_cluster().machines[:2]] == [
        "lab1 lends 4 of 4 slots; 2 pairs in play",
        "lab2 lends 0 of 4 slots: reserved by ann@lab1",
    ]
