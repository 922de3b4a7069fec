"""Frozen value types that cost nothing to import.

``dataclasses`` and ``typing`` each cost as much as starting the interpreter (``docs/decisions/0002-cold-start.md``),
and the value types here are imported on every prompt. A ``Record`` is what a frozen, slotted dataclass
would be: fields are the class's annotations, in order, with optional immutable defaults; type checkers see it as a
dataclass.

>>> class Point(Record):
...     x: int
...     y: int = 0
>>> Point(1)
Point(x=1, y=0)
>>> Point(1).replace(y=2) == Point(1, 2)
True
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self, dataclass_transform
else:

    def dataclass_transform(**_options: object) -> Callable[[type], type]:
        """Stand in for ``typing.dataclass_transform``, which only type checkers read."""
        return lambda cls: cls


__all__ = ["Record"]

# So many objects that are made by name are worth compiling an initializer; made by place they take an eighth as long.
_FEW = 40 * 8


@dataclass_transform(frozen_default=True)
class _RecordType(type):
    def __new__(mcs, name: str, bases: tuple[type, ...], namespace: dict[str, Any]) -> _RecordType:
        # A command makes dozens of these classes: plain loops, and all is given before the class is made, because to
        # change a class that is there costs more than to make it.
        fields = own = _annotated(namespace)
        defaults: dict[str, Any] = {}
        if bases:
            fields = getattr(bases[0], "_fields", ()) + own
            defaults |= getattr(bases[0], "_defaults", {})
        for field in own:
            if field in namespace:
                defaults[field] = namespace.pop(field)
        namespace["__slots__"] = own
        namespace["_fields"] = fields
        namespace["_defaults"] = defaults
        if fields:
            namespace["__init__"] = _first_init(fields, defaults)
        return super().__new__(mcs, name, bases, namespace)


def _annotated(namespace: dict[str, Any]) -> tuple[str, ...]:
    """Return the annotated names of a class body, in order."""
    if "__annotations__" in namespace:
        return tuple(namespace["__annotations__"])
    annotate = namespace.get("__annotate_func__") or namespace.get("__annotate__")
    # Python 3.14 keeps annotations behind a function (PEP 649); 4 asks for strings, which never fail to evaluate.
    return tuple(annotate(4)) if annotate else ()


def _first_init(fields: tuple[str, ...], defaults: dict[str, Any]) -> Any:
    """Return the initializer that a class begins with: it compiles nothing.

    Most classes that a command imports make no object or a few, and compiling takes as long as some thirty of them. The
    compiled initializer takes its place after some objects (``_FEW``), or with a mistake, for Python's own message.
    """
    setters: tuple[Any, ...] = ()
    few = _FEW

    def first(self: object, *args: Any, **named: Any) -> None:
        nonlocal few, setters
        few -= 8 if named else 1
        if not setters:
            setters = _setters(type(self), fields)
        for setter, value in zip(setters, args):  # noqa: B905 - as many of each, or fewer values
            setter(self, value)
        count = len(args)
        if not named and count == len(fields) and few > 0:
            return
        left = named.copy()
        try:
            for field, setter in zip(fields[count:], setters[count:]):  # noqa: B905 - as many of each
                setter(self, left.pop(field) if field in left else defaults[field])
            mistaken = left or count > len(fields)
        except KeyError:
            mistaken = True
        if few <= 0 or mistaken:
            compiled = _make_init(type(self), fields, defaults)
            type.__setattr__(type(self), "__init__", compiled)
            compiled(self, *args, **named)

    return first


def _setters(cls: type, fields: tuple[str, ...]) -> tuple[Any, ...]:
    return tuple([getattr(cls, field).__set__ for field in fields])


def _make_init(cls: type, fields: tuple[str, ...], defaults: dict[str, Any]) -> Any:
    scope: dict[str, Any] = {f"_set_{n}": setter for n, setter in enumerate(_setters(cls, fields))}
    scope |= {f"_default_{n}": defaults.get(field) for n, field in enumerate(fields)}
    parameters = ", ".join(f"{f}=_default_{n}" if f in defaults else f for n, f in enumerate(fields))
    body = "".join(f"\n    _set_{n}(self, {f})" for n, f in enumerate(fields))
    # Built as source so that a wrong or missing argument fails with Python's own message.
    exec(f"def __init__(self, {parameters}):{body}", scope)  # noqa: S102
    return scope["__init__"]


class Record(metaclass=_RecordType):
    """Base of the value types: immutable, compared and hashed by value."""

    def replace(self, **changes: Any) -> Self:
        """Return a copy with some fields changed.

        Raises:
            TypeError: for a name that is no field.
        """
        values = {field: getattr(self, field) for field in type(self)._fields}  # type: ignore[attr-defined]
        values.update(changes)
        return type(self)(**values)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields and their values, in order of declaration."""
        return {field: getattr(self, field) for field in type(self)._fields}  # type: ignore[attr-defined]

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: use replace({name}=…)")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.as_dict() == self.as_dict()

    def __hash__(self) -> int:
        return hash((type(self).__name__, *self.as_dict().values()))

    def __repr__(self) -> str:
        inner = ", ".join(f"{field}={value!r}" for field, value in self.as_dict().items())
        return f"{type(self).__name__}({inner})"
