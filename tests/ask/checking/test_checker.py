"""An answer about the example application to verdicts and faults."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from coderag import Index
from coderag.ask.checking import AnswerCheck, FaultKind, Policy, Verdict, supported_text
from coderag.ask.source import Source
from coderag.errors import QueryError
from coderag.types import Query

RETRY = "shop/payments/retry.py"
CHECKOUT = "shop/checkout.py"
PARTS = (
    "calls ",
    "`Cart`",
    " orders ",
    "[1]",
    "shop/cart.py:3",
    "```",
    "SELECT sku FROM products",
    "Cart.empty()",
    "5 days",
)


def lines_of(index: Index, name: str) -> str:
    """Return where a definition is, as a citation."""
    symbol = index.symbols(name, k=1, alike=False)[0]
    return f"{symbol.path}:{symbol.span.start_line}-{symbol.span.end_line}"


def source_of(index: Index, name: str, number: int = 1) -> Source:
    symbol = index.symbols(name, k=1, alike=False)[0]
    return Source(number, "", symbol.path, symbol.span.start_line, symbol.span.end_line, "", name)


def kinds(check: AnswerCheck) -> list[FaultKind]:
    return [fault.kind for sentence in check.sentences for fault in sentence.faults]


def test_a_true_answer_is_supported(shop: Index) -> None:
    place = lines_of(shop, "Checkout.place_order")
    check = shop.check_answer(f"`Checkout.place_order` calls `PaymentService.attempt` and empties the cart ({place}).")
    assert [sentence.verdict for sentence in check.sentences] == [Verdict.SUPPORTED]
    assert (check.faithfulness, check.citation_precision, check.citation_recall) == (1.0, 1.0, 1.0)
    assert check.is_supported


@pytest.mark.parametrize(
    ("sentence", "name", "kind", "verdict"),
    [
        ("It is retried by `PaymentService.try_again`", "PaymentService.attempt", FaultKind.INVENTED, Verdict.PARTLY),
        ("The retrier handles 70 payments a batch", "PaymentRetrier.retry_failed", FaultKind.NUMBER, Verdict.PARTLY),
        ("`MAX_DELAY` of 9 hours bounds it", "backoff_delay", FaultKind.NUMBER, Verdict.PARTLY),
        ("It ends with `cart.clear(now)`", "Checkout.place_order", FaultKind.QUOTE, Verdict.UNSUPPORTED),
        ('A repeated event returns "twice"', "WebhookReceiver.receive", FaultKind.LITERAL, Verdict.PARTLY),
        ("`backoff_delay` calls `PaymentRetrier._settle`", "backoff_delay", FaultKind.RELATION, Verdict.UNSUPPORTED),
        ("`Cart.lines` deletes from `cart_items`", "Cart.lines", FaultKind.RELATION, Verdict.UNSUPPORTED),
        ("`OutOfStock` inherits from `NotFound`", "OutOfStock", FaultKind.RELATION, Verdict.UNSUPPORTED),
        ("`payments` references `customers`", "PaymentService.start", FaultKind.RELATION, Verdict.UNSUPPORTED),
        ("It runs `SELECT kind, reason FROM jobs`", "JobQueue.depth", FaultKind.SQL, Verdict.UNSUPPORTED),
        ("`backoff_delay` doubles the pause", "Money.parse", FaultKind.ELSEWHERE, Verdict.UNSUPPORTED),
        ("Leaked backups let nobody log in", "Money.parse", FaultKind.ELSEWHERE, Verdict.UNSUPPORTED),
    ],
)
def test_a_false_sentence_has_its_fault(
    shop: Index, sentence: str, name: str, kind: FaultKind, verdict: Verdict
) -> None:
    check = shop.check_answer(f"{sentence} [1].", [source_of(shop, name)])
    assert kind in kinds(check)
    assert check.sentences[0].verdict is verdict


@pytest.mark.parametrize(
    ("citation", "message"),
    [
        ("(shop/nowhere.py:3)", "shop/nowhere.py is not in the index"),
        ("(shop/checkout.py:300-310)", "shop/checkout.py has 108 lines"),
        ("(shop/checkout.py:9-3)", "shop/checkout.py:9-3 has no lines"),
        ("[4]", "no source has the number 4; none were given"),
    ],
)
def test_a_citation_that_leads_nowhere(shop: Index, citation: str, message: str) -> None:
    check = shop.check_answer(f"The cart is emptied last {citation}.")
    assert check.sentences[0].verdict is Verdict.UNSUPPORTED
    assert [fault.message for fault in check.sentences[0].faults] == [message]


def test_a_path_beside_given_sources_is_a_fault(shop: Index) -> None:
    check = shop.check_answer(f"The cart is emptied ({CHECKOUT}:54-60).", [source_of(shop, "Money.parse")])
    assert kinds(check) == [FaultKind.SPAN]


def test_names_elsewhere_are_warnings_with_their_place(shop: Index) -> None:
    check = shop.check_answer("`Cart.empty` is called by `Checkout.place_order` [1].", [source_of(shop, "Cart.empty")])
    assert check.sentences[0].verdict is Verdict.SUPPORTED
    faults = [(fault.kind, fault.text, fault.place) for fault in check.sentences[0].faults]
    assert faults == [(FaultKind.NOT_SHOWN, "Checkout.place_order", "shop/checkout.py:52")]


def test_invented_names_have_the_nearest_real_one(shop: Index) -> None:
    check = shop.check_answer("It waits for `backof_delay` [1].", [source_of(shop, "backoff_delay")])
    assert check.invented == ("backof_delay",)
    assert check.sentences[0].faults[0].suggestion == "backoff_delay"


def test_claims_without_citation_are_uncited_and_talk_is_not(shop: Index) -> None:
    text = "## Retries\n\nHow are payments retried? Here is what I found:\n\n`backoff_delay` doubles each pause."
    verdicts = [sentence.verdict for sentence in shop.check_answer(text).sentences]
    assert verdicts == [Verdict.NO_CLAIM, Verdict.NO_CLAIM, Verdict.NO_CLAIM, Verdict.UNCITED]


def test_items_have_the_citation_of_their_lead_in(shop: Index) -> None:
    text = f"The desk does two things ({lines_of(shop, 'OrderDesk.cancel')}):\n\n- it calls `release`\n- it mails\n"
    assert [sentence.verdict for sentence in shop.check_answer(text).sentences] == [Verdict.SUPPORTED] * 3


def test_a_list_of_sources_in_the_text_is_used(shop: Index) -> None:
    text = f"The delay doubles each time up to a maximum [1].\n\nSources:\n- [1] {lines_of(shop, 'backoff_delay')}\n"
    check = shop.check_answer(text)
    assert [claim.verdict for claim in check.claims] == [Verdict.SUPPORTED]


def test_fences_are_quotes_or_sql(shop: Index) -> None:
    place = lines_of(shop, "backoff_delay")
    text = f"The delay is computed here ({place}):\n\n```python\n{{}}\n```\n"
    good = "delay = min(BASE_DELAY * 2 ** (attempt - 1), MAX_DELAY)"
    assert shop.check_answer(text.format(good)).is_supported
    assert not shop.check_answer(text.format(good.replace("2", "3"))).is_supported
    assert shop.check_answer("```sql\nSELECT email FROM customers\n```").is_supported
    assert kinds(shop.check_answer("```sql\nSELECT mail FROM customers\n```")) == [FaultKind.SQL]


def test_denials_are_only_contradicted(shop: Index) -> None:
    source = [source_of(shop, "OrderDesk.cancel")]
    denied = shop.check_answer("`OrderDesk.cancel` does not call `PaymentService.give_back` [1].", source)
    assert FaultKind.RELATION in kinds(denied)
    true = shop.check_answer("`OrderDesk.cancel` never calls `Inventory.extend` [1].", source)
    assert FaultKind.RELATION not in kinds(true)


@pytest.mark.slow
def test_a_file_that_changed_is_stale(tmp_path: Path, shop: Index) -> None:
    root = Path(shutil.copytree(shop.roots[0].root / "shop", tmp_path / "shop"))
    with Index.build(root, workers=0) as index:
        (root / "cart.py").write_text("# nothing\n")
        check = index.check_answer("`Cart.empty` deletes the lines of a customer (cart.py:82-85).")
    assert kinds(check) == [FaultKind.STALE]
    assert check.sentences[0].verdict is Verdict.SUPPORTED


def test_what_is_not_supported_is_dropped_or_marked(shop: Index) -> None:
    place = lines_of(shop, "backoff_delay")
    check = shop.check_answer(f"`backoff_delay` doubles the delay ({place}). It calls `nobody_has_this` ({place}).")
    assert supported_text(check) == f"`backoff_delay` doubles the delay ({place})."
    assert supported_text(check, policy=Policy.MARK).endswith(f"({place}). [not supported]")


def test_a_text_that_is_too_long_is_refused(shop: Index) -> None:
    with pytest.raises(QueryError, match="the answer has 1,000,001 bytes"):
        shop.check_answer("a" * 1_000_001)


@pytest.mark.parametrize(
    "text",
    [
        "`" * 20_000,
        "[" * 20_000 + "1" + "]" * 20_000,
        "a.b/" * 5_000 + ":1",
        "x" * 40_000 + ":1",
        "calls " * 6_000,
        "`a` calls " * 3_000,
        "1," * 15_000,
        "- " * 10_000,
        "> " * 10_000 + "x",
        "\x00\x01\ud800 [1] `\x00`",
        '"' * 10_000,
        "(" * 10_000 + "src/a.py:1",
        "A" * 300 + "_" * 20_000 + "()",
        "```sql\n" + "SELECT (" * 500 + "\n```",
    ],
)
def test_hostile_texts_end_in_a_check(shop: Index, text: str) -> None:
    assert isinstance(shop.check_answer(text), AnswerCheck)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(parts=st.lists(st.sampled_from([*'aA_.1`[]()":-/\n ', *PARTS]), max_size=60))
def test_any_text_ends_in_a_check(shop: Index, parts: list[str]) -> None:
    text = "".join(parts)
    check = shop.check_answer(text, [Source(1, "", "shop/cart.py", 1, 20, "")])
    assert 0 <= check.faithfulness <= 1
    assert all(text[sentence.start : sentence.end] == sentence.text for sentence in check.sentences)


@pytest.mark.slow
def test_every_line_of_a_span_is_a_supported_quote(shop: Index) -> None:
    chosen = random.Random(7)
    paths = sorted(path for _, path in shop.files(Query("-")) if path.startswith("shop/") and path.endswith(".py"))
    for path in paths:
        chunk = chosen.choice(shop.chunks(path))
        numbered = [(at, line) for at, line in chunk.numbered_lines() if len(line.strip()) > 8 and "`" not in line]
        for at, line in chosen.sample(numbered, min(2, len(numbered))):
            check = shop.check_answer(f"It says ``{line.strip()}`` ({path}:{at}-{at + 1}).")
            assert FaultKind.QUOTE not in kinds(check), line
