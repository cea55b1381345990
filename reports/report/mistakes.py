"""Mistakes of bots, as `analyze` and `report --mistakes` print them."""

from typing import Any

from ladder.names import counted
from ladder.results.analysis.division import DivisionMistakes
from ladder.results.analysis.mistakes import BotMistakes, Slips
from ladder.results.analysis.verdict import Claim
from reports.layout.fields import Field, columns_of
from reports.layout.format import csv_text, rounded, values_of
from reports.layout.listing import Listing, Titled
from reports.layout.table import Column

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


RATES = (
    Field("per_100", "mistakes/100", form=".2f", level=5),
    Field("error95", "±95 ", form=".2f", level=5),
    Field("unknown_share", "unknown", form=".1%", level=5),
)
"""The columns of mistakes that the rating list shows."""
MISTAKES = (
    Field("games", "games", form="d", level=3),
    Field("decisions", "decisions", form="d", level=2),
    Field("per_100", "mistakes/100", form=".2f"),
    Field("error95", "±95", form=".2f"),
    Field("unknown_share", "unknown", form=".1%"),
    Field("win_to_draw", "win>draw", form="d", level=1),
    Field("win_to_loss", "win>loss", form="d", level=1),
    Field("draw_to_loss", "draw>loss", form="d", level=1),
    Field(head="false proofs", form="d", text=lambda one, _: _proofs(one), level=1),
    Field(head="slower wins", form="d", text=lambda one, _: _slips(one.slower_wins), level=4),
    Field(head="faster losses", form="d", text=lambda one, _: _slips(one.faster_losses), level=4),
)
"""The columns of the table of mistakes."""
CSV_COLUMNS = (
    "name", "games", "moves", "decisions", "win_to_draw", "win_to_loss", "draw_to_loss", "per_100",
    "error95", "unknown_share", "false_proofs",
)  # fmt: skip


def mistakes_listing(made: DivisionMistakes | None) -> Listing:
    """Return the mistakes of all bots, and by plies left."""
    document = mistakes_document(made)
    rows = []
    for bot in document["bots"]:
        rates = {"per_100": bot["per_100"]["all"], "error95": bot["per_100"]["error95"]}
        rows.append([{**bot, **bot["mistakes"], **rates}[name] for name in CSV_COLUMNS])
    text = csv_text(CSV_COLUMNS, rows)
    if made is None:
        nothing = "no game of this division was analysed yet: run `ladder analyze`"
        return Listing(document=document, csv=text, remarks=[nothing])
    tables = [
        Titled("", mistakes_columns(made)),
        Titled("mistakes per 100 decisions, by plies left", left_columns(made)),
    ]
    return Listing(
        document=document,
        csv=text,
        headline=headline(made),
        tables=tables,
        remarks=remarks(made),
    )


def headline(made: DivisionMistakes) -> str:
    """Return the numbers of analysed games and positions in a line."""
    share = made.decided / made.positions if made.positions else 0.0
    return (
        f"{made.label}, {made.games:,} games analysed, {made.positions:,} positions, "
        f"{share:.1%} of them decided"
    )


def mistakes_columns(made: DivisionMistakes) -> list[Column]:
    """Return the columns of the table of mistakes, with a row per bot."""
    return [_names(made), *columns_of(MISTAKES, list(made.bots.values()))]


def _names(made: DivisionMistakes) -> Column:
    return Column("bot", list(made.bots), number=False)


def _proofs(one: BotMistakes) -> str:
    """Return the number of false claims over that of checked claims."""
    checked = sum(count for claim, count in one.claims.items() if claim is not Claim.UNKNOWN)
    return f"{one.false_proofs}/{checked}"


def _slips(slips: Slips) -> str:
    return f"{slips.moves}/{slips.of} ({counted(slips.plies, 'ply')})"


def left_columns(made: DivisionMistakes) -> list[Column]:
    """Return mistakes per 100 decisions: a row per bot, a column per range of plies left."""
    bins = {(one.first, one.last) for bot in made.bots.values() for one in bot.by_plies_left}
    return [
        _names(made),
        *(
            Column(
                f"{first}-{last}",
                [rate_before(bot, first) for bot in made.bots.values()],
                level=1 + place // 3,
            )
            for place, (first, last) in enumerate(sorted(bins))
        ),
    ]


def rate_before(bot: BotMistakes, first: int) -> str:
    """Return mistakes per 100 decisions with `first` plies left or some more."""
    for each in bot.by_plies_left:
        if each.first == first and each.decisions:
            return f"{100 * each.mistakes / each.decisions:.1f}"
    return "-"


def remarks(made: DivisionMistakes) -> list[str]:
    """Return sentences about lost games, about false proofs, and about the columns."""
    lines = []
    for name, one in made.bots.items():
        left = sorted(move.left for move in one.losing_moves)
        start = one.lost_from_start
        if left or start:
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
