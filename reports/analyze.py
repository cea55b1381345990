"""Progress of analyses."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console

from bots.champion import CHAMPION
from ladder.names import counted
from ladder.results.analysis.division import DivisionMistakes
from ladder.results.analysis.review import ReviewProgress
from ladder.results.analysis.session import Progress, Watcher
from reports.layout.format import rough_duration, values_of
from reports.layout.progress import View, display_for
from reports.report.mistakes import mistakes_document


def analysis_document(state: Progress, made: DivisionMistakes | None) -> dict[str, Any]:
    """Return the document of `ladder analyze --json`; `state` is the progress of this call."""
    session = {
        **values_of(state, "asked", "games", "positions", "decided"),
        "left": state.waiting - state.games,
        "nodes": state.nodes,
        "left_out": {"unrated": state.unrated, "divisions": list(state.other_divisions)},
    }
    return {**mistakes_document(made), "session": session}


def analysis_watcher(console: Console) -> Watcher:
    """Return a live view if the console can redraw, else log lines."""
    return display_for(console, AnalysisView())


class AnalysisView(View[Progress]):
    """How to show an analysis."""

    def title(self, state: Progress) -> Sequence[str]:
        """Return the work ahead."""
        done = state.asked - state.waiting
        nodes = "" if state.nodes is None else f", {state.nodes:,} nodes a position"
        line = (
            f"{state.label}: {state.waiting:,} of {state.asked:,} games to analyse, "
            f"{done:,} are done{nodes}"
        )
        if state.unrated:
            line += (
                f"; left out: {state.unrated:,} games of matches and experiments, which "
                f"`ladder analyze --division {state.label}` includes"
            )
        if state.other_divisions:
            line += f"; other divisions: {', '.join(state.other_divisions)}"
        return [line]

    def status(self, state: Progress) -> str:
        """Return the progress and the time left, in a line."""
        share = state.decided / state.positions if state.positions else 0.0
        left = state.seconds_left
        return (
            f"{state.games:,} of {state.waiting:,} games, {share:.0%} of {state.positions:,} "
            f"positions decided, {'unknown time' if left is None else rough_duration(left)} left"
        )

    def ending(self, state: Progress) -> Sequence[str]:
        """Return the outcome of this call."""
        if state.stopped:
            counts = f"{state.games:,} of {state.waiting:,} games"
            return [f"stopped after {counts}: the same command resumes"]
        return [f"{counted(state.games, 'game', form=',')} analysed"]

    def done(self, state: Progress) -> tuple[int, int]:
        """Return the games analysed of those to analyse."""
        return state.games, state.waiting


def review_status(state: ReviewProgress) -> str:
    """Return the progress of a review in a line."""
    if state.is_compiling:
        return "compiling, once, which takes some 20 seconds"
    proven = f"{state.solved} of {state.positions} positions searched, {state.decided} proven"
    if not state.to_estimate:
        return proven
    return f"{proven}, {state.estimated} of {state.to_estimate} others estimated by {CHAMPION}"
