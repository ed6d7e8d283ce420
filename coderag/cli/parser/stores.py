"""The command that writes an index to a store, its arguments and its help."""

from __future__ import annotations

from coderag.cli.parser.arguments import Number, Parsers, Text, add_opening, add_output, command
from coderag.limits import GRACE, NAME

__all__ = ["add_export"]

EXPORT_EXAMPLES = """\
examples:
  coderag export --to postgresql://writer@db.internal/coderag          the index of this repository, under its name
  coderag export --to postgresql://writer@db.internal/coderag#shop/main
  coderag search "where is tax computed?" --store postgresql://reader@db.internal/coderag#shop/main
  coderag export --to s3://bucket/coderag#shop/main                    no database: a search reads ranges of objects

PostgreSQL needs the extension pgvector, and coderag the extra `postgres`; its password comes from PGPASSWORD or
~/.pgpass. milvus://HOST:PORT needs the extra `milvus`; its token comes from MILVUS_TOKEN. elasticsearch://USER@HOST:PORT
and opensearch://USER@HOST:PORT need no extra; ELASTIC_PASSWORD has the password, or ELASTIC_API_KEY a key. s3://,
gs://, az:// and file:/// need the extra `remote`; set CODERAG_INDEX_KEY to the same key where indexes are exported and
searched. What is there already is not written again, so an export that was killed goes on where it ended.
"""


def add_export(commands: Parsers) -> None:
    """Add `coderag export`."""
    summary = "write an index to a store that serves it"
    parser = command(commands, "export", module="export", summary=summary, epilog=EXPORT_EXAMPLES)
    parser.add_argument(
        "--to",
        required=True,
        type=Text(NAME),
        metavar="URL",
        help="the address of the store; #NAME behind it names the index there (default: as the repository)",
    )
    parser.add_argument(
        "--grace",
        type=Number(GRACE),
        default=3600,
        metavar="SECONDS",
        help="how long what no current index needs stays, for searches and exports that run (default: 3600)",
    )
    parser.add_argument("--quiet", "-q", action="store_true", help="print nothing but errors")
    add_opening(parser)
    add_output(parser)
