"""How much one call may ask for: the least and the most of every number, text and list that somebody gives.

Beyond a limit, a call would take time or memory without end. It is refused before any work is done, by the library as
by the command line. README.md prints the table.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from numbers import Real
from operator import index

from coderag.errors import CoderagError, DatabaseError, QueryError, RootError
from coderag.record import record

__all__ = [
    "LIMITS",
    "Limit",
    "check_name",
    "check_number",
    "check_text",
    "checked_list",
    "fault_of_number",
    "fault_of_text",
]

WRITTEN_OUT = 10**18  # a larger number is not repeated in a message


@record
class Limit:
    """The least and the most that something may be."""

    name: str  # what a message calls it
    most: float
    unit: str
    given: str  # options and arguments, as README.md names them
    least: float = 0
    whole: bool = True  # whether fractions are refused
    error: type[CoderagError] = QueryError


K = Limit("k", 1_000, "hits, definitions or tables", "`-k`, `k`", least=1)
RELATED = Limit("related", 100, "hits", "`--related`, `related`")
DIVERSITY = Limit("diversity", 1, "", "`--diversity`, `diversity`", whole=False)
THRESHOLD = Limit("threshold", 1, "", "`--threshold`, `threshold`", whole=False)
COSINE = Limit("semantic_cache", 1, "", "`Index.ask(semantic_cache=)`", whole=False)
RERANKED = Limit("depth of the pipeline", 1_000, "hits", "`Pipeline.depth`", least=1)
BLEND = Limit("blend of the pipeline", 1, "", "`Pipeline.blend`", whole=False)
DEPTH = Limit("depth", 20, "steps", "`--depth`, `depth`", least=1)
NODES = Limit("k", 1_000, "nodes", "`coderag graph -k`, `Index.graph(k=)`", least=1)
WAYS = Limit("k", 10, "ways", "`coderag path -k`, `Index.path_between(k=)`", least=1)
SHOWN = Limit("shown", 1_000_000, "references of each group", "`Index.refs(shown=)`")
BUDGET = Limit("budget", 1_000_000, "tokens", "`coderag schema --budget`, `Index.schema_context(budget=)`")
MAP_BUDGET = Limit("budget", 100_000, "tokens", "`coderag map --budget`, `Index.map(budget=)`", least=1)
WORKERS = Limit("workers", 256, "processes", "`--workers`, `workers`")
MAX_BYTES = Limit("max_bytes", 100_000_000, "bytes", "`--max-bytes`, `max_bytes`", least=1)
MAX_SIZE = Limit("max_size", 10**12, "bytes", "`coderag clean --max-size`", least=1)
UNUSED = Limit("unused", 36_500, "days", "`coderag clean --unused`", whole=False)
LOCK_SECONDS = Limit("lock_seconds", 86_400, "seconds", "`Index.update(lock_seconds=)`", whole=False)
GRACE = Limit("grace", 31_536_000, "seconds", "`coderag export --grace`")
POLL = Limit("poll", 86_400, "seconds", "`coderag watch --poll`, `Index.watch(poll=)`", least=0.01, whole=False)
SAMPLES = Limit("samples", 100, "values of a column", "`coderag index --samples`", error=DatabaseError)
TIMEOUT = Limit("timeout", 3_600, "seconds", "`coderag index --timeout`", least=1, whole=False, error=DatabaseError)
CHUNK_SIZE = Limit("size", 10_000_000, "characters, tokens or sentences", "`size` of `coderag.chunkers`", least=1)
PERCENTILE = Limit("percentile", 100, "", "`percentile` of `chunk_by_meaning`", whole=False)
RRF_K = Limit("k_rrf", 1_000_000, "ranks", "`k_rrf` of `coderag.adapters.Retriever`", whole=False)
ASKED_ROWS = Limit("rows", 100_000, "rows", "`coderag ask --rows`", least=1)
IDLE = Limit("idle", 525_600, "minutes", "`coderag serve --idle`", whole=False)
SERVERS = Limit("workers", 64, "processes", "`coderag serve --workers`", least=1)
PORT = Limit("port", 65_535, "", "`coderag serve --port`")
STEPS = Limit("steps", 50, "calls of tools", "`coderag ask --limits steps=`, `Limits.steps`")
STEP_TOKENS = Limit("tokens", 1_000_000, "tokens", "`coderag ask --limits tokens=`, `Limits.tokens`")
STEP_SECONDS = Limit("seconds", 3_600, "seconds", "`coderag ask --limits seconds=`, `Limits.seconds`", whole=False)
ROWS = Limit("k", 1_000_000, "rows", "`coderag sql -k`, `Index.sql(k=)`", least=1)
QUERY_SECONDS = Limit(
    "seconds", 3_600, "seconds", "`coderag sql --timeout`, `Index.sql(seconds=)`", least=0.01, whole=False
)
QUESTIONS = Limit("limit", 100_000, "questions", "`coderag eval --sample`", least=1)
SEED = Limit("seed", 2**32 - 1, "", "`coderag eval --seed`")
DIMENSIONS = Limit("dimensions", 100_000, "numbers of a vector", "`dimensions=` of a model", least=1)
MAX_TOKENS = Limit("max_tokens", 1_000_000, "tokens of a text", "`max_tokens=` of a model", least=1)
MODEL_TIMEOUT = Limit("timeout", 3_600, "seconds", "`timeout=` of a model", least=1)

QUESTION = Limit("the question", 32_000, "bytes of UTF-8", "`QUERY`, `QUESTION`, and so in a line of `--batch`")
EVIDENCE = Limit("the evidence", 32_000, "bytes of UTF-8", "`--evidence`, `evidence`")
NAME = Limit("a name", 5_000, "bytes of UTF-8", "`TARGET`, `NAME`, `FILE`, and each item of a `LIST`")
GLOB = Limit("a glob", 1_000, "bytes of UTF-8", "each `GLOB`")
SQL = Limit(
    "the SQL", 1_000_000, "bytes of UTF-8", "`coderag check-sql`, `coderag sql`, `Index.check_sql`, `Index.sql`"
)
ANSWER = Limit("the answer", 1_000_000, "bytes of UTF-8", "`coderag check-answer`, `Index.check_answer`")
LINE = Limit("a line", 4_000_000, "bytes", "a line of `--batch`")
QUESTION_FILE = Limit("the file", 100_000_000, "bytes", "`coderag eval QUESTIONS.jsonl`")
QUESTION_LINE = Limit("a line", 1_000_000, "bytes", "a line of `QUESTIONS.jsonl`")

GLOBS = Limit("the globs", 1_000, "globs", "`--path`, `paths`")
ITEMS = Limit("the list", 1_000, "items", "each `LIST`, such as `--kind`, `--groups` or `databases`; tables of `erd`")
ROOTS = Limit("the roots", 1_000, "folders", "`ROOT`, `--root`", least=1, error=RootError)
ADDRESSES = Limit("the databases", 100, "databases", "`coderag index`")
COMPARED = Limit("the configurations", 20, "configurations", "`coderag eval --compare`")

# As docs/reference/bounds.md lists them: numbers, lengths of texts, lengths of lists.
LIMITS = (
    *(K, RELATED, DIVERSITY, THRESHOLD, COSINE, RERANKED, BLEND, DEPTH, NODES, WAYS, SHOWN, BUDGET, MAP_BUDGET),
    *(WORKERS, MAX_BYTES, MAX_SIZE, UNUSED, LOCK_SECONDS, GRACE, POLL, SAMPLES, TIMEOUT),
    *(PORT, CHUNK_SIZE, PERCENTILE, RRF_K, SERVERS, IDLE, ASKED_ROWS, STEPS, STEP_TOKENS, STEP_SECONDS),
    *(ROWS, QUERY_SECONDS),
    *(QUESTIONS, SEED, DIMENSIONS, MAX_TOKENS, MODEL_TIMEOUT),
    *(QUESTION, EVIDENCE, NAME, GLOB, SQL, ANSWER, LINE, QUESTION_FILE, QUESTION_LINE),
    *(GLOBS, ITEMS, ROOTS, ADDRESSES, COMPARED),
)


def check_number(limit: Limit, value: float) -> None:
    """Raise the limit's error for a number beyond it, and TypeError for what is no such number."""
    what = "a whole number" if limit.whole else "a number"
    if isinstance(value, bool) or not (_is_whole(value) if limit.whole else isinstance(value, Real)):
        raise TypeError(f"{limit.name} is of type {type(value).__name__}; give {what}")
    if fault_of_number(limit, value):
        raise limit.error(f"{limit.name} is {_written(value)}; give {what} from {limit.least:,} to {limit.most:,}")


def check_text(limit: Limit, text: str, *, name: str = "") -> None:
    """Raise the limit's error for a text that is too long, and TypeError for what is no text."""
    if not isinstance(text, str):
        raise TypeError(f"{name or limit.name} is of type {type(text).__name__}; give a text")
    if fault := fault_of_text(limit, text):
        raise limit.error(f"{name or limit.name} {fault}")


def check_name(name: str, *, what: str) -> None:
    """Raise QueryError for a name that is empty or too long, TypeError for what is no text."""
    check_text(NAME, name, name=what)
    if not name.strip():
        raise QueryError(f"{what} is empty")


def checked_list(limit: Limit, items: Iterable[str], *, name: str, item: Limit = NAME) -> tuple[str, ...]:
    """Return the texts of a list.

    Raises the limit's error for too many, that of `item` for one that is too long, and TypeError for anything else.
    """
    if isinstance(items, str | bytes) or not isinstance(items, Iterable):
        raise TypeError(f"{name} is of type {type(items).__name__}; give a list of texts")
    bounded = tuple(islice(items, int(limit.most) + 1))
    if len(bounded) > limit.most:
        raise limit.error(f"{name} has more than {limit.most:,.0f} {limit.unit}")
    for one in bounded:
        check_text(item, one, name=f"an item of {name}")
    return bounded


def fault_of_number(limit: Limit, value: float) -> str:
    """Return what is wrong with a number, "" for nothing."""
    if value < limit.least:
        return f"{_written(value)} is less than {limit.least:,}"
    return (
        "" if value <= limit.most else f"{_written(value)} is more than {limit.most:,}"
    )  # and so is what is no number


def fault_of_text(limit: Limit, text: str) -> str:
    """Return what is wrong with a text, "" for nothing."""
    size = len(text) if len(text) > limit.most else len(text.encode("utf-8", "surrogatepass"))
    return f"has {size:,} bytes, which is more than {limit.most:,.0f}" if size > limit.most else ""


def _is_whole(value: object) -> bool:
    try:
        index(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def _written(value: float) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value}" if abs(value) < WRITTEN_OUT else "a number of more than 18 digits"
