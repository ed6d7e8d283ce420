"""What is asked and what came back, as records: settings of answers, and an answer with its scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from coderag.ask.models.model import LanguageModel
from coderag.ask.records import Answer
from coderag.evaluate.judge import Judged

__all__ = ["AnswerSettings", "Answered", "Measure", "Scores", "Usage"]


class Measure(StrEnum):
    """What an answer is measured by, in the order in which it is shown.

    Each is a mean over the questions that it applies to; `coderag.evaluate.answers.scores` says which.
    """

    CONTEXT_PRECISION = "context precision"
    CONTEXT_RECALL = "context recall"
    FAITHFULNESS = "faithfulness"
    CITATION_PRECISION = "citation precision"
    CITATION_RECALL = "citation recall"
    INVENTED = "invented identifiers"  # the fewer, the better
    RELEVANCY = "answer relevancy"
    ABSTENTION_PRECISION = "abstention precision"
    ABSTENTION_RECALL = "abstention recall"
    NOISE_SENSITIVITY = "noise sensitivity"  # the fewer, the better
    NOISE_RECALL = "context recall in noise"
    NOISE_ABSTENTION = "abstention recall in noise"
    JUDGED_FAITHFULNESS = "faithfulness by the judge"
    JUDGED_RELEVANCY = "relevancy by the judge"


Scores = Mapping[Measure, float]  # 0..1; a measure that does not apply is missing


@dataclass(frozen=True, slots=True)
class AnswerSettings:
    """How questions are answered: what `Index.ask` takes."""

    k: int = 5
    budget: int = 2000  # tokens
    pipeline: str = ""
    paths: tuple[str, ...] = ()
    databases: tuple[str, ...] = ()
    model: LanguageModel | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What a language model was asked; tokens are estimated from characters, not the provider's count."""

    calls: int = 0
    prompt_tokens: int = 0
    reply_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, its answer, and how good that is."""

    judged: Judged
    answer: Answer
    scores: Scores
    milliseconds: float
    usage: Usage = Usage()
    failure: str = ""  # of the language model: it gave no answer

    @property
    def is_right(self) -> bool:
        """Whether it abstained from what nothing answers, or showed some of what answers."""
        if not self.judged.question.is_answerable:
            return not self.answer.is_found
        return self.scores.get(Measure.CONTEXT_RECALL, 0.0) > 0
