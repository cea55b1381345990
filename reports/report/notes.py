"""Notes on a rating list as sentences."""

from typing import assert_never

from ladder.names import counted
from ladder.results.standings import notes as found


def is_warning(note: found.Note) -> bool:
    """Return whether the reader must do something about a note."""
    return isinstance(note, found.NotConnected | found.RepeatedGames | found.PausedInRun)


def note_text(note: found.Note) -> str:
    """Return a note as a sentence without its full stop."""
    match note:
        case found.NoRatedGames():
            return "no rated games yet"
        case found.FormerRevisions(games):
            are = "is" if games == 1 else "are"
            return (
                f"{counted(games, 'game')} of former revisions {are} left out: their bots have "
                "changed since"
            )
        case found.NotConnected(names):
            return f"no games connect {', '.join(names)} with the other bots: no rating yet"
        case found.Shutouts(won, bounds):
            result, limit = ("won", "at least") if won else ("lost", "at most")
            named = ", ".join(f"{name} (rating {limit} {elo:.0f})" for name, elo in bounds)
            return f"bots that {result} every game: {named}, with 95 % confidence"
        case found.Misfit(chance, largest):
            return (
                f"one rating per bot does not fit these games (p {_chance_text(chance)}): the "
                f"largest deviation is {largest.a} against {largest.b}, {largest.points:g} points "
                f"of {largest.games:g} where the list expects {largest.expected:.1f}"
            )
        case found.RepeatedGames(distinct, games):
            return (
                f"only {distinct} of {games} games are distinct, and the errors count equal pairs "
                "once: longer openings give more distinct games"
            )
        case found.DelayedMoves(moves, share):
            which = "1 move was" if moves == 1 else f"{moves} moves were"
            return (
                f"{which} late because the host delayed the bot ({share:.1%} of the "
                "attempts at games); no bot was charged"
            )
        case found.PausedInRun(run, bots):
            named = "; ".join(
                f"{bot.name} {bot.reason} after {counted(bot.games, 'game')}" for bot in bots
            )
            return f"in run {run}, the latest, bots were paused: {named}"
        case found.RetiredLeftOut(bots):
            which = "1 retired bot is" if bots == 1 else f"{bots} retired bots are"
            return f"{which} left out of the list, but their games count"
        case found.RetiredOpponents(names):
            return f"games against retired opponents are left out: {', '.join(names)}"
        case found.PartShown(shown, ranked):
            return f"{shown} of {ranked} bots are shown; their ratings are among all bots"
    assert_never(note)


def _chance_text(chance: float) -> str:
    """Return a p-value, such as ``= 2.1%`` or ``< 0.1%``."""
    return f"= {chance:.1%}" if chance >= 0.001 else "< 0.1%"
