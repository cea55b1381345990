"""Checks of a database: games against the rules, outcomes of pairs against the games."""

from collections.abc import Sequence

from db.errors import Corrupt
from db.records.games import GameQuery
from db.store import ServerState, Store
from engine.board import parse_board
from engine.position import Position
from engine.result import Termination
from ladder.experiments.stored import wrong_results
from ladder.match.game.adjudicator import TABLE_MIB, proof_of
from ladder.names import counted
from ladder.results.analysis.game import Solvers
from ladder.tools.doctor.machine import SHOWN, Diagnosis, Level

CHECK_NODES = 10_000_000
"""Node limit for solving the final position of an adjudicated game again; hardly ever reached."""
SLOW_S = 0.05
"""Round trip to a server above which storing pairs is slow."""


def examine_database(store: Store, *, repair: bool = False) -> list[Diagnosis]:
    """Check a database: its server or file, its rows, and the outcomes of its pairs.

    With `repair`, wrong outcomes are replaced by those of the games, unless pairs or games are
    wrong: then the right values are unknown.
    """
    server = store.audit.server()
    findings = [] if server is None else examine_server(server)
    findings += [
        Diagnosis("integrity", Level.FAULT, complaint) for complaint in store.audit.integrity()
    ] or [Diagnosis("integrity", Level.OK, "the database passes its own integrity check")]
    try:
        truth = _check_rows(store)
    except Corrupt as error:
        # The damage that the integrity check found makes the rest unreadable.
        return [*findings, Diagnosis("games", Level.FAULT, str(error))]
    if any(finding.level is not Level.OK for finding in truth):
        text = "neither checked nor repaired: bots, runs, pairs or games are wrong"
        return [*findings, *truth, Diagnosis("derived", Level.WARNING, text)]
    return [
        *findings,
        *truth,
        _check_archives(store, repair=repair),
        *_check_adjudicated(store),
        _check_derived(store, repair=repair),
        _check_results(store, repair=repair),
    ]


def examine_server(state: ServerState) -> list[Diagnosis]:
    """Check a PostgreSQL server: connection, rights, settings and locks."""
    text = f"PostgreSQL {state.version}, round trip {state.round_trip_s * 1000:.1f} ms"
    server = Diagnosis("server", Level.OK, text)
    if state.round_trip_s > SLOW_S:
        advice = "storing pairs waits for two round trips; run the coordinator near the server"
        server = Diagnosis("server", Level.WARNING, f"{text}: {advice}")
    rights = Diagnosis("rights", Level.OK, f"the role {state.user} can store games")
    if not state.may_write:
        rights = Diagnosis("rights", Level.WARNING, f"the role {state.user} can only read here")
    settings = Diagnosis("settings", Level.OK, "no harmful settings")
    if state.is_unsafe:
        text = "a crash of the server can lose games: set fsync, full_page_writes and "
        settings = Diagnosis("settings", Level.WARNING, f"{text}synchronous_commit to on")
    runs = ", ".join(f"run {run} by {who}" for run, who in sorted(state.runs.items()))
    locks = f"in play: {runs}" if runs else "no run is in play"
    return [server, rights, settings, Diagnosis("locks", Level.OK, locks)]


def _faults(topic: str, bad: Sequence[str], what: str, fine: str) -> Diagnosis:
    """Return a finding that lists the first few faults, or an OK finding if there is no fault."""
    if not bad:
        return Diagnosis(topic, Level.OK, fine)
    return Diagnosis(topic, Level.FAULT, f"{what} ({len(bad)}): {'; '.join(bad[:SHOWN])}")


def _check_rows(store: Store) -> list[Diagnosis]:
    """Check bots, runs, pairs and games by the rules that imports must follow, too."""
    audit, games = store.audit, sum(store.games.count_by_run().values())
    checks = (
        ("bots", audit.bots, "every bot can be read"),
        ("runs", audit.runs, "every run has its conditions"),
        ("pairs", audit.pairs, "every finished pair has its games, and no other pair has games"),
        ("games", audit.games, f"{games} games replay legally to their stored results"),
    )
    return [
        _faults(topic, [*check()], f"wrong {topic}; restore a backup", fine)
        for topic, check, fine in checks
    ]


def _check_archives(store: Store, *, repair: bool) -> Diagnosis:
    """Check the stored files of bots; with `repair`, remove those that no bot uses."""
    damaged = store.archives.damaged()
    if damaged:
        what = "bots' files that are damaged; add the bots again with --replace"
        return _faults("bot-files", damaged, what, "")
    unused = store.archives.remove_unused() if repair else store.archives.unused()
    if unused and repair:
        return Diagnosis(
            "bot-files", Level.OK, f"removed the files of {unused} bots that are not used"
        )
    if unused:
        text = f"the files of {unused} bots are not used any more: `--repair` removes them"
        return Diagnosis("bot-files", Level.WARNING, text)
    return Diagnosis("bot-files", Level.OK, "the files of all bots are as they were stored")


def _check_adjudicated(store: Store) -> list[Diagnosis]:
    """Solve the final positions of adjudicated games again, without help from earlier ones."""
    checked = undecided = 0
    contradictions: list[str] = []
    solvers = Solvers(TABLE_MIB)
    for game in store.games.stream(GameQuery(termination=Termination.ADJUDICATED)):
        position = Position.from_moves(parse_board(game.board), game.moves)
        solvers.begin_game()
        solver = solvers.on(position.board)
        found = proof_of(position, solver.solve(position, nodes=CHECK_NODES))
        checked += 1
        undecided += found is None
        if found not in (None, game.proof):
            contradictions.append(f"game {game.id} is a {found.text}, not a {game.detail}")
    if not checked:
        return []
    text = (
        f"{checked - undecided} of {checked} adjudicated games were solved again, with equal ends"
    )
    what = "adjudicated games that the solver contradicts; restore a backup"
    return [_faults("adjudicated", contradictions, what, text)]


def _check_results(store: Store, *, repair: bool) -> Diagnosis:
    """Judge the pairs of experiments again, and compare what their runs keep."""
    wrong = list(wrong_results(store))
    if not wrong:
        return Diagnosis("results", Level.OK, "the results of experiments are those of their pairs")
    shown = "; ".join(f"run {past.row.id}: {fact}" for past, fact, _ in wrong[:SHOWN])
    if repair:
        for past, _, right in wrong:
            store.runs.set_result(past.row.id, right)
        return Diagnosis("results", Level.OK, f"{counted(len(wrong), 'result')} repaired: {shown}")
    are = "is" if len(wrong) == 1 else "are"
    text = f"{counted(len(wrong), 'result')} {are} wrong: {shown}; run `ladder doctor --repair`"
    return Diagnosis("results", Level.FAULT, text)


def _check_derived(store: Store, *, repair: bool) -> Diagnosis:
    wrong = list(store.audit.outcomes())
    if not wrong:
        return Diagnosis(
            "derived", Level.OK, "the results and sums of pairs are those of their games"
        )
    shown = "; ".join(wrong[:SHOWN])
    if repair:
        pairs = store.audit.repair_outcomes()
        return Diagnosis("derived", Level.OK, f"{counted(pairs, 'pair')} repaired: {shown}")
    text = f"{len(wrong)} derived values are wrong: {shown}; run `ladder doctor --repair`"
    return Diagnosis("derived", Level.FAULT, text)
