"""The files that Python scripts import from their own folder."""

import ast
from collections.abc import Sequence
from pathlib import Path


def find_local_modules(entries: Sequence[Path], import_folder: Path) -> list[Path]:
    """Return Python files and all files that they import from their own folder.

    Only import statements are read; files that are imported in other ways are not found.

    Args:
        entries: the files.
        import_folder: the folder that comes first on their import path.

    """
    found: set[Path] = set()
    waiting = list(entries)
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        for name in _find_imports(path, import_folder):
            waiting.extend(_find_imported_files(name, import_folder))
    return sorted(found)


def _find_imports(path: Path, import_folder: Path) -> list[str]:
    """Return every dotted name that a file's import statements may mean."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):  # for another Python, or wrong: its interpreter reports it
        return []
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = path.parent
                for _ in range(node.level - 1):
                    package = package.parent
                if not package.is_relative_to(import_folder):
                    continue
                above = ".".join(package.relative_to(import_folder).parts)
                base = ".".join(part for part in (above, base) if part)
            names.append(base)
            names += [f"{base}.{alias.name}" if base else alias.name for alias in node.names]
    return names


def find_module_files(name: str, folder: Path) -> list[Path]:
    """Return the files in a folder that `python -m NAME` runs."""
    package = folder.joinpath(*name.split("."), "__main__.py")
    return [*_find_imported_files(name, folder), *([package] if package.is_file() else [])]


def _find_imported_files(name: str, import_folder: Path) -> list[Path]:
    """Return the files in a folder that the import of a dotted name runs."""
    files = []
    place = import_folder
    for part in name.split("."):
        place = place / part
        for path in (place / "__init__.py", place.with_name(part + ".py")):
            if path.is_file():
                files.append(path)
                break
    return files
