"""Receivers decide which method is called: fields of structs, packages that locals hide, parts of objects."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag.graph.records import EdgeKind
from tests.graph.edges.test_code import build, calls, told
from tests.graph.shown_edges import edges_of
from tests.graph.whole import graph_of
from tests.workspace import write

FILES_OF_A_PACKAGE = 12


def test_a_package_of_go_is_all_of_its_files(tmp_path: Path) -> None:
    others = {f"store/a{number:02}.go": "package store\n" for number in range(FILES_OF_A_PACKAGE)}
    files = {
        "go.mod": "module example.org/shop\n",
        "store/aaa_generate.go": "//go:build ignore\n\npackage main\n\nfunc main() {}\n",
        "store/store.go": "package store\n\ntype Store struct{}\n\nfunc New() *Store { return &Store{} }\n",
        "store/users.go": "package store\n\nfunc (s *Store) User() {}\n",
        "cache/users.go": "package cache\n\ntype Cache struct{}\n\nfunc (c *Cache) User() {}\n",
        "web/handler.go": "package web\n\n"
        'import "example.org/shop/store"\n\ntype handler struct {\n\tstore *store.Store\n}\n',
        "web/show.go": "package web\n\nfunc (h *handler) show() { h.store.User() }\n",
    }
    found = calls(tmp_path, {**others, **files}, worst=8)
    assert found == {"web.handler.show > store.Store.User"}


def test_a_method_is_no_name_of_its_package(tmp_path: Path) -> None:
    """A method called like a type hides it neither in its own file nor in others of the package."""
    files = {
        "go.mod": "module example.org/shop\n",
        "web/a.go": "package web\n\ntype failure struct{}\n\nfunc (f *failure) Handler() int { return 1 }\n\n"
        "func (h *Handler) login() { h.check() }\n",
        "web/b.go": "package web\n\ntype Handler struct{}\n\nfunc (h *Handler) check() {}\n",
        "web/c.go": "package web\n\nfunc (h *Handler) serve() { h.login() }\n",
        "web/d.go": "package web\n\ntype Other struct{}\n\nfunc (o Other) login() {}\n\nfunc (o Other) check() {}\n",
        "main/main.go": 'package main\n\nimport "example.org/shop/web"\n\n'
        "func run(h *web.Handler) { h.Handler() }\n\nfunc ask(h *web.Handler) { h.check() }\n",
    }
    assert calls(tmp_path, files, worst=8) >= {
        "web.Handler.login > web.Handler.check",
        "web.Handler.serve > web.Handler.login",
        "main.ask > web.Handler.check",
    }


def test_a_local_hides_a_package_only_behind_itself(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "go.mod": "module example.org/shop\n",
            "view/view.go": "package view\n\n"
            "type View struct{}\n\nfunc New() *View { return nil }\n\nfunc (v *View) Set() {}\n",
            "web/web.go": """package web

import "example.org/shop/view"

func show() {
	view := view.New()
	view.Set()
}

func made() *view.View {
	view := view.New()
	return view
}

func use() { made().Set() }
""",
        },
        worst=8,
    )
    assert found == {
        "web.show > view.New",
        "web.show > view.View.Set",
        "web.made > view.New",
        "web.use > web.made",
        "web.use > view.View.Set",
    }


def test_what_a_struct_embeds_has_the_name_of_its_type(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "api/api.go": """package api

type Service struct{}

func (s *Service) List() {}

type Handler struct {
	*Service
}

func (h *Handler) List() { h.Service.List() }
""",
        },
    )
    assert found == {"api.Handler.List > api.Service.List"}


def test_what_is_taken_out_of_a_parameter_has_the_type_of_the_member(tmp_path: Path) -> None:
    found = calls(
        tmp_path,
        {
            "mail.ts": "export class Mail {\n  send() {}\n}\n",
            "post.ts": "export class Post {\n  send() {}\n}\n",
            "web.ts": """import { Mail } from './mail';
import { Post } from './post';

interface Services {
  mail: Mail;
  post: Post;
}

export function greet({ mail }: Services) {
  mail.send();
}

export function write({ post }: Pick<Services, 'post'>) {
  post.send();
}
""",
        },
        worst=8,
    )
    assert found == {"greet > Mail.send", "write > Post.send"}


def test_a_tests_name_means_nothing_that_its_file_does_not_import(tmp_path: Path) -> None:
    graph = build(
        tmp_path,
        {
            "shop/orders.py": "def total():\n    return 1\n\ndef open_order():\n    return 1\n",
            "shop/bills.py": "def total():\n    return 2\n\ndef send():\n    return 2\n",
            "shop/mail.py": "def deliver():\n    return 3\n",
            "tests/test_mail.py": "from shop import orders\n\n"
            "def test_total(): ...\n\ndef test_send(): ...\n\ndef test_deliver(): ...\n",
        },
    )
    assert told(graph, EdgeKind.TESTS, worst=8) == {"test_total > total", "test_deliver > deliver"}
    [total] = graph.named("test_total")
    targets = [graph.node(edge.target).path for edge in graph.edges_from(total, (EdgeKind.TESTS,))]
    assert targets == ["shop/orders.py"]


def test_the_second_result_of_a_call_and_new_in_go(tmp_path: Path) -> None:
    files = {
        "go.mod": "module ex\n",
        "s/a.go": (
            "package s\n\ntype API struct{}\n\nfunc (a *API) Notify() {}\n\ntype Level int\n\n"
            "func (l *Level) Decode(s string) error { return nil }\n\n"
            "func boot() (*http.Server, *API) {\n\treturn nil, nil\n}\n\n"
            "func first() {\n\tserver, api := boot()\n\tapi.Notify()\n\tserver.Close()\n}\n\n"
            'func second() {\n\tl := new(Level)\n\tl.Decode("x")\n}\n'
        ),
        "o/b.go": (
            "package o\n\ntype P struct{}\n\nfunc (a *P) Notify() {}\nfunc (a *P) Decode() {}\nfunc (a *P) Close() {}\n"
        ),
    }
    edges = edges_of(graph_of(write(tmp_path, files)), EdgeKind.CALLS)
    assert {edge for edge in edges if edge.startswith("s.") and "?" not in edge} == {
        "s.first -calls> s.boot",
        "s.first -calls> s.API.Notify",
        "s.second -calls> s.Level.Decode",
    }


def test_what_a_file_exports_by_default_is_its_definition(tmp_path: Path) -> None:
    files = {
        "models/share.ts": "class Share {\n  static find() {}\n}\nexport default Share;\n",
        "models/index.ts": 'export { default as Share } from "./share";\n',
        "models/run.ts": "function run() {}\nexport default run;\n",
        "web/own.ts": 'import Share from "../models/share";\nfunction own(share: Share) { return Share.find(); }\n',
        "web/other.ts": (
            'import { Share } from "../models";\nimport started from "../models/run";\n'
            "function other() { return [Share, started]; }\n"
        ),
    }
    graph = build(tmp_path, files)
    assert told(graph, EdgeKind.REFERENCES) == {
        "models/share.ts > Share",
        "models/run.ts > run",
        "own > Share",
        "other > Share",
        "other > run",
    }
    imported = told(graph, EdgeKind.IMPORTS)
    assert imported >= {"models/index.ts > Share", "web/own.ts > Share", "web/other.ts > Share", "web/other.ts > run"}
    assert told(graph, EdgeKind.CALLS) == {"own > Share.find"}


def test_what_a_container_gives_may_be_of_the_index(tmp_path: Path) -> None:
    files = {
        "src/Import.php": """<?php
namespace App;
use Doctrine\\ORM\\EntityManagerInterface;
class Import {
    public function __construct(private EntityManagerInterface $em) {}
    public function run($url) {
        $this->em->findByUrlAndUser($url);
        return $this->em
            ->getRepository(Entry::class)
            ->findByUrlAndUser($url);
    }
    public function other($url) { return $this->em->createQuery()->findByUrlAndUser($url); }
}
""",
        "src/Repository.php": "<?php\nnamespace App;\nclass EntryRepository { function findByUrlAndUser($url) {} }\n",
    }
    assert calls(tmp_path, files, worst=1) == {"Import::run > EntryRepository::findByUrlAndUser"}


def test_what_a_container_is_told_the_class_of_is_an_instance_of_it(tmp_path: Path) -> None:
    shop = """<?php
namespace App;
class Shop {
    private $mailer;
    public function function($x) { $one = app(Mailer::class); $one->send($x); }
    public function facade($x) { $this->mailer = App::make(Mailer::class); $this->mailer->send($x); }
    public function container($box, $x) { $one = $box->get(\\App\\Mailer::class, []); $one->send($x); }
    public function interface() { $one = resolve(Sends::class); $one->send(1); }
    public function repository($em) { $one = $em->getRepository(Mailer::class); $one->send(1); }
    public function send($x) {}
}
"""
    files = {
        "src/Shop.php": shop,
        "src/Mailer.php": "<?php\nnamespace App;\nclass Mailer { public function send($x) {} }\n",
        "src/Sends.php": "<?php\nnamespace App;\ninterface Sends { public function send($x); }\n",
    }
    assert calls(tmp_path, files) == {
        "Shop::function > Mailer::send",
        "Shop::facade > Mailer::send",
        "Shop::container > Mailer::send",
        "Shop::interface > Sends::send",
    }


CONTAINERS = {
    "shop.cs": """
public class Mailer { public void Send(int x) {} }
public class Shop {
    public void Made(IServiceProvider box) { var one = box.GetRequiredService<Mailer>(); one.Send(1); }
    public void Read(Reader box) { var one = box.GetFieldValue<Mailer>(); one.Send(1); }
    public void Send(int x) {}
}
""",
    "shop.ts": """
export class Mailer { Send(x: number) {} }
export class Shop {
  private mailer = inject(Mailer);
  constructor(private box: ModuleRef) {}
  Made() { const one = this.box.get(Mailer); one.Send(1); }
  Field() { this.mailer.Send(1); }
  Read(key: string) { const one = this.box.get(key); one.Send(1); }
  Send(x: number) {}
}
""",
}


@pytest.mark.parametrize(("name", "callers"), [("shop.cs", {"Shop.Made"}), ("shop.ts", {"Shop.Made", "Shop.Field"})])
def test_a_container_that_is_told_a_class_in_other_languages(tmp_path: Path, name: str, callers: set[str]) -> None:
    found = {call for call in calls(tmp_path, {name: CONTAINERS[name]}) if call.endswith(".Send")}
    assert found == {f"{caller} > Mailer.Send" for caller in callers}


def test_a_facade_of_laravel_hands_calls_on_to_the_class_that_is_called_alike(tmp_path: Path) -> None:
    front = "use Illuminate\\Support\\Facades\\Facade;\nclass Cart extends Facade { public static function own() {} }\n"
    service = "class CartService { public function add($x) {} public function own() {} }\n"
    files = {
        "app/Facades/Cart.php": f"<?php\nnamespace App\\Facades;\n{front}",
        "app/Support/CartService.php": f"<?php\nnamespace App\\Support;\n{service}",
        "app/Support/Basket.php": "<?php\nnamespace App\\Support;\nclass Basket { public function add($x) {} }\n",
        "app/Shop.php": (
            "<?php\nnamespace App;\nuse App\\Facades\\Cart;\n"
            "class Shop { function go() { Cart::add(1); Cart::own(); Log::add(3); } }\n"
        ),
    }
    assert calls(tmp_path, files, worst=3) == {"Shop::go > CartService::add", "Shop::go > Cart::own"}


def test_a_function_that_is_taken_out_of_what_another_gives(tmp_path: Path) -> None:
    form = (
        "export function useForm() {\n  const save = () => check(1);\n  function check(x) {}\n"
        "  return { save };\n}\nexport const other = { save() {} };\n"
    )
    page = (
        "import { useForm } from './form';\nimport { useQuery } from 'outside';\n"
        "export function Page() {\n  const { save } = useForm();\n  const { check } = useQuery();\n"
        "  save();\n  check();\n}\nexport function direct() { useForm().save(); }\n"
    )
    assert calls(tmp_path, {"form.ts": form, "page.ts": page}) == {
        "useForm.save > useForm.check",
        "Page > useForm",
        "Page > useForm.save",
        "direct > useForm",
        "direct > useForm.save",
    }
    assert calls(tmp_path / "js", {"form.js": form, "page.jsx": page}) >= {"Page > useForm.save"}
