"""Records are what frozen dataclasses with slots are, to whoever makes, compares, describes or sends them."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any

import pytest

from coderag.record import FEW, Deferred, deferred, ordered_record, record, replaced


@record
class Place:
    """A record as the package has them."""

    path: str
    line: int = 1
    labels: list[str] = field(default_factory=list)

    @property
    def shown(self) -> str:
        return f"{self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Oracle:
    """The same fields as a dataclass."""

    path: str
    line: int = 1
    labels: list[str] = field(default_factory=list)


@record
class Key:
    """A record that can be hashed."""

    name: str
    number: int


def test_a_record_is_made_from_positions_names_and_defaults() -> None:
    assert Place("a.py", line=3).shown == "a.py:3"
    assert Place("a.py") == Place(path="a.py", line=1, labels=[])
    assert Place("a.py").labels is not Place("a.py").labels


@pytest.mark.parametrize("made", [lambda kind: kind(), lambda kind: kind("a", 1, [], 2), lambda kind: kind("a", row=1)])
def test_wrong_arguments_raise_what_a_dataclass_raises(made: Callable[[Any], object]) -> None:
    with pytest.raises(TypeError) as expected:
        made(Oracle)
    with pytest.raises(TypeError) as raised:
        made(Place)
    assert str(raised.value) == str(expected.value).replace("Oracle", "Place")


def test_no_field_is_set_or_deleted() -> None:
    place: Any = Place("a.py")
    with pytest.raises(FrozenInstanceError):
        place.line = 2
    with pytest.raises(FrozenInstanceError):
        del place.line
    with pytest.raises(FrozenInstanceError):
        place.column = 2
    assert not hasattr(place, "__dict__")


def test_records_are_equal_by_class_and_values() -> None:
    assert Place("a.py") != Place("b.py")
    other: Any = Oracle("a.py")
    assert Place("a.py") != other
    assert len({Key("a", 1), Key("a", 1), Key("a", 2)}) == 2
    assert hash(Key("a", 1)) == hash(("a", 1))
    with pytest.raises(TypeError, match="unhashable"):
        hash(Place("a.py"))


def test_a_record_prints_and_matches_like_a_dataclass() -> None:
    assert repr(Place("a.py", 2)) == repr(Oracle("a.py", 2)).replace("Oracle", "Place")
    match Place("a.py", 2):
        case Place(path, 2):
            assert path == "a.py"
        case _:
            pytest.fail("no match")


def test_the_functions_of_dataclasses_know_a_record() -> None:
    place = Place("a.py", 2, ["x"])
    assert [one.name for one in fields(place)] == ["path", "line", "labels"]
    assert fields(place)[1].default == 1
    assert replace(place, line=5) == Place("a.py", 5, ["x"])
    assert asdict(place) == {"path": "a.py", "line": 2, "labels": ["x"]}
    assert is_dataclass(place)


@pytest.mark.parametrize("sent", [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_a_copy_is_equal(sent: Callable[[Place], Place]) -> None:
    assert sent(Place("a.py", 2, ["x"])) == Place("a.py", 2, ["x"])


def test_a_record_with_other_values_is_another_record() -> None:
    place = Place("a.py", 3)
    assert replaced(place, line=4) == replace(place, line=4) == Place("a.py", 4)
    assert place.line == 3
    assert replaced(Key("a", 1), number=2) == Key("a", 2)
    with pytest.raises(TypeError):
        replaced(place, column=1)


@ordered_record
class Version:
    """A record with an order."""

    major: int
    minor: int = 0


def test_ordered_records_compare_by_their_values_in_order() -> None:
    assert sorted([Version(2), Version(1, 9), Version(1)]) == [Version(1), Version(1, 9), Version(2)]
    assert Version(1) < Version(1, 1) <= Version(1, 1)
    assert Version(2) > Version(1, 1) >= Version(1, 1)
    with pytest.raises(TypeError):
        _ = Version(1) < Key("a", 1)  # type: ignore[operator]


def test_the_first_records_are_as_the_later_ones() -> None:
    """Whatever makes them: from some number of records on it is compiled."""

    @record
    class Point:
        x: int
        y: int = 0
        near: list[str] = field(default_factory=list)

    points = [Point(1, y=2) for _ in range(3 * FEW)]
    assert all(point == points[0] and point.near is not points[0].near for point in points[1:])
    assert Point(x=1) == Point(1, 0, [])
    assert Point.__init__.__name__ == "__init__"


@pytest.mark.parametrize("made", [lambda kind: kind(1, x=1), lambda kind: kind(1, z=1), lambda kind: kind()])
def test_the_first_record_refuses_wrong_arguments(made: Callable[[Any], object]) -> None:
    @record
    class Point:
        x: int
        y: int = 0

    with pytest.raises(TypeError, match="__init__"):
        made(Point)
    assert Point(1) == Point(1, 0)


@record
class Answer(Deferred):
    """A record of which fields may wait."""

    name: str
    length: int = 0
    letters: tuple[str, ...] = ()


def waiting(computed: list[str]) -> Answer:
    """Return the answer "ab", which notes whenever it is computed."""

    def compute() -> dict[str, Any]:
        computed.append("ab")
        return {"length": 2, "letters": ("a", "b")}

    return deferred(Answer("ab"), compute, fields=["length", "letters"])


@pytest.mark.parametrize(
    "read",
    [
        lambda answer: answer,
        lambda answer: pickle.loads(pickle.dumps(answer)),
        copy.copy,
        lambda answer: replace(answer, name="ab"),
        lambda answer: replaced(answer, name="ab"),
        lambda answer: Answer(**asdict(answer)),
    ],
)
def test_what_waits_is_as_if_it_had_been_given(read: Callable[[Answer], Answer]) -> None:
    whole = Answer("ab", 2, ("a", "b"))
    assert read(waiting([])) == whole
    assert hash(read(waiting([]))) == hash(whole)
    assert repr(read(waiting([]))) == repr(whole)


def test_what_waits_is_computed_once_and_when_it_is_read() -> None:
    computed: list[str] = []
    answer = waiting(computed)
    assert (answer.name, computed) == ("ab", [])
    assert (answer.letters, answer.length, computed) == (("a", "b"), 2, ["ab"])


def test_what_replaces_a_value_stays_when_others_are_computed() -> None:
    computed: list[str] = []
    answer = replaced(waiting(computed), length=7)
    assert computed == []
    assert answer == Answer("ab", 7, ("a", "b"))
    with pytest.raises(AttributeError, match="colour"):
        _ = answer.colour  # type: ignore[attr-defined]
