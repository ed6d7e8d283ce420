"""Commits to questions, in real repositories."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from coderag import Index
from coderag.errors import EvaluationError
from coderag.evaluate.from_git import GitQuestions, git_questions
from coderag.text.subjects import question_of
from tests.files.changes.repositories import git
from tests.workspace import write

CART = """\
class Cart:
    def total(self):
        return sum(self.prices)

    def clear(self):
        self.prices = []


def load(path):
    return open(path)
"""


def commit(root: Path, subject: str, files: Mapping[str, str]) -> str:
    write(root, files)
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", subject)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit."""
    root = tmp_path / "project"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    commit(root, "Begin with a cart", {"src/cart.py": CART, "README.md": "# Cart\n"})
    return root


def questions(root: Path, *, limit: int = 100, since: str = "", **more: int) -> GitQuestions:
    index = Index.build(root, index=root.parent / "index", workers=0)
    return git_questions(root, index, limit, since=since, **more)


def test_a_subject_asks_for_the_functions_that_changed(repository: Path) -> None:
    rounded = CART.replace("sum(self.prices)", "round(sum(self.prices), 2)")
    last = commit(repository, "fix(cart): round the price of all goods (#12)", {"src/cart.py": rounded})
    made = questions(repository)
    (one,) = made.questions
    assert one.text == "round the price of all goods"
    assert (one.kind, one.source) == ("commit", last[:12])
    assert [[str(place) for place in places] for places in one.wanted] == [["src/cart.py:2-3 Cart.total"]]
    assert (made.commits, made.used, made.survived) == (2, 0.5, 1.0)
    assert made.skipped == {"no commit before it": 1}


@pytest.mark.slow
def test_what_is_no_question_is_counted(repository: Path) -> None:
    spaced = CART.replace("sum(self.prices)", "sum( self.prices, )").replace("[]", "[\n        ]")
    test = "from cart import load\n\n\ndef test_load():\n    assert load('x')\n"
    many = "\n\n".join(f"def f{number}():\n    return {number}" for number in range(9))
    commit(repository, "Spread the code out as we like it", {"src/cart.py": spaced})
    commit(repository, "Bump the version to 1.2", {"src/version.py": "VERSION = '1.2'\n"})
    commit(repository, 'Revert "Begin with a cart"', {"src/cart.py": CART})
    commit(repository, "Tell how the cart is used", {"README.md": "# Cart\n\nUse it.\n"})
    commit(repository, "Check that files are loaded", {"tests/test_cart.py": test})
    commit(repository, "Add all the numbers that there are", {"src/numbers.py": many})
    commit(repository, "Rename constants of the module", {"src/version.py": "RELEASE = '1.2'\n"})
    git(repository, "mv", "src/numbers.py", "src/digits.py")
    commit(repository, "Move numbers to a better place", {})
    commit(repository, "fixes", {"src/cart.py": CART + "\n\ndef more():\n    return 1\n"})
    made = questions(repository)
    assert made.questions == ()
    assert made.skipped == {
        "no commit before it": 1,
        "no function changed": 3,  # layout, a constant, and functions that only moved
        "version or release": 1,
        "revert": 1,
        "no code changed": 1,
        "only tests changed": 1,
        "more than 3 functions": 1,
        "subject says too little": 1,
    }
    assert made.commits == 10


def test_functions_that_are_gone_make_no_question(repository: Path) -> None:
    more = "\n\ndef save(path):\n    return open(path, 'w')\n"
    commit(repository, "Save the cart to a file", {"src/cart.py": CART + more})
    both = CART.replace("open(path)", "open(path, 'rb')") + more.replace("'w'", "'wb'")
    commit(repository, "Read and write in bytes", {"src/cart.py": both})
    commit(repository, "Drop the old way of writing", {"src/cart.py": CART.replace("open(path)", "open(path, 'rb')")})
    made = questions(repository)
    assert [(question.text, [str(places[0]) for places in question.wanted]) for question in made.questions] == [
        ("Read and write in bytes", ["src/cart.py:9-10 load"])
    ]
    assert (made.targets, made.found) == (3, 1)
    assert made.skipped == {"no commit before it": 1, "no function changed": 1, "its functions are gone": 1}


@pytest.mark.slow
def test_only_commits_after_a_revision_are_used(repository: Path) -> None:
    first = commit(repository, "Clear the cart for good", {"src/cart.py": CART.replace("= []", "= list()")})
    commit(repository, "Open files as plain text", {"src/cart.py": CART.replace("open(path)", "open(path, 'r')")})
    assert [question.text for question in questions(repository).questions] == [
        "Open files as plain text",
        "Clear the cart for good",
    ]
    assert [question.text for question in questions(repository, since=first).questions] == ["Open files as plain text"]
    assert len(questions(repository, limit=1).questions) == 1
    with pytest.raises(EvaluationError, match=r"cannot read the history of .*bad revision"):
        questions(repository, since="nowhere")
    with pytest.raises(EvaluationError, match="is no revision"):
        questions(repository, since="--output=/tmp/x")
    with pytest.raises(EvaluationError, match="no commit since 'HEAD'"):
        questions(repository, since="HEAD")


def test_a_folder_of_a_repository_has_its_own_questions(repository: Path) -> None:
    commit(repository, "Load from another place", {"lib/load.py": "def load():\n    return 1\n"})
    commit(repository, "Clear the cart for good", {"src/cart.py": CART.replace("= []", "= list()")})
    made = questions(repository / "src")
    assert [(question.text, str(question.wanted[0][0])) for question in made.questions] == [
        ("Clear the cart for good", "cart.py:5-6 Cart.clear")
    ]


@pytest.mark.slow
def test_a_shallow_clone_says_so(repository: Path, tmp_path: Path) -> None:
    commit(repository, "Clear the cart for good", {"src/cart.py": CART.replace("= []", "= list()")})
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", repository.as_uri(), str(clone))
    with pytest.raises(EvaluationError, match='shallow clone without earlier commits; run "git fetch --unshallow"'):
        questions(clone)
    commit(clone, "Open files as plain text", {"src/cart.py": CART})
    made = questions(clone)
    assert made.is_shallow
    assert len(made.questions) == 1


def test_a_partial_clone_fetches_nothing(repository: Path, tmp_path: Path) -> None:
    git(repository, "config", "uploadpack.allowFilter", "true")
    commit(repository, "Clear the cart for good", {"src/cart.py": CART.replace("= []", "= list()")})
    commit(repository, "Drop what was there", {"src/cart.py": "def other():\n    return 1\n"})
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--filter=blob:none", repository.as_uri(), str(clone))
    before = git(clone, "count-objects", "-v")
    with pytest.raises(EvaluationError, match=r'lacks the file contents .* run "git fetch --refetch --no-filter"'):
        questions(clone)
    assert git(clone, "count-objects", "-v") == before


@pytest.mark.slow
@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_WORK_TREE"])
def test_the_caller_s_repository_does_not_count(
    variable: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(repository, "Clear the cart for good", {"src/cart.py": CART.replace("= []", "= list()")})
    monkeypatch.setenv(variable, str(tmp_path / "elsewhere"))
    assert len(questions(repository).questions) == 1


def test_nothing_that_a_repository_names_is_run(repository: Path, tmp_path: Path) -> None:
    commit(repository, "Clear the cart for good", {"src/cart.py": CART.replace("= []", "= list()")})
    ran = tmp_path / "ran"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho run >> {ran}\n")
    program.chmod(0o755)
    for name in ("core.fsmonitor", "core.pager", "diff.external", "gpg.program", "diff.x.textconv", "filter.x.smudge"):
        git(repository, "config", name, str(program))
    git(repository, "config", "log.showSignature", "true")
    git(repository, "config", "core.hooksPath", str(tmp_path))
    (repository / ".git/info/attributes").write_text("*.py diff=x filter=x\n")
    assert len(questions(repository).questions) == 1
    assert not ran.exists()


def test_a_folder_without_history_is_an_error(tmp_path: Path) -> None:
    root = write(tmp_path / "plain", {"a.py": "def f():\n    return 1\n"})
    with pytest.raises(EvaluationError, match=r"cannot read the history of .*not a git repository"):
        questions(root)
    git(root, "init", "-q")
    with pytest.raises(EvaluationError, match="cannot read the history"):
        questions(root)
    commit(root, "Begin with a function", {})
    with pytest.raises(EvaluationError, match="none with one before it"):
        questions(root)


@pytest.mark.parametrize(
    ("subject", "question"),
    [
        ("Fixed #123 -- Made forms keep their order.", "Made forms keep their order."),
        ("[3.2.x] Refs #9 -- Kept the order of fields", "Kept the order of fields"),
        ("GH-77: keep the order of fields (#81)", "keep the order of fields"),
        ("feat(parser)!: read lambdas as functions", "read lambdas as functions"),
        ("PROJ-12 Format dates by locale", "Format dates by locale"),
        ("Handle release of locks twice", "Handle release of locks twice"),
    ],
)
def test_a_subject_loses_its_numbers(subject: str, question: str) -> None:
    assert question_of(subject) == (question, "")


@pytest.mark.parametrize(
    ("subject", "reason"),
    [
        ('Revert "Add a thing that works"', "revert"),
        ("Bump requests from 2.1 to 2.2", "version or release"),
        ("Prepare the next release of it", "version or release"),
        ("v1.2.3 is out now", "version or release"),
        ("Update the changelog for all of it", "version or release"),
        ("run black on all of it", "formatting or chore"),
        ("fix typos in the comments", "formatting or chore"),
        ("chore: tidy things up here", "formatting or chore"),
        ("Fix it", "subject says too little"),
        ("", "subject says too little"),
    ],
)
def test_a_subject_that_asks_nothing(subject: str, reason: str) -> None:
    assert question_of(subject) == ("", reason)
