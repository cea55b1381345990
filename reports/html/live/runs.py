"""A run in words: name, state and pace."""

from db.records.runs import RunKind, RunRow, RunStatus
from ladder.names import counted
from ladder.results.overview.overview import RunPace
from reports.layout.format import rough_duration


def run_name(row: RunRow) -> str:
    """Return the name of a run, such as ``ladder run 5`` or ``gate 3``."""
    kind = "ladder run" if row.kind is RunKind.LADDER else row.kind.value
    return f"{kind} {row.id}"


def resume_hint(entry: RunPace) -> str:
    """Return how to resume an interrupted run; empty for other runs."""
    row = entry.run.row
    is_short = row.target_games is None or entry.run.games < row.target_games
    if entry.run.status is not RunStatus.INTERRUPTED or not is_short:
        return ""
    how = "died" if entry.has_died else "was stopped"
    return f"The run {how} after {pace_words(entry)}: the command that started it resumes it."


def pace_words(entry: RunPace) -> str:
    """Return the number of games, the games per hour and the time left."""
    run = entry.run
    target = run.row.target_games
    words = [
        counted(run.games, "game", form=",d")
        if target is None
        else f"{run.games:,} of {target:,} games"
    ]
    if entry.games_an_hour is not None:
        words.append(f"{entry.games_an_hour:,.0f} games/hour")
    if entry.seconds_left is not None:
        words.append(f"{rough_duration(entry.seconds_left)} left")
    return ", ".join(words)
