"""Imports as they are written in real files to the files that they mean."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coderag.files.walk import walk
from coderag.graph.files import LinkedFile
from coderag.graph.resolve.imports.modules import FAMILIES, Modules
from coderag.index.storage.columns import unpack_labels
from coderag.index.storage.links import inflate_links
from coderag.index.workers.analyze import analyze
from coderag.syntax.language import languages
from tests.workspace import write


class Tree:
    """Files on disk, and what their imports mean."""

    def __init__(self, root: Path, files: Mapping[str, str], *, settings: bool = True) -> None:
        write(root, files)
        columns, _ = analyze(str(root), walk(root).files)
        self.files = [
            LinkedFile(row.path, row.language, inflate_links(links), unpack_labels(row.labels))
            for row, links in zip(columns.files, columns.links, strict=True)
        ]

        def read(path: str) -> bytes | None:
            full = root / path
            return full.read_bytes() if full.is_file() else None

        self.modules = Modules(self.files, read if settings else None)
        self.number = {file.path: number for number, file in enumerate(self.files)}

    def paths(self, found: tuple[int, ...]) -> list[str]:
        return [self.files[one].path for one in found]

    def of(self, path: str, module: str, name: str = "") -> list[str]:
        return self.paths(self.modules.files_of(self.number[path], module, name))

    def submodule(self, path: str, module: str, name: str) -> list[str]:
        return self.paths(self.modules.submodule(self.number[path], module, name))

    def beside(self, path: str) -> list[str]:
        return self.paths(self.modules.beside(self.number[path]))

    def imports(self, path: str) -> dict[str, list[str]]:
        """Return what each import that a file really has means."""
        number = self.number[path]
        return {
            f"{one.module}:{one.name}" if one.name else one.module: self.paths(
                self.modules.files_of(number, one.module, one.name, owner=one.owner)
            )
            for one in self.files[number].links.mentions.imports
        }


def test_python_below_the_nearest_root(tmp_path: Path) -> None:
    tree = Tree(
        tmp_path,
        {
            "src/shop/__init__.py": "from .cart import Cart\n",
            "src/shop/cart.py": "import json\nfrom . import money\nfrom ..other import x\n",
            "src/shop/money.py": "class Money: pass\n",
            "src/shop/api/__init__.py": "",
            "src/shop/api/views.py": "from ..cart import Cart\nfrom shop.money import Money\nimport redis\n",
            "src/shop/api/redis.py": "import redis\n",
            "tests/test_cart.py": "import helpers\nfrom shop.api import views\n",
            "tests/helpers.py": "X = 1\n",
        },
    )
    assert tree.imports("src/shop/api/views.py") == {
        "..cart:Cart": ["src/shop/cart.py"],
        "shop.money:Money": ["src/shop/money.py"],
        "redis": [],
    }
    assert tree.imports("src/shop/api/redis.py") == {"redis": []}
    assert tree.of("src/shop/cart.py", ".") == ["src/shop/__init__.py"]
    assert tree.submodule("src/shop/cart.py", ".", "money") == ["src/shop/money.py"]
    assert tree.of("src/shop/cart.py", "..other") == []
    assert tree.of("src/shop/cart.py", "json") == []
    assert tree.of("tests/test_cart.py", "helpers") == ["tests/helpers.py"]
    assert tree.submodule("tests/test_cart.py", "shop.api", "views") == ["src/shop/api/views.py"]
    assert tree.of("tests/test_cart.py", "shop.nothing") == []


def test_two_projects_with_packages_of_one_name_are_not_mixed_up(tmp_path: Path) -> None:
    package = {"shop/__init__.py": "V = 1\n", "shop/models.py": "class User: pass\n", "run.py": "import shop.models\n"}
    tree = Tree(
        tmp_path,
        {f"{root}/{path}": text for root in ("one", "two") for path, text in package.items()}
        | {"tools/report.py": "import shop.models\n", "one/shop/gone.py": "Y = 1\n"},
    )
    assert tree.of("one/run.py", "shop.models") == ["one/shop/models.py"]
    assert tree.of("two/run.py", "shop.models") == ["two/shop/models.py"]
    assert tree.of("two/run.py", "shop.gone") == []
    assert tree.of("tools/report.py", "shop.models") == ["one/shop/models.py", "two/shop/models.py"]


def test_namespace_packages_and_stubs(tmp_path: Path) -> None:
    tree = Tree(
        tmp_path,
        {
            "a/src/corp/users/__init__.py": "U = 1\n",
            "b/src/corp/orders/__init__.py": "from corp import users\n",
            "b/src/corp/orders/fast.pyi": "def go() -> int: ...\n",
            "b/src/corp/orders/main.py": "from corp.orders.fast import go\n",
        },
    )
    assert tree.submodule("b/src/corp/orders/__init__.py", "corp", "users") == ["a/src/corp/users/__init__.py"]
    assert tree.of("b/src/corp/orders/main.py", "corp.orders.fast") == ["b/src/corp/orders/fast.pyi"]


def test_javascript_paths_aliases_and_workspaces(tmp_path: Path) -> None:
    tree = Tree(
        tmp_path,
        {
            "tsconfig.base.json": '{"compilerOptions": {"baseUrl": ".", "paths": {"@db/*": ["packages/db/src/*"],},},}',
            "packages/app/tsconfig.json": '// settings\n{"extends": "../../tsconfig.base.json", /* none */}',
            "packages/app/src/main.ts": 'import { q } from "@db/query";\nimport x from "./util.js";\n'
            'import { Db } from "@corp/db";\nimport deep from "@corp/db/extra";\nimport "react";\n',
            "packages/app/src/util.ts": "export default 1;\n",
            "packages/app/src/parts/index.tsx": "export const Part = () => <b/>;\n",
            "packages/app/src/View.vue": "<script></script>\n",
            "packages/db/package.json": '{"name": "@corp/db", "main": "dist/index.js", '
            '"exports": {".": {"types": "./dist/index.d.ts"}, "./*": "./dist/*.js"}, '
            '"imports": {"#log": "./src/log.ts"}}',
            "packages/db/src/index.ts": 'export * from "./query";\n',
            "packages/db/src/query.ts": 'import log from "#log";\nexport const q = 1;\n',
            "packages/db/src/extra.ts": "export default 2;\n",
            "packages/db/src/log.ts": "export default 3;\n",
        },
    )
    assert tree.imports("packages/app/src/main.ts") == {
        "@db/query:q": ["packages/db/src/query.ts"],
        "./util.js:default": ["packages/app/src/util.ts"],
        "@corp/db:Db": ["packages/db/src/index.ts"],
        "@corp/db/extra:default": ["packages/db/src/extra.ts"],
        "react": [],
    }
    assert tree.of("packages/app/src/main.ts", "./parts") == ["packages/app/src/parts/index.tsx"]
    assert tree.of("packages/app/src/main.ts", "./View.vue") == ["packages/app/src/View.vue"]
    assert tree.of("packages/app/src/parts/index.tsx", "..") == []
    assert tree.of("packages/app/src/parts/index.tsx", "@/util") == ["packages/app/src/util.ts"]
    assert tree.of("packages/db/src/query.ts", "#log") == ["packages/db/src/log.ts"]


GO = {
    "go.mod": "module example.com/shop/v2\n\ngo 1.22\n",
    "main.go": 'package main\n\nimport (\n\t"fmt"\n\t"example.com/shop/v2/store"\n)\n\n'
    "func main() { fmt.Println(store.Open()) }\n",
    "store/store.go": "package store\n\nfunc Open() int { return 1 }\n",
    "store/more.go": "package store\n\nfunc More() int { return 2 }\n",
    "store/store_test.go": "package store\n\nfunc helper() int { return 3 }\n",
    "errors/errors.go": 'package errors\n\nimport "example.com/shop/v2/store"\n\nvar X = store.Open()\n',
}


@pytest.mark.parametrize("settings", [True, False])
def test_go_packages_are_folders(tmp_path: Path, settings: bool) -> None:
    tree = Tree(tmp_path, GO, settings=settings)
    assert tree.of("main.go", "example.com/shop/v2/store") == ["store/more.go", "store/store.go"]
    assert tree.of("main.go", "errors") == []
    assert tree.of("main.go", "fmt") == []
    assert tree.of("main.go", "github.com/other/store") == []
    assert tree.beside("store/store.go") == ["store/more.go", "store/store_test.go"]


def test_java_and_kotlin_packages(tmp_path: Path) -> None:
    tree = Tree(
        tmp_path,
        {
            "app/src/main/java/com/x/User.java": "package com.x;\npublic class User { static class Key {} }\n",
            "app/src/main/java/com/x/Role.java": "package com.x;\npublic enum Role { ADMIN }\n",
            "app/src/main/kotlin/com/x/more.kt": "package com.x\nfun helper() = 1\n",
            "web/src/main/java/com/x/web/Page.java": "package com.x.web;\nimport com.x.User;\nimport com.x.*;\n"
            "import static com.x.Role.ADMIN;\nimport java.util.List;\nimport com.x.User.Key;\nclass Page {}\n",
            "copy/com/x/User.java": "package com.x;\npublic class User {}\n",
            "copy/com/x/Use.java": "package com.x;\nclass Use { User user; }\n",
        },
    )
    user, role = "app/src/main/java/com/x/User.java", "app/src/main/java/com/x/Role.java"
    page = "web/src/main/java/com/x/web/Page.java"
    assert tree.of(user, "com.x.Role") == [role]
    assert tree.of(page, "com.x.Role", "ADMIN") == [role]
    assert tree.of(page, "com.x.User.Key") == [user]
    assert tree.of(page, "com.x", "helper") == ["app/src/main/kotlin/com/x/more.kt"]
    assert tree.of(page, "java.util.List") == []
    assert tree.beside(role) == ["app/src/main/java/com/x/User.java", "app/src/main/kotlin/com/x/more.kt"]
    assert tree.beside("copy/com/x/Use.java") == ["copy/com/x/User.java", "app/src/main/kotlin/com/x/more.kt"]
    assert tree.of("copy/com/x/Use.java", "com.x.User") == ["copy/com/x/User.java"]


def test_namespaces_of_csharp_and_php(tmp_path: Path) -> None:
    tree = Tree(
        tmp_path,
        {
            "Data/Db.cs": "namespace Shop.Data;\npublic class Db {}\n",
            "Data/More.cs": "namespace Shop.Data\n{\n  public class More {}\n}\n",
            "Web/Page.cs": "using Shop.Data;\nnamespace Shop.Web;\npublic class Page { Db db; }\n",
            "src/Models/User.php": "<?php\nnamespace App\\Models;\nclass User {}\n",
            "src/Http/Page.php": "<?php\nnamespace App\\Http;\nuse App\\Models\\User;\n"
            "require __DIR__ . '/boot.php';\n",
            "src/Http/boot.php": "<?php\nfunction boot() {}\n",
        },
    )
    assert tree.of("Web/Page.cs", "Shop.Data", "*") == ["Data/Db.cs", "Data/More.cs"]
    assert tree.of("Web/Page.cs", "Data") == ["Data/Db.cs", "Data/More.cs"]
    assert tree.of("Web/Page.cs", "Shop.Data.Db") == ["Data/Db.cs"]
    assert tree.beside("Data/Db.cs") == ["Data/More.cs"]
    assert tree.imports("src/Http/Page.php") == {
        "App\\Models\\User": ["src/Models/User.php"],
        "./boot.php": ["src/Http/boot.php"],
    }


def test_ruby_requires_and_constants(tmp_path: Path) -> None:
    tree = Tree(
        tmp_path,
        {
            "lib/shop.rb": "require 'shop/cart'\nrequire_relative 'shop/tax'\nrequire 'json'\n",
            "lib/shop/cart.rb": "module Shop\n  class Cart\n  end\nend\n",
            "lib/shop/tax.rb": "module Shop\n  Rate = 1\nend\n",
            "lib/shop/json.rb": "module Shop\n  module Json\n  end\nend\n",
            "app/models/html_page.rb": "class HTMLPage\nend\n",
            "app/models/concerns/billed.rb": "module Billed\nend\n",
        },
    )
    assert tree.imports("lib/shop.rb") == {
        "shop/cart": ["lib/shop/cart.rb"],
        "./shop/tax": ["lib/shop/tax.rb"],
        "json": [],
    }
    assert tree.of("lib/shop.rb", "Shop::Cart") == ["lib/shop/cart.rb"]
    assert tree.of("lib/shop.rb", "Shop::Rate") == ["lib/shop/tax.rb"]
    assert tree.of("lib/shop.rb", "HTMLPage") == ["app/models/html_page.rb"]
    assert tree.of("lib/shop.rb", "Billed") == ["app/models/concerns/billed.rb"]
    assert tree.of("lib/shop.rb", "String") == []


def test_rust_modules_and_crates(tmp_path: Path) -> None:
    tree = Tree(
        tmp_path,
        {
            "crates/db/Cargo.toml": '[package]\nname = "shop-db"\n',
            "crates/db/src/lib.rs": "pub mod query;\nmod pool;\npub struct Db;\n",
            "crates/db/src/pool.rs": "use crate::query::Query;\nuse super::Db;\nmod tests {\n    use super::*;\n}\n",
            "crates/db/src/query/mod.rs": "pub mod parse;\npub struct Query;\n",
            "crates/db/src/query/parse.rs": "use super::Query;\nuse super::super::Db;\nuse std::fmt;\n",
            "crates/app/src/main.rs": "use shop_db::query::Query;\nuse serde::Serialize;\n",
            "crates/app/tests/it.rs": "mod common;\nuse common::setup;\n",
            "crates/app/tests/common/mod.rs": "pub fn setup() {}\n",
        },
    )
    lib, query = "crates/db/src/lib.rs", "crates/db/src/query/mod.rs"
    assert tree.imports(lib) == {"query": [query], "pool": ["crates/db/src/pool.rs"]}
    assert tree.imports("crates/db/src/pool.rs") == {
        "crate::query::Query": [query],
        "super::Db": [lib],
        "super:*": ["crates/db/src/pool.rs"],
    }
    assert tree.imports("crates/db/src/query/parse.rs") == {
        "super::Query": [query],
        "super::super::Db": [lib],
        "std::fmt": [],
    }
    assert tree.imports("crates/app/src/main.rs") == {"shop_db::query::Query": [query], "serde::Serialize": []}
    assert tree.imports("crates/app/tests/it.rs") == {
        "common": ["crates/app/tests/common/mod.rs"],
        "common::setup": ["crates/app/tests/common/mod.rs"],
    }
    assert tree.submodule("crates/app/src/main.rs", "shop_db", "query") == [query]
    assert tree.submodule("crates/app/src/main.rs", "shop_db", "Db") == []


def test_includes(tmp_path: Path) -> None:
    tree = Tree(
        tmp_path,
        {
            "src/main.c": '#include <stdio.h>\n#include "util.h"\n#include "net/socket.h"\n#include <shop/all.h>\n',
            "src/util.h": "int util(void);\n",
            "lib/util.h": "int other(void);\n",
            "lib/net/socket.h": "int open_socket(void);\n",
            "lib/stdio.h": "int no(void);\n",
            "include/shop/all.h": "int all(void);\n",
        },
    )
    assert tree.of("src/main.c", "util.h") == ["src/util.h"]
    assert tree.of("src/main.c", "net/socket.h") == ["lib/net/socket.h"]
    assert tree.of("src/main.c", "<stdio.h>") == []
    assert tree.of("src/main.c", "<shop/all.h>") == ["include/shop/all.h"]
    assert tree.of("src/main.c", "<util.h>") == []


@pytest.mark.slow
def test_languages_that_name_paths_or_modules(tmp_path: Path) -> None:
    tree = Tree(
        tmp_path,
        {
            "lib/shop/order.ex": "defmodule Shop.Order do\n  alias Shop.Repo\n  import Shop.Money\nend\n",
            "lib/shop/repo.ex": "defmodule Shop.Repo do\n  def get(x), do: x\nend\n",
            "lib/shop/money.ex": "defmodule Shop.Money do\n  def of(x), do: x\nend\n",
            "src/Data/Cart.hs": "module Data.Cart where\nimport Data.Money (Money)\nimport Data.Map\n",
            "src/Data/Money.hs": "module Data.Money where\ndata Money = Money Int\n",
            "lua/shop/cart.lua": "local m = require('shop.money')\nlocal u = require 'shop.util'\nreturn {}\n",
            "lua/shop/money.lua": "return {}\n",
            "lua/shop/util/init.lua": "return {}\n",
            "app/pubspec.yaml": "name: shop\n",
            "app/lib/main.dart": "import 'package:shop/src/cart.dart';\nimport 'dart:io';\nimport 'src/money.dart';\n",
            "app/lib/src/cart.dart": "class Cart {}\n",
            "app/lib/src/money.dart": "class Money {}\n",
            "Sources/Shop/Cart.swift": "import Core\nclass Cart {}\n",
            "Sources/Shop/Tax.swift": "class Tax {}\n",
            "Sources/Core/Money.swift": "class Money {}\n",
            "zig/main.zig": 'const m = @import("money.zig");\nconst std = @import("std");\n',
            "zig/money.zig": "pub fn f() void {}\n",
            "bin/run.sh": 'source "$HERE/lib/log.sh"\n. ./env.sh\n',
            "bin/env.sh": "X=1\n",
            "bin/lib/log.sh": "log() { echo; }\n",
            "infra/main.tf": 'module "net" {\n  source = "./net"\n}\n',
            "infra/vars.tf": 'variable "x" {}\n',
            "infra/net/net.tf": 'variable "y" {}\n',
            "ml/shop/cart.ml": "open Money\nlet x = Tax.rate\n",
            "ml/shop/money.ml": "let one = 1\n",
            "jl/Shop.jl": 'module Shop\ninclude("cart.jl")\nend\n',
            "jl/cart.jl": "f(x) = x\n",
            "docs/guide.md": "See [the cart](../lua/shop/cart.lua) and `money.zig`.\n",
        },
    )
    expected = {
        "lib/shop/order.ex": {"Shop.Repo": ["lib/shop/repo.ex"], "Shop.Money:*": ["lib/shop/money.ex"]},
        "src/Data/Cart.hs": {"Data.Money:Money": ["src/Data/Money.hs"], "Data.Map:*": []},
        "lua/shop/cart.lua": {"shop.money": ["lua/shop/money.lua"], "shop.util": ["lua/shop/util/init.lua"]},
        "app/lib/main.dart": {
            "package:shop/src/cart.dart:*": ["app/lib/src/cart.dart"],
            "dart:io:*": [],
            "src/money.dart:*": ["app/lib/src/money.dart"],
        },
        "Sources/Shop/Cart.swift": {"Core:*": ["Sources/Core/Money.swift"]},
        "zig/main.zig": {"money.zig": ["zig/money.zig"], "std": []},
        "bin/run.sh": {"$HERE/lib/log.sh:*": ["bin/lib/log.sh"], "./env.sh:*": ["bin/env.sh"]},
        "infra/main.tf": {"./net:*": ["infra/net/net.tf"]},
        "ml/shop/cart.ml": {"Money:*": ["ml/shop/money.ml"]},
        "jl/Shop.jl": {"./cart.jl:*": ["jl/cart.jl"]},
    }
    assert {path: tree.imports(path) for path in expected} == expected
    assert tree.beside("Sources/Shop/Cart.swift") == ["Sources/Shop/Tax.swift"]
    assert tree.beside("infra/main.tf") == ["infra/vars.tf"]
    assert tree.of("docs/guide.md", "../lua/shop/cart.lua") == ["lua/shop/cart.lua"]
    assert tree.of("docs/guide.md", "./money.zig") == ["zig/money.zig"]


def test_every_family_is_used_and_known() -> None:
    assert {language.modules for language in languages().values() if language.modules} == FAMILIES.keys()


FOLDERS = ("", "a", "a/b", "src", "lib", "tests/c", "é", "app/models", "Sources/X")
NAMES = (
    *("__init__.py", "a.py", "mod.rs", "lib.rs", "index.ts", "a.go", "A.java", "a.rb", "a.h", "x.jl", "a.ex", "a.php"),
    *("a.swift", "a.tf", "a.dart", "a.ml", "a.lua", "package.json", "c.md"),
)
PATHS = st.builds(lambda folder, name: f"{folder}/{name}".lstrip("/"), st.sampled_from(FOLDERS), st.sampled_from(NAMES))
MODULES = st.text("abAB./:\\@#*<>\"'$~_-é \n", max_size=8) | PATHS
SETTINGS = (None, b"", b"\xff", b"[", b'{"name": "a", "main": [1]}', b"module a\n", b'{"compilerOptions": 3}')


@given(
    st.dictionaries(PATHS, st.sampled_from(sorted(languages())), min_size=1, max_size=8),
    st.lists(st.tuples(MODULES, MODULES), max_size=4),
    st.sampled_from(SETTINGS),
)
def test_nothing_that_is_written_is_too_odd(
    paths: dict[str, str], asked: list[tuple[str, str]], content: bytes | None
) -> None:
    files = [LinkedFile(path, language, inflate_links(b"")) for path, language in paths.items()]
    modules = Modules(files, lambda _: content)
    for number in range(len(files)):
        found = [modules.beside(number)]
        for module, name in asked:
            found += [modules.files_of(number, module, name), modules.submodule(number, module, name)]
        for one in found:
            assert len(set(one)) == len(one)
            assert all(0 <= file < len(files) for file in one)
