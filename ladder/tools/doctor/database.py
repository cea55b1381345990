"""Checks of a database: its games against the rules, its derived tables against its games."""

from collections.abc import Sequence

from db.errors import Corrupt
from db.store import Store
from ladder.stats.sequential_elo import rate_pair
from ladder.tools.doctor.machine import SHOWN, Finding, Level


def examine_database(store: Store, *, repair: bool = False) -> list[Finding]:
    """Integrity, foreign triggers, pairs, every game by the rules, derived tables by the games.

    With `repair` the derived tables and live ratings are replaced by the recomputed ones, unless
    pairs or games themselves are wrong: then nothing tells what the right values are.
    """
    findings = [
        Finding("integrity", Level.FAULT, complaint) for complaint in store.audit.integrity()
    ] or [Finding("integrity", Level.OK, "the database passes its own integrity check")]
    try:
        truth = [_check_objects(store), *_check_rows(store)]
    except Corrupt as error:
        # What the integrity check has named keeps the pages from being read any further.
        return [*findings, Finding("games", Level.FAULT, str(error))]
    if any(finding.level is not Level.OK for finding in truth):
        text = "not looked at, nor repaired, while pairs or games are wrong"
        return [*findings, *truth, Finding("derived", Level.WARNING, text)]
    return [*findings, *truth, _check_derived(store, repair=repair)]


def _told(topic: str, bad: Sequence[str], what: str, fine: str) -> Finding:
    """A finding of some faults of one kind, the first few in full, or that there is none."""
    if not bad:
        return Finding(topic, Level.OK, fine)
    return Finding(topic, Level.FAULT, f"{what} ({len(bad)}): {'; '.join(bad[:SHOWN])}")


def _check_objects(store: Store) -> Finding:
    """Whether somebody has put triggers or views into the database."""
    return _told(
        "schema",
        store.audit.foreign_objects(),
        "triggers or views of another program, which may change what is stored: drop them",
        "no triggers, no views",
    )


def _check_rows(store: Store) -> list[Finding]:
    """Whether bots, runs, pairs and games keep the rules that imports are checked by, too."""
    audit, games = store.audit, sum(store.games.count_by_run().values())
    return [
        _told("bots", list(audit.bots()), "wrong bots, restore a copy", "every bot can be read"),
        _told(
            "runs",
            list(audit.runs()),
            "wrong runs, restore a copy",
            "every run has its conditions",
        ),
        _told(
            "pairs",
            list(audit.pairs()),
            "wrong pairs, restore a copy",
            "every finished pair has its two games, the others none",
        ),
        _told(
            "games",
            [*audit.games(), *audit.human_games()],
            f"wrong games among {games}, restore a copy",
            f"{games} games replay legally to their stored results",
        ),
    ]


def _check_derived(store: Store, *, repair: bool) -> Finding:
    differences = store.aggregate.rebuild(rate_pair, repair=repair)
    if not differences:
        text = "tables and live ratings equal those computed from the games"
        return Finding("derived", Level.OK, text)
    shown = "; ".join(
        f"{d.table}.{d.column} {d.key}: {d.stored} stored, {d.computed} computed"
        for d in differences[:SHOWN]
    )
    if repair:
        return Finding("derived", Level.OK, f"{len(differences)} values repaired: {shown}")
    text = f"{len(differences)} derived values are wrong: {shown}; repair with --repair"
    return Finding("derived", Level.FAULT, text)
