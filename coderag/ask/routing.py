"""A question to where its answer is looked for, by rules: words that ask, and what the index knows of the names in it.

who calls Cart.total?                  graph      a verb of the graph, and a name that it knows
how many orders were paid last month   data       words of SQL, and a table of that name
how is the repository organised        map        words for the whole
how do I restore a backup              documents  words for a task of the reader
where are failed payments retried      code
"""

from __future__ import annotations

import re
from collections.abc import Callable

from coderag.ask.records import Route
from coderag.ask.relations import relation_of
from coderag.ask.wording import names_in, stems_in
from coderag.graph.queries.overview import about_the_whole
from coderag.record import record
from coderag.text.tokens import split_identifier, stem

__all__ = ["KnownNames", "is_of_a_topic", "is_of_behavior", "routes_of", "tells_of_code"]


@record
class KnownNames:
    """What an index knows of the names in a question."""

    is_target: Callable[[str], bool]  # whether the graph has something of a name
    tables: frozenset[str] = frozenset()  # stems of the words of tables' names
    columns: frozenset[str] = frozenset()  # and of columns' names
    confidence: Callable[[str], float] = lambda _: 0.0  # of the best hit of a search for a text


IT = (
    r"repo(?:sitory)?|project|code\ ?base|code|sources?|application|app|program|system|service"
    r"|package|library|framework|tool"
)
IN_SHORT = r"(?:,?\ (?:in\ (?:short|brief|general|essence)|briefly|basically))?"
PARTS = "parts?|components?|modules?|packages?|pieces|areas|subsystems|layers|folders"
WHOLE = re.compile(
    rf"""\b(?:overview|architecture|big\ picture|high[- ]level)\b
      | \bwhat\ (?:does|is|do)\ (?:this|the)\ (?:\w+\ )?(?:{IT})(?:\ (?:do|about|for|all\ about))*{IN_SHORT}\ ?\??$
      | \bwhat\ (?:does|do)\ (?:this|the)\ (?:\w+\ )?(?:{IT})\ (?:consist\ of|contain|offer|provide)\ ?\??$
      | \bwhat\ (?:kind|sort|type)\ of\ (?:{IT})\ is\ (?:this|it)\b
      | \b(?:main|major|important|central|core|key|biggest)\ (?:\w+\ )?(?:{PARTS})\b
      | \bhow\ (?:is|are)\ (?:this|the|its)\ (?:\w+\ )?(?:{IT})
        \ (?:organi[sz]ed|structured|laid\ out|divided|built\ up|arranged|split)
      | \bwhere\ (?:should|do|would)\ (?:i|one|we)\ (?:start|begin)\b
      | \b(?:structure|layout|organi[sz]ation|outline|map|tour)\ of\ (?:this|the)\ (?:\w+\ )?(?:{IT})\b
      | \b(?:which|what)\ (?:{PARTS})\ (?:are|does|do|is|make|exist|matter)\b | \bwhat\ is\ in\ (?:this|the)\ (?:{IT})\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A topic, but all of it: "how does authentication work overall?"
OVERALL = re.compile(
    r"""^how\ (?:does|do|is|are)\ .{1,100}\ (?:overall|as\ a\ whole|in\ general|in\ broad\ terms|end\ to\ end)\ ?\??$
      | ^(?:overall|in\ general|broadly),?\ how\ (?:does|do|is|are)\ """,
    re.IGNORECASE | re.VERBOSE,
)
# Words for a text that somebody reads.
TEXTS = re.compile(
    r"""\b(?:readme|documentation|docs|(?:which|architecture|design)\ documents?
      |runbook|manual|guide|changelog|tutorial|handbook|release\ notes
      |contributing)\b""",
    re.IGNORECASE | re.VERBOSE,
)
# Tasks of the reader.
TASK = re.compile(
    r"""\bhow\ (?:do|can|should|would|must)\ (?:i|we|you|one|someone|an?\ \w+)\ \w+
      | \bhow\ to\ \w+ | \bget(?:ting)?\ started\b
      | \bwhat\ (?:should|must|do|can|shall)\ (?:i|we|one|an?\ \w+|the\ \w+)\ (?:do|check|try|look\ at|run)\b
      | \b(?:instructions|steps|prerequisites|requirements|command\ to|commands?\ (?:do|should)|licen[cs]e)\b
      | \b(?:which|what)\ commands?\b
      | \bwhy\ (?:did\ (?:we|they|the)|do\ we|was\ .{1,80}\bchosen|is\ there\ no)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
COLUMNS = r"tables?|columns?|views?|foreign\ keys?|primary\ keys?|indexes"
TABLES = re.compile(
    rf"""\b(?:which|what|list)\ (?:all\ )?(?:the\ )?(?:database\ )?(?:{COLUMNS})\b
      | \b(?:columns?|fields|schema|primary\ key|foreign\ keys?|rows?|definition)\ (?:of|in|from|on)\ (?:the\ )?\w+
      | \b(?:columns?|fields)\ (?:does|has)\b | \b(?:sql|query|select|join(?:ed)?|joins)\b
      | \btables?\ (?:hold|holds|store|stores|contain|contains|have|has|record|keep|for|are|is|with)\b
      | \btable\ \w+\ (?:holds?|stores?|contains?|have|has)\b
      | \bin\ (?:which|what)\ tables?\b | \bin\ the\ database\b | \bdatabase\ schema\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
PERIODS = "days?|weeks?|months?|quarters?|years?"
COUNTED = re.compile(
    rf"""\bhow\ many\b | \bnumber\ of\b | \bcount\ of\b
      | \b(?:total|sum|average|mean|median|top|bottom|highest|lowest|largest|smallest|most|least|fewest|latest)\b
      | \b(?:newest|oldest|biggest)\b | \b(?:more|fewer|less)\ than\b | \bhow\ (?:much|often)\b
      | \b(?:per|by|each|every)\ \w+ | \b(?:last|this|previous|past|next)\ (?:\d+\ )?(?:{PERIODS})\b
      | \b(?:in|since)\ (?:19|20)\d\d\b
      | \b(?:revenue|turnover|sales|percentage|share|ratio|distribution|breakdown)\b
      | \bwhich\ (?:\w+\ ){{1,2}}(?:have|has|had|were|was|are|never|did|bought|ordered|paid|placed|ran|cost|sold|sell)\b
      | \bwhich\ \w+(?:\ \w+)?\ (?:expire|expired|belong|contain)\b
      | \b(?:who|whose|that|which)\ (?:have|has|had|did|were|never|bought|ordered|paid|placed)\b
      | ^(?:list|show|give|find|all|every|get)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# What may ask for rows, where it names a table and more of the schema: "which events happened to a parcel".
ROWS = re.compile(r"^(?:what|which|who|whose)\b", re.IGNORECASE)
# What code does and rows do not: "how many times is X retried", "which function sums".
BEHAVIOR = re.compile(
    r"""\bhow\ many\ (?:times|seconds|minutes|hours|days|attempts|retries|bytes|characters|threads|workers)\b
      | ^(?:how|where|why|when)\ (?:is|are|does|do|was|were|did|can|will|should)\b
      | ^what\ (?:happens|does|decides|makes|sets|raises|checks|handles|computes|calculates|parses|sends|starts)\b
      | ^what\ (?:calls|keeps|guards|prevents|protects|limits|turns)\b
      | ^which\ (?:\w+\ )?(?:function|method|class|code|module|file|exception|error|handler|component|middleware)\b
      | \b(?:implemented|computed|calculated|defined|handled|validated|parsed|rounded|formatted|retried|configured)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "how generators are discovered", "how Monad composes effects": no question of the reader, but what some code does.
TOLD = re.compile(
    r"""^how\ (?!(?:to|do|does|did|is|are|was|were|can|could|should|would|will|must|may|much|many|often|high|safe|it
      |the|all|everything)\b)\w+""",
    re.IGNORECASE | re.VERBOSE,
)


def routes_of(question: str, known: KnownNames) -> tuple[Route, ...]:
    """Return the routes of a question, the main one first; code besides documents, and where nothing else fits."""
    relation = relation_of(question)
    if (
        relation is not None
        and known.is_target(relation.target)
        and (not relation.other or known.is_target(relation.other))
    ):
        return (Route.GRAPH,)
    if TEXTS.search(question):
        return (Route.DOCUMENTS, Route.CODE)
    if _is_of_the_whole(question):
        return (Route.MAP, Route.DOCUMENTS)
    if _is_of_data(question, known):
        return (Route.DATA,)
    if TASK.search(question):
        return (Route.DOCUMENTS, Route.CODE)
    return (Route.CODE,)


def _is_of_the_whole(question: str) -> bool:
    return about_the_whole(question) or bool(WHOLE.search(question) or is_of_a_topic(question))


def is_of_a_topic(question: str) -> bool:
    """Tell whether a question wants the overview of one topic rather than of everything."""
    return bool(OVERALL.search(question)) and not about_the_whole(question) and not WHOLE.search(question)


def is_of_behavior(question: str) -> bool:
    """Tell whether a question asks for what code does, and rows do not."""
    return bool(BEHAVIOR.search(question))


def tells_of_code(question: str) -> bool:
    """Tell whether a question is the description of some code: "how generators are discovered"; or a name alone."""
    return bool(TOLD.search(question)) or len(question.split()) == 1


def _is_of_data(question: str, known: KnownNames) -> bool:
    """Tell whether a question asks for rows, or for tables and how they are joined."""
    stems = stems_in(_without_code(question, known))
    tables, columns = stems & known.tables, stems & known.columns
    if not tables and not columns:
        return False
    if TABLES.search(question) and not TASK.search(question):
        return True
    if ROWS.search(question) and tables and len(tables | columns) > 1 and not BEHAVIOR.search(question):
        return True
    return bool(COUNTED.search(question)) and not BEHAVIOR.search(question)


def _without_code(question: str, known: KnownNames) -> str:
    """Return a question without the names in it that the graph knows, and that are not made of the schema's words."""
    of_data = known.tables | known.columns
    for name in names_in(question):
        pieces = {stem(piece) for part in re.split(r"\W+", name) for piece in split_identifier(part)}
        if not pieces <= of_data and known.is_target(name):
            question = question.replace(name, " ")
    return question
