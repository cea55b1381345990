"""Mistakes of bots, as `analyze` and `report --mistakes` print them, and progress of analyses."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Console, RenderableType

from bots.champion import CHAMPION
from db.records.games import GameRow
from ladder.names import counted
from ladder.results.analysis.division import DivisionMistakes, FalseProof
from ladder.results.analysis.game import ReviewProgress
from ladder.results.analysis.mistakes import BotMistakes, LeftBin, Slips
from ladder.results.analysis.session import Progress, Watcher
from ladder.results.analysis.verdict import Claim
from ladder.visible import visible
from reports.layout.format import csv_text, markdown_text, number, rounded, values_of
from reports.layout.progress import display_for, progress_bar
from reports.layout.table import Column, fit, to_markdown

PROOFS_NAMED = 20
"""Number of false proofs that text lists; JSON has all of them."""


def mistakes_document(made: DivisionMistakes | None) -> dict[str, Any]:
    """Return the document of `ladder analyze --json`."""
    if made is None:
        return {"division": None, "games": 0, "positions": 0, "decided": 0, "bots": []}
    return {
        "division": made.label,
        **values_of(made, "games", "positions", "decided"),
        "bots": [
            {"name": name, **bot_mistakes_document(one, _of(made.false_proofs, name))}
            for name, one in made.bots.items()
        ],
    }


def _of(proofs: Sequence[FalseProof], name: str) -> list[FalseProof]:
    return [proof for proof in proofs if proof.bot == name]


def bot_mistakes_document(one: BotMistakes, proofs: Sequence[FalseProof]) -> dict[str, Any]:
    """One bot's mistakes as plain data; docs/json.md describes every key."""
    return {
        **values_of(one, "games", "moves", "decisions"),
        "mistakes": values_of(one, "win_to_draw", "win_to_loss", "draw_to_loss"),
        "per_100": {"all": rounded(one.per_100, 3), "error95": rounded(one.error95, 3)},
        "unknown": one.unknown,
        "unknown_share": rounded(one.unknown_share, 4),
        "false_proofs": one.false_proofs,
        "false_proof_moves": [
            values_of(proof, "game", "ply", "claim", "truth") for proof in proofs
        ],
        "claims": {claim.name.lower(): count for claim, count in one.claims.items()},
        "slower_wins": values_of(one.slower_wins, "moves", "plies", "of"),
        "faster_losses": values_of(one.faster_losses, "moves", "plies", "of"),
        **values_of(one, "lost_games", "lost_from_start"),
        "losing_moves": [
            values_of(move, "game", "ply", "left", "before") for move in one.losing_moves
        ],
        "by_plies_left": [_left_document(each) for each in one.by_plies_left],
    }


def _left_document(each: LeftBin) -> dict[str, int]:
    return {
        "from": each.first,
        "to": each.last,
        **values_of(each, "decisions", "mistakes", "unknown"),
    }


def mistakes_of_bot(made: DivisionMistakes | None, name: str) -> dict[str, Any] | None:
    """Return a bot's mistakes as plain data, or None if no game of it was analysed."""
    one = None if made is None else made.bots.get(name)
    if made is None or one is None:
        return None
    return bot_mistakes_document(one, _of(made.false_proofs, name))


def rate_columns(made: DivisionMistakes | None, names: Sequence[str]) -> list[Column]:
    """Return the columns of mistakes that the rating list shows."""
    if made is None:
        return []
    found = [made.bots.get(name) for name in names]
    return [
        Column("mistakes/100", [_or_dash(one, "per_100") for one in found], level=5),
        Column("±95 ", [_or_dash(one, "error95") for one in found], level=5),
        Column(
            "unknown",
            ["-" if one is None else percent(one.unknown_share) for one in found],
            level=5,
        ),
    ]


def _or_dash(one: BotMistakes | None, name: str) -> str:
    return number(None if one is None else getattr(one, name), ".2f")


CSV_COLUMNS = (
    "name", "games", "moves", "decisions", "win_to_draw", "win_to_loss", "draw_to_loss", "per_100",
    "error95", "unknown_share", "false_proofs",
)  # fmt: skip


def mistakes_csv(made: DivisionMistakes | None) -> str:
    """Return the mistakes as comma-separated values with a header line."""
    rows = []
    for bot in mistakes_document(made)["bots"]:
        flat = {**bot, **bot["mistakes"], "per_100": bot["per_100"]["all"]}
        flat["error95"] = bot["per_100"]["error95"]
        rows.append([flat[name] for name in CSV_COLUMNS])
    return csv_text(CSV_COLUMNS, rows)


def mistakes_markdown(made: DivisionMistakes | None) -> str:
    """Return the mistakes as Markdown."""
    if made is None:
        return markdown_text(NOTHING) + "\n"
    parts = [markdown_text(headline(made)), to_markdown(mistakes_columns(made.bots.items()))]
    parts.append(to_markdown(left_columns(made)))
    return "\n\n".join([*parts, *map(markdown_text, remarks(made))]) + "\n"


NOTHING = "no game of this division was analysed yet: run `ladder analyze`"


def print_mistakes(console: Console, made: DivisionMistakes | None) -> None:
    """Print the table, the mistakes by plies left, and remarks."""
    if made is None:
        console.print(NOTHING)
        return
    console.print(visible(headline(made)), style="bold")
    console.print(fit(mistakes_columns(made.bots.items()), console.width).table())
    console.print("mistakes per 100 decisions, by plies left:", style="bold")
    console.print(fit(left_columns(made), console.width).table())
    for line in remarks(made):
        console.print(visible(line), highlight=False)


def headline(made: DivisionMistakes) -> str:
    """Return the numbers of analysed games and positions in a line."""
    share = made.decided / made.positions if made.positions else 0.0
    return (
        f"{made.label}, {made.games:,} games analysed, {made.positions:,} positions, "
        f"{share:.1%} of them decided"
    )


def mistakes_columns(bots: Iterable[tuple[str, BotMistakes]]) -> list[Column]:
    """Return the columns of the table of mistakes, with a row per bot."""
    rows = list(bots)
    of = [one for _, one in rows]
    return [
        Column("bot", [name for name, _ in rows], number=False),
        Column("games", [str(one.games) for one in of], level=3),
        Column("decisions", [str(one.decisions) for one in of], level=2),
        Column("mistakes/100", [number(one.per_100, ".2f") for one in of]),
        Column("±95", [number(one.error95, ".2f") for one in of]),
        Column("unknown", [percent(one.unknown_share) for one in of]),
        Column("win>draw", [str(one.win_to_draw) for one in of], level=1),
        Column("win>loss", [str(one.win_to_loss) for one in of], level=1),
        Column("draw>loss", [str(one.draw_to_loss) for one in of], level=1),
        Column("false proofs", [_proofs(one) for one in of], level=1),
        Column("slower wins", [_slips(one.slower_wins) for one in of], level=4),
        Column("faster losses", [_slips(one.faster_losses) for one in of], level=4),
    ]


def mistake_rows(made: DivisionMistakes, names: Sequence[str]) -> tuple[tuple[str, ...], ...]:
    """Return the table of mistakes transposed: a row per quantity, a cell per bot."""
    known = {name: one for name, one in made.bots.items() if name in names}
    columns = [*mistakes_columns(known.items()), *left_columns(replace(made, bots=known))[1:]]
    places = {name: place for place, name in enumerate(known)}
    heads = {each.head for each in left_columns(made)}
    return tuple(
        (
            f"with {column.head} plies left" if column.head in heads else column.head,
            *(str(column.cells[places[name]]) if name in places else "-" for name in names),
        )
        for column in columns
        if column.head != "bot"
    )


def percent(share: float | None) -> str:
    """Return a share in percent, or a dash for None."""
    return number(share, ".1%")


def _proofs(one: BotMistakes) -> str:
    """Return the number of false claims over that of checked claims."""
    checked = sum(count for claim, count in one.claims.items() if claim is not Claim.UNKNOWN)
    return f"{one.false_proofs}/{checked}"


def _slips(slips: Slips) -> str:
    return f"{slips.moves}/{slips.of} ({counted(slips.plies, 'ply')})"


def left_columns(made: DivisionMistakes) -> list[Column]:
    """Return mistakes per 100 decisions: a row per bot, a column per range of plies left."""
    ranges = sorted(
        {(each.first, each.last) for one in made.bots.values() for each in one.by_plies_left}
    )
    columns = [Column("bot", list(made.bots), number=False)]
    for place, (first, last) in enumerate(ranges):
        cells = []
        for one in made.bots.values():
            here = next((each for each in one.by_plies_left if each.first == first), None)
            rate = None if here is None or not here.decisions else here.mistakes / here.decisions
            cells.append(number(None if rate is None else 100 * rate, ".1f"))
        columns.append(Column(f"{first}-{last}", cells, level=1 + place // 3))
    return columns


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


class AnalysisView:
    """An analysis as a `reports.layout.progress.View`."""

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
            f"positions decided, {'unknown time' if left is None else _duration(left)} left"
        )

    log = status

    def ending(self, state: Progress) -> Sequence[str]:
        """Return the outcome of this call."""
        if state.stopped:
            counts = f"{state.games:,} of {state.waiting:,} games"
            return [f"stopped after {counts}: the same command resumes"]
        return [f"{counted(state.games, 'game', form=',')} analysed"]

    def picture(self, state: Progress, width: int, height: int) -> RenderableType:
        """Return a progress bar."""
        return progress_bar(state.games, state.waiting, width)


def review_status(state: ReviewProgress) -> str:
    """Return the progress in a line."""
    if state.is_compiling:
        return "compiling, once, which takes some 20 seconds"
    proven = f"{state.solved} of {state.positions} positions searched, {state.decided} proven"
    if not state.to_estimate:
        return proven
    return f"{proven}, {state.estimated} of {state.to_estimate} others estimated by {CHAMPION}"


@contextmanager
def review_display(console: Console, game: GameRow) -> Iterator[Callable[[ReviewProgress], None]]:
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

    game: GameRow

    def title(self, state: ReviewProgress) -> Sequence[str]:
        """Return the work ahead."""
        return [f"game {self.game.id} on {self.game.board}: {state.positions} positions to analyse"]

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


def _duration(seconds: float) -> str:
    minutes = round(seconds / 60)
    if minutes < 1:
        return f"{seconds:.0f} s"
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min"
