"""Calls and literals of a file to its statements of SQL."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from msgspec.structs import replace
from tree_sitter import Node

from coderag.sql.in_code.contexts import context_of
from coderag.sql.in_code.evaluation.arguments import declaration_of, text_argument, without_tags
from coderag.sql.in_code.evaluation.string_values import Hole, Text, Value, first_text, literals_of, variants
from coderag.sql.in_code.evaluation.values import Values
from coderag.sql.in_code.external_queries import (
    prepared_queries,
    referred_files,
    referred_name,
    referred_query,
    tagged_queries,
)
from coderag.sql.in_code.given import GivenCalls
from coderag.sql.in_code.handed import handed_words
from coderag.sql.in_code.not_sql import begins_like_sql
from coderag.sql.in_code.placeholders import Masked, masked
from coderag.sql.in_code.records import DataUses, GivenTo, Referred, Statement, TableUse
from coderag.sql.in_code.sinks import NATIVE, Given, sinks_of
from coderag.sql.in_code.sql_parameters import SqlParameters
from coderag.sql.in_code.statements import ReadSql, joined, read_sql, with_constants, words_of_sql
from coderag.sql.records import ColumnUse
from coderag.syntax.lines import Lines
from coderag.syntax.outline import Definition, Outline
from coderag.syntax.trees.assignments import may_change
from coderag.syntax.trees.local_names import Names, in_order, last_words
from coderag.syntax.trees.local_scopes import Scope
from coderag.syntax.trees.node_types import MEMBERS, NAMES, RETURNS
from coderag.syntax.trees.nodes import Argument, Called, named_children, text_of
from coderag.syntax.trees.string_literals import is_bytes

__all__ = ["Extraction"]

MAX_STATEMENTS = 2_000  # of a file
MAX_READ = 3_000  # texts of a file that sqlglot is asked about
MAX_TRIED = 4  # arguments of a call among which its SQL is sought
HEAD_BYTES = 2_000  # of a literal in which its first keyword is sought
HEADS = rb"select|insert|update|delete|with|merge|replace|truncate|create|alter|drop|call|exec|values|copy|explain"
BEFORE_HEAD = rb"[\s(;]*(?:(?:--|/\*)[^\n]*\n\s*)*"
HEAD = re.compile(BEFORE_HEAD + rb"(?:%s)\b" % HEADS, re.IGNORECASE)
GIVEN_HEADS = rb"(?:%s|upsert|execute)\b" % HEADS
GIVEN_HEAD = re.compile(BEFORE_HEAD + GIVEN_HEADS, re.IGNORECASE)
MACRO = re.compile(rb"define[ \t](?:[^\n\"\\]|\\.){0,200}\"[\s(;]*" + GIVEN_HEADS, re.IGNORECASE | re.DOTALL)
QUOTES = re.compile(rb"[A-Za-z@$~%]{0,4}#*(?:\"{1,}|'{1,3}|`|\(|\[|\{|<<[-~<]?\s*['\"]?\w+['\"]?\n?|)")
KEYWORDS = frozenset("sql query statement stmt text sqlquery operation sql_query value commandtext querystring".split())
CONTEXTS = frozenset("ctx context tx conn db dest ct cancellationtoken session repo".split())
TAGS = frozenset("sql sqlu SQL queryRaw $queryRaw $executeRaw executeRaw pgsql fr sqlt".split())
TAGGING = frozenset({"scala", "javascript", "typescript", "tsx"})  # languages
INTERPOLATORS = frozenset("sql sqlu SQL fr fr0 tsql".split())
MAX_TAG = 160  # bytes of a tag with its type arguments
TAG_BEFORE = re.compile(rb"(?<![\w$])([\w$]{1,30})(?:<[^`;]{0,120}>)?\Z")
DOUBLE_QUOTED = frozenset({"", "mysql", "sqlite", "bigquery", "spark"})  # dialects that have strings in them
PROCEDURES = frozenset("callproc withProcedureName withFunctionName createStoredProcedureQuery call_proc".split())
MAX_NAME_PARTS = 8  # texts and what is put in between, of the name of a routine
ROUTINE = re.compile(r"(?:(?:[A-Za-z_]\w*+|\0)\.){0,3}([A-Za-z_]\w*+)")  # \0: a schema that is put in
ROUNDS = 3  # of functions that hand on what they are given


class _Owners:
    """The definitions of a file by their bytes."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._definitions = definitions
        self._starts = [definition.start_byte for definition in definitions]

    def of(self, byte: int) -> int:
        """Return the innermost definition around a byte, -1 for none."""
        position = bisect_right(self._starts, byte) - 1
        while position >= 0 and self._definitions[position].end_byte <= byte:
            position -= 1
        return position


class Extraction:
    """What was found in a file so far."""

    def __init__(
        self, lines: Lines, outline: Outline, names: Names, values: Values, *, dialects: Sequence[str]
    ) -> None:
        self.lines = lines
        self.names = names
        self.values = values
        self.dialects = dialects
        self.sinks = sinks_of(names.language)
        self.owner = _Owners(
            outline.definitions
        ).of  # of another object, or what is read would be freed late, as a cycle
        self.statements: dict[Statement, None] = {}
        self.referred: dict[Referred, None] = {}
        self.given: GivenCalls | None = None  # read when a literal is first asked for
        self.used: set[int] = set()  # where the literals begin that a call hands to a database
        self.temporary: set[str] = set()
        self.forwarding: dict[int, set[str]] = {}  # functions that hand parameters to a database, by their node
        self.parameters = SqlParameters(outline, names, self.owner)
        self.read: dict[tuple[str, bool, str], ReadSql | None] = {}

    def uses(self) -> DataUses:
        """Return all uses of the file."""
        for call, scope in self.names.calls(self.sinks.words):
            self._call(call, scope)
        if any(name.encode() in self.lines.data for name in self.sinks.settings):
            for event, scope in self.names.settings:
                if event.name in self.sinks.settings and isinstance(event.value, Node):
                    self._take(self.values.of(event.value, scope), event.node, sure=True)
        if self.names.language in TAGGING:
            for node in sorted(self.names.literals, key=in_order):
                self._tagged(node)
        self._forward()
        heads = sorted((node for node in self.names.literals if self._begins(node, GIVEN_HEAD)), key=in_order)
        for node in heads:
            if self._begins(node, HEAD):
                self._held(node)
        unused = (node for node in heads if node.start_byte not in self.used)
        if any(may_change(node) for node in unused) or self._has_macros():
            self._given_back()
        for referred_file in referred_files(self.names, self.lines, self.owner):
            self.referred[referred_file] = None
        if self.names.language == "go":
            self._refer_by_fields()
        return DataUses(
            tuple(self._kept()),
            tuple(self.referred),
            parameters=self.parameters.tables,
            handed=handed_words(self.names, self.owner),
            column_parameters=self.parameters.columns,
            statement_parameters=self.parameters.statements,
        )

    def _refer_by_fields(self) -> None:
        """Note the queries that fields of structs hold, and where these are used."""
        for byte, query in tagged_queries(self.lines.data):
            self.referred[Referred(self._row(byte), self.owner(byte), query=query)] = None
        for byte, name, query in prepared_queries(self.lines.data):
            self.referred[Referred(self._row(byte), self.owner(byte), name=name, query=query)] = None

    # Calls

    def _call(self, call: Called, scope: Scope) -> None:
        if call.node.type in {"annotation", "attribute_item", "constructor_invocation"}:
            if call.name in self.sinks.annotations or self._is_native(call):
                self._annotated(call, scope)
            return
        if call.receiver is not None and call.name in self.sinks.receivers:
            self._take(self.values.of(call.receiver, scope), call.node, sure=True)
            return
        given = self.sinks.given(call)
        if given is not Given.RUN:
            if (referred := referred_query(call, self.owner(call.node.start_byte))) is not None:
                self.referred[referred] = None
            return
        tried = [one for one in call.arguments if one.name.casefold() in KEYWORDS] or [
            one for one in call.arguments if not one.name
        ][:MAX_TRIED]
        for argument in tried:
            node = text_argument(argument.node)
            value = self.values.of(node, scope)
            if self._take(value, call.node, sure=True):
                return
        if (procedure := self._procedure(call, tried, scope)) is not None:
            self.statements[procedure] = None
            return
        for argument in tried[:2]:
            text = text_of(argument.node).strip("&").casefold()
            if text in CONTEXTS or text.startswith(("context.", "ctx")):
                continue
            self._hand_on(self.values.of(text_argument(argument.node), scope), argument.node, call, scope)
            return

    def _procedure(self, call: Called, tried: Sequence[Argument], scope: Scope) -> Statement | None:
        """Return the call of a routine of the database by its name alone."""
        if call.name not in PROCEDURES and not any(
            b"StoredProcedure" in (one.node.text or b"") for one in call.arguments
        ):
            return None
        for argument in tried:
            value = self.values.of(argument.node, scope)
            written = "".join(part.text if isinstance(part, Text) else "\0" for part in value[:MAX_NAME_PARTS])
            name = ROUTINE.fullmatch(written.replace("[", "").replace("]", ""))
            if name is not None:
                row = call.node.start_point[0]
                called = name[1] if "\0" in name[0] else name[0]
                return Statement(row, row, self.owner(call.node.start_byte), calls=(called,), how="sql")
        return None

    def _hand_on(self, value: Value, node: Node, call: Called, scope: Scope) -> None:
        """Note a function that hands a parameter on, or a name that stands elsewhere."""
        if len(value) != 1 or not isinstance(value[0], Hole):
            return
        hole = value[0]
        if hole.parameter:
            function = next(
                (
                    level
                    for level in scope.outwards()
                    if level.node.start_byte == hole.start and level.kind == "function"
                ),
                None,
            )
            if function is not None:
                self.forwarding.setdefault(function.node.start_byte, set()).add(hole.parameter)
                self.parameters.add_statement(hole.parameter, function)
        elif (referred := referred_name(hole.written, node, self.owner(call.node.start_byte))) is not None:
            self.referred[referred] = None

    def _forward(self) -> None:
        """Read what functions of the file are given that hand it on to a database."""
        for _ in range(ROUNDS):
            known = {start: set(names) for start, names in self.forwarding.items()}
            functions = {
                name: found[0]
                for name, found in self.names.functions.items()
                if len(found) == 1 and found[0].node.start_byte in known
            }
            if not functions:
                return
            for call, scope in self.names.calls(last_words(functions)):
                if (function := functions.get(call.name)) is None or self.sinks.given(call) is Given.RUN:
                    continue
                plain = [parameter for parameter in function.parameters if parameter not in {"self", "cls", "this"}]
                for position, argument in enumerate(call.arguments):
                    name = argument.name or (plain[position] if position < len(plain) else "")
                    if name not in known[function.node.start_byte]:
                        continue
                    value = self.values.of(argument.node, scope)
                    if not self._take(value, call.node, sure=True):
                        self._hand_on(value, argument.node, call, scope)
            if {start: set(names) for start, names in self.forwarding.items()} == known:
                return

    def _is_native(self, call: Called) -> bool:
        """Tell whether @Query holds SQL and not the language of a mapper."""
        if call.name != NATIVE:
            return False
        if any(argument.name == "nativeQuery" and text_of(argument.node) == "true" for argument in call.arguments):
            return True
        head = self.lines.data[:4000]
        return any(sign in head for sign in (b"androidx.room", b"data.jdbc", b"data.r2dbc", b"jdbi"))

    def _annotated(self, call: Called, scope: Scope) -> None:
        texts: list[Value] = []
        for argument in call.arguments:
            if argument.name and argument.name not in {"value", "query"}:
                continue
            node = argument.node
            if node.type in {"element_value_array_initializer", "collection_literal", "array_initializer"}:
                inner = [self.values.of(child, scope) for child in named_children(node)]
                texts.append(tuple(part for one in inner for part in (*one, Text(" "))))
            else:
                texts.append(self.values.of(node, scope))
        if all(len(text) == 1 for text in texts) and len(texts) > 1:
            texts = [tuple(part for text in texts for part in (*text, Text(" ")))]
        for value in texts:
            self._take(without_tags(value), declaration_of(call.node), sure=True)

    def _tagged(self, node: Node) -> None:
        """Read a template that a tag marks as SQL: sql"..." of Scala; those of JavaScript are calls."""
        if node.type == "interpolated_string_expression" and node.named_children:
            if text_of(node.named_children[0]) in INTERPOLATORS:
                statement = node
                while statement.parent is not None and statement.parent.type in {
                    "infix_expression",
                    "parenthesized_expression",
                }:
                    statement = statement.parent
                self._take(self.values.of(statement, self.names.scope_of(node)), node, sure=True)
        elif node.type == "template_string":
            before = self.lines.data[max(0, node.start_byte - MAX_TAG) : node.start_byte]
            tag = TAG_BEFORE.search(before)
            if tag is not None and (tag[1].decode() in TAGS or tag[1].endswith(b"sql")):
                self._take(self.values.of(node, self.names.scope_of(node)), node, sure=True)

    # Literals

    def _held(self, node: Node) -> None:
        """Read a literal that no call in the file hands to a database, where it is SQL beyond doubt."""
        if node.start_byte in self.used or is_bytes(node):
            return
        scope = self.names.scope_of(node)
        context = context_of(node, self.sinks)
        if context.denied:
            return
        value: Value = ()
        if context.event is not None and scope.events.get(context.event.name) and scope.kind == "function":
            value = self.values.at_end(context.event.name, scope)
        if not _has(value, node):
            value = self._around(node, context.root, scope)
        given = self._given_to(node, context.name, scope)
        name = context.name or context.call
        if not self._take(value, node, sure=False, name=name, given=given) and given is not None:
            self._take(value, node, sure=False, given=replace(given, decides=True))

    def _given_to(self, node: Node, name: str, scope: Scope) -> GivenTo | None:
        """Return the call that a literal is given to, itself or as a variable."""
        if self.given is None:
            self.given = GivenCalls(self.names)
        return self.given.of(node, name, scope)

    def _given_back(self) -> None:
        """Read what functions give back that is held by a name: def find_sql, do: @find."""
        for functions in self.names.functions.values():
            for function in functions:
                for node in function.returns:
                    inner = named_children(node)[-1] if node.type in RETURNS and named_children(node) else node
                    if inner.type not in NAMES and inner.type not in MEMBERS and inner.type != "unary_operator":
                        continue
                    value = self.values.of(inner, function)
                    texts = list(literals_of(value))
                    outside = [text for text in texts if not _is_within(text, function.node)]
                    if outside and not any(text.start in self.used for text in texts):
                        self._take(value, function.node, sure=False, name=function.name)

    def _around(self, node: Node, root: Node, scope: Scope) -> Value:
        """Return what the largest expression around a literal says that the literal is part of."""
        value = self.values.of(node, scope)
        while node != root and node.parent is not None:
            node = node.parent
            wider = self.values.of(node, scope)
            if not {text.start for text in literals_of(value)} <= {text.start for text in literals_of(wider)}:
                break
            value = wider
        return value

    def _has_macros(self) -> bool:
        """Tell whether a macro of C may hold SQL: to its grammar the text of one is no literal."""
        return self.names.language in {"c", "cpp"} and MACRO.search(self.lines.data) is not None

    def _begins(self, node: Node, head: re.Pattern[bytes]) -> bool:
        """Tell whether a literal begins with a keyword."""
        start = node.start_byte
        end = min(node.end_byte, start + HEAD_BYTES)
        opening = QUOTES.match(self.lines.data, start, end)
        begin = opening.end() if opening is not None else start
        return head.match(self.lines.data, begin, end) is not None or node.type == "heredoc_beginning"

    # Texts

    def _take(self, value: Value, node: Node, *, sure: bool, name: str = "", given: GivenTo | None = None) -> bool:
        """Read a value as SQL, and tell whether it is; `node` is where it is used."""
        is_told = sure or (given is not None and given.decides)  # so how it reads does not matter
        if not _may_begin(value):
            return False
        statements: list[ReadSql] = []
        failed: list[Masked] = []
        for flat in variants(value):
            sql = masked(flat, double_quotes=self.dialects[0] in DOUBLE_QUOTED, constants=True)
            if not begins_like_sql(sql.text):
                continue
            read = self._read(sql.text, sure=is_told, name=name)
            if read is not None:
                self.parameters.add(sql, read, self.names.scope_of(node).outwards())
                statements.append(with_constants(read._replace(holes=read.holes or sql.dynamic), sql.constants))
            else:
                failed.append(sql)
        if not statements and sure and failed:
            words = words_of_sql(failed[0].text, "no dialect that was tried reads it")
            words = with_constants(words, failed[0].constants)
            if not words.tables:
                return False
            statements.append(words)
        if not statements:
            return False
        self._add(joined(statements), value, node, sure=sure, name="" if sure else name, given=given)
        return True

    def _read(self, text: str, *, sure: bool, name: str) -> ReadSql | None:
        key = (text, sure, "" if sure else name)
        if key not in self.read:
            if len(self.read) >= MAX_READ:
                return None
            self.read[key] = read_sql(text, self.dialects, sure=sure, name=name)
        return self.read[key]

    def _add(self, read: ReadSql, value: Value, node: Node, *, sure: bool, name: str, given: GivenTo | None) -> None:
        texts = [text for text in literals_of(value) if text.start >= 0]
        if sure:
            self.used.update(text.start for text in texts)
        self.temporary.update(name.name.casefold() for name in read.temporary)
        is_sure = read.tables or (sure and (read.calls or read.holes))
        if len(self.statements) >= MAX_STATEMENTS or not is_sure:
            return
        first, last = self._rows(texts, node)
        statement = Statement(
            row=first,
            last_row=last,
            owner=self.owner(node.start_byte),
            tables=read.tables,
            columns=read.columns,
            calls=read.calls,
            sure=sure,
            holes=read.holes,
            lost=read.lost,
            how="sql",
            name=name,
            given=given,
            constants=read.constants,
        )
        self.statements[statement] = None

    def _rows(self, texts: Sequence[Text], node: Node) -> tuple[int, int]:
        """Return the lines of the literals that belong together with the first."""
        if not texts:
            return node.start_point[0], node.end_point[0]
        filled = [text for text in texts if text.text.strip()] or texts
        owner = self.owner(filled[0].start)
        near = [text for text in filled if self.owner(text.start) == owner and text.start >= filled[0].start]
        first, last = filled[0].start, max(text.end for text in near)
        return self._row(first), self._row(max(first, last - 1))

    def _row(self, byte: int) -> int:
        return max(0, bisect_right(self.lines.starts, byte) - 1)

    def _kept(self) -> Iterable[Statement]:
        """Yield the statements without the tables that the file makes for a session only."""
        if not self.temporary:
            yield from self.statements
            return
        for statement in self.statements:
            tables = tuple(use for use in statement.tables if not self._is_temporary(use))
            columns = tuple(use for use in statement.columns if not self._is_of_temporary(use))
            if tables or columns or statement.calls:
                yield replace(statement, tables=tables, columns=columns)

    def _is_temporary(self, use: TableUse) -> bool:
        return use.table.name.casefold() in self.temporary

    def _is_of_temporary(self, use: ColumnUse) -> bool:
        return bool(use.tables) and all(name.name.casefold() in self.temporary for name in use.tables)


def _may_begin(value: Value) -> bool:
    """Tell whether any variant of a value may begin a statement, without making the variants."""
    return bool(first_text(value)) or any(isinstance(part, Text) for part in value)


def _has(value: Value, node: Node) -> bool:
    return any(text.start == node.start_byte for text in literals_of(value))


def _is_within(text: Text, node: Node) -> bool:
    return node.start_byte <= text.start < node.end_byte
