"""Names to conditions on a turn, and to the keys by which its parts are told apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from coderag.ask.correcting.grading import graded
from coderag.ask.decomposition import decompose
from coderag.ask.records import Grade, Route
from coderag.ask.turn import Evidence, Turn
from coderag.ask.variants.proposing import UNSURE
from coderag.errors import QueryError
from coderag.record import record

__all__ = ["CONDITIONS", "KEYS", "Condition", "Key", "NamedCondition", "NamedKey", "condition_of", "key_of"]

Condition = Callable[[Turn], bool]
Key = Callable[[Evidence], str]
NOT = "not "
OF_ROUTE = "route:"


@record
class NamedCondition:
    """A condition as settings write it."""

    name: str
    test: Condition

    def __call__(self, turn: Turn) -> bool:
        """Tell whether a turn meets it."""
        return self.test(turn)


@record
class NamedKey:
    """What parts are told apart by, and all that it may be."""

    name: str
    of: Key
    values: frozenset[str]

    def __call__(self, part: Evidence) -> str:
        """Return the key of a part."""
        return self.of(part)


def condition_of(condition: str | Condition) -> Condition:
    """Return the condition of a name, "not" in front of it turned around; raises QueryError for an unknown one."""
    if not isinstance(condition, str):
        return condition
    if condition.startswith(NOT):
        name = condition.removeprefix(NOT).strip()
        test = _named(name)
        return NamedCondition(f"{NOT}{name}", lambda turn: not test(turn))
    return NamedCondition(condition, _named(condition))


def key_of(key: str | Key) -> Key:
    """Return the key of a name; raises QueryError for an unknown one."""
    if not isinstance(key, str):
        return key
    if key not in KEYS:
        raise QueryError(f"there is no branch by {key!r}; there are {', '.join(KEYS)}")
    return KEYS[key]


def _named(name: str) -> Condition:
    if name in CONDITIONS:
        return CONDITIONS[name]
    if name.startswith(OF_ROUTE) and (route := name.removeprefix(OF_ROUTE)) in set(Route):
        return lambda turn: any(route in part.routes for part in turn.evidence)
    routes = ", ".join(f"{OF_ROUTE}{route}" for route in Route)
    raise QueryError(f"there is no condition {name!r}; there are {', '.join(CONDITIONS)}, {routes}, each also with not")


def _is_compound(turn: Turn) -> bool:
    return len(turn.evidence) > 1 or len(decompose(turn.text)) > 1


def _is_found(turn: Turn) -> bool:
    return any(part.findings and part.grade is not Grade.INCORRECT for part in turn.evidence)


def _is_sufficient(turn: Turn) -> bool:
    return bool(turn.evidence) and all(_grade(turn, part) is Grade.CORRECT for part in turn.evidence)


def _is_ambiguous(turn: Turn) -> bool:
    return any(_grade(turn, part) is Grade.AMBIGUOUS for part in turn.evidence)


def _is_weak(turn: Turn) -> bool:
    best = (max((finding.confidence for finding in part.findings), default=0.0) for part in turn.parts)
    return any(confidence < UNSURE for confidence in best)


def _grade(turn: Turn, part: Evidence) -> Grade | None:
    """Return the grade of a part; where nobody gave it one, that of its hits, None without any."""
    if part.grade is not None or not part.hits:
        return part.grade
    return graded(turn, part).grade


CONDITIONS: Mapping[str, Condition] = {
    "ambiguous": _is_ambiguous,
    "compound": _is_compound,
    "found": _is_found,
    "has_conversation": lambda turn: bool(turn.conversation.exchanges),
    "has_model": lambda turn: turn.model is not None,
    "sufficient": _is_sufficient,
    "weak": _is_weak,
}
KEYS: Mapping[str, NamedKey] = {
    "grade": NamedKey("grade", lambda part: str(part.grade or ""), frozenset(map(str, Grade))),
    "route": NamedKey("route", lambda part: str(part.routes[0]) if part.routes else "", frozenset(map(str, Route))),
}
