"""What hands SQL to a database, by language: sinks.toml, and the names of connections."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path

from coderag.errors import LanguageDataError
from coderag.syntax.trees.local_names import last_words
from coderag.syntax.trees.nodes import Called, text_of

__all__ = ["NATIVE", "Given", "Sinks", "sinks_of"]

DATA = Path(__file__).with_name("sinks.toml")
ALSO = {
    "typescript": ("javascript",),
    "tsx": ("javascript",),
    "c": ("cpp",),
    "kotlin": ("java", "kotlin"),
    "scala": ("java", "scala"),
}  # whose tables count; of the others their own
FIELDS = frozenset({"always", "mostly", "never", "annotations", "settings", "receivers"})
CONNECTION = re.compile(
    r"(?:[a-z]*dbx?|dbh|conn|connection|cur|cursor|con|cn|session|sess|engine|pool|client|pg|pgsql|my|mysql|mysqli|sqlite|sql|knex"
    r"|sequelize|prisma|tx|trx|txn|transaction|stmt|statement|repo|repository|em|manager|jdbc|jdbi|template|handle|dao"
    r"|runner|bq|bigquery|duck|duckdb|clickhouse|ch|spark|pdo|wpdb|store|storage|database|warehouse|adapter|orm|batch|b|q"
    r"|queries|querier|jdbctemplate|entitymanager|dbal|objects|ecto|postgrex|exqlite|myxql|command|cmd|dapper|context|ctx|r2dbc"
    r"|query|named|operations|ops|source|sqlx|diesel|x|driver|executor|exec|link|connect|pstmt|conexao|base|t|c|d|s)\Z",
    re.IGNORECASE,
)
NATIVE = "Query"  # an annotation whose arguments tell whether it holds SQL
ERRORS = re.compile(r"(?:errs?|errors?|exceptions?|failures?|problems?)\Z", re.IGNORECASE)
SAYING = re.compile(
    r"_*(?:assert|log|expect|throw|raise|fail|reject|guard|require|ensure|warn|print|should|verify)", re.IGNORECASE
)
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
RECEIVER_END = re.compile(r"([A-Za-z_]\w*)\W*\Z")
BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|<[^<>]*>")
NO_CONNECTION = re.compile(
    r"(?:log|logger|logging|console|print|out|err|assert|re|regex|document|page|window|jquery|shell|subprocess|os|system"
    r"|process|child|git|docker|redis|mongo|elastic|es|graphql|apollo|gql|wmi|sparql|wrapper|sf|salesforce|soql|influx|influxdb|cosmos|osquery|neo4j|cypher|jira|splunk|kusto"
    r"|prometheus|prom|loki|opensearch|solr|gremlin|arango|rethink|fauna|dynamo|dynamodb|cassandra|scylla|ldap|tracer|span"
    r"|meter|mock|http|axios|fetch|test|expect|fs|path|cli)\Z",
    re.IGNORECASE,
)


class Given(Enum):
    """What a call does with a text that it is given."""

    RUN = 1  # it hands it to a database
    UNKNOWN = 2
    SAID = 3  # it shows, compares or searches it: no SQL


@dataclass(frozen=True, slots=True)
class Sinks:
    """The calls of one language."""

    always: frozenset[str]
    mostly: frozenset[str]
    never: frozenset[str]
    annotations: frozenset[str]
    settings: frozenset[str]
    receivers: frozenset[str]
    words: frozenset[bytes]  # the last words of all names of calls that may be given SQL

    def given(self, call: Called) -> Given:
        """Return what a call does with a text."""
        name = call.name
        word = _last_word(call)
        if ERRORS.match(word):
            return Given.SAID
        if word and NO_CONNECTION.match(word):
            return Given.SAID if name in self.never else Given.UNKNOWN
        if name in self.always:
            return Given.RUN
        if f"{word.lower()}.{name}" in self.mostly:
            return Given.RUN
        if name in self.mostly and word and CONNECTION.match(word):
            return Given.RUN
        if name in self.mostly and call.receiver is not None and _is_model(call):
            return Given.RUN
        if (
            name in self.never
            or SAYING.match(name)
            or name.endswith(("Error", "Exception", "Warning", "Problem", "Failure"))
        ):
            return Given.SAID
        return Given.UNKNOWN


def _last_word(call: Called) -> str:
    """Return the last word of what stands before a call: "conn" of self.dbConn.query()."""
    if call.receiver is None:
        return ""
    text = text_of(call.receiver)[-200:]
    for _ in range(4):
        text = BRACKETS.sub("", text)
    match = RECEIVER_END.search(text)
    words = PARTS.findall(match[1]) if match is not None else []
    return words[-1] if words else ""


def _is_model(call: Called) -> bool:
    """Tell whether a class of models or a module is asked: User.query, DB::select, Repo.query."""
    text = text_of(call.receiver)
    return text in {"DB", "Repo", "ActiveRecord::Base.connection", "SQL"} or text.endswith(("Repo", ".SQL", "::DB"))


@cache
def sinks_of(language: str) -> Sinks:
    """Return the sinks of a language; raises LanguageDataError where sinks.toml has an unknown field."""
    tables = tomllib.loads(DATA.read_text(encoding="utf-8"))
    for table in tables.values():
        if unknown := sorted(table.keys() - FIELDS):
            raise LanguageDataError(f"{DATA}: unknown field {unknown[0]!r}; known are {', '.join(sorted(FIELDS))}")
    taken = [tables["all"], *(tables.get(one, {}) for one in ALSO.get(language, (language,)))]
    found = {field: frozenset(name for table in taken for name in table.get(field, ())) for field in FIELDS}
    calls = found["always"] | found["mostly"] | found["annotations"] | found["receivers"] | {NATIVE}
    return Sinks(**found, words=last_words(calls))
