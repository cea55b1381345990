"""`ladder doctor`: what this machine offers and what will go wrong."""

from pathlib import Path

from ladder.cli.database import open_store, open_to_read
from ladder.cli.options import DEFAULT_DATABASE, Database
from ladder.cli.output import print_result
from ladder.cli.run_options import BotOptions
from ladder.errors import ExitCode
from ladder.tools.doctor.database import examine_database
from ladder.tools.doctor.machine import Level, check_sandbox, examine_machine
from reports.outcomes import findings_document, findings_text


def doctor(
    *,
    db: Database = DEFAULT_DATABASE,
    repair: bool = False,
    upgrade: bool = False,
    options: BotOptions,
    json: bool = False,
) -> int:
    """Check this machine, and the database.

    Every stored game is checked against the rules, and all tables against the games. Ten probes are
    started as bots are, to see whether the sandbox keeps them from network, home and database.

    Exit codes: 0 no fault; 1 a fault; 2 bad input.

    Options:
      --repair: Correct the stored results of pairs by their games, and remove files that no bot
        uses.
      --upgrade: Migrate the database if an older version of the program wrote it. A file is
        migrated by any command that opens it to write.

    Example:
      ladder doctor
    """
    confinement = options.confinement()
    findings = examine_machine()
    if "://" in db or Path(db).exists():
        writes = repair or upgrade
        opened = open_store(db, create=False, upgrade=upgrade) if writes else open_to_read(db)
        with opened as store:
            findings += examine_database(store, repair=repair)
    file = None if "://" in db or not Path(db).exists() else db
    findings.append(check_sandbox(confinement, file))
    print_result(findings, findings_document, findings_text, json=json)
    broken = any(finding.level is Level.FAULT for finding in findings)
    return ExitCode.INTERNAL if broken else ExitCode.DONE
