"""A tuning in play."""

from collections.abc import Sequence

from rich.console import Console, Group, RenderableType

from ladder.experiments.tune.parameters import Parameter
from ladder.runs.progress import LiveRun, RunWatcher
from reports.layout.progress import display_for, progress_bar
from reports.layout.table import Column, fit
from reports.run import RunView, status_line


def tuning_watcher(console: Console, parameters: Sequence[Parameter]) -> RunWatcher:
    """Return a live view if the console can redraw, else log lines."""
    return display_for(console, TuningView(parameters))


class TuningView(RunView):
    """The steps of a tuning as a `reports.layout.progress.View`."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self._parameters = parameters

    def name(self, live: LiveRun) -> str:
        """Return the run, such as ``tuning run 3``."""
        return f"tuning {super().name(live)}"

    def status(self, live: LiveRun) -> str:
        """Return games played, speed and time left in one line."""
        return f"{status_line(live)} before the gate"

    def summary(self, live: LiveRun) -> list[str]:
        """Return the status and the current values."""
        return [self.log(live)]

    def log(self, live: LiveRun) -> str:
        """Return the status and the current values."""
        values = ", ".join(
            f"{each.name} {each.text(live.estimate[each.name])}" for each in self._parameters
        )
        return f"{status_line(live)}; {values}"

    def picture(self, live: LiveRun, width: int, height: int) -> RenderableType:
        """Return a progress bar, and each parameter with its start and range."""
        shown = self._parameters[: max(0, height - 2)]
        columns = [
            Column("parameter", [each.name for each in shown], number=False),
            Column("start", [each.text(each.start) for each in shown]),
            Column("now", [each.text(live.estimate[each.name]) for each in shown]),
            Column("lowest", [each.text(each.low) for each in shown], level=1),
            Column("highest", [each.text(each.high) for each in shown], level=1),
        ]
        bar = progress_bar(live.total_games, live.target_games or 1, width)
        return Group(bar, fit(columns, width).table())
