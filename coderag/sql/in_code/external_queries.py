"""Places that run SQL which stands in other files: constants of other modules, files of queries, queries by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from tree_sitter import Node

from coderag.sql.in_code.records import Referred
from coderag.syntax.lines import Lines
from coderag.syntax.trees.local_names import Names, in_order
from coderag.syntax.trees.node_types import CALLS, LITERALS
from coderag.syntax.trees.nodes import Called, called, field_or, named_children, text_of, written

__all__ = ["prepared_queries", "referred_files", "referred_name", "referred_query", "tagged_queries"]

FILE = re.compile(r"[^\s\"'`<>|*?{}$%\\]{1,200}\.sql\Z", re.IGNORECASE)
FILE_END = re.compile(rb"\.sql[\"'`)]", re.IGNORECASE)
LITERAL_END = re.compile(rb"\.sql[\"'`)]{1,3}\Z", re.IGNORECASE)
DOTTED = re.compile(r"[A-Za-z_][\w.]*\Z")
QUERIES = re.compile(r"(?:\A|[._])(?:[sS]ql)?[qQ](?:ueries|uerier|UERIES)\Z")
GO_QUERIES = re.compile(r"(?:\A|\.)q\Z")  # what sqlc makes is called so
CONTEXT = re.compile(r"\bctx\b|[cC]ontext\b")  # their first argument
PREPARED = re.compile(rb"(?<![\w.])((?:\w{1,60}\.){0,4}?(?:q|[qQ]ueries)\.([A-Z]\w{0,100}))(?![\w(])")
# *sqlx.Stmt `query:"get-user"`, as goyesql fills it.
TAGGED = re.compile(rb"(?:Stmt|string)[ \t]{1,60}`[^`\n]{0,200}?\bquery:\"([\w-]{1,100})")
STATEMENT = b"Stmt"  # of a file whose tags name queries, not parameters of addresses
TELLING = re.compile(r"[A-Z]|sql|quer|stmt")  # of a name without dots: it is no variable of a loop
NO_TEXT = frozenset("sql query text none null nil read read_text readtext tostring format join build".split())
NO_QUERIES = frozenset(
    """get set append push add items keys values map filter foreach find join pop clear update length size sort each
    where select all first count begin close commit withtx new with_tx delete remove has insert execute query run exec
    prepare test copy index extend load from_path from_str""".split()
)
EMBEDDED = re.compile(
    rb"^//go:embed[ \t]++([^\n]++)\n(?:[ \t]*+//[^\n]*+\n){0,20}+(?:var[ \t]++|[ \t]*+)(\w+)", re.MULTILINE
)
PATH_JOINS = frozenset("join Join resolve joinpath Path get of Combine".split())
MAX_END = 8  # bytes of a literal with the end of a file's name
MAX_PARENTS = 6


def referred_name(name: str, node: Node, owner: int) -> Referred | None:
    """Return the use of a name that the file does not define: queries.FIND_USER."""
    if not DOTTED.match(name) or name.rpartition(".")[2].casefold() in NO_TEXT:
        return None
    if "." not in name and not TELLING.search(name):
        return None
    return Referred(node.start_point[0], owner, name=name)


def referred_query(call: Called, owner: int) -> Referred | None:
    """Return the call of a query that a library made of a file's: queries.find_user(conn, id)."""
    receiver = written(call.receiver)
    first = text_of(call.arguments[0].node) if call.arguments else ""
    known = QUERIES.search(receiver) or (GO_QUERIES.search(receiver) and CONTEXT.search(first))
    if not receiver or not known or call.name.casefold() in NO_QUERIES:
        return None
    return Referred(call.node.start_point[0], owner, name=f"{receiver}.{call.name}", query=call.name)


def prepared_queries(data: bytes) -> Iterator[tuple[int, str, str]]:
    """Yield where fields of Go that hold queries are used, as written, and which: c.q.GetUser.Get(), run(q.GetUser)."""
    for match in PREPARED.finditer(data):
        yield match.start(), match[1].decode(), match[2].decode()


def tagged_queries(data: bytes) -> Iterator[tuple[int, str]]:
    """Yield the bytes at which tags of fields name queries, and these names."""
    if STATEMENT in data:
        yield from ((match.start(), match[1].decode()) for match in TAGGED.finditer(data))


def referred_files(names: Names, lines: Lines, owner: Callable[[int], int]) -> Iterator[Referred]:
    """Yield the files of SQL that a file names, each where the name of its constant is used, or where it stands."""
    for node in sorted(names.literals, key=in_order) if FILE_END.search(lines.data) else ():
        if not LITERAL_END.search(lines.data, max(node.start_byte, node.end_byte - MAX_END), node.end_byte):
            continue
        file = _path_of(node)
        if not FILE.match(file):
            continue
        yield Referred(node.start_point[0], owner(node.start_byte), file=file)
    if names.language == "go":
        for match in EMBEDDED.finditer(lines.data):
            files, name = match[1].decode("utf-8", "replace").split(), match[2].decode()
            yield from _embedded(names, name, [one for one in files if FILE.match(one)], owner)


def _embedded(names: Names, name: str, files: list[str], owner: Callable[[int], int]) -> Iterator[Referred]:
    """Yield the functions that hand a variable to a call into which a file is put when the program is built."""
    for call, _ in names.calls():
        for argument in call.arguments:
            if text_of(argument.node) == name:
                yield from (
                    Referred(call.node.start_point[0], owner(call.node.start_byte), file=file) for file in files
                )


def _path_of(node: Node) -> str:
    """Return the path that ends in a literal, with the literals before it where it is joined of several.

    "find.sql" of `FOLDER / "sql" / "find.sql"` and of `join(dir, "sql", "find.sql")` -> "sql/find.sql".
    """
    own = _unquoted(node)
    parts = [*_path_before(node), own]
    return "/".join(part.strip("/") for part in parts if part.strip("/.")) if len(parts) > 1 else own


def _path_before(node: Node) -> list[str]:
    child, parent = node, node.parent
    for _ in range(MAX_PARENTS):
        if parent is None:
            break
        if parent.type == "binary_operator" and text_of(field_or(parent, "operator")) == "/":
            return _divided_before(parent, child)
        if parent.type in CALLS:
            return _arguments_before(parent, child)
        child, parent = parent, parent.parent
    return []


def _divided_before(division: Node, child: Node) -> list[str]:
    """Return the literals to the left of an operand: "sql" of `FOLDER / "sql" / "find.sql"`."""
    parts: list[str] = []
    left = field_or(division, "left")
    while left is not None and left != child:
        is_division = left.type == "binary_operator"
        last = field_or(left, "right") if is_division else left
        if last is None or last.type not in LITERALS:
            break
        parts.append(_unquoted(last))
        left = field_or(left, "left") if is_division else None
    return parts[::-1]


def _arguments_before(node: Node, child: Node) -> list[str]:
    """Return the literals before an argument of a call that joins paths."""
    call = called(node)
    if call is None or call.name not in PATH_JOINS:
        return []
    before = [sibling for sibling in named_children(child.parent or node) if sibling.start_byte < child.start_byte]
    return [_unquoted(sibling) for sibling in before if sibling.type in LITERALS]


def _unquoted(node: Node) -> str:
    return text_of(node).strip("rfbu").strip("\"'`@")
