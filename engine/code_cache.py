"""numba's cache of machine code, in folders that make it never outdated.

numba's own cache looks only at the file of a kernel: after an edit of a *called* function in
another file it would run the old code. Here each module's kernels have a folder that is named by
everything they depend on (`engine.kernel_keys`).
"""

import contextlib
import errno
import functools
import inspect
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, cast

import numba
import numba.core.caching
from numba.core import types

from engine.cache import (
    PACKAGES,
    cache_folder,
    fingerprint_of,
    is_used,
    read_sources,
    source_fingerprint,
)
from engine.kernel_keys import kernel_folder, module_of

caching: Any = numba.core.caching  # numba has only partial type information


class Locator(caching.UserProvidedCacheLocator):  # type: ignore[misc]
    """numba's locator of cached machine code, by a module's name and key.

    So neither the absolute path of the sources nor their times or line numbers matter.
    """

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """Return the folder for the kernels of one source, relative to numba's folder."""
        if module := module_of(py_file):
            return os.path.relpath(kernel_folder(module), cache_folder())
        # Nothing is known of the imports of a source elsewhere, but what is edited here.
        subpath = super().get_suitable_cache_subpath(py_file)
        return f"kernels/{subpath}-{source_fingerprint()}"

    def ensure_cache_path(self) -> None:
        """Make the folder if possible; numba would reject one that can only be read."""
        if not is_used(Path(self.get_cache_path())):
            with contextlib.suppress(OSError):
                Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)

    def get_source_stamp(self) -> str:
        """Return a stamp that is equal for equal copies of the sources."""
        return "" if is_ours(self._py_file) else cast(str, super().get_source_stamp())

    def get_disambiguator(self) -> str:
        """Return what tells kernels of one name apart: nothing, for none share it."""
        return "kernel" if is_ours(self._py_file) else cast(str, super().get_disambiguator())


class CodeCache(caching.FunctionCache):  # type: ignore[misc]
    """The machine code of a kernel on disk, which may be read-only, full or missing."""

    unsaved: ClassVar[list[OSError]] = []
    """What prevented this process from storing kernels, which others then compile again."""
    places: ClassVar[dict[tuple[str, str], str]] = {}
    """The folder of each kernel of this process, by its module and name."""

    def __init__(self, function: Callable[..., object]) -> None:
        super().__init__(function)
        name = function.__module__, function.__qualname__
        if is_ours(inspect.getfile(function)) and name in self.places:
            raise TypeError(
                f"two kernels of {name[0]} are called {name[1]}: their machine code would have one "
                "place; rename one"
            )
        self.places[name] = self.cache_path

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        """Return the key of one machine code of the kernel.

        The kernel's byte code stays out of it: the module's key has its tree, and a new docstring
        would change it. The names of fields are added: two tuples with fields of the same types
        in another order are equal for numba.
        """
        signature, target, (_, closure) = super()._index_key(signature, codegen)
        return signature, target, closure, tuple(map(_fields, signature))

    def load_overload(self, *arguments: Any) -> Any:
        """Return stored code, or None if it cannot be read."""
        with contextlib.suppress(OSError):
            return super().load_overload(*arguments)

    def save_overload(self, *arguments: Any) -> None:
        """Store code, or note why that failed."""
        try:
            if fingerprint_of(read_sources(PACKAGES)) != source_fingerprint():
                # What this process imported may be older than its keys, or newer.
                raise OSError(errno.ESTALE, "the sources changed while they were compiled")
            super().save_overload(*arguments)
        except OSError as error:
            self.unsaved.append(error)


@functools.cache
def configure() -> None:
    """Set numba's cache folder, which by default is `__pycache__` beside the sources."""
    settings = {
        "CACHE_DIR": str(cache_folder()),
        "CACHE_LOCATOR_CLASSES": f"{__name__}.{Locator.__name__}",
    }
    for name, value in settings.items():
        setattr(numba.config, name, value)  # absent from numba's types


def is_ours(file: str) -> bool:
    """Return whether a source belongs to this project's kernels, whose names are unique."""
    return (module_of(file) or "").partition(".")[0] in PACKAGES


def _fields(kind: Any) -> tuple[Any, ...]:
    """Return the names of the fields of a type, and of tuples in it."""
    if not isinstance(kind, types.BaseTuple):
        return ()
    return getattr(kind, "fields", ()), *map(_fields, cast(Any, kind).types)
