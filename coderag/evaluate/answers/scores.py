"""An answer to its scores, each where it applies.

| measure | of which questions | what it is |
|---|---|---|
| context precision | answerable and answered | mean precision at the ranks of the sources that show a reference span |
| context recall | answerable | reference spans that a source shows / all; 0 if it abstained |
| faithfulness, citation precision and recall | answered | as `coderag check-answer` counts them |
| invented identifiers | answered, with identifiers | those that are nowhere in the index / all that it names |
| answer relevancy | answerable and answered | names and words of the question that the answer has / all |
| abstention precision | abstained | 1 if nothing answers the question |
| abstention recall | unanswerable | 1 if it abstained |
| noise sensitivity | answered with distractors mixed in | sentences that cite a distractor or are unsupported / all |
"""

from __future__ import annotations

from coderag.api.index import Index
from coderag.ask.checking.mentions import names_in
from coderag.ask.checking.records import AnswerCheck, CheckedSentence, Verdict
from coderag.ask.records import Answer
from coderag.ask.source import Source
from coderag.evaluate.answers.answer_text import said
from coderag.evaluate.answers.context import References, precision, recall
from coderag.evaluate.answers.records import Measure, Scores
from coderag.evaluate.answers.relevancy import relevancy
from coderag.evaluate.judge import Judged

__all__ = ["noise_scores", "scores_of"]


def scores_of(judged: Judged, answer: Answer, index: Index, references: References) -> Scores:
    """Return how good an answer is."""
    scores: dict[Measure, float] = {}
    question = judged.question
    if question.is_answerable:
        marks = references.marks(_shown(answer), judged.targets)
        scores[Measure.CONTEXT_RECALL] = recall(marks, len(judged.targets))
        if answer.is_found:
            scores[Measure.CONTEXT_PRECISION] = precision(marks)
            scores[Measure.RELEVANCY] = relevancy(question.text, answer)
    else:
        scores[Measure.ABSTENTION_RECALL] = float(not answer.is_found)
    if not answer.is_found:
        scores[Measure.ABSTENTION_PRECISION] = float(not question.is_answerable)
        return scores
    return scores | _checked(said(answer), index.check_answer(said(answer), answer.sources))


def noise_scores(judged: Judged, answer: Answer, index: Index, references: References, own: frozenset[str]) -> Scores:
    """Return how good an answer of an index with distractors is; `own` are the repositories without distractors."""
    question = judged.question
    if not question.is_answerable:
        return {Measure.NOISE_ABSTENTION: float(not answer.is_found)}
    sources = [source for source in _shown(answer) if source.repository in own]
    scores = {Measure.NOISE_RECALL: recall(references.marks(sources, judged.targets), len(judged.targets))}
    if not answer.is_found:
        return scores
    claims = index.check_answer(said(answer), answer.sources).claims
    numbers = frozenset(source.number for source in sources)
    wrong = sum(not _is_of(claim, numbers) for claim in claims)
    return scores | ({Measure.NOISE_SENSITIVITY: wrong / len(claims)} if claims else {})


def _shown(answer: Answer) -> tuple[Source, ...]:
    """Return all passages of an answer; those of one that is not found, as its model says else, are no context."""
    return (*answer.sources, *answer.further) if answer.is_found else ()


def _is_of(claim: CheckedSentence, numbers: frozenset[int]) -> bool:
    cited = {citation.number for citation in claim.citations}
    return claim.verdict is Verdict.SUPPORTED and cited <= numbers


def _checked(text: str, check: AnswerCheck) -> dict[Measure, float]:
    scores = {
        Measure.FAITHFULNESS: check.faithfulness,
        Measure.CITATION_PRECISION: check.citation_precision,
        Measure.CITATION_RECALL: check.citation_recall,
    }
    if named := set(names_in(text)) | set(check.invented):
        scores[Measure.INVENTED] = len(check.invented) / len(named)
    return scores
