"""Frozen records with slots: what `@dataclass(frozen=True, slots=True)` makes, for a tenth of its cost at import.

`dataclass` compiles six methods for each class; for the records that a search from a shell loads, that takes a sixth of
its time. Here the methods are shared, and only `__init__` is compiled, once a class has more than a few records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import MISSING, Field, FrozenInstanceError, field, fields, make_dataclass
from functools import cache
from operator import attrgetter, ge, gt, le, lt
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, dataclass_transform

__all__ = ["FEW", "Deferred", "deferred", "ordered_record", "record", "replaced"]

T = TypeVar("T")
D = TypeVar("D", bound="Deferred")

FEW = 20  # records of a class: to compile what makes them takes as long as to make this many without


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Return the class of frozen records whose fields are the annotations of a class.

    A default is a value or `field(default_factory=F)`. The functions of dataclasses take its objects for their own. A
    class that inherits fields or needs another option is for `dataclass`.
    """
    return _made_of(cls, METHODS)


@dataclass_transform(frozen_default=True, order_default=True, field_specifiers=(field,))
def ordered_record(cls: type[T]) -> type[T]:
    """Return the same class with an order, that of its values."""
    return _made_of(cls, METHODS | ORDER)


def _made_of(cls: type[T], methods: dict[str, Callable[..., Any]]) -> type[T]:
    own = vars(cls)
    names = tuple(cls.__annotations__)
    defaults = {name: own[name] for name in names if name in own}
    members = {name: value for name, value in own.items() if name not in {*names, "__dict__", "__weakref__"}}
    for name, method in methods.items():
        members.setdefault(name, method)
    members |= {"__slots__": names, "__match_args__": names, "__dataclass_fields__": _Fields(defaults)}
    members["__values__"] = attrgetter(*names)  # one of C, as records are compared in loops
    metaclass: Any = type(cls)
    made: Any = metaclass(cls.__name__, cls.__bases__, members)

    left = FEW

    def first_init(self: Any, /, *args: Any, **kwargs: Any) -> None:
        nonlocal left
        left -= 1
        if left < 0 or not _has_set(self, args, kwargs, defaults):
            made.__init__ = _compiled_init(made, defaults)
            made.__init__(self, *args, **kwargs)

    made.__init__ = first_init
    return made  # type: ignore[no-any-return]


class Deferred:
    """The base of records of which some fields may be computed when one of them is first read (`deferred`).

    Such a record equals one that was made with the same values, and is shown, copied and pickled like it.
    """

    __slots__ = ("_compute",)

    if not TYPE_CHECKING:  # or every attribute would exist

        def __getattr__(self, name: str) -> Any:  # of slots that are not set
            if name == "_compute" or name not in type(self).__slots__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            values = self._compute()
            for field_name, value in values.items():
                if not _is_set(self, field_name):
                    object.__setattr__(self, field_name, value)
            return object.__getattribute__(self, name)


def deferred(one: D, compute: Callable[[], dict[str, Any]], *, fields: Iterable[str]) -> D:
    """Return a record that was just made, of which `compute` gives the values of some fields when one of them is read.

    It is called once, or by several threads at the same time, so it must give the same each time. The fields have a
    default.
    """
    for name in fields:
        object.__delattr__(one, name)
    object.__setattr__(one, "_compute", compute)
    return one


def _is_set(one: Deferred, name: str) -> bool:
    try:
        object.__getattribute__(one, name)
    except AttributeError:
        return False
    return True


def replaced(one: T, **changes: Any) -> T:
    """Return a record with other values in some fields: `dataclasses.replace`, in a tenth of its time."""
    names = type(one).__slots__  # type: ignore[attr-defined]
    if isinstance(one, Deferred) and _is_set(one, "_compute"):
        known = {name: getattr(one, name) for name in names if name not in changes and _is_set(one, name)}
        left, compute = set(names) - known.keys() - changes.keys(), object.__getattribute__(one, "_compute")
        return deferred(type(one)(**known, **changes), compute, fields=left)
    values = _values(one) if len(names) != 1 else (_values(one),)
    if not changes.keys() <= _names_of(names):
        return type(one)(**(dict(zip(names, values, strict=True)) | changes))  # which says what is wrong
    return type(one)(*map(changes.get, names, values))


_names_of = cache(frozenset[str])


class _Fields:
    """The fields of a class as dataclasses describes them, from the first time that these are asked for."""

    def __init__(self, defaults: dict[str, Any]) -> None:
        self._defaults = defaults

    def __get__(self, instance: object, owner: Any) -> dict[str, Field[Any]]:
        described = {}
        for name, kind in owner.__annotations__.items():
            one: Any = copy(_template())
            one.name, one.type, default = name, kind, self._defaults.get(name, MISSING)
            if isinstance(default, Field):
                one.default_factory = default.default_factory
            else:
                one.default = default
            described[name] = one
        owner.__dataclass_fields__ = described
        return described


@cache
def _template() -> Field[Any]:
    """Return a field that dataclasses made, which has the mark that it knows fields by."""
    return fields(make_dataclass("Template", ["value"], init=False, repr=False, eq=False))[0]


def _has_set(self: Any, args: tuple[Any, ...], kwargs: dict[str, Any], defaults: dict[str, Any]) -> bool:
    """Set the slots of a record; False where the arguments do not fit, which a compiled `__init__` says in words."""
    names = type(self).__slots__
    values = dict(zip(names, args, strict=False)) | kwargs
    if len(values) != len(args) + len(kwargs) or not values.keys() <= set(names):
        return False
    for name in names:
        value = values[name] if name in values else defaults.get(name, MISSING)
        if value is MISSING:
            return False
        if name not in values and isinstance(value, Field):
            value = value.default_factory()  # type: ignore[operator]  # typed as one that may be missing
        object.__setattr__(self, name, value)
    return True


def _compiled_init(made: Any, defaults: dict[str, Any]) -> Callable[..., None]:
    """Return the `__init__` of a class, which sets each slot by its descriptor, as nothing else may."""
    scope: dict[str, Any] = {"MISSING": MISSING}
    parameters, lines = ["self"], []
    for name in made.__slots__:
        value, default = name, defaults.get(name, MISSING)
        if isinstance(default, Field):
            scope[f"make_{name}"] = default.default_factory
            value, default = f"make_{name}() if {name} is MISSING else {name}", MISSING
        if name in defaults:
            scope[f"default_{name}"] = default
        scope[f"set_{name}"] = getattr(made, name).__set__
        parameters.append(f"{name}=default_{name}" if name in defaults else name)
        lines.append(f"    set_{name}(self, {value})")
    exec(f"def __init__({', '.join(parameters)}):\n" + "\n".join(lines or ["    pass"]), scope)
    init: Callable[..., None] = scope["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    return init


def _values(self: Any) -> Any:
    return self.__values__(self)


def _equal(self: Any, other: object) -> bool:
    if type(other) is not type(self):
        return NotImplemented  # type: ignore[no-any-return]  # as typeshed has it
    same: bool = _values(self) == _values(other)
    return same


def _ordering(compare: Callable[[Any, Any], Any]) -> Callable[[Any, object], Any]:
    def method(self: Any, other: object) -> Any:
        if type(other) is not type(self):
            return NotImplemented
        return compare(_values(self), _values(other))

    return method


def _hash(self: Any) -> int:
    return hash(_values(self))


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
    return f"{type(self).__qualname__}({shown})"


def _refuse_set(_: Any, name: str, __: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_delete(_: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _get_state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in self.__slots__]


def _set_state(self: Any, state: Iterable[Any]) -> None:
    for name, value in zip(self.__slots__, state, strict=True):
        object.__setattr__(self, name, value)


METHODS: dict[str, Callable[..., Any]] = {
    "__delattr__": _refuse_delete,
    "__eq__": _equal,
    "__getstate__": _get_state,
    "__hash__": _hash,
    "__repr__": _repr,
    "__setattr__": _refuse_set,
    "__setstate__": _set_state,
}
ORDER = {f"__{compare.__name__}__": _ordering(compare) for compare in (lt, le, gt, ge)}
