"""The keys of kernels: what changes them, and what does not."""

import ast
import re
from collections.abc import Mapping

import pytest

from benchmarks.kernel_edits import EDITS, Edit
from engine.cache import PACKAGES, read_sources
from engine.kernel_keys import keys_of, module_name

LANES = """
from engine.bits import ONE

def two(x: int) -> int:
    return x + ONE
"""
SMALL = {
    "engine/__init__.py": "",
    "engine/bits.py": "ONE = 1\n",
    "engine/lanes.py": LANES,
    "engine/solver/node.py": "import engine.lanes\nfrom . import word\n",
    "engine/solver/word.py": "from ..bits import ONE as SMALL\n",
    "bots/other.py": "X: int = 3\n",
}


def keys(**changes: str) -> dict[str, str]:
    """Return the keys of the small package with some files replaced (`engine_bits` for a path)."""
    paths = {path.removesuffix(".py").replace("/", "_"): path for path in SMALL}
    texts = {**SMALL, **{paths[name]: text for name, text in changes.items()}}
    return keys_of({path: text.encode() for path, text in texts.items()})


def changed(**changes: str) -> set[str]:
    """Return the modules whose keys change."""
    before, after = keys(), keys(**changes)
    assert before.keys() == after.keys()
    return {module for module, key in before.items() if after[module] != key}


DYNAMIC = {"import_module", "__import__", "exec", "eval"}
DEPENDENT = {"engine.bits", "engine.lanes", "engine.solver.node", "engine.solver.word"}


@pytest.mark.parametrize(
    ("changes", "modules"),
    [
        ({"engine_bits": "ONE = 2\n"}, DEPENDENT),
        ({"engine_bits": "ONE = 1\ndef unused(): ..."}, DEPENDENT),
        ({"engine_bits": "ONE = 1.0\n"}, DEPENDENT),
        ({"engine_bits": "ONE = (\n"}, DEPENDENT),
        ({"engine_bits": "ONE = 1\0"}, DEPENDENT),
        ({"engine___init__": "from engine import bits\n"}, DEPENDENT | {"engine"}),
        ({"engine_solver_word": "import engine"}, {"engine.solver.node", "engine.solver.word"}),
        ({"engine_bits": '"""Docs."""\n\n# why\nONE = 1\n"""More."""\n'}, set()),
        ({"bots_other": "X: float = 3  # another comment\n"}, set()),
        ({"engine_lanes": LANES.replace("int", "float")}, set()),
        ({"engine_lanes": LANES.replace("    return", '    "Add one."\n    return')}, set()),
        ({"engine_lanes": LANES.replace("    return", "    pass\n    return")}, set()),
    ],
    ids=lambda case: None if isinstance(case, set) else str(case),  # a set has no order
)  # fmt: skip
def test_a_key_changes_with_what_the_module_depends_on(
    changes: dict[str, str], modules: set[str]
) -> None:
    """Values, functions, imports and broken files count; docstrings, comments, types do not."""
    assert changed(**changes) == modules


def test_keys_name_the_modules() -> None:
    """Equal sources in other modules have other keys."""
    equal = keys_of({"engine/a.py": b"X = 1\n", "engine/b.py": b"X = 1\n"})
    assert equal["engine.a"] != equal["engine.b"]


def test_a_key_contains_those_of_other_packages() -> None:
    """A test's kernel is compiled anew when the key of what it calls changes, and then only."""
    source = {"tests/lanes.py": b"from engine.bits import ONE\n"}
    found = [
        keys_of(source, others={"engine.bits": bits, "engine.lanes": lanes})
        for bits, lanes in (("a", "a"), ("a", "b"), ("b", "a"))
    ]
    assert found[0] == found[1] != found[2]
    assert [*found[0]] == ["tests.lanes"]


@pytest.fixture(scope="module")
def sources() -> dict[str, bytes]:
    """Return the sources of this checkout."""
    return read_sources(PACKAGES)


def with_kernels(sources: Mapping[str, bytes]) -> set[str]:
    """Return the modules that have kernels."""
    decorator = re.compile(rb"^@(lean_)?kernel$", re.MULTILINE)
    return {module_name(path) for path, text in sources.items() if decorator.search(text)}


@pytest.mark.slow
@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.what)
def test_an_edit_compiles_exactly_what_depends_on_it(sources: dict[str, bytes], edit: Edit) -> None:
    """Only the named modules' kernels have another key after the edit."""
    edited = {**sources, edit.path: edit.apply(sources[edit.path].decode()).encode()}
    before, after = keys_of(sources), keys_of(edited)
    different = {module for module in with_kernels(sources) if before[module] != after[module]}
    assert different == edit.modules


@pytest.mark.slow
def test_no_kernel_depends_on_what_its_imports_do_not_name(sources: dict[str, bytes]) -> None:
    """What a kernel's module imports must be visible: no import by a computed name."""
    modules = with_kernels(sources)
    assert len(modules) == 17
    hidden = {
        module_name(path)
        for path, text in sources.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Name | ast.Attribute)
        and getattr(node, "id", getattr(node, "attr", ""))
        in {"import_module", "__import__", "exec", "eval"}
    }
    plain = {path: text for path, text in sources.items() if module_name(path) not in hidden}
    assert hidden
    before, after = keys_of(sources, modules), keys_of(plain, modules)
    assert before == after
