"""The names of tables and columns that identifiers of SeaQuery stand for, `Users::Table`, `Users::Email`."""

from __future__ import annotations

from tree_sitter import Node

from coderag.syntax.trees.call_chains import chain_of
from coderag.syntax.trees.literals import COMPUTED, Literal, Number, Raw, as_text
from coderag.syntax.trees.string_literals import string_value
from coderag.syntax.trees.tree import descendants, named, text_of
from coderag.text.inflection import snake_case

__all__ = ["RustNames"]

TABLES = frozenset({"Entity", "Table"})  # what stands for the table behind the name of an enumeration or module
COLUMNS = "Column"  # what has the columns of an entity: user::Column::Id
MADE = frozenset({"Alias", "DynIden", "String", "custom_keyword", "cust", "from", "new"})  # wrappers around a text
NOW = frozenset({"current_timestamp", "CurrentTimestamp"})
MAX_DEPTH = 12  # of calls around a text


class RustNames:
    """What the constants and the enumerations of identifiers in a file of Rust stand for."""

    def __init__(self, root: Node) -> None:
        self._constants = {
            text_of(one.child_by_field_name("name")): one.child_by_field_name("value")
            for one in descendants(root, "const_item", "static_item", "let_declaration")
        }
        self._stated: dict[str, str] = {}
        for enum in descendants(root, "enum_item"):
            self._note(enum, text_of(enum.child_by_field_name("name")))

    def _note(self, enum: Node, owner: str) -> None:
        """Note the names that attributes state: `#[iden = "users"]` above the enumeration or a variant of it."""
        if table := _iden(_attributes(enum)):
            self._stated[f"{owner}::Table"] = table
        for variant in descendants(enum, "enum_variant"):
            if name := _iden(_attributes(variant)):
                self._stated[f"{owner}::{text_of(variant.child_by_field_name('name'))}"] = name

    def name(self, node: Node | None) -> str:
        """Return the name that an identifier stands for; for a table behind its schema "schema.table"; "" for none."""
        if node is not None and node.type == "tuple_expression":
            return ".".join(self.name(one) for one in named(node)[-2:])
        return as_text(self.value(node))

    def value(self, node: Node | None, depth: int = 0) -> Literal:
        """Return what an expression says: a text, a name, a number, or SQL that the database computes."""
        if node is None or depth > MAX_DEPTH:
            return COMPUTED
        match node.type:
            case "string_literal" | "raw_string_literal":
                text = string_value(node)
                return text if text is not None else COMPUTED
            case "integer_literal" | "float_literal":
                return Number(text_of(node).replace("_", ""))
            case "boolean_literal":
                return text_of(node) == "true"
            case "identifier" if (constant := self._constants.get(text_of(node))) is not None:
                return self.value(constant, depth + 1)
            case "scoped_identifier":
                return self._scoped(text_of(node))
            case "reference_expression" | "parenthesized_expression":
                return self.value(next(iter(named(node)[-1:]), None), depth + 1)
            case "call_expression":
                return self._called(node, depth)
        return COMPUTED

    def _called(self, node: Node, depth: int) -> Literal:
        """Return the text in `Alias::new("users")` or `"users".to_string()`; SQL of `Expr::current_timestamp()`."""
        chain = chain_of(node)
        if chain is None:
            return COMPUTED
        if any(name in NOW for name in chain.names):
            return Raw("CURRENT_TIMESTAMP")
        if not chain.links[0].name and chain.links[0].arguments is None:
            return self.value(chain.links[0].node, depth + 1)
        link = next((one for one in chain.links if one.arguments), None)
        if link is None or link.name not in MADE:
            return COMPUTED
        text = self.value(link.argument(0), depth + 1)
        return Raw(text) if link.name == "cust" and isinstance(text, str) else text

    def _scoped(self, text: str) -> Literal:
        parts = text.split("::")
        owner, last = parts[-2], parts[-1]
        if last in NOW:
            return Raw("CURRENT_TIMESTAMP")
        stated = self._stated.get(f"{owner}::{last}")
        if stated is not None:
            return stated
        if last in TABLES:
            return snake_case(owner)
        return snake_case(last) if owner[:1].isupper() or owner == COLUMNS else COMPUTED


def _attributes(node: Node) -> list[Node]:
    found: list[Node] = []
    before = node.prev_named_sibling
    while before is not None and (before.type == "attribute_item" or "comment" in before.type):
        found += named(before, "attribute")
        before = before.prev_named_sibling
    return found


def _iden(attributes: list[Node]) -> str:
    """Return the text of `#[iden = "users"]` or `#[sea_orm(iden = "users")]`."""
    for attribute in attributes:
        if "iden" in text_of(attribute):
            return next((string_value(one) or "" for one in descendants(attribute, "string_literal")), "")
    return ""
