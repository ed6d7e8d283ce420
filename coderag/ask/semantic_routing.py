"""A question to its route where no rule has a sign of one: the route whose examples mean nearly the same.

give me the lay of the land              map        "a map of the landscape"
blast radius of CouponBook.redeemable    graph      "the impact on the rest of the code", and the graph knows the name
the smallest part of the retry logic     code       nothing is nearer, or the search is sure of what it found

What is asked counts, not what about: names of code and of tables are left out of the comparison.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from heapq import nlargest
from pathlib import Path
from typing import TYPE_CHECKING

from coderag.ask.findings.neighbourhood import subject_of
from coderag.ask.records import Route
from coderag.ask.routing import KnownNames, is_of_behavior, routes_of, tells_of_code
from coderag.ask.wording import content_words, is_weak, names_in, stems_in
from coderag.encoders.static import shipped_encoder
from coderag.errors import EncoderError
from coderag.record import record
from coderag.text.tokens import split_identifier, stem

if TYPE_CHECKING:
    from coderag.encoders.encoder import Array

__all__ = ["LONGEST", "Routing", "route_similarities", "routing_of", "things_in"]

EXAMPLES = Path(__file__).with_name("route_examples.toml")
LONGEST = 400  # characters of a question that is compared; a longer one says what it is about
NEAREST = 3  # examples of a route whose mean similarity is that of the route
# Chosen by scripts/judge_routes.py on the half that is for tuning; of 321 questions about the code of 16 repositories,
# which all have their answer in code, four leave it.
MARGIN = 0.04  # cosine by which a route must be nearer than code
TIE = 0.04  # cosine within which two routes are equally likely
UNSURE = 0.3  # confidence of the best hit from which a question is taken to be about code
WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
TABLE = re.compile(r"\btable\ (\w{1,100})|\b(\w{1,100})\ table\b", re.IGNORECASE)
BESIDE: Mapping[Route, tuple[Route, ...]] = {Route.MAP: (Route.DOCUMENTS,), Route.DOCUMENTS: (Route.CODE,)}


@record
class Routing:
    """The routes of a question, the main one first, and why."""

    routes: tuple[Route, ...]
    why: str = ""  # "": by rules
    rivals: tuple[Route, ...] = ()  # main routes that are as likely, itself among them; () if none is

    @property
    def said(self) -> str:
        """What a trace says of it."""
        return f"{', '.join(self.routes)}{f' {self.why}' if self.why else ''}"

    def by(self, route: Route, why: str) -> Routing:
        """Return the routing with another main route."""
        return Routing(self.routes if route is self.routes[0] else _with_beside(route), why)


def routing_of(question: str, known: KnownNames) -> Routing:
    """Return the routes of a question by rules, and where these have no sign by the examples that are nearest."""
    routes = routes_of(question, known)
    if routes != (Route.CODE,) or len(question) > LONGEST or tells_of_code(question):
        return Routing(routes)
    if (subject := subject_of(question)) and known.is_target(subject):
        return Routing(routes)  # the neighbourhood of one thing answers it
    try:
        similarities = route_similarities(question, known)
    except EncoderError as error:
        return Routing(routes, f"by rules, as there is no encoder: {error}")
    nearest = max(similarities, key=lambda route: similarities[route])
    if not similarities[nearest]:
        return Routing(routes)
    allowed = _Allowed(question, known)
    best, of_code = similarities[nearest], similarities[Route.CODE]
    likely = [one for one in Route if best - similarities[one] <= TIE and (one is Route.CODE or allowed(one))]
    rivals = tuple(sorted(likely, key=lambda one: -similarities[one])) if len(likely) > 1 else ()
    if best - of_code < MARGIN or not allowed(nearest):
        return Routing(routes, rivals=rivals)
    return Routing(_with_beside(nearest), f"by examples ({nearest} {best:.2f}, code {of_code:.2f})", rivals)


def route_similarities(question: str, known: KnownNames) -> dict[Route, float]:
    """Return how near each route is to a question: the mean cosine of its nearest examples."""
    vector = shipped_encoder().encode_query(_without_names(question, known))
    return {
        route: sum(nlargest(NEAREST, (float(example @ vector) for example in examples))) / NEAREST
        for route, examples in _examples().items()
    }


def things_in(question: str) -> list[str]:
    """Return the names in a question that the graph may know: those that are written as code, and those of tables."""
    tables = (left or right for left, right in TABLE.findall(question))
    return list(dict.fromkeys((*names_in(question), *tables)))


class _Allowed:
    """Tells whether a route may be taken for a question; what the search says is looked up once, and only if needed."""

    def __init__(self, question: str, known: KnownNames) -> None:
        self._question, self._known = question, known
        self._names = names_in(question)
        self._is_unsure: bool | None = None

    def __call__(self, route: Route) -> bool:
        if route is Route.GRAPH:
            return any(map(self._known.is_target, things_in(self._question)))
        if route is Route.DATA:
            return (
                bool(self._known.tables)
                and not is_of_behavior(self._question)
                and (self._names_data() or self._unsure())
            )
        return not (route is Route.MAP and (self._has_topic() or self._names_a_table())) and self._unsure()

    def _names_data(self) -> bool:
        return bool(stems_in(self._question) & (self._known.tables | self._known.columns))

    def _names_a_table(self) -> bool:
        return bool(stems_in(self._question) & self._known.tables)

    def _has_topic(self) -> bool:
        """Tell whether the behaviour of something is asked for: "how is LDAP queried", not "where does all live"."""
        matter = (word for word in content_words(self._question) if not is_weak(word))
        return is_of_behavior(self._question) and any(matter)

    def _unsure(self) -> bool:
        if self._is_unsure is None:
            self._is_unsure = not self._names and self._known.confidence(self._question) < UNSURE
        return self._is_unsure


def _with_beside(route: Route) -> tuple[Route, ...]:
    return (route, *BESIDE.get(route, ()))


def _without_names(question: str, known: KnownNames) -> str:
    """Return the words of a question that are no names of code or of tables."""
    for name in names_in(question):
        question = question.replace(name, " ")
    words = WORD.findall(question)
    return " ".join(word for word in words if not any(stem(one) in known.tables for one in split_identifier(word)))


@cache
def _examples() -> Mapping[Route, tuple[Array, ...]]:
    """Return the vectors of the examples of each route."""
    encoder = shipped_encoder()
    read = tomllib.loads(EXAMPLES.read_text(encoding="utf-8"))
    return {route: tuple(encoder.encode_query(text) for text in read[route]) for route in Route}
