"""The names that ``import engram`` gives are the ones it promises, each explained and typed."""

from __future__ import annotations

import inspect
import types
from typing import Any

import pytest

import engram


def public_names() -> set[str]:
    """Return what a reader of ``dir(engram)`` sees: no private names, no modules, no leftovers of the typing idiom."""
    return {
        name
        for name in dir(engram)
        if not name.startswith("_")
        and name not in {"annotations", "TYPE_CHECKING"}
        and not isinstance(getattr(engram, name), types.ModuleType)
    }


def callables() -> list[tuple[str, Any]]:
    """Return each public function, class and public method of a public class, by name."""
    found: list[tuple[str, Any]] = []
    for name in engram.__all__:
        value = getattr(engram, name)
        if callable(value):
            found.append((name, value))
        if inspect.isclass(value):
            found += [
                (f"{name}.{method}", function)
                for method, function in vars(value).items()
                if not method.startswith("_") and inspect.isfunction(function)
            ]
    return found


def test_all_equals_the_public_names() -> None:
    assert set(engram.__all__) - {"__version__"} == public_names()


def test_all_is_sorted_and_names_each_thing_once() -> None:
    assert list(engram.__all__) == sorted(set(engram.__all__))


@pytest.mark.parametrize(("name", "value"), callables(), ids=lambda value: value if isinstance(value, str) else "")
def test_each_public_name_has_a_docstring_of_its_own(name: str, value: Any) -> None:
    assert (value.__doc__ or "").strip(), f"{name} has no docstring"


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, value in callables() if inspect.isfunction(value)],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_each_public_function_has_types(name: str, value: Any) -> None:
    signature = inspect.signature(value)
    bare = [
        parameter.name
        for parameter in signature.parameters.values()
        if parameter.annotation is inspect.Parameter.empty and parameter.name not in {"self", "cls"}
    ]
    assert bare == []
    assert signature.return_annotation is not inspect.Signature.empty, f"{name} does not say what it returns"
