"""What documents name as code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.chunking.document_references import document_references
from coderag.chunking.sections import chunk_markdown, chunk_restructuredtext
from coderag.syntax.lines import Lines
from coderag.syntax.references.records import Role

MARKDOWN = """\
# Retries

Call `PaymentRetrier.retry_failed()` or ``retry(order, times=3)``; `Money` is exact, `a->b` and `Foo#bar` too.
See [the code](../shop/payments.py#L10), [a page](https://x.org/a.py), [a guide](guide.md) and `shop/money.py`.

```python
ignored.call()  # `also_ignored`
```

## Not code

`git commit -m x`, `--option`, `true`, `x`, `a().b()`, `<div>`, &lt;`Kept`&gt;, `unclosed
Plain words such as retry_failed() are prose. `language.toml` is a file of settings.
[ref]: shop/orders.py "title"

Twice: `Money` and `Money`, `List[int]`, `std::vector<int>`, `App\\Models\\User`, `list/2`.
"""


def named(text: str, *, rst: bool = False) -> list[tuple[int, str, str, str]]:
    """Return row, section, receiver and name of each mention."""
    lines = Lines(text.encode())
    drafts = (chunk_restructuredtext if rst else chunk_markdown)(lines, name="doc")
    found = document_references(lines, drafts)
    assert {mention.role for mention in found.mentions} <= {Role.DOCUMENT}
    return [
        (mention.row + 1, drafts[mention.owner].name if mention.owner >= 0 else "", mention.receiver, mention.name)
        for mention in found.mentions
    ]


def test_markdown() -> None:
    assert named(MARKDOWN) == [
        (3, "Retries", "PaymentRetrier", "retry_failed"),
        (3, "Retries", "", "retry"),
        (3, "Retries", "", "Money"),
        (3, "Retries", "a", "b"),
        (3, "Retries", "Foo", "bar"),
        (4, "Retries", "", "shop/money.py"),
        (4, "Retries", "", "../shop/payments.py"),
        (12, "Not code", "", "Kept"),
        (14, "Not code", "", "shop/orders.py"),
        (16, "Not code", "", "Money"),
        (16, "Not code", "", "List"),
        (16, "Not code", "std", "vector"),
        (16, "Not code", "App\\Models", "User"),
        (16, "Not code", "", "list"),
    ]


RST = """\
Models
======

.. module:: shop.models

:class:`~shop.models.User` and :meth:`.User.save`, :func:`make <shop.make>`, :doc:`/intro`, :py:class:`!Hidden`,
``get_user(pk)``, `a link <https://x.org>`_ and :setting:`DEBUG`.

.. class:: User(name)

   Something of :attr:`name`.

   .. method:: save(force=False)

.. autofunction:: make

.. code-block:: python

   ``ignored()``

   also.ignored()

.. note::

    A note says ``kept()``. For example::

        ``not_kept()``

    And ``kept_again()``.
"""


def test_restructuredtext() -> None:
    assert [found[2:] for found in named(RST, rst=True)] == [
        ("shop", "models"),
        ("shop.models", "User"),
        ("User", "save"),
        ("shop", "make"),
        ("", "get_user"),
        ("", "name"),
        ("shop.models.User", "save"),
        ("shop.models", "make"),
        ("", "kept"),
        ("", "kept_again"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no code at all",
        "`" * 5000,
        "` " * 5000,
        "`a" * 5000,
        "[x](" * 5000,
        "`" + "a." * 9000 + "b`",
        ":func:`" * 3000,
        "`f(" + "(" * 3000 + ")`",
        "x" * 100_000 + "`code`",
    ],
)
def test_odd_texts_name_nothing_twice(text: str) -> None:
    found = named(text)
    assert len(found) == len(set(found))


@given(st.text("`~:.<>()[]_!#\\/aB \n\t&;é-", max_size=300), st.booleans())
def test_any_text(text: str, rst: bool) -> None:
    for row, _, receiver, name in named(text, rst=rst):
        assert 1 <= row <= text.count("\n") + 1
        assert name
        assert not set(receiver + name) & set("`\n ")
