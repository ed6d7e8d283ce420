#!/usr/bin/env python3
"""Give a language model what it needs to write SQL: print a prompt for a question, ready to be sent.

    scripts/sql_context.py QUESTION [--root ROOT] [--budget TOKENS] [--evidence TEXT] [--database NAME] [--json]
    scripts/sql_context.py "monthly revenue by country" | llm
    scripts/sql_context.py --check FILE              the model's answer: is every name in it real?

The program needs no model: any that reads text will do. `--check` reads the SQL that came back ("-" for stdin), prints
what is wrong with it in words that can be sent back to the model, and exits with 1.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

import coderag
from coderag.errors import StoredIndexError

FENCED = re.compile(r"```(?:\w+)?\n(.*?)```", re.DOTALL)
INSTRUCTIONS = """\
Write one {dialect} query that answers the question. Use only the tables and columns below, spelled as they are; join
them as said under "Joins". If they cannot answer it, say which table or column is missing instead of inventing one.
Answer with the SQL alone, in a ```sql block."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Print a prompt for text-to-SQL, or check the SQL that came back.")
    parser.add_argument("question", nargs="*")
    parser.add_argument("--root", default=".", help="the folder whose index knows the schema (default: this one)")
    parser.add_argument("--budget", type=int, default=8000, help="tokens for the schema (default: 8000)")
    parser.add_argument("--evidence", default="", help="what else is known, such as definitions")
    parser.add_argument("--database", action="append", default=[], help="only these databases")
    parser.add_argument("--check", metavar="FILE", help='SQL to check, "-" for stdin')
    parser.add_argument("--json", action="store_true", help="print the parts of the prompt as JSON")
    options = parser.parse_args()
    try:
        index = fresh_index(options.root)
        conditions = coderag.TableFilter(databases=frozenset(options.database))
        return check(index, options.check, conditions) if options.check else ask(index, options, conditions)
    except (coderag.CoderagError, OSError) as error:
        print(f"sql_context: {error}", file=sys.stderr)
        return 2


def fresh_index(root: str) -> coderag.Index:
    """Return the index of a root as its files are now."""
    try:
        index = coderag.Index.open(root)
    except StoredIndexError:
        return coderag.Index.build(root)
    if not index.is_fresh():
        index.update()
    return index


def ask(index: coderag.Index, options: argparse.Namespace, conditions: coderag.TableFilter) -> int:
    """Print the prompt; 1 when no table is known."""
    question = " ".join(options.question)
    context = index.schema_context(question, budget=options.budget, evidence=options.evidence, conditions=conditions)
    if not context.tables:
        print("sql_context: no table is known", file=sys.stderr)
        return 1
    schema = context.as_ddl()
    instructions = INSTRUCTIONS.format(dialect=context.sql_dialect.title)
    known = f"\n\nKnown: {options.evidence}" if options.evidence else ""
    if options.json:
        parts = {"instructions": instructions, "schema": schema, "evidence": options.evidence, "question": question}
        print(json.dumps(parts))
    else:
        print(f"{instructions}\n\n```sql\n{schema}\n```{known}\n\nQuestion: {question}")
    return 0


def check(index: coderag.Index, file: str, conditions: coderag.TableFilter) -> int:
    """Print what is wrong with SQL, a line each; 1 when there is an error."""
    text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    fenced = FENCED.search(text)
    findings = index.check_sql(fenced[1] if fenced else text, conditions=conditions)
    for one in findings:
        meant = f" Did you mean {' or '.join(one.suggestions)}?" if one.suggestions else ""
        print(f"line {one.line}: {one.message}.{meant}")
    return 1 if any(one.severity == "error" for one in findings) else 0


if __name__ == "__main__":
    sys.exit(main())
