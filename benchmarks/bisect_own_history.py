"""A bisection of this project's own history with a planted regression.

    python -m benchmarks.bisect_own_history [FOLDER]

Clones this repository into FOLDER (default: a new temporary one, which stays), adds eight commits,
of which the fifth makes the player v18 explore ten times as much, and runs `ladder bisect` over
them. Each commit that is tested has its kernels compiled once, about a minute on one CPU; the same
command again resumes, and a finished one plays nothing. Needs git and a clone with its history.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMITS, PLANTED = 8, 5
TABLE = "bots/uct/versions.py"
BEFORE, AFTER = '{"c": 0.45, "endgame": 24}', '{"c": 4.5, "endgame": 24}'
IDENTITY = ("-c", "user.name=Nobody", "-c", "user.email=nobody@example.org")


def git(folder: Path, *words: str) -> None:
    """Run git; exit with its message when it fails."""
    subprocess.run(["git", *IDENTITY, *words], cwd=folder, check=True)


def plant(folder: Path) -> None:
    """Clone this repository into the folder and add eight commits."""
    git(ROOT, "clone", "--quiet", str(ROOT), str(folder))
    for number in range(1, COMMITS + 1):
        table, notes = folder / TABLE, folder / "NOTES.md"
        subject = f"Note {number}"
        if number == PLANTED:
            text = table.read_text(encoding="utf-8")
            assert BEFORE in text, f"{TABLE} has no row with {BEFORE} any more"
            table.write_text(text.replace(BEFORE, AFTER), encoding="utf-8")
            subject = "Explore more"
        with notes.open("a", encoding="utf-8") as file:
            file.write(f"{subject}\n")
        git(folder, "add", str(table), str(notes))
        git(folder, "commit", "--quiet", "--message", subject)


def main(folder: Path) -> int:
    """Plant the regression unless it is there, search for it and return the command's exit code."""
    clone = folder / "clone"
    if not clone.exists():
        plant(clone)
    print(f"in {clone}", flush=True)
    command = [
        sys.executable, "-c", "from ladder.cli.main import main; main()",
        "bisect", "builtin:v18", "--good", f"HEAD~{COMMITS}", "--bad", "HEAD",
        "--simulations", "200", "--max-drop", "50", "--seed", "1",
        "--db", str(folder / "bisect.db"),
    ]  # fmt: skip
    return subprocess.run(command, cwd=clone, check=False).returncode


if __name__ == "__main__":
    chosen = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="ladder-bisect-")
    sys.exit(main(Path(chosen).absolute()))
