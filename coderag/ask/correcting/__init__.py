"""The stage `correct`: evidence is graded, and what is ambiguous is searched for elsewhere (corrective RAG)."""
