"""A database that answers at an address, to facts: what a file with all its definitions would tell."""

from __future__ import annotations

from collections.abc import Sequence

from coderag.catalog.introspect.ask import ask
from coderag.catalog.introspect.facts import Watch, facts_of
from coderag.catalog.introspect.samples import sampled
from coderag.catalog.introspect.session import open_session
from coderag.catalog.introspect.url import DatabaseUrl, parse_url
from coderag.limits import SAMPLES, check_number
from coderag.sql.records import Facts

__all__ = ["DEFAULT_TIMEOUT", "inspect_database"]

DEFAULT_TIMEOUT = 30.0


def inspect_database(
    url: str | DatabaseUrl,
    *,
    samples: int = 0,
    timeout: float = DEFAULT_TIMEOUT,
    schemas: Sequence[str] = (),
    watch: Watch | None = None,
) -> Facts:
    """Return what a database holds: tables, views, types, routines and triggers of all schemas, or of those named.

    Everything is read in one transaction that cannot write. With `samples`, up to so many values of each column are
    read as well, without personal data. `timeout` is in seconds, for connecting and for each question.

    Raises DatabaseError; what cannot be read for lack of rights, or went meanwhile, is in the facts' `unparsed`.
    """
    check_number(SAMPLES, samples)
    address = parse_url(url) if isinstance(url, str) else url
    with open_session(address, timeout=timeout) as session:
        answers = ask(session, schemas)
        name = answers.database.name or address.database or address.host
        if samples <= 0:
            return facts_of(answers, database=name, watch=watch)
        return sampled(facts_of(answers, database=name), session, values=samples, watch=watch)
