"""Records: frozen values that fail as Python's own functions do."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.record import Record


class Point(Record):
    x: int
    y: int = 0
    label: str = ""


class Solid(Point):
    z: int = 7


class Empty(Record):
    """No field."""


@pytest.mark.parametrize("first", ["by position", "by name"])
def test_values_by_position_and_by_name_make_the_same(first: str) -> None:
    class Fresh(Record):
        x: int
        y: int = 0
        label: str = ""

    made = [Fresh(1, 2), Fresh(y=2, x=1)] if first == "by position" else [Fresh(y=2, x=1), Fresh(1, 2)]
    assert made[0] == made[1]
    assert [(one.x, one.y, one.label) for one in made] == [(1, 2, "")] * 2
    assert Fresh(1).as_dict() == Fresh(x=1).as_dict() == {"x": 1, "y": 0, "label": ""}


@pytest.mark.parametrize(
    ("args", "named", "message"),
    [
        ((), {}, "missing 1 required positional argument: 'x'"),
        ((1, 2, "a", 4), {}, "takes from 2 to 4 positional arguments but 5 were given"),
        ((1,), {"x": 2}, "multiple values for argument 'x'"),
        ((1,), {"z": 2}, "unexpected keyword argument 'z'"),
    ],
)
def test_a_wrong_call_fails_with_pythons_own_words(
    args: tuple[object, ...], named: dict[str, object], message: str
) -> None:
    for _ in range(2):
        with pytest.raises(TypeError, match=message):
            Point(*args, **named)  # type: ignore[arg-type]
    assert Point(1) == Point(1, 0, "")


def test_a_field_cannot_be_set_or_added_afterwards() -> None:
    point = Point(1)
    for name in ("x", "unknown"):
        with pytest.raises(AttributeError, match="frozen"):
            setattr(point, name, 2)
    assert point.x == 1


def test_a_subclass_has_its_parents_fields_first() -> None:
    assert Solid(1, 2, "a", 3).as_dict() == {"x": 1, "y": 2, "label": "a", "z": 3}
    assert Solid(1).z == 7
    assert Point(1, 2) == Point(1, 2)
    assert Solid(1) != Point(1)


def test_a_field_without_a_default_after_one_with_it_is_refused() -> None:
    class Odd(Record):
        x: int = 0
        y: int  # type: ignore[misc]

    with pytest.raises(SyntaxError):
        Odd(1)  # type: ignore[call-arg]


def test_replace_changes_what_it_names_and_refuses_what_is_no_field() -> None:
    assert Point(1, 2).replace(y=3) == Point(1, 3)
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        Point(1).replace(z=1)


def test_a_record_without_fields_is_a_value_too() -> None:
    assert Empty() == Empty()
    assert repr(Empty()) == "Empty()"


@given(st.integers(), st.integers(), st.text())
def test_equal_values_are_equal_hash_alike_and_show_themselves(x: int, y: int, label: str) -> None:
    one, other = Point(x, y, label), Point(label=label, y=y, x=x)
    assert one == other
    assert hash(one) == hash(other)
    assert eval(repr(one), {"Point": Point}) == one
    assert one != Point(x + 1, y, label)


def test_records_need_neither_dataclasses_nor_typing() -> None:
    code = (
        "import sys; sys.path[:] = sys.argv[1:]; import engram.record; "
        "print({'typing', 'dataclasses'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code, *sys.path], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.strip() == "set()"
