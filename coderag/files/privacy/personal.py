"""A value of a database to what may be shown of it: nothing that tells who somebody is, or lets anybody in."""

from __future__ import annotations

import ipaddress
import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path

__all__ = ["is_personal_column", "masked_value"]

VALUE_CHARACTERS = 60  # what is longer is a text, of which a sample tells little and may hold anything
CARD_DIGITS = range(13, 20)  # ISO/IEC 7812
PHONE_DIGITS = range(7, 16)  # at most 15: ITU-T E.164
TOKEN_CHARACTERS = 20
TOKEN_DIGITS = 3

WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
NOT_LETTERS = re.compile(r"[\W\d_]+")

EMAIL = re.compile(r"(?<![^\s@<>\"'(),;:])[^\s@<>\"'(),;:]++@[^\s@<>\"'(),;:]+")
LOGIN = re.compile(r"\b\w+://[^\s/@]+@\S*")  # an address with a user in it
UUID = re.compile(r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", re.IGNORECASE)
IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b")
CARD = re.compile(r"(?<!\d)\d(?:[ -]?\d){12,18}(?!\d)")
SOCIAL_SECURITY = re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")
IPV4 = re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])")
COLONS = re.compile(r"(?<![\w:])(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?![\w:])")
MAC = re.compile(r"(?<![\w:-])[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}(?![\w:-])")
DATE = re.compile(r"(?<!\d)(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{4})(?!\d)")
PHONE = re.compile(r"(?<![\w./-])(?:\+|00|\(|0)?\d[\d() ./-]{5,22}\d(?!\w)")
THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:[ .]\d{3})+")
NUMBER = re.compile(r"-?\d+(?:[.,]\d+)*")
HEXADECIMAL = re.compile(r"(?<![\w])(?:0x)?[0-9a-fA-F]{16,}(?!\w)")
TOKEN = re.compile(rf"[A-Za-z0-9+/_=.$-]{{{TOKEN_CHARACTERS},}}")
KNOWN_TOKEN = re.compile(
    r"\b(?:[sprw]k[_-](?:live|test)|gh[pousr]_|github_pat|glpat-|xox[abprs]-|AKIA|ASIA|AIza|SG\.|ey[JK])[\w.+/=-]{6,}"
    r"|\$(?:2[abxy]?|argon2\w*|pbkdf2\S*|[156y])\$\S+|\bBearer\s+\S+",
)


def is_personal_column(name: str, table: str = "") -> bool:
    """Tell whether the name of a column, or that of a table of people with it, says that its values are personal."""
    words = [word.lower() for word in WORD.findall(name)]
    known = _names()
    if known["endings"].intersection(words[1:][-1:]):
        return False
    joined = NOT_LETTERS.sub("", name).lower()
    if not known["words"].isdisjoint(words) or any(part in joined for part in known["parts"]):
        return True
    if joined not in known["names"]:
        return False
    of_table = [word.lower() for word in WORD.findall(table)]
    return not known["people"].isdisjoint([*of_table, *(word.removesuffix("s") for word in of_table)])


def masked_value(value: str, column: str, table: str = "") -> str | None:
    """Return a value as it may be shown: with <kind> for what is personal in it, None if nothing else is left.

    None is also the answer for every value of a personal column, and for what is empty, has several lines or is longer
    than VALUE_CHARACTERS.
    """
    text = value.strip()
    if not text or len(text) > VALUE_CHARACTERS or "\n" in text or is_personal_column(column, table):
        return None
    masked = _masked(text)
    if masked == text:
        return text
    return masked if re.search(r"\w", re.sub(r"<\w+>", "", masked)) else None


def _masked(text: str) -> str:
    if NUMBER.fullmatch(text) and not CARD.fullmatch(text) and not _is_phone(text):
        return text if not _is_address(text) else "<ip>"
    text = LOGIN.sub("<login>", text)
    text = EMAIL.sub("<email>", text)
    text = KNOWN_TOKEN.sub("<token>", text)
    text = UUID.sub("<uuid>", text)
    text = IBAN.sub(lambda match: "<iban>" if _is_iban(match[0]) else match[0], text)
    text = CARD.sub(lambda match: "<card>" if _is_card(match[0]) else match[0], text)
    text = SOCIAL_SECURITY.sub("<ssn>", text)
    text = MAC.sub("<mac>", text)
    text = COLONS.sub(lambda match: "<ip>" if _is_address(match[0]) else match[0], text)
    text = IPV4.sub(lambda match: "<ip>" if _is_address(match[0]) else match[0], text)
    text = HEXADECIMAL.sub(lambda match: match[0] if match[0].isdigit() else "<hash>", text)
    text = PHONE.sub(lambda match: "<phone>" if _is_phone(match[0]) else match[0], text)
    return TOKEN.sub(lambda match: "<token>" if _is_token(match[0]) else match[0], text)


def _is_iban(text: str) -> bool:
    """Tell whether a text's check digits are those of an account number (ISO 13616)."""
    plain = text.replace(" ", "")
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def _is_card(text: str) -> bool:
    """Tell whether a text's check digit is that of a payment card (ISO/IEC 7812-1, Luhn)."""
    digits = [int(sign) for sign in text if sign.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return len(digits) in CARD_DIGITS and (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _is_phone(text: str) -> bool:
    if sum(sign.isdigit() for sign in text) not in PHONE_DIGITS or DATE.search(text) or THOUSANDS.fullmatch(text):
        return False
    if text.startswith(("+", "(")) or (text.startswith("0") and not text.startswith("0.")):
        return True
    return len(re.findall(r"\d+", text)) > 2 and not re.search(r"\d[ .,]\d{1,2}$", text)


def _is_token(text: str) -> bool:
    """Tell whether a long run of signs looks random: letters with digits among them, and no words."""
    if sum(sign.isdigit() for sign in text) < TOKEN_DIGITS or not re.search(r"[A-Za-z]", text):
        return False
    words = re.findall(r"[A-Za-z]+", text)
    return len(re.findall(r"\d+", text)) > 2 or max(map(len, words)) >= TOKEN_CHARACTERS // 2


@cache
def _names() -> Mapping[str, frozenset[str]]:
    text = Path(__file__).with_name("personal.toml").read_text(encoding="utf-8")
    return {key: frozenset(names) for key, names in tomllib.loads(text).items()}
