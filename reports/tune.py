"""A tuning in play."""

from collections.abc import Sequence

from rich.console import Console, RenderableType

from ladder.experiments.tune.parameters import Parameter
from ladder.runs.live import LiveRun, RunWatcher
from reports.layout.progress import display_for
from reports.run import RunView, status_line


def tuning_watcher(console: Console, parameters: Sequence[Parameter]) -> RunWatcher:
    """Return a live view if the console can redraw, else log lines."""
    return display_for(console, TuningView(parameters))


class TuningView(RunView):
    """How to show the steps of a tuning."""

    def __init__(self, parameters: Sequence[Parameter]) -> None:
        self._parameters = parameters

    def name(self, live: LiveRun) -> str:
        """Return the run, such as ``tuning run 3``."""
        return f"tuning {super().name(live)}"

    def status(self, live: LiveRun) -> str:
        """Return games played, speed, time left and the current values in one line."""
        values = ", ".join(
            f"{each.name} {each.text(live.estimate[each.name])}" for each in self._parameters
        )
        return f"{status_line(live)} before the gate; {values}"

    def log(self, live: LiveRun) -> str:
        """Return the status."""
        return self.status(live)

    def summary(self, live: LiveRun) -> list[str]:
        """Return the status."""
        return [self.status(live)]

    def picture(self, live: LiveRun, width: int, height: int) -> RenderableType:
        """Return a progress bar."""
        return self.bar(live, width)
