"""`ladder doctor`: what this machine offers and what will go wrong."""

from pathlib import Path
from typing import Annotated

import typer

from ladder.cli.options import DEFAULT_DATABASE, Database, Json, Sandbox


def doctor(
    db: Database = DEFAULT_DATABASE,
    repair: Annotated[
        bool, typer.Option("--repair", help="Recompute tables and ratings from the games.")
    ] = False,
    sandbox: Sandbox = None,
    json: Json = False,
) -> int:
    """Look at the machine, and at the database when there is one. Exit code 1 on a fault."""
    from ladder.cli.database import open_store, open_to_read
    from ladder.cli.output import print_out
    from ladder.cli.parsing import sandbox_of
    from ladder.doctor.database import examine_database
    from ladder.doctor.machine import (
        Level,
        check_reach,
        examine_machine,
    )
    from ladder.errors import ExitCode
    from reports.format import to_json

    prefix = sandbox_of(sandbox)
    findings = examine_machine()
    if "://" in db or Path(db).exists():
        with open_store(db, create=False) if repair else open_to_read(db) as store:
            findings += examine_database(store, repair=repair)
            if store.path is not None:
                findings.append(check_reach(str(store.path), prefix))
    if json:
        rows = [{"topic": f.topic, "level": f.level.value, "text": f.text} for f in findings]
        print_out(to_json(rows))
    else:
        for finding in findings:
            print_out(f"{finding.level.value:<8} {finding.topic:<10} {finding.text}")
    broken = any(finding.level is Level.FAULT for finding in findings)
    return ExitCode.INTERNAL if broken else ExitCode.DONE
