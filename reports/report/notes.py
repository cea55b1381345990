"""Notes on a rating list in words."""

from typing import assert_never

from ladder.results.standings import notes as found
from ladder.stats.pool.agreement import LargestDeviation


def note_text(note: found.Note) -> str:
    """Return a note as a sentence without its full stop."""
    match note:
        case found.NoRatedGames():
            return "no rated games yet"
        case found.FormerRevisions(games):
            return (
                f"{games} games of former revisions were left out: the code of their bots has "
                "changed since"
            )
        case found.NotConnected(names):
            return f"no games connect {', '.join(names)} with the others yet: not rated"
        case found.Shutouts(won, bounds):
            result, limit = ("won", "at least") if won else ("lost", "at most")
            named = ", ".join(f"{name} ({limit} {elo:.0f} Elo)" for name, elo in bounds)
            return f"{result} every game: {named}, 95 % sure"
        case found.Misfit(chance, largest):
            return (
                "one number per bot does not describe these games (chance "
                f"{chance_text(chance)} if it did): the largest surprise is {largest.a} against "
                f"{largest.b}, {largest.points:g} points of {largest.games:g} where the list "
                f"expects {largest.expected:.1f}"
            )
        case found.Circle(chance, cycle):
            round_trip = " beats ".join((*cycle.players, cycle.players[0]))
            return (
                f"the games go in a circle (chance {chance_text(chance)} if none did): "
                f"{round_trip} by more than any list can say"
            )
        case found.RepeatedGames(distinct, games):
            return (
                f"only {distinct} of {games} games are distinct: repeated games add no "
                "information; ask for longer openings with --opening-plies"
            )
        case found.DelayedMoves(moves, share):
            return (
                f"{moves} moves ({share:.1%} of the attempts at games) were asked again because "
                "the host delayed the bot; no bot was charged for them"
            )
        case found.SharedMachine(share):
            return (
                f"the machine was shared: bots computed for {share:.0%} of the time that their "
                "moves took and waited for the rest, so a move time beyond the budget is not the "
                "bot's own doing; lower --concurrency or stop other programs for times that can "
                "be compared"
            )
        case found.MachineDisagrees(machine, chance, surprise):
            return (
                f"the games of {machine} do not agree with the others' (chance "
                f"{chance_text(chance)} if they did){_surprise(surprise)}"
            )
        case found.RetiredLeftOut(bots):
            which = "1 retired bot is" if bots == 1 else f"{bots} retired bots are"
            return f"{which} left out, not their games: --retired shows them"
        case found.RetiredOpponents(names):
            return f"retired opponents are left out, --retired counts them: {', '.join(names)}"
        case found.PartShown(shown, ranked):
            return f"{shown} of {ranked} bots are shown: ranks and all other numbers are of all"
    assert_never(note)


def _surprise(surprise: LargestDeviation | None) -> str:
    if surprise is None:
        return ""
    return (
        f": {surprise.player} has {surprise.points:g} points of {surprise.games:g} there, where "
        f"the list expects {surprise.expected:.1f}"
    )


def chance_text(chance: float) -> str:
    """Return a small probability in words."""
    return f"{chance:.1%}" if chance >= 0.001 else "below 0.1%"
