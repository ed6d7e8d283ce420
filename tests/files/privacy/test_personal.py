"""What a value of a database may show of people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.files.privacy.personal import VALUE_CHARACTERS, is_personal_column, masked_value

SHOWN = """
    open                awaiting_payment        TSHIRT-BLUE-XL      Q3 2024             Main Hall
    42                  -3.5                    1234567.89          1,234,567           10 000 000
    2024-01-15          10.10.2023              12/31/2024          10:30:00            2024-01-15 10:00:00
    1.2.3               v1.12.4                 ORDER-2024-000017   INV-2024-0001-0002  1700000000
    Europe/Berlin       https://shop.example/a  image/png           #ff8800             800x600
    EUR 1.234.567,89    ABC1234567              summer_sale_2024    2024-01-15T10:00:00+00:00
"""
HIDDEN = """
    bob@example.com     bob+shop@mail.example   https://bob:pw@host/x                   name@xn--bcher-kva.example
    +49 30 1234567      (555) 123-4567          555-123-4567        0171 1234567        01711234567
    4111 1111 1111 1111                         4111111111111111    DE89 3704 0044 0532 0130 00
    GB82WEST12345698765432                      123-45-6789         192.168.1.1         fe80::1
    2001:db8::8a2e:370:7334                     00:1B:44:11:3A:B7   550e8400-e29b-41d4-a716-446655440000
    sk_live_abcdef123456                        ghp_0123456789abcdefghij                AKIAIOSFODNN7EXAMPLE
    $2b$12$abcdefghijklmnop                     d41d8cd98f00b204e9800998ecf8427e        A1B2C3D4E5F6G7H8I9J0K1
    eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0
"""
PARTS = {
    "write to bob@example.com": "write to <email>",
    "calls from +49 30 1234567": "calls from <phone>",
    "card 4111 1111 1111 1111 was refused": "card <card> was refused",
    "logged in from 10.0.0.1": "logged in from <ip>",
    "ssh://git@host/x is the origin": "<login> is the origin",
}
PERSONAL = """
    password    password_hash   passwd      api_key     accessKey       token       refreshToken    session     ssn
    email       e_mail          EMailAddr   phone       phoneNumber     mobile      tel             fax         born
    dateOfBirth address         street      zip         first_name      lastName    full_name       username    ip
    birth_date  ip_address
    iban        card_number     user_agent  vorname     geburtsdatum    prenom      SSN             customerName
"""
OTHERS = """
    id          status          country     script      shipping        title       description     category    sku
    tokenized   passed          compass     email_type  phone_verified  login_count password_changed_at         skip
    name        author_id       spinning    hotel       cellar          stage       mailbox_size    currency
"""


def entries(text: str) -> list[str]:
    """Return what is set apart by two spaces or more."""
    return [one.strip() for line in text.splitlines() for one in line.split("  ") if one.strip()]


@pytest.mark.parametrize("value", entries(SHOWN))
def test_what_is_about_things_is_shown(value: str) -> None:
    assert masked_value(value, "what") == value


@pytest.mark.parametrize("value", entries(HIDDEN))
def test_what_is_about_people_is_hidden(value: str) -> None:
    assert masked_value(value, "what") is None


@pytest.mark.parametrize("value", PARTS)
def test_parts_about_people_are_masked(value: str) -> None:
    assert masked_value(value, "what") == PARTS[value]


@pytest.mark.parametrize("name", PERSONAL.split())
def test_personal_columns_are_known_by_name(name: str) -> None:
    assert is_personal_column(name)
    assert masked_value("open", name) is None


@pytest.mark.parametrize("name", OTHERS.split())
def test_other_columns_are_not(name: str) -> None:
    assert not is_personal_column(name)


@pytest.mark.parametrize("table", ["customers", "Users", "shop_employee", "People", "hr.staff"])
def test_a_name_is_personal_in_a_table_of_people(table: str) -> None:
    assert is_personal_column("name", table)
    assert not is_personal_column("name", "products")
    assert not is_personal_column("status", table)


def test_long_texts_are_left_out() -> None:
    assert masked_value("x" * VALUE_CHARACTERS, "what") == "x" * VALUE_CHARACTERS
    assert masked_value("x" * (VALUE_CHARACTERS + 1), "what") is None
    assert masked_value("two\nlines", "what") is None
    assert masked_value("  ", "what") is None


words = st.text("abcdefghijklmnop XYZ.,;:()-", max_size=15)


@given(before=words, after=words, user=st.from_regex(r"[a-z][a-z0-9._+-]{0,8}", fullmatch=True))
def test_no_mail_address_is_ever_shown(before: str, after: str, user: str) -> None:
    shown = masked_value(f"{before}{user}@example.com{after}", "what")
    assert shown is None or "@" not in shown


@given(
    before=words,
    after=words,
    digits=st.lists(st.integers(0, 9), min_size=12, max_size=15),
    space=st.sampled_from(["", " ", "-"]),
)
def test_no_card_number_is_ever_shown(before: str, after: str, digits: list[int], space: str) -> None:
    checked = sum(
        sum(divmod(2 * digit, 10)) if place % 2 == 0 else digit for place, digit in enumerate(reversed(digits))
    )
    number = space.join(map(str, [*digits, -checked % 10]))
    shown = masked_value(f"{before} {number} {after}", "what")
    assert shown is None or number not in shown


@given(st.text(max_size=80))
def test_any_text_is_shown_whole_masked_or_not_at_all(value: str) -> None:
    shown = masked_value(value, "what")
    assert shown is None or shown == value.strip() or "<" in shown


@given(st.text("0123456789+-./:@ abcdef$_=()", max_size=60))
def test_what_is_shown_may_be_shown(value: str) -> None:
    shown = masked_value(value, "what")
    assert shown is None or "<" in shown or masked_value(shown, "what") == shown
