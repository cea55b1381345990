"""Carrying the identities of built-in players over a change that moves or renames their code.

``python -m tests.bots.carry [FOLDER]`` plays every player with the current sources and with those
in FOLDER (default: the last commit), and writes `bots/carried.json`: a player that decides the same
in all games keeps its earlier identity, with its games and its rating; the others become new
revisions. Equal decisions do not prove equal speed: measure a changed kernel (``ladder bench
search``) before carrying its players over.
"""

import io
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

import msgspec

from bots.catalogue import VERSIONS
from bots.identity import CARRIED_FILE, Carried, carried, code_hash, files_hash
from engine.cache import ROOT

SCRIPT = Path(__file__).with_name("decisions.py")


class Decided(msgspec.Struct, frozen=True):
    """A player of one version of the sources."""

    identity: str
    files: dict[str, str]
    """The hashes of its sources by path."""
    decisions: str
    """A hash of its games."""


def decided(folder: Path) -> dict[str, Decided]:
    """Play the players of a copy of the sources in a separate process."""
    done = subprocess.run(
        [sys.executable, "-P", str(SCRIPT)],
        env={**os.environ, "PYTHONPATH": str(folder)},
        cwd=folder,
        check=True,
        stdout=subprocess.PIPE,
    )
    return msgspec.json.decode(done.stdout, type=dict[str, Decided])


def carry(
    former: Mapping[str, Decided], present: Mapping[str, Decided], known: Mapping[str, Carried]
) -> dict[str, Carried]:
    """Return the entries of the players that decide the same, by name; `known` are those before."""
    entries = {}
    for name, version in VERSIONS.items():
        then, now, code = former.get(name), present.get(name), code_hash(version)
        if then is None or now is None or then.decisions != now.decisions or then.identity == code:
            continue
        entry = known.get(name)
        older = entry.files if entry is not None and entry.identity == then.identity else ()
        entries[name] = Carried(
            code, then.identity, tuple(dict.fromkeys((*older, files_hash(then.files))))
        )
    return entries


def main() -> None:
    """Compare both versions, write the table, and print the players that are carried over."""
    with tempfile.TemporaryDirectory() as copy:
        if sys.argv[1:]:
            folder = Path(sys.argv[1]).resolve()
        else:
            folder = Path(copy)
            archive = subprocess.run(
                ["git", "archive", "HEAD", "engine", "bots"],
                cwd=ROOT,
                check=True,
                capture_output=True,
            ).stdout
            with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
                tar.extractall(folder, filter="data")
        former, present = decided(folder), decided(ROOT)
    entries = carry(former, present, carried())
    table = msgspec.json.format(msgspec.json.encode(entries), indent=1) + b"\n"
    (ROOT / CARRIED_FILE).write_bytes(table)
    changed = [name for name in present if name in former and name not in entries]
    changed = [name for name in changed if former[name].identity != code_hash(VERSIONS[name])]
    print(f"carried over: {', '.join(entries) or 'none'}")
    print(f"decide differently, and get a new revision: {', '.join(changed) or 'none'}")


if __name__ == "__main__":
    main()
