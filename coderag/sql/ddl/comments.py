"""Comments beside statements to their words, without what programs write into dumps."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["comment_words"]

BANNER_CHARACTERS = 400  # in which a banner is looked for
RULE = "-=*#~_+/.<> \t"  # what lines between sections are made of
SIGNS = re.compile(r"^\s*(?:--+!?|#+|/\*+(?:M?!\d*)?|\*(?!/)|(?i:rem(?:ark)?)(?=\s|$)|//+)\s?|(?<!\*)\*++/$")
BANNERS = re.compile(
    r"""
    (?:data\ for\ )?name:\ .*;\ (?:type|schema):\ .* | toc\ entry\ \d.* | dependencies:.*
    | (?:table|temporary\ (?:table|view)|(?:final\ )?view|stand-in)\ structure\ for\ .* | structure\ for\ view\ .*
    | dumping\ (?:data|routines|events)\ for\ .* | dump\ completed.* | host:\ .*\ database:\ .* | server\ version.*
    | (?:mysql|mariadb|phpmyadmin\ sql)\ dump\ .* | postgresql\ database\ (?:cluster\ )?dump.*
    | dumped\ (?:from|by)\ .*
    | (?:indexes|auto_increment|constraints)\ for\ (?:dumped\ tables?|table\ .*)
    | \**\ *object:\ .*\ script\ date:.* | databricks\ notebook\ source | command\ -+
    | \\-\ enable\ the\ sandbox\ mode
    """,
    re.VERBOSE | re.IGNORECASE,
)
DIRECTIVES = re.compile(r"(?:[+!@]\w|migrate:|changeset\s|liquibase\s|rollback\s|fmt:|sqlfluff:|noqa)", re.IGNORECASE)
HEADINGS = re.compile(  # that say what the statement says
    r"""
    (?:(?:re-?)?(?:create|drop|add|define|insert|populate|declare)\ )?(?:(?:all|the)\ )?
    (?:(?:primary|foreign)\ key\ )?
    (?:database|tables?|views?|index(?:es)?|indices|constraints?|(?:foreign|primary)\ keys|functions?|procedures?
    |triggers?|sequences?|types?|schemas?|data|keys)[.:\s]*
    """,
    re.VERBOSE | re.IGNORECASE,
)
CODE = re.compile(r"(?:alter|create|delete|drop|grant|insert|select|set|truncate|update|use)\b.*;", re.IGNORECASE)
NOTICE = re.compile(r"copyright|all rights reserved|spdx-|licen[cs]ed under|^licen[cs]e:", re.IGNORECASE | re.MULTILINE)


def comment_words(comments: Iterable[str]) -> str:
    """Return the lines of comments without their signs, without dividing lines, banners, code and licences."""
    lines = [SIGNS.sub("", line.strip()).strip() for comment in comments for line in comment.split("\n")]
    text = "\n".join(line for line in lines if not _is_banner(line))
    return "" if NOTICE.search(text) else text


def _is_banner(line: str) -> bool:
    if not line.strip(RULE) or DIRECTIVES.match(line):
        return True
    return len(line) < BANNER_CHARACTERS and any(banner.fullmatch(line) for banner in (BANNERS, HEADINGS, CODE))
