"""What an expression means at a place: the definitions that it names, and the types of its value."""

from __future__ import annotations

from coderag.graph.resolve.abstract_values import (
    CLASS,
    CLASSES,
    FORM,
    INSTANCE,
    INSTANCES,
    OF_CALLER,
    OUTSIDE,
    SELF,
    SUPER,
    Form,
    Target,
    Targets,
    Variable,
    class_of,
    few,
    is_instance,
)
from coderag.graph.resolve.imports.modules import Modules
from coderag.graph.resolve.scopes import NOTHING, Scopes
from coderag.graph.resolve.tables import VALUES, Tables
from coderag.graph.resolve.type_syntax import Typed, first_of, plain, read_type, split_last
from coderag.syntax.references.records import Binding, How

__all__ = ["Resolver"]

MAX_DEPTH = 40  # of one name leading to another; each takes some ten frames of Python's thousand
MAX_CHARS = 300  # of an expression
CLASS_TYPES = frozenset({"type", "Type", "typing.Type", "Class", "KClass"})
DEFAULT = "default"  # the name of what a file of JavaScript exports by default
GETTER = ".get"  # a method that gives an element
SELF_TYPES = frozenset({"Self", "this", "self", "static", "typing.Self", "instancetype"})


class Resolver(Scopes):
    """Resolves expressions to definitions and types over the tables of one index, memoised."""

    def __init__(self, tables: Tables, modules: Modules) -> None:
        super().__init__(tables, modules)
        self._values: dict[tuple[int, str], tuple[int, ...]] = {}
        self._bounds: dict[tuple[int, str], tuple[int, ...]] = {}
        self._targets: dict[tuple[int, str], Targets] = {}
        self._returned: dict[int, tuple[int, ...]] = {}
        self._depth = 0

    def cached(self) -> int:
        """Return how many names and expressions are cached with what they stand for at a place."""
        return super().cached() + len(self._values) + len(self._bounds) + len(self._targets)

    def forget(self) -> None:
        """Empty these caches, which must not be done during a resolution."""
        super().forget()
        self._values.clear()
        self._bounds.clear()
        self._targets.clear()

    def targets(self, scope: int, text: str) -> Targets:
        """Return what an expression names, read at a definition or file."""
        key = scope, text
        found = self._targets.get(key)
        if found is None:
            if self._depth > MAX_DEPTH:
                return NOTHING
            self._targets[key] = NOTHING  # an expression that leads to itself
            found = self._targets[key] = self._find_targets(scope, text)
        return found

    def _find_targets(self, scope: int, text: str) -> Targets:
        if len(text) > MAX_CHARS:
            return NOTHING
        head, name = split_last(text)
        if not head:
            return self.look(scope, name)
        if name.endswith(("()", "[]")):
            return NOTHING
        self._depth += 1
        try:
            loaded = self.loaded(scope, text) if self.tables.loads else NOTHING
            values = NOTHING if loaded else self.values(scope, head)
            if not loaded and not values:
                return self._inside(scope, head, name) or self.full(self.tables.file_node(scope), text)
            found = loaded or few([one for value in values for one in self.member(value, name)])
            # Before a variable that has the name of a package, and in types, the name means the package.
            return found or few([one for each in self.hidden_package(scope, head) for one in self.member(each, name)])
        finally:
            self._depth -= 1

    def _inside(self, scope: int, head: str, name: str) -> Targets:
        """Return the function of a name in one that is called: save in useForm, of useForm().save."""
        tables = self.tables
        if not head.endswith("()") or not tables.rules_at(scope).inner_results:
            return NOTHING
        around = [one for one in self.values(scope, head[:-2]) if one < FORM and tables.is_callable(one)]
        inner = [each for one in around for each in tables.members.get(one, {}).get(name, ())]
        return few([each for each in inner if tables.is_callable(each)])

    def values(self, scope: int, text: str) -> tuple[int, ...]:
        """Return what an expression may evaluate to; () when that is not known."""
        key = scope, text
        found = self._values.get(key)
        if found is None:
            place = self.anchors.place(scope, first_of(text))
            found = self.values_at(place, text)
            if place != scope:
                self._values[key] = found
        return found

    def values_at(self, scope: int, text: str) -> tuple[int, ...]:
        """Return the same of an expression that cannot be read further outside."""
        key = scope, text
        found = self._values.get(key)
        if found is None:
            if self._depth > MAX_DEPTH or len(text) > MAX_CHARS:
                return NOTHING
            self._values[key] = NOTHING
            self._depth += 1
            try:
                found = self._values[key] = self._evaluate(scope, text)
            finally:
                self._depth -= 1
        return found

    def _evaluate(self, scope: int, text: str) -> tuple[int, ...]:
        if "." not in text:
            special = self._special(scope, text)
            if special is not None:
                return special
            if text.isidentifier() and not self.tables.rules_at(scope).bare_calls:
                return self._valued(self.look(scope, text))
        if text.endswith("()"):
            return self._called(scope, text[:-2])
        if text.endswith("[]"):
            return self.elements(scope, text[:-2])
        head, name = split_last(text)
        if name == "__class__" and head:
            return tuple(CLASS + class_of(value) for value in self.values(scope, head) if is_instance(value))
        if self.tables.rules_at(scope).bare_calls:
            return self._without_signs(scope, text)
        return self._valued(self.targets(scope, text))

    def _without_signs(self, scope: int, text: str) -> tuple[int, ...]:
        """Return what an expression gives in a language that calls methods without "()"."""
        targets = self.targets(scope, text)
        head, name = split_last(text)
        if head and name in self.tables.rules_at(scope).creators:
            return self._called(scope, text)
        if any(isinstance(target, int) and target < FORM and self.tables.is_callable(target) for target in targets):
            return self._called(scope, text)
        return self._valued(targets)

    def _special(self, scope: int, word: str) -> tuple[int, ...] | None:
        """Return what `self`, `super()` and the like are; None for other words."""
        rules = self.tables.rules_at(scope)
        if word.startswith("super(") and len(word) > len("super()"):  # super(Base, self)
            named = self.values(scope, word[len("super(") : -1])
            return tuple(SUPER + class_of(one) for one in named if one < FORM and self.is_class(one))
        if word not in rules.words and word.removesuffix("()") not in rules.words:
            return None
        around = self.tables.type_around(scope)
        if around < 0:
            return None
        if word in rules.super_words:
            return (SUPER + around,)
        if word in rules.class_words:
            return (CLASS + around,)
        if word in rules.this:
            return (SELF + around,)
        return None

    def _valued(self, targets: Targets) -> tuple[int, ...]:
        if len(targets) == 1:
            return self.value(targets[0])
        return few([value for target in targets for value in self.value(target)])

    def value(self, target: Target) -> tuple[int, ...]:
        """Return what a target evaluates to."""
        if isinstance(target, Variable):
            return self._bound(target.scope, target.name)
        if target >= FORM:
            return (target,)
        tables = self.tables
        if tables.kind[target] in VALUES:
            return self._bound(tables.parent[target], tables.name[target])
        if target in tables.properties:
            return self.returned(target)
        return (target,)

    def _bound(self, scope: int, name: str) -> tuple[int, ...]:
        key = scope, name
        found = self._bounds.get(key)
        if found is None:
            self._bounds[key] = NOTHING
            known = self.tables.bindings.get(scope)
            bindings = known.get(name) if known is not None else None
            found = few([value for binding in bindings or () for value in self._binding(scope, binding)])
            self._bounds[key] = found
        return found

    def _binding(self, scope: int, one: Binding) -> tuple[int, ...]:
        if not one.value:
            return NOTHING
        if one.how == How.TYPE:
            return self.typed(scope, one.value)
        text = plain(one.value)
        if first_of(text) == one.name and self.hidden_package(scope, one.name):
            scope = self.tables.file_node(scope)  # view := view.New()
        if one.how == How.SECOND:
            return self._second(scope, text) if one.name else NOTHING
        if one.how == How.CALL:
            return self.values(scope, f"{text}()")
        if one.how == How.ELEMENT:
            return self.elements(scope, text)
        return self.values(scope, text)

    def _second(self, scope: int, text: str) -> tuple[int, ...]:
        """Return what the second result of a call is."""
        told = self._told(scope, f"{text}()")
        return few([value for place, one in told if one.how == How.SECOND for value in self.typed(place, one.value)])

    def hidden_package(self, scope: int, name: str) -> tuple[int, ...]:
        """Return the package that a local variable of its name hides; () where there is none."""
        tables = self.tables
        base = tables.file_node(scope)
        if base == scope or name not in tables.imports.get(base, ()) or not tables.rules_at(scope).packages:
            return NOTHING
        return self._valued(self.known_in(base, name))

    def _called(self, scope: int, text: str) -> tuple[int, ...]:
        """Return what a call gives."""
        head, name = split_last(text)
        if not head:
            special = self._special(scope, name)
            if special is not None:
                return tuple(SELF + class_of(one) if one // FORM == Form.CLASS else one for one in special)
            return few([value for one in self.look(scope, name) for value in self.result(one, -1)])
        if name == "__class__":
            return tuple(one for one in self.values(scope, head) if is_instance(one))
        rules = self.tables.rules_at(scope)
        creators, binders = rules.creators, rules.binders
        found: list[int] = []
        for receiver in self.loaded(scope, text) or self.values(scope, head):
            if isinstance(receiver, Variable):
                continue
            if name in creators and receiver // FORM in CLASSES and self.is_class(class_of(receiver)):
                found.append((SELF if receiver >= FORM else INSTANCE) + class_of(receiver))
                continue
            if name in binders and receiver < FORM and self.tables.is_callable(receiver):
                found.append(receiver)
                continue
            for one in self.member(receiver, name):
                found += self.result(one, receiver)
        return few(found)

    def result(self, target: Target, receiver: int) -> tuple[int, ...]:
        """Return what calling a target gives; `receiver`: what it is called on, -1 for nothing."""
        found: list[int] = []
        for value in self.value(target) if isinstance(target, Variable) else (target,):
            found += self._result(value, receiver)
        return few(found)

    def _result(self, value: int, receiver: int) -> tuple[int, ...]:
        if value >= OUTSIDE:
            return (OUTSIDE,)
        form, node = divmod(value, FORM)
        tables = self.tables
        if form == Form.CLASS:
            return (SELF + node,)
        if form:
            called = self.class_member(node, "__call__") if form in INSTANCES else NOTHING
            return few([each for one in called if isinstance(one, int) for each in self._result(one, value)])
        if tables.kind[node] is None:
            return NOTHING
        if tables.is_container(node):
            return (INSTANCE + node,)
        if tables.kind[node] in VALUES:
            return few([each for one in self.value(node) if one != node for each in self._result(one, receiver)])
        return tuple(self._as_received(one, receiver) for one in self.returned(node))

    def _as_received(self, value: int, receiver: int) -> int:
        """Return a result with the type that it has for its receiver: a method that returns self."""
        if value // FORM not in OF_CALLER or receiver < 0 or receiver >= OUTSIDE:
            return value
        form, node = divmod(receiver, FORM)
        if form == Form.SUPER or (form == Form.NODE and not self.is_class(node)):
            return value
        return value - class_of(value) + node if form in OF_CALLER else (INSTANCE + node if value < CLASS else node)

    def by_default(self, target: Target) -> tuple[Target, ...]:
        """Return the definition that the default export of a file stands for; any other target as it is."""
        if isinstance(target, Variable) and target.name == DEFAULT and self.tables.kind[target.scope] is None:
            return tuple(value for value in self.value(target) if value < FORM) or (target,)
        return (target,)

    def holders(self, variable: Variable) -> list[int]:
        """Return the fields and constants that a variable is an element of: HANDLERS, of run = HANDLERS[name]."""
        found: list[int] = []
        for binding in self.tables.bindings.get(variable.scope, {}).get(variable.name, ()):
            text = plain(binding.value)
            if binding.how == How.CALL and text.endswith(GETTER):
                text = text.removesuffix(GETTER)
            elif binding.how != How.ELEMENT:
                continue
            found += [
                target
                for target in self.targets(variable.scope, text)
                if isinstance(target, int) and target < FORM and self.tables.kind[target] in VALUES
            ]
        return found

    def returned(self, node: int) -> tuple[int, ...]:
        """Return what a function returns."""
        found = self._returned.get(node)
        if found is None:
            self._returned[node] = NOTHING
            found = self._returned[node] = self._bound(node, "")
        return found

    def typed(self, scope: int, text: str) -> tuple[int, ...]:
        """Return the instances that a declared type means."""
        return few([value for one in read_type(text) for value in self._of_type(scope, one)])

    def _of_type(self, scope: int, one: Typed) -> tuple[int, ...]:
        rules = self.tables.rules_at(scope)
        last = split_last(one.name)[1]
        if last in rules.wrappers and one.arguments:
            return few([each for union in one.arguments for inner in union for each in self._of_type(scope, inner)])
        if one.name in SELF_TYPES:
            around = self.tables.type_around(scope)
            return (SELF + around,) if around >= 0 else NOTHING
        classes = self._named_type(scope, one.name)
        if one.name in CLASS_TYPES and not classes and one.arguments:
            inside = [each for inner in one.arguments[0] for each in self._of_type(scope, inner)]
            return tuple(class_of(each) for each in inside if is_instance(each))
        return classes

    def _named_type(self, scope: int, name: str) -> tuple[int, ...]:
        found: list[int] = []
        values = self.values(scope, name)
        if not values and "." not in name:  # a field may have the name of its type
            values = self._valued(self._top(self.tables.file_node(scope), name))
        for value in values:
            if value >= OUTSIDE:
                found.append(value)
            elif value // FORM in CLASSES and self.is_class(class_of(value)):
                found.append(INSTANCE + class_of(value))
            elif "." in name and is_instance(value):  # the type of a member: Services.store
                found.append(value)
        return few(found)

    def elements(self, scope: int, text: str) -> tuple[int, ...]:
        """Return what one of the things that an expression holds is."""
        key = scope, f"{text}[]="
        found = self._values.get(key)
        if found is None:
            if self._depth > MAX_DEPTH:
                return NOTHING
            self._values[key] = NOTHING
            self._depth += 1
            try:
                found = self._values[key] = few(
                    [each for place, one in self._told(scope, text) for each in self._element(place, one)]
                )
            finally:
                self._depth -= 1
        return found

    def _told(self, scope: int, text: str) -> list[tuple[int, Binding]]:
        """Return the bindings of an expression, with where they are read."""
        tables = self.tables
        called = text.endswith("()")
        found: list[tuple[int, Binding]] = []
        for target in self.targets(scope, text.removesuffix("()")):
            if isinstance(target, Variable):
                place, name = target
            elif target >= FORM or tables.kind[target] is None:
                continue
            elif called or target in tables.properties:
                place, name = target, ""
            else:
                place, name = tables.parent[target], tables.name[target]
            found += [(place, binding) for binding in tables.bindings.get(place, {}).get(name, ())]
        return found

    def _element(self, scope: int, one: Binding) -> tuple[int, ...]:
        if one.how == How.TYPE:
            last = [each.arguments[-1] for each in read_type(one.value) if each.arguments]
            return few([value for union in last for inner in union for value in self._of_type(scope, inner)])
        if one.how in (How.ELEMENT, How.SECOND) or not one.value:
            return NOTHING
        return self.elements(scope, plain(one.value) + ("()" if one.how == How.CALL else ""))
