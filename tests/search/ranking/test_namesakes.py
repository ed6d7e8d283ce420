"""What is called as a question says, in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from tests.workspace import write

REPOSITORIES = {
    "store/repositories.go": (
        "package store\n\n"
        "// HasForkedBy tells what happens to a repository that was forked by a user: a forked repository.\n"
        "func HasForkedBy(repository int, user int) bool {\n\treturn forked(repository, user)\n}\n\n"
        "// GetForks returns the forks of a repository, forked repositories of all users.\n"
        "func GetForks(repository int) []int {\n\treturn forks(repository)\n}\n\n"
        "func ForkRepository(doer int, base int) int {\n\tsession := begin()\n\tdefer session.Close()\n"
        "\treturn session.Insert(copied(base, doer))\n}\n"
    ),
    "store/repositories_test.go": ("package store\n\nfunc TestForkRepository(t *T) {\n\tForkRepository(1, 2)\n}\n"),
}
PAGE = {"docs/fork.md": "# Fork a repository\n\nPress the button to fork a repository, which is then yours.\n"}


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return Index.build(write(tmp_path_factory.mktemp("forks"), REPOSITORIES | PAGE), graph=False, workers=0)


@pytest.mark.parametrize(
    "question", ["what happens when a repository is forked", "fork a repository", "how do you fork the repository?"]
)
def test_what_is_called_as_the_question_says_is_first(forks: Index, question: str) -> None:
    assert forks.search(question)[0].chunk.name == "ForkRepository"


def test_a_message_that_code_has_stays_before_it(tmp_path: Path) -> None:
    raising = 'package store\n\nfunc check(owner int) {\n\tpanic("cannot fork the repository")\n}\n'
    named = "package store\n\nfunc CannotForkRepository(owner int) bool {\n\treturn owner == 0\n}\n"
    index = Index.build(
        write(tmp_path, REPOSITORIES | {"a/check.go": raising, "b/can.go": named}), graph=False, workers=0
    )
    assert index.search("cannot fork the repository")[0].chunk.name == "check"
