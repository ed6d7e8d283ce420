"""Documentation to questions: it is hidden without a trace, and what it says asks for what it documents."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from coderag import Index
from coderag.errors import RootError
from coderag.evaluate.from_docstrings import docstring_questions, hide_documentation
from coderag.evaluate.judge import judge
from coderag.files.decode import Decoded, decode
from coderag.syntax.language import languages
from coderag.syntax.lines import Lines
from coderag.syntax.outline import Outline, read_outline
from tests.workspace import REPOSITORY, SHOP, write

ALL = 10**6
EXAMPLES = [
    path
    for path in sorted((REPOSITORY / "parsers").glob("*/example.*"))
    if languages()[path.parent.name].reader == "outline" and path.suffix != ".json"
]


def outline(data: bytes, language: str) -> Outline:
    return read_outline(Lines(data), languages()[language], split_above=ALL)


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.parent.name)
def test_only_documentation_goes(path: Path) -> None:
    language = path.parent.name
    decoded = decode(path.read_bytes(), language=language)
    assert isinstance(decoded, Decoded)
    hidden = hide_documentation(path.read_bytes(), language, path=path.name)
    assert [len(line) for line in hidden.split(b"\n")] == [len(line) for line in decoded.data.split(b"\n")]
    before, after = outline(decoded.data, language), outline(hidden, language)
    assert [definition._replace(doc="") for definition in after.definitions] == [
        definition._replace(doc="") for definition in before.definitions
    ]
    assert after.imports == before.imports
    assert after.calls == before.calls
    assert not [definition.doc for definition in after.definitions if re.search(r"\w", definition.doc)]


def test_comments_in_a_body_stay() -> None:
    text = b'# Above.\ndef f(a):\n    r"""Doc \xc3\xa9 \\d."""\n    # inside\n    return a  # end\n\n# apart\n\nx = 1\n'
    assert hide_documentation(text, "python", path="f.py") == (
        b'#      .\ndef f(a):\n    r"""       \\ ."""\n    # inside\n    return a  # end\n\n# apart\n\nx = 1\n'
    )


def test_what_is_no_code_stays_as_it_is() -> None:
    for name, data in (("notes.md", b"# Title\n\nText.\n"), ("a.unknown", b"text"), ("a.py", b"\0\1\2")):
        assert hide_documentation(data, "", path=name) == data


@pytest.mark.slow
def test_questions_ask_for_the_functions_of_the_shop(tmp_path: Path) -> None:
    made = docstring_questions(SHOP, tmp_path / "copy", ALL)
    texts = {question.text: question for question in made.questions}
    asked = texts["Log the customer out on every device, as after a change of password."]
    assert (asked.kind, asked.language, asked.source) == ("documentation", "python", "shop/auth/sessions.py:58")
    assert made.functions == len(made.questions) + sum(made.skipped.values())
    index = Index.build(tmp_path / "copy", index=tmp_path / "index", workers=0)
    for one in judge(made.questions, index):
        assert len(one.targets) == 1
        assert not one.missing
    chunk = next(one for one in index.chunks("shop/auth/sessions.py") if one.name == "close_everywhere")
    assert "every device" not in chunk.text
    assert not re.search(r"\w", chunk.doc)


FOLDERS = {
    "one/a.py": 'def f(a):\n    """Add what is there already."""\n    b = a\n    return b\n',
    "two/a.py": (
        'def f(a):\n    """Add what is there already."""\n    b = a\n    return b\n\n\n'
        'def g(a):\n    """Take what is left over."""\n    b = a\n    return b\n\n\n'
        'def short(a):\n    """Return what is there already."""\n    return a\n\n\n'
        'def brief(a):\n    """Return it."""\n    b = a\n    return b\n'
    ),
    "two/tests/test_a.py": 'def test_f():\n    """Whether adding works at all."""\n    a = 1\n    assert a\n',
}


def test_a_sentence_of_several_functions_is_no_question(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FOLDERS)
    made = docstring_questions(root, tmp_path / "copy", ALL)
    assert [question.text for question in made.questions] == ["Take what is left over."]
    assert made.skipped == {
        "sentence documents several": 2,
        "body of fewer than 2 lines": 1,
        "fewer than 4 words": 1,
        "test, example, vendored or generated": 1,
    }


def test_each_group_has_its_questions(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FOLDERS)
    made = docstring_questions(
        root,
        tmp_path / "copy",
        1,
        group=lambda path: path.partition("/")[0],
        allowed=lambda path: "tests" not in path,
        seed=4,
    )
    assert [question.source.partition("/")[0] for question in made.questions] == ["one", "two"]
    assert made.skipped["not drawn"] == 1
    assert not (tmp_path / "copy/two/tests").exists()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    root = write(tmp_path / "root", FOLDERS)
    with pytest.raises(RootError, match="is not empty"):
        docstring_questions(root, root, ALL)
