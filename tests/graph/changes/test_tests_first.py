"""The order of tests, through the public API."""

from __future__ import annotations

from pathlib import Path

import pytest

import coderag
from tests.files.changes.repositories import commit, repository

pytestmark = pytest.mark.slow


def test_of_equally_distant_tests_those_come_first_that_are_named_after_the_change(tmp_path: Path) -> None:
    names = ("account", "basket", "cart", "delivery")
    files = {
        f"tests/test_{name}.py": f"from shop.cart import total\n\n\ndef test_{name}():\n    assert total([1]) == 1\n"
        for name in names
    }
    root = repository(
        tmp_path, {**files, "shop/__init__.py": "", "shop/cart.py": "def total(it):\n    return sum(it)\n"}
    )
    commit(root, {"shop/cart.py": "def total(it):\n    return sum(it, 0)\n"})
    found = coderag.Index.build(root, workers=0).impact_of_diff("HEAD~1..HEAD")
    assert [test.id for test in found.tests] == [
        f"tests/test_{name}.py::test_{name}" for name in ("cart", "account", "basket", "delivery")
    ]


def test_a_test_file_may_be_told_by_its_name_alone(tmp_path: Path) -> None:
    controller = "<?php\nclass SearchController {\n  function find() { return 1; }\n}\n"
    root = repository(
        tmp_path,
        {
            "app/Controllers/SearchController.php": controller,
            "tests/Feature/SearchTest.php": "<?php\nclass SearchTest {\n  function testIt() { $this->get('/x'); }\n}\n",
            "tests/Feature/OtherTest.php": "<?php\nclass OtherTest {\n  function testIt() { $this->get('/y'); }\n}\n",
            "sales/models/order.py": "def order():\n    return 1\n",
            "sales/tests/test_models.py": "def test_nothing():\n    assert True\n",
            "sales/tests/models.py": "def helper():\n    return 1\n",
            "stock/tests/test_models.py": "def test_nothing():\n    assert True\n",
        },
    )
    commit(
        root,
        {
            "app/Controllers/SearchController.php": controller.replace("1", "2"),
            "sales/models/order.py": "def order():\n    return 2\n",
        },
    )
    found = coderag.Index.build(root, workers=0).impact_of_diff("HEAD~1..HEAD")
    assert [test.id for test in found.tests] == ["tests/Feature/SearchTest.php", "sales/tests/test_models.py"]
    assert {test.found.why.partition(" ")[0] for test in found.tests} == {"is"}
