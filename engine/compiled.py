"""Typed decorators of numba, and a cache of machine code that is never outdated.

`engine.cache` names the folder of that cache.
"""

import functools
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numba.core.caching
import numba.core.typing.templates
import numba.extending
from numba.core import types
from numba.extending import intrinsic as intrinsic

from engine.cache import PACKAGES, ROOT, cache_folder, is_shared, source_fingerprint

# numba has only partial type information
caching: Any = numba.core.caching
templates: Any = numba.core.typing.templates
models: Any = numba.extending.models
register_model: Any = numba.extending.register_model
lower_builtin: Any = numba.extending.lower_builtin

F = TypeVar("F", bound=Callable[..., object])

_InCacheFolder: Any = getattr(
    caching, "UserProvidedCacheLocator", getattr(caching, "_UserProvidedCacheLocator", object)
)


class Locator(_InCacheFolder):  # type: ignore[misc,unused-ignore]
    """numba's locator of cached machine code, by a source's path relative to the root.

    The cache folder is named by a hash of the sources, so their absolute paths and modification
    times do not matter.
    """

    @classmethod
    def from_function(cls, py_func: object, py_file: str) -> Any:
        """Return a locator for a kernel of this project, or numba's own for other functions."""
        if any(Path(py_file).is_relative_to(ROOT / package) for package in PACKAGES):
            return super().from_function(py_func, py_file)
        return _InCacheFolder.from_function(py_func, py_file)

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """Return the subfolder for the kernels of one source."""
        return ".".join(Path(py_file).relative_to(ROOT).with_suffix("").parts)

    def get_source_stamp(self) -> str:
        """Return a stamp that is equal for equal copies of the sources."""
        return source_fingerprint()


@functools.cache
def configure() -> bool:
    """Set numba's cache folder, and return whether it is writable.

    If it is not, kernels are not cached: numba would use `__pycache__` beside the sources, where an
    edit of a called function leaves outdated code.
    """
    folder = cache_folder()
    settings = {"CACHE_DIR": str(folder)}
    if is_shared():
        settings["CACHE_LOCATOR_CLASSES"] = f"{__name__}.{Locator.__name__}"
    for name, value in settings.items():
        setattr(numba.config, name, value)  # absent from numba's types
    return _can_keep_code(folder)


def _can_keep_code(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def numba_targets_another_cpu() -> bool:
    """Return whether numba is configured to compile for another processor."""
    return bool(
        getattr(numba.config, "CPU_NAME", None) or getattr(numba.config, "CPU_FEATURES", None)
    )


def kernel(function: F) -> F:
    """Compile a function to machine code on first use and cache it on disk (see `configure`)."""
    return cast(F, numba.njit(cache=configure(), error_model="numpy", nogil=True)(function))


def inlined(function: F) -> F:
    """Compile a small helper into every kernel that calls it, without a cache entry."""
    return cast(F, numba.njit(forceinline=True, error_model="numpy", nogil=True)(function))


def instruction(result: types.Type, *arguments: types.Type) -> Callable[[Callable[..., Any]], Any]:
    """Turn a function that emits LLVM instructions into one that kernels can call.

    The decorated function takes the instruction builder and an LLVM value for each of `arguments`,
    and returns an LLVM value of type `result`.
    """

    def decorate(emit: Callable[..., Any]) -> Any:
        def typed(typing_context: Any, *given: Any) -> Any:  # noqa: ARG001 - numba's form
            def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
                return emit(builder, *values)

            if len(given) != len(arguments):
                return None
            return result(*arguments), lower

        # numba reads the argument names from the signature, which `wraps` preserves
        return intrinsic(functools.wraps(emit)(typed))

    return decorate


def register_value(
    name: str, machine_type: Any, operators: Mapping[Callable[..., Any], str]
) -> Any:
    """Register a numba type for single LLVM values that exist only inside kernels.

    Args:
        name: the type's name in numba's messages.
        machine_type: its LLVM type.
        operators: Python's binary operators on such values, with the builder's method that emits
            each.

    """

    class Value(types.Type):  # type: ignore[misc,unused-ignore]
        pass

    class Model(models.PrimitiveModel):  # type: ignore[misc,unused-ignore]
        def __init__(self, manager: Any, numba_type: Any) -> None:
            super().__init__(manager, numba_type, machine_type)

    value = Value(name)
    register_model(Value)(Model)
    for function, method in operators.items():
        cases = [templates.signature(value, value, value)]
        typing = type("Typing", (templates.ConcreteTemplate,), {"cases": cases})
        templates.infer_global(function)(typing)
        lower_builtin(function, value, value)(_emitter(method))
    return value


def _emitter(method: str) -> Callable[..., Any]:
    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
        return getattr(builder, method)(*values)

    return lower
