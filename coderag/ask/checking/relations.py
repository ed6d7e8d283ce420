"""Relations that a sentence claims, "X calls Y", looked up in the graph and in the schema."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import dropwhile, pairwise

from coderag.ask.checking.evidence import Evidence
from coderag.ask.checking.mentions import Mention, MentionKind, last_part
from coderag.errors import CoderagError
from coderag.graph.queries.locations import DATA_KINDS, TYPE_KINDS, Location
from coderag.graph.queries.paths import GraphPath
from coderag.graph.queries.refs import Role
from coderag.record import record
from coderag.sql.records import Table
from coderag.text.inflection import singular
from coderag.text.tokens import words

__all__ = ["Relation", "RelationKind", "Truth", "find_relations", "look_up"]

MAX_RELATIONS = 20  # of one sentence
MAX_STEPS = 2  # of calls between what a sentence says to call and what is called
MAX_INDIRECT_STEPS = 12
MAX_SUBJECTS = 8  # definitions of one name that are looked at


class RelationKind(StrEnum):
    """How one name stands to another."""

    CALLS = "calls"
    READS = "reads"
    WRITES = "writes"
    DELETES = "deletes from"
    INHERITS = "inherits from"
    REFERS = "refers to"  # a foreign key, or a join over one


class Truth(StrEnum):
    """What graph and schema say of a relation."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"


@record
class Relation:
    """A relation that a sentence claims, with its words."""

    kind: RelationKind
    subjects: tuple[str, ...]  # of several that it may be about, the likeliest first
    object: str
    text: str
    column: str = ""  # that a join is over
    negated: bool = False
    indirect: bool = False  # "eventually", "through"


# The verbs, and the prepositions that may follow.
ACTIVE = {
    RelationKind.CALLS: r"(?:calls?|calling|invok(?:es?|ing)|delegat(?:es?|ing)\s(?:\w+\s)?to)",
    RelationKind.READS: r"(?:reads?(?:\sfrom)?|reading\sfrom|quer(?:ies|y)|selects?\sfrom|looks?\sup\s\w+\sin)",
    RelationKind.WRITES: (
        r"(?:writes?(?:\s(?:a|an|one|the)\s(?:new\s)?rows?)?(?:\s(?:in)?to)?|updates?|updating"
        r"|inserts?\s(?:(?:a|an|one|the)\s(?:new\s)?(?:rows?|records?)\s|rows?\s)?(?:in)?to|inserting\s(?:in)?to)"
    ),
    RelationKind.DELETES: r"(?:deletes?|removes?)\s(?:(?:the|all|its|old|expired)\s)?(?:\w+\s){0,2}from",
    RelationKind.INHERITS: (
        r"(?:inherits?\sfrom|extends|subclass(?:es)?(?:\sof)?|derives\sfrom|is\sa\s(?:direct\s)?(?:sub)?class\sof"
        r"|is\sderived\sfrom)"
    ),
    RelationKind.REFERS: (
        r"(?:references|refers\sto|points?\s(?:at|to)|joins?(?:\s(?:to|with|onto))?"
        r"|(?:is|are|gets?)\sjoined\s(?:to|with)|has\sa\sforeign\skey\s(?:to|on))"
    ),
}
PASSIVE = {
    RelationKind.CALLS: r"(?:is|are|gets?|being)\s(?:\w+\s){0,2}(?:called|invoked)\s(?:\w+\s)?(?:by|from)",
    RelationKind.READS: r"(?:is|are)\s(?:\w+\s){0,2}(?:read|queried)\s(?:by|from)",
    RelationKind.WRITES: r"(?:is|are)\s(?:\w+\s){0,2}(?:written|updated|filled)\s(?:to\s)?by",
    RelationKind.INHERITS: r"(?:is|are)\s(?:\w+\s){0,2}(?:inherited|extended|subclassed)\sby",
    RelationKind.REFERS: r"(?:is|are)\sreferenced\s(?:by|from)",
}
VERB = re.compile(
    "|".join(
        [f"(?P<passive_{kind.name}>\\b{words}\\b)" for kind, words in PASSIVE.items()]
        + [f"(?P<active_{kind.name}>\\b{words}\\b)" for kind, words in ACTIVE.items()]
    ),
    re.I,
)
NEGATION = re.compile(
    r"(?:\bnot|n['\u2019]t|\bnever|\bneither|\bno longer|\bwithout|\bnor|\brather than|\binstead of)\b", re.I
)
INDIRECT = re.compile(r"\b(?:eventually|ultimately|indirectly|ends up|through|via|transitively|in the end)\b", re.I)
HEDGED = re.compile(r"\b(?:would|could|should|may|might|if|unless|whether|when)\b", re.I)
TO_OBJECT = re.compile(
    r"\s*(?:(?:the|its|a|an|both|own|only|same|either|also|just|then|to|on|method|function|table|tables|class|view|helper|private|base|abstract|parent|column)\s+){0,4}$",
    re.I,
)
BETWEEN = re.compile(r"\s{0,9},?\s{0,9}(?:(?:and|or|then|and then)\s{1,9})?(?:(?:the|its)\s{1,9})?$", re.I)
END_OF_CLAUSE = re.compile(r"[;:.]|\b(?:which|whose|who|where|while|but|because|so that)\b", re.I)
TABLE_WORD = re.compile(
    r"\b(?:(?:the\s)?(?P<a>[a-z][a-z_]{2,40})\s(?:table|view)\b|(?:table|view)\s(?P<b>[a-z][a-z_]{2,40})\b)"
)
COLUMN = re.compile(r"\s{0,9}(?:table\s)?(?:on|over|by|via|through|using)\s(?:its\s|the\s)?$", re.I)


def find_relations(text: str, mentions: Sequence[Mention]) -> list[Relation]:
    """Return the relations between names that a sentence claims; what is hedged claims none."""
    names = sorted(
        [*(mention for mention in mentions if mention.kind is MentionKind.NAME), *_tables(text, mentions)], key=_start
    )
    covered = _without(text, names)
    relations: list[Relation] = []
    for verb in VERB.finditer(covered):
        relations += _of_verb(covered, verb, names)
        if len(relations) >= MAX_RELATIONS:
            break
    return relations[:MAX_RELATIONS]


def _start(mention: Mention) -> int:
    return mention.start


def _tables(text: str, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Yield the plain words that a sentence calls a table: "the orders table"."""
    for match in TABLE_WORD.finditer(text):
        group = "a" if match["a"] else "b"
        start, end = match.span(group)
        if match[group] not in ("the", "this", "that", "which", "same", "each") and not any(
            mention.start < end and start < mention.end for mention in mentions
        ):
            yield Mention(MentionKind.NAME, match[group], start, end)


def _without(text: str, names: Sequence[Mention]) -> str:
    """Return a text of the same length whose names are signs that no verb is."""
    signs = list(text)
    for name in names:
        signs[name.start : name.end] = "\x00" * (name.end - name.start)
    return "".join(signs)


def _of_verb(text: str, verb: re.Match[str], names: Sequence[Mention]) -> Iterator[Relation]:
    group = str(verb.lastgroup)
    kind = RelationKind[group.partition("_")[2]]
    before = [
        name for name in names if name.end <= verb.start() and not END_OF_CLAUSE.search(text[name.end : verb.start()])
    ]
    behind = [name for name in names if name.start >= verb.end()]
    if not before or not behind or not TO_OBJECT.match(text[verb.end() : behind[0].start]):
        return
    clause = text[before[-1].end : verb.start()]
    if HEDGED.search(text[before[0].end : verb.start()]):
        return
    objects = [behind[0]]
    for one, other in pairwise(behind):
        if not BETWEEN.match(text[one.end : other.start]):
            break
        objects.append(other)
    column = ""
    following = behind[len(objects) :]
    if kind is RelationKind.REFERS and following and COLUMN.match(text[objects[-1].end : following[0].start]):
        column = following[0].text
    negated, indirect = bool(NEGATION.search(clause)), bool(INDIRECT.search(text))
    subjects = tuple(dict.fromkeys(one.text for one in (before[-1], before[0])))
    for one in objects:
        is_passive = group.startswith("passive")
        actors, target = ((one.text,), subjects[0]) if is_passive else (subjects, one.text)
        yield Relation(kind, actors, target, f"{actors[0]} {kind} {target}", column, negated, indirect)


def look_up(relation: Relation, evidence: Evidence) -> Truth:
    """Return what graph and schema say; of several subjects that it may have, the best answer counts."""
    try:
        truths = [_truth(relation, subject, evidence) for subject in relation.subjects if subject != relation.object]
    except CoderagError:
        return Truth.UNKNOWN
    best = next((truth for truth in (Truth.SUPPORTED, Truth.UNKNOWN, Truth.CONTRADICTED) if truth in truths), None)
    if best is None:
        return Truth.UNKNOWN
    if not relation.negated:
        return best
    # Absence from the graph proves little, so a denial is only ever contradicted.
    return Truth.CONTRADICTED if best is Truth.SUPPORTED and not relation.indirect else Truth.UNKNOWN


def _truth(relation: Relation, subject: str, evidence: Evidence) -> Truth:
    if relation.kind is RelationKind.CALLS:
        return _calls(relation, subject, evidence)
    if relation.kind is RelationKind.INHERITS:
        return _inherits(subject, relation.object, evidence)
    if relation.kind is RelationKind.REFERS:
        return _refers(relation, subject, evidence)
    return _uses(relation, subject, evidence)


def _meant(name: str, evidence: Evidence) -> list[Location]:
    meanings = evidence.index.meanings(name)
    return [*meanings.chosen, *meanings.others][:MAX_SUBJECTS]


def _calls(relation: Relation, subject: str, evidence: Evidence) -> Truth:
    callers = [one for one in _meant(subject, evidence) if one.kind not in DATA_KINDS]
    called = [one for one in _meant(relation.object, evidence) if one.kind not in DATA_KINDS]
    if not callers or not called:
        return Truth.UNKNOWN
    most = MAX_INDIRECT_STEPS if relation.indirect else MAX_STEPS
    for way in evidence.index.path_between(subject, relation.object, k=3):
        if _is_calls(way, most):
            return Truth.SUPPORTED
    if any(_may_call(_body(caller, evidence), last_part(relation.object)) for caller in callers):
        return Truth.UNKNOWN
    return Truth.CONTRADICTED if all(_body(caller, evidence) for caller in callers) else Truth.UNKNOWN


def _is_calls(way: GraphPath, most: int) -> bool:
    """Tell whether a way leads from a definition, or from what it contains, over few calls alone."""
    hows = [step.how for step in dropwhile(lambda step: step.how == "contains", way.steps)]
    return not way.backwards and len(hows) <= most and all("call" in how or "overr" in how for how in hows)


def _may_call(body: str, name: str) -> bool:
    """Tell whether code calls something of a name, reaches it as a member, or hands it on; prose does not."""
    word = re.escape(name)
    used = rf"(?:\.|->|::|&|@)\s?{word}\b|\b{word}\s?[(<!`]|[(,=\[:]\s?{word}\s?(?:[,)\];]|$)"
    return re.search(used, body, re.MULTILINE) is not None


def _inherits(subject: str, base: str, evidence: Evidence) -> Truth:
    below, above = _types(subject, evidence), _types(base, evidence)
    if not below or not above:
        return Truth.UNKNOWN
    if last_part(subject) in map(last_part, _role_names(base, (Role.HEIRS,), evidence)):
        return Truth.SUPPORTED
    for way in evidence.index.path_between(subject, base):
        if not way.backwards and all(step.how in ("inherits", "implements") for step in way.steps):
            return Truth.SUPPORTED
    heads = [evidence.text(one.path, one.line, one.line + 3) for one in below]
    known = any(last_part(base) in words(head) for head in heads)
    return Truth.UNKNOWN if known else Truth.CONTRADICTED


def _uses(relation: Relation, subject: str, evidence: Evidence) -> Truth:
    """Look up whether code reads, writes or deletes from a table or one of its columns."""
    tables = [one for one in _meant(relation.object, evidence) if one.kind in DATA_KINDS]
    users = [one for one in _meant(subject, evidence) if one.kind not in DATA_KINDS]
    if not tables or not users:
        return Truth.UNKNOWN
    table = tables[0].name.partition(".")[0] if tables[0].kind == "column" else relation.object
    roles = {
        RelationKind.READS: (Role.READERS, Role.VIEWS, Role.QUERIES, Role.ROUTINES, Role.TESTS),
        RelationKind.WRITES: (Role.WRITERS, Role.DELETERS, Role.ROUTINES, Role.TESTS),
        RelationKind.DELETES: (Role.DELETERS,),
    }[relation.kind]
    names = _role_names(table, roles, evidence)
    if any(_is_same_or_in(name, user.name) for name in names for user in users):
        return Truth.SUPPORTED
    for name in names[:MAX_SUBJECTS]:
        for way in evidence.index.path_between(subject, name):
            if _is_calls(way, MAX_STEPS):
                return Truth.SUPPORTED
    mapped = map(last_part, _role_names(table, (Role.MAPPED,), evidence))
    wanted = {last_part(table), singular(last_part(table)), *mapped}
    others = {
        RelationKind.READS: (Role.WRITERS, Role.DELETERS),
        RelationKind.WRITES: (Role.READERS,),
        RelationKind.DELETES: (Role.READERS, Role.WRITERS),
    }[relation.kind]
    otherwise = _role_names(table, others, evidence)
    if any(_is_same_or_in(name, user.name) for name in otherwise for user in users):
        return Truth.CONTRADICTED
    bodies = [_body(user, evidence) for user in users]
    if not all(bodies) or any(not wanted.isdisjoint(words(body)) for body in bodies):
        return Truth.UNKNOWN
    return Truth.CONTRADICTED


def _refers(relation: Relation, subject: str, evidence: Evidence) -> Truth:
    """Look up a foreign key between two tables, whichever of them has it for a join."""
    catalog = evidence.index.catalog
    here, there = subject.partition(".")[0], relation.object.partition(".")[0]
    first, second = ([catalog.tables[number] for number in catalog.find(name)] for name in (here, there))
    both = (*first, *second)
    if not first or not second or any(table.query for table in both):
        return Truth.UNKNOWN  # a view has no keys
    wanted = last_part(relation.column or (subject if "." in subject else "")).lower()
    having = sum(_has_column(table, wanted) for table in both)
    if wanted and not having:
        return Truth.CONTRADICTED
    is_one_way = "join" not in relation.text and "." in subject
    if _has_key(first, second, wanted) or (not is_one_way and _has_key(second, first, wanted)):
        return Truth.SUPPORTED
    return Truth.UNKNOWN if wanted and having == len(both) else Truth.CONTRADICTED


def _has_column(table: Table, name: str) -> bool:
    return any(column.name.lower() == name for column in table.columns)


def _has_key(tables: Sequence[Table], others: Sequence[Table], column: str) -> bool:
    """Tell whether a foreign key leads from some tables to others, over a column where one is named."""
    targets = {table.name.name.lower() for table in others}
    keys = [key for table in tables for key in table.foreign_keys if key.table.name.lower() in targets]
    return any(not column or column in map(str.lower, (*key.columns, *key.referenced)) for key in keys)


def _role_names(target: str, roles: Sequence[Role], evidence: Evidence) -> list[str]:
    return [
        reference.spot.name
        for references in evidence.index.refs(target, shown=None)[:MAX_SUBJECTS]
        for group in references.groups
        if group.role in roles
        for reference in group.references
    ]


def _types(name: str, evidence: Evidence) -> list[Location]:
    return [one for one in _meant(name, evidence) if one.kind in TYPE_KINDS]


def _is_same_or_in(name: str, owner: str) -> bool:
    """Tell whether a name is another one or a member of it."""
    return name == owner or name.startswith((f"{owner}.", f"{owner}::"))


def _body(location: Location, evidence: Evidence) -> str:
    if not location.path or not location.end_line:
        return ""
    return evidence.text(location.path, location.line, location.end_line)
