"""What an index is asked for, and told to do: the whole public surface, and the command line in this process."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from functools import partial

from coderag import Index
from coderag.api.background import main as tidy
from coderag.cli.main import run
from coderag.graph.drawing.export import as_dot
from coderag.graph.drawing.svg import as_svg as graph_svg
from coderag.search.context.erd import as_mermaid
from coderag.search.context.erd_svg import as_svg as tables_svg
from coderag.search.context.render import as_ddl, as_markdown
from coderag.search.ranking.settings import make_pipeline
from scripts.fuzzing_index.world import World

__all__ = ["ACTS", "COMMANDS", "QUESTIONS", "Question", "run_command"]

WORDS = ("where are failed payments retried?", "money", "total of an order with a coupon", "later")
FILES = ("shop/money.py", "late/more.py", "schema/schema.sql", "docs/payments.md")
TARGETS = ("orders", "Money", "shop/money.py", "orders.id", "token", "GET /", "shop/money.py:12")
SQL = "SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.nothing = 1"

Question = Callable[[World, Index], object]


def _each(ask: Callable[[Index, str], object], texts: tuple[str, ...]) -> Question:
    def asked(_: World, index: Index) -> None:
        for text in texts:
            ask(index, text)

    return asked


def _seen(_: World, index: Index) -> None:
    for groups in ((), ("ops",)):
        seen = index.as_seen_by(groups)
        seen.search(WORDS[0])
        seen.status(compare=True)
        seen.tables()
        seen.refs("orders")


def _schema(_: World, index: Index) -> None:
    for text in WORDS:
        for budget in (300, 8000):
            context = index.schema_context(text, budget=budget)
            as_ddl(context, explain=True)
            as_markdown(context, explain=True)


def _drawn(_: World, index: Index) -> None:
    for target in (*TARGETS, WORDS[0]):
        if (drawing := index.graph(target, depth=2)) is not None:
            graph_svg(drawing)
            as_dot(drawing)


def _tables_drawn(_: World, index: Index) -> None:
    tables = index.tables()
    as_mermaid(tables)
    tables_svg(tables)


def _ways(_: World, index: Index) -> None:
    index.path_between("token", "orders", k=3)
    index.path_between("orders", "Money", k=2)
    index.path_between("shop/money.py", "orders.id")


def _remade(_: World, index: Index) -> None:
    """Make the graph of what is seen, for which nothing that is stored serves."""
    index.as_seen_by(()).refs("orders")


def _share(world: World, _: Index) -> None:
    with Index.ensure(world.clone, workers=0) as index:
        index.search(WORDS[0])
        if problems := index.damage():
            raise AssertionError(f"a clone took over what is damaged: {problems}")


QUESTIONS: Mapping[str, Question] = {
    "search words": _each(lambda index, text: index.search(text), WORDS),
    "search a symbol": _each(lambda index, text: index.search(text), ("retry_failed", "Money.cents", "orders")),
    "search paths": _each(lambda index, text: index.search("total", paths=[text, "!vendor/"]), ("shop/**", "*.sql")),
    "search a database": _each(lambda index, text: index.search("total", databases=[text]), ("root", "ledger")),
    "expand": _each(
        lambda index, text: index.search("total of an order", expand=text, k=5), ("parent", "file", "neighbours")
    ),
    "diverse": lambda _, index: index.search("order total", diversity=0.5, collapse=False, k=40),
    "related": lambda _, index: index.search("order total", related=5, pipeline=make_pipeline(reranker="graph")),
    "symbols": _each(lambda index, text: index.symbols(text), ("Money", "reserv", "zebra", "orders")),
    "outline": _each(Index.outline, FILES),
    "chunks": _each(Index.chunks, FILES),
    "references": _each(lambda index, text: index.refs(text, shown=None), TARGETS),
    "impact": _each(lambda index, text: index.impact(text, depth=4), TARGETS),
    "ways": _ways,
    "reached": lambda _, index: index.reached("shop/money.py", like="orders"),
    "drawing": _drawn,
    "map": lambda _, index: (index.map(), index.map("payments that failed", budget=300)),
    "names like": _each(Index.names_like, ("ordres", "Mony")),
    "schema context": _schema,
    "table ranking": _each(lambda index, text: index.table_ranking(text), WORDS),
    "tables": lambda _, index: (index.tables(), index.asked),
    "table": _each(Index.table, ("orders", "entries", "reports.orders")),
    "check SQL": _each(lambda index, text: index.check_sql(text), (SQL, "DELETE FROM entries")),
    "ERD": _tables_drawn,
    "status": lambda _, index: index.status(compare=True),
    "fresh": lambda _, index: (index.is_fresh(), len(index)),
    "damage": lambda _, index: index.damage(),
    "verify": lambda _, index: index.verify(),
    "recall": lambda _, index: index.recall(),
    "seen": _seen,
    "remade graph": _remade,
    "share": _share,
}


def _updated(world: World, *, thorough: bool = False) -> None:
    with Index.open(world.root) as index:
        index.update(workers=0, thorough=thorough)
        index.search(WORDS[0])


def _updated_paths(world: World) -> None:
    with Index.open(world.root) as index:
        index.update(paths=["shop/money.py", "late", "out"], workers=0)


def _ensured(world: World) -> None:
    with Index.ensure(world.root, workers=0) as index:
        index.search(WORDS[0])
        index.refs("orders")
        index.schema_context(WORDS[0])


def _tidied(world: World) -> None:
    before = sys.argv
    sys.argv = ["background", "graph", str(world.root), str(world.root), world.index.name]
    try:
        tidy()
    finally:
        sys.argv = before


def _merged(world: World) -> None:
    with Index.open(world.root) as index:
        index.merge()


def _trusted(world: World) -> None:
    Index.trust(world.root).search(WORDS[0])


# What changes the index; it comes after the questions.
ACTS: Mapping[str, Callable[[World], object]] = {
    "update": _updated,
    "thorough update": partial(_updated, thorough=True),
    "update of paths": _updated_paths,
    "ensure": _ensured,
    "merge": _merged,
    "afterwards": _tidied,
    "trust": _trusted,
    "rebuild": lambda world: Index.build(world.root, workers=0),
}
OPENING = "--root", "ROOT", "--no-refresh"
COMMANDS: Mapping[str, tuple[str, ...]] = {
    "search": ("search", "failed payments", *OPENING),
    "search --json": ("search", "order total", "--json", "--explain", "--related", "3", *OPENING),
    "search --groups": ("search", "order total", "--groups", "hr", *OPENING),
    "symbols": ("symbols", "Money", *OPENING),
    "outline": ("outline", "FILE"),
    "refs": ("refs", "orders", *OPENING),
    "impact": ("impact", "orders", *OPENING),
    "path": ("path", "token", "orders", *OPENING),
    "graph": ("graph", "orders", *OPENING),
    "map": ("map", *OPENING),
    "schema": ("schema", "orders of a customer", *OPENING),
    "tables": ("tables", *OPENING),
    "table": ("table", "orders", *OPENING),
    "erd": ("erd", *OPENING),
    "status": ("status", "--verbose", "--root", "ROOT"),
    "status --check": ("status", "--check", "--root", "ROOT"),
    "status --json": ("status", "--json", "--root", "ROOT"),
    "index": ("index", "ROOT", "--workers", "0"),
    "index --trust": ("index", "--trust", "ROOT", "--workers", "0"),
    "clean": ("clean", "ROOT", "--dry-run"),
}


def run_command(world: World, name: str) -> str:
    """Run a command line in this process; return what is wrong with how it ended, "" for nothing."""
    places = {"ROOT": str(world.root), "FILE": str(world.root / FILES[0])}
    arguments = [places.get(one, one) for one in COMMANDS[name]]
    said, told = io.StringIO(), io.StringIO()
    with redirect_stdout(said), redirect_stderr(told):
        try:
            code = run(arguments)
        except SystemExit as error:
            code = error.code if isinstance(error.code, int) else 3
    if code not in (0, 1, 2):
        return f"exit code {code}"
    if code == 2 and (not told.getvalue().startswith("coderag: ") or "Traceback" in told.getvalue()):
        return f"said {told.getvalue()[:200]!r}"
    return ""
