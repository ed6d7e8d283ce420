"""A question to code that may answer it (HyDE): a signature and docstring, or a SELECT, in the repository's words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from coderag.ask.records import Route
from coderag.ask.searching import first_hits
from coderag.ask.sql.skeleton import skeleton
from coderag.ask.turn import Evidence, Turn
from coderag.ask.variants.proposing import Proposal, gate_of_confidence, with_variants
from coderag.ask.wording import content_words, is_weak, names_in
from coderag.text.inflection import singular
from coderag.text.tokens import split_identifier, stem
from coderag.types import Hit, Kind

__all__ = ["hyde"]

WEIGHT = 0.1  # of the hypothetical code; the question itself has 1
MAX_NOUNS = 2
TABLES = 4  # of a skeleton's context
CALLABLE = (Kind.FUNCTION, Kind.METHOD)
INSTRUCTION = (
    "Write what might answer the question in a program: the signature of one function with its comment, or one SELECT "
    "for a question about data. No body."
)


def hyde(turn: Turn) -> Turn:
    """Add a hypothetical answer as code (arXiv 2212.10496), where the question is in plain words and unsure."""
    return with_variants(turn, "hyde", gate=_gate, rule=_hypothesis, instruction=INSTRUCTION, weight=WEIGHT)


def _gate(turn: Turn, part: Evidence) -> str:
    if names_in(part.text):
        return "it names code"
    if part.routes[:1] == (Route.DATA,):
        return ""
    return gate_of_confidence(turn, part)


def _hypothesis(turn: Turn, part: Evidence) -> Proposal:
    if part.routes[:1] == (Route.DATA,):
        context = turn.index.schema_context(part.text, k=TABLES, conditions=turn.options.within.tables)
        return Proposal(tuple(filter(None, (skeleton(context),))), "" if context.tables else "no table is named")
    frequencies = turn.frequencies(content_words(part.text))
    words = [word for word in frequencies if not is_weak(word) and word.isalpha()]
    known = [word.lower() for word in words if frequencies[word]]
    if not known:
        return Proposal(why="no word of the repository is in it")
    hits = first_hits(turn, part)
    verb = _verb(known, hits)
    nouns = [word for word in known if stem(word) != stem(verb)][:MAX_NOUNS]
    name = _name([verb, *nouns], hits)
    parameters = ", ".join(singular(noun) for noun in nouns)
    return Proposal((f'def {name}({parameters}):\n    """{part.text.rstrip(" ?.")}."""',))


def _verb(words: Sequence[str], hits: Sequence[Hit]) -> str:
    """Return the word of the question that functions of the repository begin with, else what most of them do."""
    called = (hit.chunk.name for hit in hits if hit.chunk.kind in CALLABLE and not hit.chunk.name.startswith("__"))
    names = map(split_identifier, called)
    verbs = Counter(pieces[0].lower() for pieces in names if pieces)
    stems = {stem(verb): verb for verb in verbs}
    asked = [stems[stem(word)] for word in words if stem(word) in stems]
    if asked:
        return max(asked, key=lambda verb: verbs[verb])
    return max(verbs, key=lambda verb: (verbs[verb], verb), default=words[0])


def _name(pieces: Sequence[str], hits: Sequence[Hit]) -> str:
    """Return a name of some words as the repository writes names: snake_case or camelCase."""
    snake = sum("_" in hit.chunk.name.strip("_") for hit in hits)
    camel = sum(hit.chunk.name[1:].lower() != hit.chunk.name[1:] and "_" not in hit.chunk.name for hit in hits)
    if snake >= camel:
        return "_".join(pieces)
    return pieces[0] + "".join(piece.capitalize() for piece in pieces[1:])
