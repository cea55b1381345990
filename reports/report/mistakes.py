"""Mistakes of bots, as `analyze` and `report --mistakes` print them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ladder.names import counted
from ladder.results.analysis.division import DivisionMistakes
from ladder.results.analysis.mistakes import BotMistakes, Slips
from ladder.results.analysis.verdict import Claim
from ladder.results.standings.standings import BotStanding
from reports.layout.fields import Field, Medium, Table
from reports.layout.format import rounded, values_of
from reports.layout.terminal import Listing

PROOFS_NAMED = 20
"""Number of false proofs that text lists; JSON has all of them."""


def mistakes_document(made: DivisionMistakes | None) -> dict[str, Any]:
    """Return the document of `ladder analyze --json`."""
    if made is None:
        return {"division": None, "games": 0, "positions": 0, "decided": 0, "bots": []}
    return {
        "division": made.label,
        **values_of(made, "games", "positions", "decided"),
        "bots": [{"name": name, **_bot_document(made, name)} for name in made.bots],
    }


def mistakes_of_bot(made: DivisionMistakes | None, name: str) -> dict[str, Any] | None:
    """Return a bot's mistakes as plain data, or None if no game of it was analysed."""
    return None if made is None or name not in made.bots else _bot_document(made, name)


def _bot_document(made: DivisionMistakes, name: str) -> dict[str, Any]:
    """One bot's mistakes as plain data; docs/json.md describes every key."""
    one = made.bots[name]
    return {
        **values_of(one, "games", "moves", "decisions"),
        "mistakes": values_of(one, "win_to_draw", "win_to_loss", "draw_to_loss"),
        "per_100": {"all": rounded(one.per_100, 3), "error95": rounded(one.error95, 3)},
        "unknown": one.unknown,
        "unknown_share": rounded(one.unknown_share, 4),
        "false_proofs": one.false_proofs,
        "false_proof_moves": [
            values_of(proof, "game", "ply", "claim", "truth")
            for proof in made.false_proofs
            if proof.bot == name
        ],
        "claims": {claim.name.lower(): count for claim, count in one.claims.items()},
        "slower_wins": values_of(one.slower_wins, "moves", "plies", "of"),
        "faster_losses": values_of(one.faster_losses, "moves", "plies", "of"),
        **values_of(one, "lost_games", "lost_from_start"),
        "losing_moves": [
            values_of(move, "game", "ply", "left", "before") for move in one.losing_moves
        ],
        "by_plies_left": [
            {
                "from": each.first,
                "to": each.last,
                **values_of(each, "decisions", "mistakes", "unknown"),
            }
            for each in one.by_plies_left
        ],
    }


MISTAKES_KEY = "mistakes"
"""The key of a bot's mistakes in the rating list."""
ENOUGH = 0.1
"""Share of a bot's games from which their analysis stands in the rating list."""


@dataclass(frozen=True, slots=True)
class AnalysedBot:
    """A row of the table of mistakes."""

    name: str
    found: BotMistakes


def analysed_bots(made: DivisionMistakes) -> list[AnalysedBot]:
    """Return the rows of the table of mistakes."""
    return [AnalysedBot(name, found) for name, found in made.bots.items()]


def _field(key: str, head: str | None, form: str = "d", **options: Any) -> Field:
    """Return a field of `AnalysedBot` with a value of its mistakes."""
    return Field(
        key, head, form=form, only=Medium.TABLES | Medium.CSV, value=_value(key), **options
    )


def _value(key: str) -> Callable[[Any], Any]:
    return lambda bot: getattr(bot.found, key)


MISTAKES = (
    Field("name", "bot"),
    _field("games", "games", level=3),
    _field("moves", None),
    _field("decisions", "decisions", level=2),
    _field("win_to_draw", "win>draw", level=1),
    _field("win_to_loss", "win>loss", level=1),
    _field("draw_to_loss", "draw>loss", level=1),
    _field("per_100", "mistakes/100", ".2f", digits=3),
    _field("error95", "±95", ".2f", digits=3),
    _field("unknown_share", "unknown", ".1%", digits=4),
    _field("false_proofs", "false proofs", text=lambda bot, _: _proofs(bot.found), level=1),
    Field(head="slower wins", form="d", text=lambda bot, _: _slips(bot.found.slower_wins), level=4),
    Field(
        head="faster losses",
        form="d",
        text=lambda bot, _: _slips(bot.found.faster_losses),
        level=4,
    ),
)
"""The columns of the table of mistakes."""


def rates(
    made: DivisionMistakes | None, bots: Sequence[BotStanding], *, are_chosen: bool = False
) -> list[Field]:
    """Return the columns of mistakes for the rating list.

    Unless they are chosen, they show only bots of whose games at least a tenth was analysed: a few
    games measure nothing.
    """
    known = {} if made is None else made.bots
    shown = {
        bot.name: known[bot.name]
        for bot in bots
        if bot.name in known and (are_chosen or known[bot.name].games >= ENOUGH * bot.games)
    }
    columns = (
        ("analysed", "games", "d", None),
        ("mistakes/100", "per_100", ".2f", 3),
        ("its ±95", "error95", ".2f", 3),
        ("not judged", "unknown_share", ".1%", 4),
    )

    def value(key: str, bot: BotStanding) -> Any:
        return getattr(shown[bot.name], key) if bot.name in shown else None

    return [
        Field(
            f"{MISTAKES_KEY}_{key}",
            head,
            chosen_by=MISTAKES_KEY,
            only=Medium.TABLES | Medium.CSV if are_chosen else Medium.TABLES,
            value=partial(value, key),
            digits=digits,
            form=form,
            level=5,
        )
        for head, key, form, digits in columns
        if shown or are_chosen
    ]


def mistakes_listing(made: DivisionMistakes | None) -> Listing:
    """Return the mistakes of all bots, and by plies left."""
    document = mistakes_document(made)
    if made is None:
        nothing = "no game of this division was analysed yet: run `ladder analyze`"
        return Listing(document=document, csv=Table(MISTAKES, ()).csv(), remarks=[nothing])
    table = mistakes_table(made)
    return Listing(
        document=document,
        csv=table.csv(),
        headline=headline(made),
        tables=[table, left_table(made)],
        remarks=remarks(made),
    )


def headline(made: DivisionMistakes) -> str:
    """Return the numbers of analysed games and positions in a line."""
    share = made.decided / made.positions if made.positions else 0.0
    return (
        f"{made.label}, {made.games:,} games analysed, {made.positions:,} positions, "
        f"{share:.1%} of them decided"
    )


def mistakes_table(made: DivisionMistakes) -> Table:
    """Return the table of mistakes, with a row per bot."""
    return Table(MISTAKES, analysed_bots(made))


def _proofs(one: BotMistakes) -> str:
    """Return the number of false claims over that of checked claims."""
    checked = sum(count for claim, count in one.claims.items() if claim is not Claim.UNKNOWN)
    return f"{one.false_proofs}/{checked}"


def _slips(slips: Slips) -> str:
    return f"{slips.moves}/{slips.of} ({counted(slips.plies, 'ply')})"


def left_table(made: DivisionMistakes) -> Table:
    """Return mistakes per 100 decisions: a row per bot, a column per range of plies left."""
    return Table(
        (Field("name", "bot"), *left_fields(made)),
        analysed_bots(made),
        caption="mistakes per 100 decisions, by plies left",
    )


def left_fields(made: DivisionMistakes, head: str = "{}-{}") -> list[Field]:
    """Return a column for each range of plies left; `head` has places for its ends."""
    bins = {(one.first, one.last) for bot in made.bots.values() for one in bot.by_plies_left}
    return [
        Field(
            head=head.format(first, last),
            form=".1f",
            value=partial(_rate_before, first),
            level=1 + place // 3,
        )
        for place, (first, last) in enumerate(sorted(bins))
    ]


def _rate_before(first: int, bot: AnalysedBot) -> float | None:
    """Return mistakes per 100 decisions with `first` plies left or some more."""
    for each in bot.found.by_plies_left:
        if each.first == first and each.decisions:
            return 100 * each.mistakes / each.decisions
    return None


def remarks(made: DivisionMistakes) -> list[str]:
    """Return sentences about lost games, about false proofs, and about the columns."""
    lines = []
    for name, one in made.bots.items():
        left = sorted(move.left for move in one.losing_moves)
        start = one.lost_from_start
        if one.lost_games:
            by_mistake = f"{len(left)} by a known mistake"
            if left:
                middle = counted(left[len(left) // 2], "ply")
                by_mistake += (
                    f" with {middle} left"
                    if len(left) == 1
                    else f", half of them with {middle} left or fewer"
                )
            unknown = one.lost_games - len(left) - start
            lines.append(
                f"{name} lost {counted(one.lost_games, 'game')}: {by_mistake}, "
                f"{start} from the opening on, {unknown} for an unknown cause"
            )
    lines += [
        f"false proof: {proof.bot} claimed {proof.claim} in game {proof.game} at ply "
        f"{proof.ply}, the truth is {proof.truth}"
        for proof in made.false_proofs[:PROOFS_NAMED]
    ]
    if len(made.false_proofs) > PROOFS_NAMED:
        more = counted(len(made.false_proofs) - PROOFS_NAMED, "more false proof")
        lines.append(f"and {more}, all of them in JSON")
    lines.append(
        "sorted by mistakes/100 plus error; decisions: moves with a choice between keeping and "
        "worsening the result; unknown: share of the moves that could not be judged; false proofs: "
        "false claims over claims that could be checked"
    )
    return lines
