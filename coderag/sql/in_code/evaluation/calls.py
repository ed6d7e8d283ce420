"""Calls and members to what they say: formats, joins, replacements, functions of the file, constants of classes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from tree_sitter import Node

from coderag.sql.in_code.evaluation.expressions import MAX_DEPTH, MAX_ELEMENTS, flat, hole_of, is_text
from coderag.sql.in_code.evaluation.formats import filled_braces, filled_percents, filled_replacements
from coderag.sql.in_code.evaluation.string_accumulation import NEWLINES, StringAccumulation, between
from coderag.sql.in_code.evaluation.string_values import NOTHING, Hole, Text, Value, choice
from coderag.syntax.trees.local_scopes import Event, Scope
from coderag.syntax.trees.node_types import CALLS, LISTS, LITERALS, MEMBERS, NAMES
from coderag.syntax.trees.nodes import Argument, Called, bare_name, called, member, named_children, text_of

__all__ = ["Calls"]

# Calls that give the text of their receiver, or of their first argument, or nearly so.
SAME = frozenset(
    """Cow Dedent Identifier Literal NewBufferString NewString RawSQL SQL String String::from TEXT ToLower ToString
    ToUpper Trim TrimSpace as_ref as_str build c_str chomp cleandoc clone compact data decode dedent deindent
    encode fragment freeze from from_str html_safe indent inline intern into literal literal_column lower
    lstrip new normalize_sql oneLine query raw rstrip sql squish str strip stripIndent stripIndents
    stripMargin strip_heredoc text toLowerCase toString toStringRaw toUpperCase to_owned to_string trim
    trimIndent trimMargin undent unindent unsafe upper""".split()
)
BUILDERS = frozenset("StringBuilder StringBuffer StringWriter StringIO buildString ostringstream".split())
FORMATTING = frozenset("format formatted Format sprintf Sprintf vsprintf format! formatSql".split())
JOINS = frozenset("join Join implode joinToString mkString concat! String.join".split())
MARGIN = re.compile(r"^[ \t]*\|", re.MULTILINE)
LOCAL = re.compile(r"\A[A-Za-z_]\w*\Z")
FILTERS = frozenset("filter compact filterNotNull flatten reject toArray".split())
METHOD_FORMATS = frozenset({"python", "scala", "kotlin"})  # languages whose texts have a method format
FORMAT_MACROS = frozenset("format indoc formatdoc formatcp const_format".split())
APPENDING = frozenset("concat append Append appendLine AppendLine plus Concat CONCAT".split())
REPLACING = frozenset("replace Replace gsub sub ReplaceAll replaceAll".split())
STRIPPING = frozenset({"strip", "trim", "encode"})  # their arguments are no text
LEVELS = re.compile(r"[.:>\\]+")  # between the names of a receiver
SELVES = frozenset({"self", "this", "cls", "static", "Self", "", "self.class", "__MODULE__"})


_Field = tuple[Scope, Event]  # what is assigned, and in which class or object


class Calls(StringAccumulation):
    """What calls and members say."""

    def member(self, node: Node, scope: Scope, depth: int) -> Value:
        """Return what a member says: a constant of a class, a key of an object."""
        parts = member(node)
        if parts is None:
            return (hole_of(node),)
        receiver, name = parts
        if name in SAME and receiver.type in (*LITERALS, "parenthesized_expression", "call_expression"):
            # "..." of Scala's .stripMargin has no parentheses
            return _bare_margins(self.of(receiver, scope, depth=depth), name)
        value = self.member_value(text_of(receiver).strip("$"), name, node, scope, depth)
        if len(value) == 1 and isinstance(value[0], Hole) and receiver.type in MEMBERS:
            held = self.member(receiver, scope, depth)  # FIND.text of a constant of an enumeration
            if any(not isinstance(part, Hole) for part in held):
                return held
        return value

    def member_value(self, receiver: str, name: str, node: Node, scope: Scope, depth: int) -> Value:
        """Return what a class, an object or the file holds under a name."""
        held = self._holding(receiver, scope, self.names.fields.get(name, []))
        if not held:
            return (hole_of(node),)
        holder = held[0][0]
        events = [event for held_by, event in held if held_by is holder]
        around = self.names.scope_of(events[0].node)
        if around.kind == "function" and all(around.start <= event.node.start_byte < around.end for event in events):
            holder = around  # a constructor, whose own names the field is made of
        return self.grown(events, holder, depth + 1)

    def _holding(self, receiver: str, scope: Scope, fields: Sequence[_Field]) -> Sequence[_Field]:
        """Return those of the fields of one name that a receiver means.

        `self.SQL` in class A means A's own; `B.SQL` that of the class B, or of a class in B.
        """
        if not fields:
            return ()
        own = next((outer for outer in scope.outwards() if outer.kind == "class"), None)
        if receiver in SELVES and own is not None:
            return _of_own_class(fields, own, is_named=receiver != "")
        last = LEVELS.split(receiver)[-1].split("(")[0]
        direct = [field for field in fields if field[0].name == last]
        nested = [field for field in fields if field[0].parent is not None and field[0].parent.name == last]
        return direct or nested or (fields[:1] if receiver == "" else ())

    def subscript(self, node: Node, scope: Scope, depth: int) -> Value:
        """Return what a key of an object says; of a key that is not known any of them."""
        children = named_children(node)
        if len(children) < 2:
            return (hole_of(node),)
        key = self.of(children[-1], scope, depth=depth)
        if len(key) == 1 and isinstance(key[0], Text):
            return self.member_value(text_of(children[0]), key[0].text, node, scope, depth)
        holder = text_of(children[0]).strip("$")
        values = [
            self.grown([event], one, depth + 1)
            for events in self.names.fields.values()
            for one, event in events
            if one.name == holder and one.kind == "class"
        ]
        return choice(values) if values and self.language != "c" else (hole_of(node),)

    def call(self, call: Called, scope: Scope, depth: int) -> Value:
        """Return what a call gives: `"a".concat("b")` is "ab", `" AND ".join([...])` the list with its separators."""
        for answer in ANSWERS:
            value = answer(self, call, scope, depth)
            if value is not None:
                return value
        return (hole_of(call.node),)

    def _conditional(self, call: Called, scope: Scope, depth: int) -> Value | None:
        """Return what if and unless of Elixir give, which are calls: if(a, do: "x", else: "y")."""
        if self.language != "elixir" or call.name not in {"if", "unless"}:
            return None
        branches = {argument.name: argument.node for argument in call.arguments}
        return choice([self.of(branches.get(name), scope, depth=depth) for name in ("do", "else")])

    def _by_name(self, call: Called, scope: Scope, depth: int) -> Value | None:
        answer = BY_NAME.get(call.name)
        return answer(self, call, scope, depth) if answer is not None else None

    def _new(self, _call: Called, _scope: Scope, _depth: int) -> Value | None:
        return NOTHING if self.language == "go" else None  # new(strings.Builder)

    def _builder(self, call: Called, scope: Scope, depth: int) -> Value:
        """Return what a builder begins with: new StringBuilder("SELECT ")."""
        if call.name == "buildString":
            return self._built(call.node.named_children, scope, depth)
        nodes = [argument.node for argument in call.arguments]
        return self.of(nodes[0], scope, depth=depth) if len(nodes) == 1 and is_text(nodes[0]) else NOTHING

    def _appended(self, call: Called, scope: Scope, depth: int) -> Value | None:
        """Return a text with others behind it: sql.concat(" WHERE a = 1"), String.Concat(a, b)."""
        if not call.arguments:
            return None
        chain = [call]  # the last first: a.append(b).append(c) may be far longer than expressions are deep
        while len(chain) < MAX_ELEMENTS and (before := _before(chain[-1])) is not None:
            chain.append(before)
        receiver = chain[-1].receiver
        value = NOTHING if text_of(receiver) in {"string", "String"} else self.of(receiver, scope, depth=depth)
        for step in reversed(chain):
            added = self.joined([argument.node for argument in step.arguments], scope, depth)
            value = (*value, *added, Text(NEWLINES.get(step.name, "")))
        return value

    def _replaced(self, call: Called, scope: Scope, depth: int) -> Value | None:
        nodes = [argument.node for argument in call.arguments]
        if call.receiver is None or len(nodes) < 2:
            return None
        if len(nodes) == 2:
            text, old, new = (self.of(node, scope, depth=depth) for node in (call.receiver, *nodes))
            return filled_replacements(text, old, new)
        return self.of(nodes[0], scope, depth=depth)  # strings.Replace(s, old, new, n)

    def _replaced_in_php(self, call: Called, scope: Scope, depth: int) -> Value | None:
        arguments = call.arguments  # str_replace($old, $new, $text)
        return self.of(arguments[2].node, scope, depth=depth) if len(arguments) == 3 else None

    def _same(self, call: Called, scope: Scope, depth: int) -> Value | None:
        """Return the text that a call leaves as it is: sql.strip(), String::from("SELECT 1")."""
        name, receiver = call.name, call.receiver
        if name not in SAME:
            return None
        if receiver is not None and not call.arguments:
            return _bare_margins(self.of(receiver, scope, depth=depth), name)
        if receiver is not None and (receiver.type in LITERALS or name in STRIPPING):
            return self.of(receiver, scope, depth=depth)
        first = call.arguments[0].node if call.arguments else None
        if first is not None and (self.language != "ruby" or is_text(first)):
            return self.of(first, scope, depth=depth)
        return None

    def _formatted(self, call: Called, scope: Scope, depth: int) -> Value:
        fill = [(argument.name, self.of(argument.node, scope, depth=depth)) for argument in call.arguments]
        receiver = call.receiver
        of_receiver = call.name == "formatted" or (call.name == "format" and self.language in METHOD_FORMATS)
        if of_receiver and receiver is not None and text_of(receiver) not in {"String", "string"}:
            text = self.of(receiver, scope, depth=depth)
            return filled_braces(text, fill) if self.language == "python" else filled_percents(text, fill)
        if not fill:
            return (hole_of(call.node),)
        if self.language == "csharp":
            return filled_braces(fill[0][1], fill[1:])
        return filled_percents(fill[0][1], self._spread(call.arguments[1:], scope, depth))

    def _spread(self, arguments: Iterable[Argument], scope: Scope, depth: int) -> list[tuple[str, Value]]:
        return [(argument.name, self.of(argument.node, scope, depth=depth)) for argument in arguments]

    def _macro(self, call: Called, scope: Scope, depth: int) -> Value | None:
        """Return what a macro of Rust gives: format!("SELECT {x}"), concat!("a", "b")."""
        if call.node.type != "macro_invocation":
            return None
        nodes = [argument.node for argument in call.arguments]
        if call.name == "concat":
            return self.joined(nodes, scope, depth)
        if call.name in FORMAT_MACROS and nodes:
            texts = self.of(nodes[0], scope, depth=depth)
            fill = [("", self.of(node, scope, depth=depth)) for node in nodes[1:]]
            value = filled_braces(texts, fill)
            return flat(
                self.of_name(part.written, call.node, scope, depth=depth)
                if isinstance(part, Hole) and LOCAL.match(part.written)
                else (part,)
                for part in value
            )
        return (hole_of(call.node),)

    def _join(self, call: Called, scope: Scope, depth: int) -> Value | None:
        """Return a list joined by a separator, whichever of them is the receiver; None if there is no list."""
        nodes = [argument.node for argument in call.arguments]
        receiver = call.receiver
        candidates = [_unfiltered(node) for node in (receiver, *nodes) if node is not None]
        for candidate in candidates:
            others = [other for other in candidates if other is not candidate and is_text(other)]
            separator = self.of(others[0], scope, depth=depth) if others else (Text(" "),)
            if candidate.type in LISTS or (candidate.type in CALLS and self.is_list_call(candidate)):
                holder = candidate if candidate.type in LISTS else called(candidate)
                if isinstance(holder, Called):
                    return between([self.of(each.node, scope, depth=depth) for each in holder.arguments], separator)
                return self.elements(holder, scope, depth, separator) if holder is not None else None
            if candidate.type in NAMES and (events := self.list_events(bare_name(candidate), scope)) is not None:
                return self.listed(events[0], events[1], separator, depth, candidate)
        return None

    def _built(self, nodes: Sequence[Node], scope: Scope, depth: int) -> Value:
        """Return what the calls of append(...) in some nodes make: buildString { ... } of Kotlin."""
        parts: list[Value] = []
        waiting = list(reversed(nodes))
        while waiting and len(parts) < MAX_ELEMENTS:
            node = waiting.pop()
            if node.type in CALLS and (inner := called(node)) is not None and inner.name in {"append", "appendLine"}:
                added = self.put_by(inner, scope, depth)
                parts.append((*added, Text(NEWLINES.get(inner.name, ""))))
            elif node.type == "if_expression" and depth < MAX_DEPTH:
                ways = [self._built([child], scope, depth + 1) for child in named_children(node)[1:]]
                parts.append(choice(ways if len(ways) > 1 else [*ways, NOTHING]))
            else:
                waiting += reversed(node.named_children)
        return flat(parts)

    def _own_function(self, call: Called, scope: Scope, depth: int) -> Value | None:
        """Return what a function of the file gives; None if the file has none of the name, or it gives no text."""
        scopes = self.names.functions.get(call.name, [])
        if call.receiver is not None and text_of(call.receiver).strip("$") not in {"self", "this", "cls", "static"}:
            last = text_of(call.receiver).rpartition(".")[2]
            classes = {last, self._class_of(call.receiver, scope)} - {""}
            typed = [one for one in scopes if one.parent is not None and one.parent.name in classes]
            scopes = typed or (scopes if self.language == "go" and call.receiver.type == "identifier" else [])
        if len(scopes) != 1 or not scopes[0].returns:
            return None
        function = scopes[0]
        values = [self.of(node, function, depth=depth + 1) for node in function.returns[:MAX_ELEMENTS]]
        values = [value for value in values if any(not isinstance(part, Hole) for part in value)]
        if not values:
            return None
        arguments = {
            name: self.of(argument.node, scope, depth=depth)
            for name, argument in _by_parameter(function.parameters, call.arguments)
        }
        start = function.node.start_byte
        return choice([_with_arguments(value, arguments, start) for value in values])

    def _class_of(self, receiver: Node, scope: Scope) -> str:
        """Return the class of an object that is made where it is used, or was assigned before; "" for any other."""
        made = called(receiver) if receiver.type in CALLS else None
        if made is None:
            value = self._assigned(receiver, scope)
            made = called(value) if isinstance(value, Node) and value.type in CALLS else None
        return made.name if made is not None else ""

    def _assigned(self, receiver: Node, scope: Scope) -> Node | Called | None:
        """Return what a name was assigned last before it is used, or the only thing that a field is assigned."""
        parts = member(receiver) if receiver.type in MEMBERS else None
        if parts is not None and text_of(parts[0]).strip("$") not in SELVES:
            return None
        name = parts[1] if parts is not None else bare_name(receiver)
        levels = scope.outwards() if parts is None and receiver.type in NAMES else ()
        for level in levels:
            if events := level.events.get(name):
                before = [event for event in events if event.node.start_byte < receiver.start_byte] or events
                return before[-1].value
        fields = self.names.fields.get(name, [])
        return fields[0][1].value if len(fields) == 1 else None


_Answer = Callable[[Calls, Called, Scope, int], Value | None]  # None: the call is another one

BY_NAME: Mapping[str, _Answer] = {
    **dict.fromkeys(FORMATTING, Calls._formatted),
    **dict.fromkeys(JOINS, Calls._join),
    **dict.fromkeys(BUILDERS, Calls._builder),
    **dict.fromkeys(APPENDING, Calls._appended),
    **dict.fromkeys(REPLACING, Calls._replaced),
    "new": Calls._new,
    "str_replace": Calls._replaced_in_php,
}
ANSWERS: tuple[_Answer, ...] = (
    Calls._conditional,
    Calls._macro,
    Calls._by_name,
    Calls._own_function,
    Calls._same,
)  # the first that is not None counts


def _of_own_class(fields: Sequence[_Field], own: Scope, *, is_named: bool) -> Sequence[_Field]:
    """Return a class's own fields, else those of classes in it, else the only ones of the file."""
    mine = [field for field in fields if field[0] is own or field[0].name == own.name]
    nested = [field for field in fields if is_named and field[0].parent is own]
    if mine or nested:
        return mine or nested
    return fields if len({id(holder) for holder, _ in fields}) == 1 else ()


def _before(call: Called) -> Called | None:
    """Return the call that a text is appended by before a call, which stands behind it in a chain."""
    receiver = call.receiver
    made = called(receiver) if receiver is not None and receiver.type in CALLS else None
    return (
        made if made is not None and made.name in APPENDING and made.receiver is not None and made.arguments else None
    )


def _unfiltered(node: Node) -> Node:
    """Return a list without the calls that leave out what is empty in it: parts.filter(Boolean), parts.compact."""
    for _ in range(MAX_DEPTH):
        call = called(node) if node.type in CALLS else None
        if call is None or call.receiver is None or call.name not in FILTERS:
            return node
        node = call.receiver
    return node


def _by_parameter(names: Sequence[str], arguments: Sequence[Argument]) -> Iterable[tuple[str, Argument]]:
    plain = [name for name in names if name not in {"self", "cls", "this"}]
    position = 0
    for argument in arguments:
        if argument.name in plain:
            yield argument.name, argument
        elif not argument.name and position < len(plain):
            yield plain[position], argument
            position += 1


def _with_arguments(value: Value, arguments: dict[str, Value], start: int) -> Value:
    """Return a value with the arguments of a call in the place of the function's parameters."""
    parts: list[Value] = []
    for part in value:
        if isinstance(part, Hole) and part.start == start and part.parameter in arguments:
            parts.append(arguments[part.parameter])
        elif not isinstance(part, (Hole, Text)):
            parts.append(choice([_with_arguments(one, arguments, start) for one in part.values]))
        else:
            parts.append((part,))
    return flat(parts)


def _bare_margins(value: Value, name: str) -> Value:
    """Return a text without the signs at the beginning of its lines that a margin is marked with."""
    if name not in {"stripMargin", "trimMargin"}:
        return value
    return tuple(part._replace(text=MARGIN.sub("", part.text)) if isinstance(part, Text) else part for part in value)
