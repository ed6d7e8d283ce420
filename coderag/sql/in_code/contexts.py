"""What surrounds a literal to whether it may be SQL, and to the name that holds it."""

from __future__ import annotations

import re
from typing import NamedTuple

from tree_sitter import Node

from coderag.sql.in_code.sinks import Given, Sinks
from coderag.syntax.trees.local_scopes import Event
from coderag.syntax.trees.nodes import (
    ASSIGNMENTS,
    CALLS,
    CLASSES,
    FUNCTIONS,
    LITERALS,
    RETURNS,
    assigned,
    bare_name,
    called,
    field_or,
    text_of,
)

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
COMPARISONS = frozenset(
    """comparison_operator equality_expression comparison_expression infix_comparison relational_expression
    in_expression""".split()
)
ERROR_SIGNS = frozenset(
    {":error", ":err", ":failure", "'error'", '"error"', "None", "False", "nil"}
)  # first of a pair that tells a failure
SUPERS = frozenset({"super", "__init__", "base"})
ERROR_CLASS = re.compile(rb"(?:Error|Exception|Throwable|Warning)\b")
HEAD_BYTES = 300  # of a class
CLOSURES = frozenset("lambda lambda_expression closure_expression lambda_literal stab_clause func_literal".split())
MAX_CLOSURE = 8  # levels between the body of a closure and the call that is given it
STOPS = frozenset(
    """raise_statement throw_statement throw_expression assert_statement jsx_attribute jsx_element jsx_expression
    jsx_text import_statement import_declaration field_tag subscript subscript_expression index_expression
    decorator annotation attribute_list attribute_item case_statement switch_label switch_case case_pattern
    match_pattern literal_pattern comparison_operator import_spec element_access_expression element_reference
    raise throw assert echo_statement print_intrinsic exit_statement use_declaration extern_crate_declaration
    attribute enum_assignment type_annotation literal_type preproc_include token_tree_pattern""".split()
)


class Context(NamedTuple):
    """Where a text goes."""

    root: Node  # the whole expression
    denied: bool  # it cannot be SQL
    name: str = ""  # of the variable or constant that holds it
    call: str = ""  # the name of the call that is given it
    returned: bool = False
    event: Event | None = None


def context_of(literal: Node, sinks: Sinks) -> Context:
    """Return where a literal goes: into a variable, a call, out of a function, or nowhere."""
    root, node = literal, literal.parent
    call_name = ""
    for _ in range(MAX_LEVELS):
        if node is None:
            return Context(root, denied=True)
        kind = node.type
        if (
            kind in {"tuple", "array", "list", "expression_list"}
            and text_of(next(iter(node.named_children), None)) in ERROR_SIGNS
        ):
            return Context(root, denied=True)
        if kind == "element_reference" and text_of(field_or(node, "object")) == "DB":  # DB["SELECT ..."] of Sequel
            return Context(root, denied=False, call="DB")
        if kind in STOPS or kind in COMPARISONS:
            return Context(root, denied=True)
        if kind in {"expression_statement", "module", "program", "source_file", "class_body", "translation_unit"}:
            return Context(root, denied=not call_name, call=call_name)
        if kind in {"block", "body_statement", "do_block", "then", "statement_block", "template_body", "statements"}:
            alone = node.named_children and node.named_children[-1] != root
            if _is_said_around(node, sinks):
                return Context(root, denied=True)
            return Context(root, denied=bool(alone) and not call_name, call=call_name, returned=not alone)
        if kind in RETURNS:
            return Context(root, denied=False, returned=True, call=call_name)
        if kind in FUNCTIONS or kind in CLOSURES:
            if _is_said_around(node, sinks):
                return Context(root, denied=True)
            return Context(root, denied=False, returned=True, call=call_name)
        if kind in CLASSES:
            return Context(root, denied=not call_name, call=call_name)
        if kind in {"binary_operator", "binary_expression", "binary", "infix_expression", "boolean_operator"}:
            operator = text_of(field_or(node, "operator"))
            if operator in COMPARED:
                return Context(root, denied=True)
            if operator == "=" and field_or(node, "left") != root:  # of Elixir
                name = bare_name(field_or(node, "left"))
                return Context(root, denied=bool(SAID_NAMES.search(name)), name=name)
        elif kind in ASSIGNMENTS:
            return _assigned(node, root, call_name)
        elif kind == "unary_operator" and text_of(node)[:1] == "@":
            operand = node.child_by_field_name("operand")
            call = called(operand) if operand is not None and operand.type == "call" else None
            name = call.name if call is not None else ""
            denied = name in {"doc", "moduledoc", "typedoc", "shortdoc", "tag", "describetag"} or bool(
                SAID_NAMES.search(name)
            )
            return Context(root, denied=denied, name=name)
        elif kind in CALLS:
            call = called(node)
            parent = node.parent
            if call is not None and not (parent is not None and parent.type == "unary_operator"):
                if _is_receiver(call.receiver, root):
                    if call.name in {"execute", "query"}:
                        return Context(root, denied=False, call=call.name)
                    if sinks.given(call) is Given.SAID and call.name not in {"format", "t", "sub", "split"}:
                        return Context(root, denied=True)
                else:
                    argument = next((one for one in call.arguments if _holds(one.node, root)), None)
                    if argument is not None and argument.name and SAID_NAMES.search(argument.name):
                        return Context(root, denied=True)
                    if sinks.given(call) is Given.SAID:
                        return Context(root, denied=True)
                    if call.name in SUPERS and _is_in_error(node):
                        return Context(root, denied=True)
                    call_name = call_name or call.name
        elif kind in {"keyword_argument", "named_argument", "element_value_pair"}:
            if SAID_NAMES.search(bare_name(field_or(node, "name", "key"))):
                return Context(root, denied=True)
        elif kind in LITERALS:
            return Context(root, denied=True)
        root, node = node, node.parent
    return Context(root, denied=True)


def _is_in_error(node: Node) -> bool:
    """Tell whether a node is in a class of errors."""
    outer: Node | None = node
    for _ in range(MAX_LEVELS):
        if outer is None:
            return False
        if outer.type in CLASSES:
            return (
                ERROR_CLASS.search((outer.text or b"")[:HEAD_BYTES].partition(b"{")[0].partition(b"\n")[0]) is not None
            )
        outer = outer.parent
    return False


def _is_said_around(node: Node, sinks: Sinks) -> bool:
    """Tell whether a block belongs to a call that says or logs what it gives."""
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


def _assigned(node: Node, root: Node, call_name: str) -> Context:
    for target, value, operator in assigned(node):
        name = bare_name(target).strip("'\"")
        if target == root or (node.type == "pair" and field_or(node, "key") == root):
            return Context(root, denied=True)
        if value is not None and _holds(value, root):
            denied = not call_name and bool(SAID_NAMES.search(name.rpartition(".")[2]))
            event = Event(name, value, node, grows=operator != "=")
            return Context(root, denied=denied, name=name, call=call_name, event=event)
    return Context(root, denied=False, call=call_name)


def _is_receiver(receiver: Node | None, root: Node) -> bool:
    return receiver is not None and _holds(receiver, root)


def _holds(outer: Node, inner: Node) -> bool:
    return outer.start_byte <= inner.start_byte and inner.end_byte <= outer.end_byte
