"""Entity managers, JPQL, criteria and Spring Data's repositories, of Java and Kotlin.

https://docs.spring.io/spring-data/jpa/reference/jpa/query-methods.html
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from msgspec.structs import replace
from tree_sitter import Node

from coderag.frameworks.jpa.jpql import is_jpql, read_jpql
from coderag.frameworks.jpa.spring_data_names import read_derived
from coderag.frameworks.usage.binding import Told
from coderag.frameworks.usage.entities import Entities, is_class_name, model_in_type
from coderag.frameworks.usage.source_file import CodeFile
from coderag.frameworks.usage.usage import Usage, UsageBuilder
from coderag.sql.in_code.records import Access
from coderag.syntax.trees.call_chains import Chain, Link, chain_of, chains_in, literal, unwrapped
from coderag.syntax.trees.tree import text_of

__all__ = ["read"]

FRAMEWORK = "jpa"
MAX_PARTS = 100  # of a string that is added up
ANCHOR = re.compile(
    rb"\.\s*(find|findById|findAll|findAllById|getReference|getReferenceById|getById|getOne|persist|merge|remove|refresh|save|saveAll"
    rb"|saveAndFlush|saveAllAndFlush|delete|deleteById|deleteAll|deleteAllById|deleteInBatch|deleteAllInBatch|existsById|count"
    rb"|createQuery|createSelectionQuery|createMutationQuery|get|load|update|saveOrUpdate|from|(?:find|get|read|query|search|stream|count|exists|delete|remove)\w*By\w+"
    rb"|select|selectFrom)\s*(?=[(<])"
)
SETTER = re.compile(rb"\b\w+\.(set[A-Z]\w*)\s*\(")
ASSIGNED = re.compile(rb"\b\w+\.(\w+)[ \t]*=(?!=)")
REPOSITORY_TYPE = re.compile(
    r"\b(\w*(?:Repository|Dao|CrudRepository|PagingAndSortingRepository))\s*<\s*([\w.]++)\s*[,>]"
)
DECLARED = re.compile(rb"\binterface\s+(\w+)[^{};<]{0,200}<\s?([\w.]++)\s?,")
EXTENDS = re.compile(rb"(?:Repository|Dao)\s?<")
MANAGER = re.compile(r"^(?:em|entityManager|session|manager|entityManagerFactory|\w*EntityManager|\w*Session)$")
MANAGER_TYPE = re.compile(r"EntityManager|\bSession\b|StatelessSession")
LOADS = frozenset(("find", "getReference", "get", "load", "byId"))
SAVES = frozenset("save saveAll saveAndFlush saveAllAndFlush persist merge update saveOrUpdate insert".split())
READS = frozenset("findById findAll findAllById getReferenceById getById getOne findOne".split())
DELETES = frozenset(
    "delete deleteById deleteAll deleteAllById deleteInBatch deleteAllInBatch remove deleteAllByIdInBatch".split()
)
PASSING = frozenset("get orElse orElseThrow orElseGet stream toList getSingleResult getResultList first last".split())
QUERIES = frozenset(("createQuery", "createSelectionQuery", "createMutationQuery"))
ANNOTATED = re.compile(rb"@(?:\w+\.)?(?:Query|NamedQuery)\b")
METAMODEL = re.compile(r"^([A-Z]\w*)_$")


def read(code: CodeFile) -> Iterator[Usage]:
    """Yield the uses of JPA's entities."""
    yield from _Reader(code).read()


class _Reader:
    def __init__(self, code: CodeFile) -> None:
        self.code = code
        self.entities = Entities(code, self.of_chain, PASSING)
        self.is_evident = any(word in code.data for word in (b"persistence", b"springframework.data", b"hibernate"))

    def read(self) -> Iterator[Usage]:
        yield from _declared(self.code)
        for chain in self.code.chains(ANCHOR):
            draft = UsageBuilder()
            self._chain(chain, draft)
            yield from draft.models(self.code, chain.node, FRAMEWORK)
        for chain in self.code.chains(SETTER):
            yield from self._set(chain)
        if self.code.language == "kotlin":
            for chain in self.code.chains(ASSIGNED):
                yield from self._set(chain)

    # Who is asked

    def repository(self, chain: Chain, position: int) -> str:
        """Return the repository that the links before a position stand for: "UserRepository", "" for none.

        Where its type tells the entity, that is what is returned: User of `JpaRepository<User, Long>`.
        """
        if position < 1 or chain.links[position - 1].arguments is not None:
            return ""
        bounds, links = self.code.told_of(chain)
        if links != position:
            return ""
        for bound in reversed(bounds):
            if bound.told is not Told.TYPE:
                continue
            text = text_of(bound.node).rstrip("?")
            if match := REPOSITORY_TYPE.search(text):
                return match[2].rpartition(".")[2]
            name = text.partition("<")[0].rpartition(".")[2]
            for ending in ("JpaRepository", "CrudRepository", "Repository", "Repo", "Dao", "DAO"):
                if name.endswith(ending) and len(name) > len(ending):
                    return self._declared_entities.get(name) or name.removesuffix(ending)
        return ""

    @cached_property
    def _declared_entities(self) -> dict[str, str]:
        """The entities of the repositories that the file itself declares."""
        found = DECLARED.findall(self.code.data)
        return {name.decode(): entity.decode().rpartition(".")[2] for name, entity in found}

    def is_manager(self, chain: Chain, position: int) -> bool:
        """Tell whether the links before a position stand for an entity manager or a session of Hibernate."""
        if position < 1:
            return False
        if chain.links[position - 1].arguments is not None:
            return chain.links[position - 1].name in {
                "getEntityManager",
                "getCurrentSession",
                "openSession",
                "getSession",
                "unwrap",
            }
        bounds, links = self.code.told_of(chain)
        if links == position and bounds:
            typed = [bound for bound in bounds if bound.told is Told.TYPE]
            if typed and text_of(typed[-1].node) not in {"var", "val"}:
                return MANAGER_TYPE.search(text_of(typed[-1].node)) is not None
        return self.is_evident and MANAGER.match(chain.links[position - 1].name) is not None

    def of_chain(self, chain: Chain, depth: int) -> str:
        """Return the entity that a repository or entity manager gives."""
        for position, link in enumerate(chain.links):
            if link.arguments is None:
                continue
            rest = chain.links[position + 1 :]
            if any(
                one.arguments is None or one.name not in PASSING | {"setParameter", "setMaxResults"} for one in rest
            ):
                return ""
            if position and link.name in LOADS and self.is_manager(chain, position):
                return _class(link.argument(0))
            if link.name in SAVES and position and len(link.arguments) == 1:
                return self.entities.of_node(link.argument(0), depth + 1)
            if model := self.repository(chain, position):
                return (
                    model
                    if link.name in READS
                    or link.name.startswith(("findBy", "getBy", "findFirst", "findTop", "findAllBy", "readBy"))
                    else ""
                )
            if link.name in QUERIES and self.is_manager(chain, position):
                return _class(link.argument(1))
            return ""
        return ""

    # What is asked

    def _chain(self, chain: Chain, draft: UsageBuilder) -> None:
        position = next((p for p, link in enumerate(chain.links) if link.arguments is not None), -1)
        if position < 0:
            return
        for place, link in enumerate(chain.links):
            if link.name in QUERIES and (text := self._text(link.argument(0))) is not None:
                if is_jpql(text):
                    read_jpql(text, draft)
                return
            if link.name == "from" and place and link.arguments and self._is_criteria(chain, link):
                self._criteria(chain, link, draft)
                return
        link = chain.links[position]
        if position < 1 and link.name not in {"getEntityManager"}:
            return
        position = next(
            (p for p, one in enumerate(chain.links) if one.arguments is not None and self.is_manager(chain, p)),
            position,
        )
        link = chain.links[position]
        if self.is_manager(chain, position):
            self._managed(link, draft)
        elif model := self.repository(chain, position):
            self._repository(link, model, draft)

    def _text(self, node: Node | None, depth: int = 0) -> str | None:
        """Return a string, also one that is joined together or a constant of the file."""
        node = unwrapped(node)
        if node is None or depth > MAX_PARTS:
            return None
        if node.type == "binary_expression":
            parts = [self._text(node.child_by_field_name(side), depth + 1) for side in ("left", "right")]
            return "".join(part if part is not None else " " for part in parts) if any(parts) else None
        if node.type == "identifier":
            bounds = self.code.bound(text_of(node), node.start_byte)
            values = [bound for bound in bounds if bound.told is Told.VALUE and bound.node.start_byte < node.start_byte]
            return self._text(values[-1].node, depth + 1) if values else None
        return literal(node)

    def _managed(self, link: Link, draft: UsageBuilder) -> None:
        """Note what a method of an entity manager does."""
        name = link.name
        if name in LOADS:
            draft.use(_class(link.argument(0)), whole=name != "getReference")
        elif name in SAVES:
            model = self.entities.of_node(link.argument(0))
            draft.use(model, Access.WRITE, whole=True)
        elif name in {"remove", "delete"}:
            draft.use(self.entities.of_node(link.argument(0)), Access.DELETE)
        elif name == "refresh":
            draft.use(self.entities.of_node(link.argument(0)), whole=True)

    def _repository(self, link: Link, model: str, draft: UsageBuilder) -> None:
        """Note what a method of a repository does."""
        name = link.name
        if name in READS:
            draft.use(model, whole=True)
        elif name in SAVES:
            draft.use(model, Access.WRITE, whole=True)
        elif name in DELETES:
            draft.use(model, Access.DELETE)
        elif name in {"existsById", "count", "exists"}:
            draft.use(model)
        else:
            read_derived(name, model, draft)

    def _is_criteria(self, chain: Chain, link: Link) -> bool:
        bounds, _ = self.code.told_of(chain)
        return bool(_class(link.argument(0))) and any("Criteria" in text_of(bound.node) for bound in bounds)

    def _criteria(self, chain: Chain, link: Link, draft: UsageBuilder) -> None:
        """Note a criteria query: `Root<User> root = query.from(User.class)` and what is taken from the root."""
        model = _class(link.argument(0))
        bounds, _ = self.code.told_of(chain)
        kinds = " ".join(text_of(bound.node) for bound in bounds)
        access = (
            Access.WRITE if "CriteriaUpdate" in kinds else Access.DELETE if "CriteriaDelete" in kinds else Access.READ
        )
        is_whole = access is Access.READ and re.search(rf"Criteria(?:Query)?\w*(?:<|\()\s*{model}\b", kinds) is not None
        draft.use(model, access, whole=is_whole)
        parent = chain.node.parent
        name = text_of(parent.child_by_field_name("name")) if parent is not None else ""
        scope = self.code.scope(chain.node.start_byte)
        if not name or scope < 0:
            return
        definition = self.code.outline.definitions[scope]
        root = self.code.parsed.tree.root_node.descendant_for_byte_range(
            definition.start_byte, max(definition.start_byte, definition.end_byte - 1)
        )
        for used in chains_in(root):
            if used.links[0].name != name or len(used.links) < 2:
                if used.links[-1].name == "set" and access is Access.WRITE and used.links[-1].arguments:
                    field = self._attribute(used.links[-1].argument(0))
                    draft.touch(model, field, written=True)
                continue
            path: list[str] = []
            for step in used.links[1:]:
                if step.name not in {"get", "join", "fetch"} or not (field := self._attribute(step.argument(0))):
                    break
                path.append(field)
            if path and used.links[1].name == "get":
                draft.touch(model, ".".join(path))
            elif path:
                draft.use(".".join([model, *path]), whole=used.links[1].name == "fetch")

    def _attribute(self, node: Node | None) -> str:
        """Return the field that an argument names: "email", User_.email."""
        if (text := literal(node)) is not None:
            return text
        chain = chain_of(node)
        if chain is None or len(chain.links) != 2:
            return ""
        if METAMODEL.match(chain.links[0].name):
            return chain.links[1].name
        return literal(chain.links[1].argument(0)) or "" if chain.links[1].name == "get" else ""

    def _set(self, chain: Chain) -> Iterator[Usage]:
        """Yield `user.setName(x)` of an entity that was loaded here: it is written when the transaction ends."""
        if len(chain.links) != 2:
            return
        last = chain.links[1]
        if last.arguments is None:
            parent = chain.node.parent
            if parent is None or parent.child_by_field_name("left") != chain.node:
                return
            field = last.name
        elif last.name.startswith("set") and len(last.arguments) == 1:
            field = last.name[3:4].lower() + last.name[4:]
        else:
            return
        bounds = self.code.bound(chain.links[0].name, chain.node.start_byte)
        values = [bound for bound in bounds if bound.told is not Told.TYPE]
        if not values or not (model := self._loaded(values[-1].node)):
            return
        draft = UsageBuilder()
        draft.use(model, Access.WRITE)
        draft.touch(model, field, written=True)
        yield from draft.models(self.code, chain.node, FRAMEWORK)

    def _loaded(self, node: Node) -> str:
        chain = chain_of(node)
        return self.of_chain(chain, 0) if chain is not None and len(chain.links) > 1 else ""


def _class(node: Node | None) -> str:
    """Return the class of `User.class`, `User::class.java`."""
    node = unwrapped(node)
    text = text_of(node)
    for ending in (".class", "::class.java", "::class"):
        if text.endswith(ending):
            return text.removesuffix(ending).rpartition(".")[2]
    return ""


def _declared(code: CodeFile) -> Iterator[Usage]:
    """Yield what the methods of Spring Data's interfaces do, by @Query or by their names."""
    if not EXTENDS.search(code.data) and not ANNOTATED.search(code.data):
        return
    definitions = code.outline.definitions
    root = code.parsed.tree.root_node
    for position, definition in enumerate(definitions):
        parent = definitions[definition.parent] if definition.parent >= 0 else None
        if parent is None or definition.kind not in {"method", "function"}:
            continue
        head = code.data[parent.start_byte : parent.end_byte].partition(b"{")[0].decode("utf-8", "replace")
        base = REPOSITORY_TYPE.search(head)
        text = code.data[definition.start_byte : definition.end_byte].decode("utf-8", "replace")
        draft = UsageBuilder()
        node = root.descendant_for_byte_range(
            definition.start_byte, max(definition.start_byte, definition.end_byte - 1)
        )
        if node is None:
            continue
        if "Query(" in text.partition(f" {definition.name}(")[0] and "@" in text:
            query = _query(node)
            if query is not None and is_jpql(query.replace("#{#entityName}", model_in_type(base[2]) if base else "X")):
                read_jpql(query.replace("#{#entityName}", base[2] if base else "X"), draft)
        elif base is not None and "{" not in text.partition(")")[2] and is_class_name(base[2].rpartition(".")[2]):
            read_derived(definition.name, base[2].rpartition(".")[2], draft)
        yield from (replace(use, owner=position, row=definition.row) for use in draft.models(code, node, FRAMEWORK))


def _query(method: Node) -> str | None:
    """Return the text of a method's @Query, None where it has none or it is SQL."""
    waiting = [method]
    left = 400
    while waiting and left:
        left -= 1
        node = waiting.pop()
        if node.type in {"annotation", "normal_annotation"}:
            name = text_of(node).lstrip("@").partition("(")[0].rpartition(".")[2]
            if name == "Query":
                if re.search(r"nativeQuery\s*=\s*true", text_of(node)):
                    return None
                return _joined(node)
        if node.type not in {"block", "function_body", "formal_parameters"}:
            waiting += node.named_children
    return None


def _joined(annotation: Node) -> str | None:
    """Return the string of an annotation's value, its parts joined."""
    texts: list[str] = []
    waiting = [annotation]
    left = 400
    while waiting and left:
        left -= 1
        node = waiting.pop()
        if node.type in {"element_value_pair", "value_argument"}:
            key = text_of(
                node.child_by_field_name("key") or (node.named_children[0] if len(node.named_children) > 1 else None)
            )
            if key not in {"", "value"}:
                continue
        if (text := literal(node)) is not None and "string" in node.type:
            texts.append(text)
            continue
        waiting += reversed(node.named_children)
    return "".join(texts) if texts else None
