"""What a definition's author wrote about it, to what others might ask."""

from __future__ import annotations

import random
import re
from pathlib import PurePosixPath

from coderag.text.tokens import split_identifier
from scripts.training.extract import Record

__all__ = ["asked", "plain_words", "tables_of"]

QUESTIONS = (
    "how do I {deed}", "how to {deed}", "where is the code to {deed}", "where do we {deed}", "how does {name} {deed}",
    "which function {deed}", "what does {name} do to {deed}", "code that {deed}", "{sentence} in {around}",
    "how does {around} {deed}",
)  # fmt: skip
CHANGES = (
    "Fix {name}: {deed}", "Add {name} to {deed}", "{around}: {deed}", "Fix crash in {name} when trying to {deed}",
    "Make {name} {deed}", "Refactor {name}", "Improve {name} of {around}", "Allow {around} to {deed}", "bug: {deed}",
    "Support {deed}",
)  # fmt: skip
HEADINGS = ("how does {} work", "how to {}", "{}", "what is {}")
ABOUT_TABLES = (
    "{a} and {b} of {table}", "how many {table} per {a}", "list the {a} of every {table} by {b}",
    "{table} with the highest {a}", "show {table} {a} and {b}", "which {table} have no {a}",
    "find the {table} whose {a} is largest", "count {table} grouped by {b}", "average {a} of {table}",
    "What is the {a} of the {table} with the lowest {b}?",
)  # fmt: skip
SHARE_OF_QUESTIONS = 0.6
COLUMN = re.compile(  # of the ORMs of Django and SQLAlchemy and their like
    r"^\s{2,8}(\w+)\s*(?::[^=\n]+)?=\s*(?:\w+\.)?(?:\w*Field|Column|mapped_column|relationship|ForeignKey|ManyToMany\w*)\(",
    re.MULTILINE,
)
MIN_COLUMNS = 3


def plain_words(identifier: str) -> str:
    """Return the words of an identifier with spaces between them."""
    return " ".join(split_identifier(identifier))


def asked(record: Record, chance: random.Random) -> str:
    """Return a question, or the subject of a commit, that a record answers."""
    if record.kind == "section":
        return chance.choice(HEADINGS).format(record.summary)
    deed = record.summary[:1].lower() + record.summary[1:].rstrip(".")
    verb, _, others = deed.partition(" ")
    if len(verb) > 3 and verb.endswith("s") and not verb.endswith("ss"):
        deed = f"{verb[:-1]} {others}"
    scope = record.scope.strip(".:#/ ").rpartition(".")[2]
    around = plain_words(scope) or plain_words(PurePosixPath(record.path).name.partition(".")[0])
    chosen = chance.choice(QUESTIONS if chance.random() < SHARE_OF_QUESTIONS else CHANGES)
    return chosen.format(deed=deed, name=plain_words(record.name), around=around, sentence=record.summary.rstrip("."))


def tables_of(record: Record, chance: random.Random) -> list[Record]:
    """Return the table that a class of an ORM declares, as it stands and as SQL, each with a question it answers."""
    if record.kind != "class" or record.language != "python":
        return []
    columns = [one for one in COLUMN.findall(record.text) if not one.startswith("_")]
    if len(columns) < MIN_COLUMNS:
        return []
    table = plain_words(record.name.removesuffix("Model"))
    name = table.replace(" ", "_")
    sql = f"CREATE TABLE {name} (\n" + ",\n".join(f"  {column} text" for column in columns) + "\n);"
    found = []
    for label, path, text in ((record.name, record.path, record.text), (name, "schema.sql", sql)):
        a, b = map(plain_words, chance.sample(columns, 2))
        question = chance.choice(ABOUT_TABLES).format(a=a, b=b, table=table)
        found.append(Record(record.language, path, "table", label, record.scope, question, "", text))
    return found
