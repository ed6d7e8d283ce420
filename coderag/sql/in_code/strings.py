"""SQL in the strings of a file of code: which tables and columns each of its functions reads and writes."""

from __future__ import annotations

from coderag.sql.in_code.prefilter import load_expressions, may_hand_table, may_hold_sql
from coderag.sql.in_code.records import NO_USES, DataUses
from coderag.syntax.outline import Outline
from coderag.syntax.parsed import Parsed

__all__ = ["load_extraction", "read_strings"]

LANGUAGES = frozenset(
    """python javascript typescript tsx go java kotlin csharp ruby php rust scala elixir c cpp swift dart""".split()
)
MAX_BYTES = 2_000_000  # of a file; one beyond is generated


def read_strings(parsed: Parsed, outline: Outline, *, path: str) -> DataUses:  # noqa: ARG001 (all readers have it)
    """Return the SQL of a file: what is handed to a database, what looks like SQL, and what stands elsewhere.

    Literals are followed through concatenation, formats, constants, variables and functions of the file; what is known
    at run time only is a hole. sqlglot decides whether a text is SQL.
    """
    data = parsed.lines.data
    if parsed.language.name not in LANGUAGES or len(data) > MAX_BYTES:
        return NO_USES
    if not may_hold_sql(data, parsed.language.name) and not may_hand_table(data, parsed.language.name):
        return NO_USES
    from coderag.sql.in_code.drivers import dialects_of, is_of_others
    from coderag.sql.in_code.evaluation.values import Values  # a third of what a reader of one file would load
    from coderag.sql.in_code.extraction import Extraction
    from coderag.syntax.trees.local_names import Names

    if is_of_others(data):
        return NO_USES
    names = Names(parsed.tree, parsed.language.name, data)
    gathering = Extraction(parsed.lines, outline, names, Values(names), dialects=dialects_of(data))
    return gathering.uses()


def load_extraction() -> None:
    """Load what the first file with SQL would."""
    import coderag.sql.in_code.extraction  # noqa: F401

    load_expressions()
