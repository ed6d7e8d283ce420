"""Calls through an interface or a base are shown at the methods that they may run, and change with them."""

from __future__ import annotations

from pathlib import Path

from coderag.graph.graph import Graph
from coderag.graph.queries.impact import impact_of
from coderag.graph.queries.refs import Role, references_to
from tests.graph.whole import graph_of
from tests.workspace import write

GO = {
    "go.mod": "module example.org/shop\n",
    "store/store.go": """package store

type Role struct{}

type Reader interface{ Role(id int) *Role }

type Roles interface {
	Reader
	SaveRole(role *Role) error
}

type Closer interface{ Close() error }
""",
    "store/postgres.go": """package store

type Postgres struct{}

func (p *Postgres) Role(id int) *Role { return nil }

func (p *Postgres) SaveRole(role *Role) error { return nil }

func (p *Postgres) Close() error { return nil }
""",
    "store/half.go": """package store

type Half struct{}

func (h *Half) SaveRole(role *Role) error { return nil }
""",
    "store/other.go": """package store

type Other struct{}

func (o *Other) Role(name string) *Role { return nil }

func (o *Other) SaveRole(role *Role) error { return nil }
""",
    "store/closers.go": "package store\n\n"
    + "".join(f"type C{n} struct{{}}\n\nfunc (c C{n}) Close() error {{ return nil }}\n\n" for n in range(6)),
    "web/web.go": """package web

import "example.org/shop/store"

type handler struct{ roles store.Roles }

func (h *handler) save() { h.roles.SaveRole(nil) }

func shut(closer store.Closer) { closer.Close() }
""",
}
TYPESCRIPT = {
    "stores.ts": "export interface IRoleStore {\n  get(id: number): Promise<string>;\n}\n",
    "role-store.ts": """import { IRoleStore } from "./stores";
export class RoleStore implements IRoleStore {
  async get(id: number) { return "role"; }
}
""",
    "service.ts": """import { IRoleStore } from "./stores";
export class Access {
  constructor(private roles: IRoleStore) {}
  async role(id: number) { return this.roles.get(id); }
}
""",
}
SEVERAL = {
    "errors.ts": "export class Problem { constructor(text: string) {} }\n"
    "export class Missing extends Problem { constructor() { super('missing'); } }\n",
    "stores.ts": """export interface Store { all(): string[]; }
export class Users implements Store { all() { return []; } }
export class Roles implements Store { all() { return []; } }
""",
    "use.ts": """import { Problem } from "./errors";
import { Store } from "./stores";
export function count(store: Store) { return store.all().length; }
export function fail() { throw new Problem("no"); }
""",
}
PYTHON = {
    "base.py": "class Job:\n    def run(self):\n        self.step()\n\n    def step(self):\n        pass\n",
    "jobs.py": "from base import Job\n\n\nclass Mail(Job):\n    def step(self):\n        super().step()\n",
}


def dispatched(graph: Graph, name: str) -> set[str]:
    """Return who calls a method through what it stands for."""
    [node] = [node for node in map(graph.node, graph.named(name.rpartition(".")[2])) if node.qualified_name == name]
    groups = references_to(graph, node).groups
    return {
        f"{reference.spot.name} through {reference.through}"
        for group in groups
        if group.role is Role.DISPATCHED
        for reference in group.references
    }


def test_a_type_of_go_that_has_all_methods_of_an_interface_is_called_through_it(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, GO))
    assert dispatched(graph, "store.Postgres.SaveRole") == {"web.handler.save through store.Roles.SaveRole"}
    assert dispatched(graph, "store.Half.SaveRole") == set()
    assert dispatched(graph, "store.Other.SaveRole") == set()  # its Role takes a name


def test_one_method_that_many_types_have_is_no_contract(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, GO))
    assert dispatched(graph, "store.Postgres.Close") == set()


def test_a_call_through_an_interface_of_typescript_is_shown_at_its_implementation(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, TYPESCRIPT))
    assert dispatched(graph, "RoleStore.get") == {"Access.role through IRoleStore.get"}


def test_of_several_that_may_run_each_is_one_of_them(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, SEVERAL))
    [node] = [node for node in map(graph.node, graph.named("all")) if node.qualified_name == "Users.all"]
    [group] = [group for group in references_to(graph, node).groups if group.role is Role.DISPATCHED]
    assert [(reference.spot.name, reference.through, reference.candidates) for reference in group.references] == [
        ("count", "Store.all", 2)
    ]


def test_a_constructor_is_not_called_through_that_of_its_base(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, SEVERAL))
    assert dispatched(graph, "Missing.constructor") == set()


def test_a_method_that_calls_the_one_it_overrides_does_not_call_itself(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, PYTHON))
    assert dispatched(graph, "Mail.step") == {"Job.run through Job.step"}


def test_who_calls_an_interface_is_affected_by_its_implementation(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, GO))
    [node] = [
        node for node in map(graph.node, graph.named("SaveRole")) if node.qualified_name == "store.Postgres.SaveRole"
    ]
    assert "web.handler.save" in {one.spot.name for one in impact_of(graph, [node]).affected}
