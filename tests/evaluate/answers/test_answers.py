"""Answers with known references to figures: what counts as found, carried, abstained from, and misled by noise."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from coderag import Index
from coderag.ask.models.http_model import open_model
from coderag.evaluate.answers.context import precision, recall
from coderag.evaluate.answers.measure import answer_all
from coderag.evaluate.answers.records import Answered, AnswerSettings, Measure
from coderag.evaluate.answers.report import answer_figures
from coderag.evaluate.judge import judge
from coderag.evaluate.questions_file import read_questions
from coderag.evaluate.report import ALL
from scripts.judge_answers import QUESTIONS, half
from tests.ask.models.scripted import Prompt, ScriptedModel, serve_model
from tests.workspace import write

LINES = [
    {"query": "where is a person greeted?", "relevant": [{"path": "app.py", "name": "greet"}]},
    {"query": "how are dragons fed?", "answerable": False},
    {"question": "in which city do people live?", "tables": ["people"]},
    {"query": "how is a person greeted, and where is the class Register?", "relevant": ["app.py", "register.py"]},
]
FILES = {
    "app.py": 'def greet(name):\n    """Greet a person by name."""\n    return f"hello {name}"\n',
    "register.py": "class Register:\n"
    '    """A register of persons."""\n\n'
    "    def add(self, name):\n"
    '        """Add a name to the register."""\n'
    "        self.names.append(name)\n\n"
    "    def drop(self, name):\n"
    '        """Remove a name from the register."""\n'
    "        self.names.remove(name)\n",
    "schema.sql": "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT NOT NULL, city TEXT);\n",
}
NOISE = {"dragons.py": 'def feed_dragons(food):\n    """Feed dragons, which are fed once a day."""\n    return food\n'}
LEAST = {"context recall": 0.85, "abstention precision": 0.85, "abstention recall": 0.65}


def opinion(prompt: Prompt) -> str:
    """Judge an answer by whether it is shown with its sources and the question."""
    complete = "<source " in prompt.text and "<answer " in prompt.text and "Question: " in prompt.text
    return json.dumps({"claims": 4, "supported": 3 if complete else 0, "relevance": 1})


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("answers") / "small", FILES)


@pytest.fixture(scope="module")
def index(root: Path) -> Index:
    return Index.build(root, workers=0)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedModel]:
    with serve_model(
        {"judge": opinion, "judges-badly": lambda _: '{"claims": 1, "supported": 7, "relevance": 1}'}
    ) as one:
        yield one


def questions_in(folder: Path) -> Path:
    return (
        write(folder, {"questions.jsonl": "# made by hand\n" + "\n".join(map(json.dumps, LINES))}) / "questions.jsonl"
    )


@pytest.fixture(scope="module")
def answered(index: Index, root: Path) -> list[Answered]:
    judged = judge(read_questions(questions_in(root.parent)), index)
    return answer_all(index, judged, settings=AnswerSettings())


def test_an_answer_is_scored_where_a_measure_applies(answered: list[Answered]) -> None:
    code, nothing, data, both = answered
    assert code.scores[Measure.CONTEXT_RECALL] == code.scores[Measure.FAITHFULNESS] == 1
    assert code.scores[Measure.INVENTED] == 0
    assert Measure.ABSTENTION_RECALL not in code.scores
    assert dict(nothing.scores) == {Measure.ABSTENTION_RECALL: 1, Measure.ABSTENTION_PRECISION: 1}
    assert (data.scores[Measure.CONTEXT_RECALL], data.is_right) == (1, True)  # where the table is declared
    assert both.scores[Measure.CONTEXT_RECALL] == 1
    assert all(one.usage.calls == 0 and one.milliseconds > 0 for one in answered)


def test_a_wrong_abstention_costs_recall_and_precision(index: Index, root: Path) -> None:
    wanted = {"query": "how are dragons fed?", "relevant": [{"path": "app.py", "name": "greet"}]}
    file = write(root.parent, {"wrong.jsonl": json.dumps(wanted)}) / "wrong.jsonl"
    (one,) = answer_all(index, judge(read_questions(file), index), settings=AnswerSettings())
    assert dict(one.scores) == {Measure.CONTEXT_RECALL: 0, Measure.ABSTENTION_PRECISION: 0}
    assert not one.is_right


def test_the_frame_of_a_class_shows_no_method(index: Index, root: Path) -> None:
    method = {"query": "what is the class Register?", "relevant": [{"path": "register.py", "name": "Register.drop"}]}
    frame = {"query": "what is the class Register?", "relevant": [{"path": "register.py", "name": "Register"}]}
    file = write(root.parent, {"frames.jsonl": f"{json.dumps(method)}\n{json.dumps(frame)}"}) / "frames.jsonl"
    for_method, for_frame = answer_all(index, judge(read_questions(file), index), settings=AnswerSettings(k=1))
    assert [source.name for source in for_frame.answer.sources] == ["Register"]
    assert (for_method.scores[Measure.CONTEXT_RECALL], for_frame.scores[Measure.CONTEXT_RECALL]) == (0, 1)


def test_precision_counts_ranks_and_recall_targets() -> None:
    marks = [frozenset({0}), frozenset[int](), frozenset({0, 1})]
    assert precision(marks) == (1 + 2 / 3) / 2
    assert (recall(marks, 4), recall([], 4), precision([])) == (0.5, 0, 0)


def test_figures_are_means_over_the_questions_that_a_measure_applies_to(answered: list[Answered]) -> None:
    (figures,) = answer_figures(answered, [(ALL, range(len(answered)))], seed=1)
    assert (figures.questions, figures.unanswerable, figures.abstained, figures.failed) == (4, 1, 1, 0)
    assert {name: one.questions for name, one in figures.measures.items() if "abstention" in name} == {
        "abstention precision": 1,
        "abstention recall": 1,
    }
    assert figures.measures["context recall"].questions == 3
    assert figures.measures["context recall"].value.mean == 1
    assert figures.opinions == {}


@pytest.mark.slow
def test_distractors_may_mislead(index: Index, root: Path) -> None:
    other = write(root.parent / "other", NOISE)
    Index.build(other, workers=0)
    judged = judge(read_questions(questions_in(root.parent)), index)
    code, dragons, *_ = answer_all(index, judged, settings=AnswerSettings(), noisy=Index.open(root, other))
    assert dragons.scores[Measure.NOISE_ABSTENTION] == 0  # the other root feeds them
    assert dragons.scores[Measure.ABSTENTION_RECALL] == 1
    assert code.scores[Measure.NOISE_RECALL] == 1
    assert code.scores[Measure.NOISE_SENSITIVITY] == 0


def test_a_model_is_counted_and_a_judge_reported_apart(index: Index, root: Path, server: ScriptedModel) -> None:
    judged = judge(read_questions(questions_in(root.parent)), index)[:2]
    settings = AnswerSettings(model=open_model(server.chat("faithful")))
    first, nothing = answer_all(index, judged, settings=settings, judge=open_model(server.chat("judge")))
    assert (first.usage.calls, nothing.usage.calls) == (1, 0)
    assert first.usage.prompt_tokens > first.usage.reply_tokens > 0
    assert first.scores[Measure.JUDGED_FAITHFULNESS] == 0.75
    assert first.scores[Measure.JUDGED_RELEVANCY] == 0.5
    (figures,) = answer_figures([first, nothing], [(ALL, range(2))], seed=1)
    assert set(figures.opinions) == {"faithfulness by the judge", "relevancy by the judge"}
    assert not set(figures.opinions) & set(figures.measures)


def test_a_model_that_fails_gives_no_answer_and_a_bad_judge_no_opinion(
    index: Index, root: Path, server: ScriptedModel
) -> None:
    judged = judge(read_questions(questions_in(root.parent)), index)[:1]
    (failed,) = answer_all(index, judged, settings=AnswerSettings(model=open_model(server.chat("refuses"))))
    assert (failed.answer.is_found, "refused" in failed.failure) == (False, True)
    assert (failed.usage.calls, failed.scores[Measure.CONTEXT_RECALL]) == (1, 0)
    (invented,) = answer_all(index, judged, settings=AnswerSettings(model=open_model(server.chat("invents"))))
    assert dict(invented.scores) == {Measure.CONTEXT_RECALL: 0, Measure.ABSTENTION_PRECISION: 0}
    (doubted,) = answer_all(index, judged, settings=AnswerSettings(), judge=open_model(server.chat("judges-badly")))
    assert Measure.JUDGED_FAITHFULNESS not in doubted.scores


@pytest.mark.slow
def test_answers_about_the_shop(indexed_shop: Path) -> None:
    shop = Index.open(indexed_shop)
    judged = judge(read_questions(QUESTIONS / "shop.jsonl"), shop)
    assert len(judged) == 45
    assert [missing for one in judged for missing in one.missing] == []
    assert {half(one.question.text) for one in judged} == {"tuned", "kept"}
    (figures,) = answer_figures(answer_all(shop, judged, settings=AnswerSettings()), [(ALL, range(45))], seed=1)
    means = {name: one.value.mean for name, one in figures.measures.items()}
    assert {name: means[name] for name, least in LEAST.items() if means[name] < least} == {}
    assert means["invented identifiers"] == 0
