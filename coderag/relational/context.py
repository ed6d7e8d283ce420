"""A question about an index to what its SQL needs: the tables of the index as the schema of a database."""

from __future__ import annotations

from functools import cache

from coderag.index.catalog.catalog import Catalog, made_catalog
from coderag.relational.relations import index_schema
from coderag.search.context.schema_context import SchemaContext, schema_context

__all__ = ["index_catalog", "index_context"]


def index_context(
    question: str, *, budget: int, k: int = 20, evidence: str = "", samples: bool = True
) -> SchemaContext:
    """Return the context for a question over the tables of an index, in at most `budget` tokens."""
    return schema_context(index_catalog(), question, budget=budget, k=k, evidence=evidence, samples=samples)


@cache
def index_catalog() -> Catalog:
    """Return the tables of an index as a catalog, which is the same for every index."""
    return made_catalog(index_schema())
