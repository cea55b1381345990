"""Typed decorators of numba, with a cache on disk (`engine.code_cache`)."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

import numba
import numba.core.typing.templates
import numba.extending
from numba.core import types
from numba.extending import intrinsic

from engine.code_cache import CodeCache, configure

# numba has only partial type information
njit: Any = numba.njit
templates: Any = numba.core.typing.templates
models: Any = numba.extending.models
register_model: Any = numba.extending.register_model
lower_builtin: Any = numba.extending.lower_builtin

F = TypeVar("F", bound=Callable[..., object])
KERNEL = {"error_model": "numpy", "nogil": True, "no_cfunc_wrapper": True}
"""numba's options for a kernel, which has an entry from Python and none from C."""
HELPER = {**KERNEL, "forceinline": True, "no_cpython_wrapper": True}
"""The same for a helper, which only kernels call: entries would take a sixth of the time to
compile."""


def numba_targets_another_cpu() -> bool:
    """Return whether numba is configured to compile for another processor."""
    return bool(
        getattr(numba.config, "CPU_NAME", None) or getattr(numba.config, "CPU_FEATURES", None)
    )


def kernel(function: F) -> F:
    """Compile a function to machine code on first use and cache it on disk."""
    return _cached(function)


def lean_kernel(function: F) -> F:
    """Compile a `kernel` that counts no references to arrays: it and its helpers allocate none.

    Counting takes a third of the time of a search that is divided into `lean` helpers.
    """
    return _cached(function, _nrt=False)


def inlined(function: F) -> F:
    """Compile a small helper into every kernel that calls it, without a cache entry."""
    return cast(F, njit(**HELPER)(function))


def lean(function: F) -> F:
    """Compile a helper as `inlined` does, for `lean_kernel`; it returns no array."""
    return cast(F, njit(**HELPER, _nrt=False)(function))


def _cached(function: F, **options: Any) -> F:
    configure()
    compiled = njit(**KERNEL, **options)(function)
    compiled._cache = CodeCache(function)  # as `cache=True` does with numba's own class
    return cast(F, compiled)


def instruction(
    result: types.Type, *arguments: types.Type | None
) -> Callable[[Callable[..., Any]], Any]:
    """Turn a function that emits LLVM instructions into one that kernels can call.

    The decorated function takes the instruction builder and an LLVM value for each of `arguments`,
    and returns an LLVM value of type `result`. None stands for an array of any type, which is given
    as the pointer to its first item.
    """

    def decorate(emit: Callable[..., Any]) -> Any:
        def typed(typing_context: Any, *given: Any) -> Any:  # noqa: ARG001 - numba's form
            def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
                parts = [
                    context.make_array(kind)(context, builder, value).data
                    if wanted is None
                    else value
                    for wanted, kind, value in zip(arguments, signature.args, values, strict=True)
                ]
                value = emit(builder, *parts)
                return context.get_dummy_value() if value is None else value

            if len(given) != len(arguments):
                return None
            kinds = [wanted or found for wanted, found in zip(arguments, given, strict=True)]
            return result(*kinds), lower

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
