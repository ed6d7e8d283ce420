"""The nodes around a literal to whether it may be SQL, and to the name that holds it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from tree_sitter import Node

from coderag.sql.in_code.sinks import Given, Sinks
from coderag.syntax.trees.assignments import dart_call
from coderag.syntax.trees.local_scopes import Event
from coderag.syntax.trees.node_types import (
    ASSIGNMENTS,
    BLOCKS,
    CALLS,
    CLASSES,
    COMPARISONS,
    FUNCTIONS,
    LAMBDAS,
    LITERALS,
    LOGICAL,
    RETURNS,
    SUBSCRIPTS,
)
from coderag.syntax.trees.nodes import Called, assigned, bare_name, called, field_or, text_of

__all__ = ["Context", "context_of"]

MAX_LEVELS = 40
SAID_NAMES = re.compile(
    r"(?:^|_|(?<=[a-z]))(?:messages?|msg|title|label|description|desc|help|helptext|help_text|error|err|prompt"
    r"|placeholder|regex|pattern|regexp|comment|doc|docs|note|tooltip|warning|usage|hint|summary|caption|heading|subject|reason"
    r"|prose|question|instruction|instructions|example_text|sentence|greeting|footer|header|intro|about|info|log|"
    r"selector|css|url|uri|path|name|verbose_name|aria|alt|cause|problem|failure|fault|detail|explanation|expected|actual|want|got|example|sample|snippet|demo|tip|syntax"
    r")s?\Z|(?:^|_|(?<=[a-z]))(?:keyword|topic|event|metric|span|tag)\Z",  # more of these are rows of a table
    re.IGNORECASE,
)
COMPARED = frozenset("== != === !== =~ !~ eq ne in not_in instanceof <=> is <=  >= < > -> => equals not~ like".split())
ERROR_SIGNS = frozenset(
    {":error", ":err", ":failure", "'error'", '"error"', "None", "False", "nil"}
)  # first of a pair that reports a failure
DOC_ATTRIBUTES = frozenset("doc moduledoc typedoc shortdoc tag describetag".split())  # of Elixir
RUNNING_METHODS = frozenset({"execute", "query"})  # of a string
TEXT_METHODS = frozenset(  # their result may still be SQL
    """format t sub split strip lstrip rstrip trim trimStart trimEnd trimIndent trimMargin stripIndent stripMargin
    stripLeading squish strip_heredoc replace replaceAll to_string to_owned into concat join""".split()
)
SUPERS = frozenset({"super", "__init__", "base"})
ERROR_CLASS = re.compile(rb"(?:Error|Exception|Throwable|Warning)\b")
HEAD_BYTES = 300  # of a class
MAX_CLOSURE = 8  # levels between the body of a closure and the call that is given it
SQL_NAMES = re.compile(r"(?:^|_|(?<=[a-z]))(?:sql|ddl|create_?table|alter_?table)(?![a-z])", re.IGNORECASE)
STATEMENTS = frozenset("expression_statement module program source_file class_body translation_unit".split())
STOPS = SUBSCRIPTS.union(  # no SQL is in them
    """raise_statement throw_statement throw_expression assert_statement jsx_attribute jsx_element jsx_expression
    jsx_text import_statement import_declaration field_tag decorator annotation attribute_list attribute_item
    case_statement switch_label switch_case case_pattern match_pattern literal_pattern comparison_operator import_spec
    element_reference raise throw assert echo_statement print_intrinsic exit_statement use_declaration
    extern_crate_declaration enum_assignment type_annotation literal_type preproc_include
    token_tree_pattern""".split()
)


class Context(NamedTuple):
    """Where a literal goes."""

    root: Node  # the whole expression
    denied: bool  # it cannot be SQL
    name: str = ""  # of the variable or constant that holds it
    call: str = ""  # the name of the call that is given it
    returned: bool = False
    event: Event | None = None


@dataclass(slots=True)
class _Ascent:
    """The way up from a literal to what decides about it."""

    root: Node  # the largest expression around the literal so far
    node: Node  # around it
    call: str = ""  # the name of the innermost call on the way

    def denied(self) -> Context:
        return Context(self.root, denied=True)


_Decision = Callable[[_Ascent, Sinks], Context | None]  # None: what is around the node decides


def context_of(literal: Node, sinks: Sinks) -> Context:
    """Return where a literal goes: into a variable, a call, out of a function, or nowhere.

    FIND = "SELECT 1"              -> Context(name="FIND", denied=False)
    cur.execute("SELECT 1")        -> Context(call="execute", denied=False)
    raise ValueError("select one") -> Context(denied=True)
    """
    if literal.parent is None:
        return Context(literal, denied=True)
    ascent = _Ascent(literal, literal.parent)
    for _ in range(MAX_LEVELS):
        decide = DECISIONS.get(ascent.node.type)
        context = decide(ascent, sinks) if decide is not None else None
        if context is not None:
            return context
        ascent.root, parent = ascent.node, ascent.node.parent
        if parent is None:
            break
        ascent.node = parent
    return ascent.denied()


def _deny(ascent: _Ascent, _: Sinks) -> Context:
    return ascent.denied()


def _in_annotation(ascent: _Ascent, _: Sinks) -> Context | None:
    """Deny what an attribute of Rust or C# says; that of Python is a member: dedent("SELECT 1").strip()."""
    return None if ascent.node.child_by_field_name("object") is not None else ascent.denied()


def _in_list(ascent: _Ascent, _: Sinks) -> Context | None:
    """Deny the message of a failure: {:error, "not found"}, return None, "not found"."""
    first = next(iter(ascent.node.named_children), None)
    return ascent.denied() if text_of(first) in ERROR_SIGNS else None


def _in_element(ascent: _Ascent, _: Sinks) -> Context:
    """Take DB["SELECT ..."] of Sequel; deny the key of any other object."""
    if text_of(field_or(ascent.node, "object")) == "DB":
        return Context(ascent.root, denied=False, call="DB")
    return ascent.denied()


def _in_statement(ascent: _Ascent, _: Sinks) -> Context:
    """Take an expression of its own where it is a call's."""
    return Context(ascent.root, denied=not ascent.call, call=ascent.call)


def _in_block(ascent: _Ascent, sinks: Sinks) -> Context:
    """Take the last expression of a block, which many languages return."""
    if _is_said_around(ascent.node, sinks):
        return ascent.denied()
    children = ascent.node.named_children
    is_returned = not children or children[-1] == ascent.root
    return Context(ascent.root, denied=not is_returned and not ascent.call, call=ascent.call, returned=is_returned)


def _in_return(ascent: _Ascent, _: Sinks) -> Context:
    return Context(ascent.root, denied=False, returned=True, call=ascent.call)


def _in_function(ascent: _Ascent, sinks: Sinks) -> Context:
    return ascent.denied() if _is_said_around(ascent.node, sinks) else _in_return(ascent, sinks)


def _in_binary(ascent: _Ascent, _: Sinks) -> Context | None:
    """Deny what is compared; take what Elixir assigns: sql = "SELECT 1"."""
    operator = text_of(field_or(ascent.node, "operator"))
    if operator in COMPARED:
        return ascent.denied()
    left = field_or(ascent.node, "left")
    if operator == "=" and left != ascent.root:
        name = bare_name(left)
        return Context(ascent.root, denied=_is_said(name), name=name)
    return None


def _in_assignment(ascent: _Ascent, _: Sinks) -> Context:
    node, root = ascent.node, ascent.root
    for target, value, operator in assigned(node):
        if target == root or (node.type == "pair" and field_or(node, "key") == root):
            return ascent.denied()
        if value is not None and _holds(value, root):
            name = bare_name(target).strip("'\"")
            denied = not ascent.call and _is_said(name.rpartition(".")[2])
            event = Event(name, value, node, grows=operator != "=")
            return Context(root, denied=denied, name=name, call=ascent.call, event=event)
    return Context(root, denied=False, call=ascent.call)


def _in_attribute(ascent: _Ascent, _: Sinks) -> Context | None:
    """Take an attribute of an Elixir module: @find "SELECT 1", but not @doc "..."."""
    if text_of(ascent.node)[:1] != "@":
        return None
    operand = ascent.node.child_by_field_name("operand")
    call = called(operand) if operand is not None and operand.type == "call" else None
    name = call.name if call is not None else ""
    return Context(ascent.root, denied=name in DOC_ATTRIBUTES or _is_said(name), name=name)


def _in_call(ascent: _Ascent, sinks: Sinks) -> Context | None:
    """Remember the call that is handed the literal; deny it where the call shows, compares or searches the literal."""
    node = ascent.node
    call = dart_call(node) if node.type == "selector" else called(node)
    if call is None or (node.parent is not None and node.parent.type == "unary_operator"):
        return None
    if call.receiver is not None and _holds(call.receiver, ascent.root):
        return _on_literal(ascent, call, sinks)
    if _is_message(ascent, call) or sinks.given(call) is Given.SAID:
        return ascent.denied()
    ascent.call = ascent.call or call.name
    return None


def _on_literal(ascent: _Ascent, call: Called, sinks: Sinks) -> Context | None:
    """Decide on a literal whose method is called: "SELECT 1".execute()."""
    if call.name in RUNNING_METHODS:
        return Context(ascent.root, denied=False, call=call.name)
    is_said = sinks.given(call) is Given.SAID and call.name not in TEXT_METHODS
    return ascent.denied() if is_said else None


def _is_message(ascent: _Ascent, call: Called) -> bool:
    """Tell whether an argument is a message: f(title="..."), super("...") in a class of errors."""
    argument = next((argument for argument in call.arguments if _holds(argument.node, ascent.root)), None)
    if argument is not None and argument.name and _is_said(argument.name):
        return True
    return call.name in SUPERS and _is_in_error(ascent.node)


def _in_named_argument(ascent: _Ascent, _: Sinks) -> Context | None:
    return ascent.denied() if _is_said(bare_name(field_or(ascent.node, "name", "key"))) else None


# By the type of the node around; a later line overrides an earlier one.
DECISIONS: Mapping[str, _Decision] = {
    **dict.fromkeys(LITERALS, _deny),
    **dict.fromkeys("keyword_argument named_argument element_value_pair".split(), _in_named_argument),
    **dict.fromkeys(CALLS | {"selector"}, _in_call),  # the arguments of a call in Dart
    "unary_operator": _in_attribute,
    **dict.fromkeys(ASSIGNMENTS, _in_assignment),
    **dict.fromkeys(LOGICAL, _in_binary),
    **dict.fromkeys(CLASSES, _in_statement),
    **dict.fromkeys(FUNCTIONS | LAMBDAS, _in_function),
    **dict.fromkeys(RETURNS, _in_return),
    **dict.fromkeys(BLOCKS, _in_block),
    **dict.fromkeys(STATEMENTS, _in_statement),
    **dict.fromkeys(STOPS | COMPARISONS, _deny),
    "attribute": _in_annotation,
    "element_reference": _in_element,
    **dict.fromkeys("tuple array list expression_list".split(), _in_list),
}


def _is_in_error(node: Node) -> bool:
    """Tell whether a node is in a class of errors: class NotFound(ApiError)."""
    outer: Node | None = node
    for _ in range(MAX_LEVELS):
        if outer is None:
            return False
        if outer.type in CLASSES:
            head = (outer.text or b"")[:HEAD_BYTES].partition(b"{")[0].partition(b"\n")[0]
            return ERROR_CLASS.search(head) is not None
        outer = outer.parent
    return False


def _is_said_around(node: Node, sinks: Sinks) -> bool:
    """Tell whether a block belongs to a call that shows or logs the value of the block."""
    outer: Node | None = node
    for _ in range(MAX_CLOSURE):
        if outer is None or (outer.type in FUNCTIONS and field_or(outer, "name") is not None):
            return False
        if outer.type in CALLS:
            call = called(outer) or (called(outer.named_children[0]) if outer.named_children else None)
            return call is not None and sinks.given(call) is Given.SAID
        if outer.type in RETURNS or outer.type in ASSIGNMENTS:
            return False
        outer = outer.parent
    return False


def _is_said(name: str) -> bool:
    """Tell whether a name is one of text for people: error_message, helpText, but not CREATE_TABLE_LOG."""
    return SAID_NAMES.search(name) is not None and SQL_NAMES.search(name) is None


def _holds(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte
