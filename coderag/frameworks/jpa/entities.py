"""The classes of a file of Java or Kotlin as JPA has them: their tables, what they inherit, what is persistent in them.

A name that is not stated is the one that Spring Boot's naming strategies give: camel case to snake case.
https://docs.spring.io/spring-boot/how-to/data-access.html#howto.data-access.configure-hibernate-naming-strategy
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from coderag.frameworks.jpa.types import argument
from coderag.sql.records import Name
from coderag.syntax.languages.jvm import Annotation, Class, Code, Member
from coderag.syntax.trees.literals import Reference, as_text

__all__ = ["MAX_DEPTH", "Entities", "element_type", "snake"]

TYPE_ARGUMENT = re.compile(r"\s*(?:\?\s*extends\s+|out\s+|@\w+\s+)*(?:\w+\.)*(\w+)")
BORDER = re.compile(r"(?<=[a-z\d])(?=[A-Z][a-z\d])")
MAX_DEPTH = 8  # of classes in classes


def snake(name: str) -> str:
    """Return the name that Spring Boot gives the table or column of a class or property."""
    return BORDER.sub("_", name).replace(".", "_").lower()


class Entities:
    """The classes of a file."""

    def __init__(self, code: Code) -> None:
        self.by_name = {one.name: one for one in code.classes()}

    def single_table_root(self, one: Class) -> Class | None:
        """Return the entity of this file whose table holds the rows of a class too."""
        root = None
        above = self.by_name.get(one.base)
        for _ in range(MAX_DEPTH):
            if above is None:
                break
            strategy = argument(above.annotations, "Inheritance", "strategy")
            if isinstance(strategy, Reference) and not strategy.name.endswith("SINGLE_TABLE"):
                break
            root = above if "Entity" in above.annotations else root
            above = self.by_name.get(above.base)
        return root if root is not one else None

    def table_name(self, one: Class) -> Name | None:
        """Return the name of an entity's table, None where another file states it."""
        stated = argument(one.annotations, "Table", "name")
        entity = argument(one.annotations, "Entity", "name")
        if isinstance(stated, Reference):
            return None
        return Name(
            as_text(stated).strip('`"') or snake(as_text(entity) or one.name),
            schema=as_text(argument(one.annotations, "Table", "schema")),
            database=as_text(argument(one.annotations, "Table", "catalog")),
        )

    def target_table(self, name: str) -> Name:
        found = self.by_name.get(name)
        if found is not None:
            found = self.single_table_root(found) or found
        return (self.table_name(found) if found is not None else None) or Name(snake(name))

    def lineage(self, one: Class) -> list[Class]:
        """Return a class behind the mapped superclasses of this file that it extends."""
        classes = [one]
        above = self.by_name.get(one.base)
        while above is not None and "MappedSuperclass" in above.annotations and len(classes) < MAX_DEPTH:
            classes.insert(0, above)
            above = self.by_name.get(above.base)
        strategy = argument(above.annotations, "Inheritance", "strategy") if above is not None else None
        if above is not None and isinstance(strategy, Reference) and strategy.name.endswith("TABLE_PER_CLASS"):
            classes[:0] = self.lineage(above) if above not in classes and len(classes) < MAX_DEPTH else []
        return classes

    def members(self, one: Class) -> Iterator[Member]:
        """Yield what is persistent in a class: its fields, or its getters where the key is one."""
        getters = {member.name: member for member in one.members if member.is_getter}
        by_getter = any(not {"Id", "EmbeddedId"}.isdisjoint(getter.annotations) for getter in getters.values())
        for member in one.members:
            if member.is_constant or member.is_getter:
                continue
            if by_getter:
                getter = getters.pop(member.name, None)
                if getter is not None:
                    yield _commented(getter, member)
            else:
                yield member
        if by_getter:
            yield from getters.values()

    def is_embeddable(self, member: Member) -> bool:
        found = self.by_name.get(member.type)
        return found is not None and "Embeddable" in found.annotations

    def mapped(self, name: str) -> str:
        """Return the class whose table has the rows of a class."""
        found = self.by_name.get(name)
        root = self.single_table_root(found) if found is not None else None
        return root.name if root is not None else name

    def target_class(self, member: Member, relation: Annotation) -> str:
        reference = relation.arguments.get("targetEntity")
        if isinstance(reference, Reference):
            return reference.name.rpartition(".")[2]
        return element_type(member.type) or member.type.rpartition(".")[2].partition("<")[0]


def element_type(written: str) -> str:
    """Return the last argument of a generic type, V of Map<K, V>; nothing for any other type."""
    if not written.endswith(">"):
        return ""
    last = written.rfind(",") + 1
    starts = [last] if last and written.rfind("<", 0, last) > written.rfind(">", 0, last) else []
    starts += [at + 1 for at in range(last, len(written)) if written[at] == "<"]
    return next((match[1] for at in starts if (match := TYPE_ARGUMENT.match(written, at))), "")


def _commented(getter: Member, member: Member) -> Member:
    """Return a getter's property with the comment of its field."""
    return Member(
        getter.name,
        getter.type,
        getter.annotations,
        getter.node,
        getter.comment or member.comment,
        is_primitive=getter.is_primitive,
    )
