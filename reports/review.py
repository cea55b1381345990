"""Progress of the review of a game."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console, RenderableType

from bots.champion import CHAMPION
from ladder.results.analysis.review import ReviewProgress
from reports.layout.progress import display_for, progress_bar
from reports.replay import StoredGame


def review_status(state: ReviewProgress) -> str:
    """Return the progress in a line."""
    if state.is_compiling:
        return "compiling, once, which takes some 20 seconds"
    solved = f"{state.solved} of {state.positions} positions solved, {state.decided} decided"
    if not state.to_estimate:
        return solved
    return f"{solved}, {state.estimated} of {state.to_estimate} estimated by {CHAMPION}"


@contextmanager
def review_display(
    console: Console, game: StoredGame
) -> Iterator[Callable[[ReviewProgress], None]]:
    """Yield a function that shows the progress of a review while the block runs."""
    display = display_for(console, _ReviewView(game))
    state = ReviewProgress(0)

    def show(now: ReviewProgress) -> None:
        nonlocal state
        if state is not now:
            state = now
            display.started(state)
        display.tick(state)

    try:
        yield show
    finally:
        if state.positions:
            display.ended(state)


@dataclass(frozen=True, slots=True)
class _ReviewView:
    """A review as a `reports.layout.progress.View`."""

    game: StoredGame

    def title(self, state: ReviewProgress) -> Sequence[str]:
        """Return the work ahead."""
        return [f"game {self.game.id} on {self.game.board}: {state.positions} positions to analyze"]

    def status(self, state: ReviewProgress) -> str:
        """Return the progress in a line."""
        return review_status(state)

    log = status

    def ending(self, state: ReviewProgress) -> Sequence[str]:
        """Return the outcome."""
        return [review_status(state)]

    def picture(self, state: ReviewProgress, width: int, height: int) -> RenderableType:
        """Return a progress bar."""
        done = state.solved + state.estimated
        return progress_bar(done, state.positions + state.to_estimate, width)
