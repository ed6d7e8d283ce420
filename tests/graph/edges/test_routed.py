"""Whole addresses: what routers are mounted under in other files, constants, classes, and paths of files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from coderag.graph.queries.lookup import find_nodes
from coderag.graph.queries.paths import paths_between
from coderag.graph.records import EdgeKind, NodeKind
from tests.graph.whole import graph_of
from tests.workspace import write

FLASK = {
    "app/auth/__init__.py": (
        'from flask import Blueprint\nauth = Blueprint("auth", __name__, url_prefix="/auth")\nfrom . import views\n'
    ),
    "app/auth/views.py": 'from . import auth\n@auth.route("/login", methods=["POST"])\ndef login(): ...\n',
    "app/pages.py": 'pages = Blueprint("pages", __name__)\n@pages.get("/about")\ndef about(): ...\n',
    "app/__init__.py": (
        "from .auth import auth as other\nfrom .pages import pages\ndef create(app):\n"
        '    app.register_blueprint(other)\n    app.register_blueprint(pages, url_prefix="/v2")\n'
    ),
    "app/things.py": "class Things(Resource):\n    def get(self): ...\n    def post(self): ...\n",
    "app/api.py": 'from app.things import Things\napi.add_org_resource(Things, "/things", "/things/<id>")\n',
}
FASTAPI = {
    "app/config.py": 'class Settings:\n    API: str = "/api/v1"\nsettings = Settings()\n',
    "app/users.py": 'router = APIRouter(prefix="/users")\n@router.get("/{id}")\ndef show(id): ...\n',
    "app/all.py": (
        'from app import users\nprefix = "/all"\nrouter = APIRouter()\n'
        "router.include_router(users.router, prefix=prefix)\n"
    ),
    "app/main.py": (
        "from app.all import router\nfrom app.config import settings\napp.include_router(router, prefix=settings.API)\n"
    ),
}
DJANGO = {
    "site/urls.py": (
        "from blog import routes\nblog = [path('new', routes.new)]\n"
        "urlpatterns = [path('b/', include(blog)), path('api/', include(routes.router.urls)),\n"
        "    path('v/', include([path('w', routes.new)])), path('inner/', include('blog.urls'))]\n"
    ),
    "blog/__init__.py": "",
    "blog/urls.py": "from blog import routes\nurlpatterns = [path('x', routes.new)]\n",
    "blog/routes.py": (
        "router = DefaultRouter()\nother = DefaultRouter()\ndef new(request): ...\n"
        "class Posts(ReadOnlyModelViewSet):\n"
        "    @action(detail=True, methods=['post'])\n    def star(self, request, pk): ...\n"
        "    def list(self, request): ...\n"
        "router.register('posts', Posts)\n"
    ),
}
EXPRESS = {
    "app.js": "const users = require('./users');\napp.use('/api', users);\napp.use('/x', require('./x'));\n",
    "users.js": "const r = express.Router();\nr.get('/u', show);\nfunction show() {}\nmodule.exports = r;\n",
    "x.js": (
        "const r = express.Router();\nconst s = express.Router();\nr.use('/s', s);\ns.get('/u', show);\n"
        "r.post('/r', show);\nfunction show() {}\nmodule.exports = r;\n"
    ),
    "nest/src/main.ts": "async function start() {\n  app.setGlobalPrefix('api');\n}\n",
    "nest/src/cats.ts": "@Controller({ path: 'cats' })\nexport class Cats {\n  @Get(':id') one() {}\n}\n",
}
GO = {
    "go.mod": "module ex\n",
    "main.go": (
        'package main\n\nimport "ex/users"\n\nfunc main() {\n\tr := gin.New()\n\tv1 := r.Group("/api")\n'
        '\tusers.Register(v1.Group("/users"))\n}\n'
    ),
    "users/users.go": (
        'package users\n\nfunc Register(g *gin.RouterGroup) {\n\tg.GET("/:id", Show)\n\tsub := g.Group("/sub")\n'
        '\tsub.POST("", Make)\n}\n\nfunc Show(c *gin.Context) {}\n\nfunc Make(c *gin.Context) {}\n'
    ),
}
FILES = {
    "medusa/src/api/store/carts/[id]/route.ts": "export const GET = async (req, res) => {}\n",
    "svelte/src/routes/(app)/users/[id]/+server.ts": "export async function GET() {}\nexport const POST = () => {};\n",
    "next/app/api/users/[id]/route.ts": "export async function DELETE() {}\n",
    "next/pages/api/hello.ts": "export default function handler(req, res) {}\n",
    "app/Controllers/feedController.php": "<?php\nclass Shop_feed_Controller { public function addAction() {} }\n",
    "server/api/nothing.ts": "export function helper() {}\n",
}
RAILS = {
    "config/routes.rb": (
        "Rails.application.routes.draw do\n  namespace(:admin) { resources :users, only: [:show] }\nend\n"
    ),
    "app/controllers/users_controller.rb": "class UsersController\n  def show\n  end\nend\n",
    "app/controllers/admin/users_controller.rb": "class Admin::UsersController\n  def show\n  end\nend\n",
    "spec/users_spec.rb": "let(:users) { 1 }\n",
}
SPRING = {
    "Paths.java": 'class Paths {\n  static final String API = "/api";\n  static final String dogPath = "/dogs";\n}\n',
    "Dogs.java": '@RequestMapping(Paths.dogPath)\nclass Dogs {\n  @GetMapping("/{id}") void dog() {}\n}\n',
    "Users.java": '@RequestMapping(Paths.API + "/users")\nclass Users {\n  @GetMapping("/{id}") void show() {}\n}\n',
    "K.kt": '@RequestMapping("/k")\nclass K {\n  @PostMapping\n  fun make() = 1\n}\n',
}
LARAVEL = {
    "routes/api.php": "<?php\nuse App\\C\\Songs;\nRoute::apiResource('songs', Songs::class)->only('index');\n",
    "app/C/Songs.php": "<?php\nnamespace App\\C;\nclass Songs { public function index() {} }\n",
}
NAMESPACED = {
    "routes/web.php": (
        "<?php\nRoute::group(['namespace' => 'Shop\\Http'], function () {\n"
        "    Route::get('/a', ['uses' => 'Admin\\CartController@show']);\n"
        "    Route::get('/b', ['uses' => 'CartController@show']);\n});\n"
        "Route::get('/c', 'Admin\\CartController@show');\n"
    ),
    "app/Http/CartController.php": (
        "<?php\nnamespace Shop\\Http;\nclass CartController { public function show() {} }\n"
    ),
    "app/Http/Admin/CartController.php": (
        "<?php\nnamespace Shop\\Http\\Admin;\nclass CartController { public function show() {} }\n"
    ),
}
CASES = {
    "flask": (
        FLASK,
        {
            "POST /auth/login > login",
            "GET /v2/about > about",
            *(f"{verb.upper()} /things{end} > Things.{verb}" for verb in ("get", "post") for end in ("", "/<id>")),
            *(f"{verb} /things{end} > Things" for verb in ("GET", "POST") for end in ("", "/<id>")),
        },
    ),
    "fastapi": (FASTAPI, {"GET /api/v1/all/users/{id} > show"}),
    "django": (
        DJANGO,
        {
            "/b/new > new",
            "/v/w > new",
            "/inner/x > new",
            "GET /api/posts/ > Posts.list",
            "GET /api/posts/{pk}/ > Posts",
            "POST /api/posts/{pk}/star/ > Posts.star",
        },
    ),
    "express": (
        EXPRESS,
        {"GET /api/u > show", "GET /x/s/u > show", "POST /x/r > show", "GET /api/cats/:id > Cats.one"},
    ),
    "go": (GO, {"GET /api/users/:id > users.Show", "POST /api/users/sub > users.Make"}),
    "files": (
        FILES,
        {
            "GET /store/carts/[id] > GET",
            "GET /users/[id] > GET",
            "POST /users/[id] > POST",
            "DELETE /api/users/[id] > DELETE",
            "/api/hello > handler",
            "/feed/add > Shop_feed_Controller::addAction",
        },
    ),
    "rails": (RAILS, {"GET /admin/users/:id > Admin::UsersController::show"}),
    "spring": (SPRING, {"GET /api/users/{id} > Users.show", "GET /dogs/{id} > Dogs.dog", "POST /k > K.make"}),
    "laravel": (LARAVEL, {"GET /api/songs > Songs::index"}),
}


def served(folder: Path, files: Mapping[str, str]) -> set[str]:
    """Return the routes of files with what answers them."""
    graph = graph_of(write(folder, files))
    return {
        f"{graph.node(edge.source).name} > {graph.node(edge.target).qualified_name}"
        for number in range(len(graph))
        for edge in graph.edges_from(number, (EdgeKind.ROUTES,))
    }


def test_a_controller_that_is_named_as_text_is_that_of_its_namespace(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, NAMESPACED))
    answers = {
        graph.node(edge.source).name: graph.node(edge.target).path
        for number in range(len(graph))
        for edge in graph.edges_from(number, (EdgeKind.ROUTES,))
    }
    assert answers == {
        "GET /a": "app/Http/Admin/CartController.php",
        "GET /b": "app/Http/CartController.php",
        "GET /c": "app/Http/Admin/CartController.php",
    }


def test_what_a_test_waits_for_is_no_route(tmp_path: Path) -> None:
    text = (
        "const headers = {};\n"
        "it('lists', async () => {\n"
        "  const { data } = await api.get('/admin/orders', headers);\n"
        "  api.post('/admin/orders', headers).then(check);\n"
        "});\n"
    )
    assert served(tmp_path, {"orders.spec.ts": text, "client.ts": text}) == set()


@pytest.mark.parametrize("case", CASES)
def test_whole_addresses(tmp_path: Path, case: str) -> None:
    files, expected = CASES[case]
    assert served(tmp_path, files) == expected


def test_an_address_with_values_finds_its_route(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, GO))
    for text in ("GET /api/users/5", "get /api/users/{name}", "/api/users/:id"):
        assert [node.name for node in find_nodes(graph, text)] == ["GET /api/users/:id"]
    assert find_nodes(graph, "GET /api/orders/5") == []


def test_an_address_without_the_prefix_that_its_router_is_mounted_under(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, EXPRESS))
    assert [node.name for node in find_nodes(graph, "GET /u")] == ["GET /api/u"]
    assert [node.name for node in find_nodes(graph, "/s/u")] == ["GET /x/s/u"]
    assert find_nodes(graph, "DELETE /u") == []


def test_handlers_that_an_own_router_of_go_is_given(tmp_path: Path) -> None:
    text = 'package a\n\nfunc (h *H) Mount(m Mux) {\n\tm.HandleCORS("/token", h.token)\n}\n\nfunc (h *H) token() {}\n'
    graph = graph_of(write(tmp_path, {"a.go": text}))
    assert [node.name for node in find_nodes(graph, "/token")] == ["/token"]


KOA = {
    "server/web.ts": 'import api from "./api";\nfunction init(app: Koa) {\n  app.use(mount("/api", api));\n}\n',
    "server/api/index.ts": (
        'import orders from "./orders";\nconst api = new Koa();\nconst router = new Router();\n'
        'router.use("/", orders.routes());\napi.use(router.routes());\nexport default api;\n'
    ),
    "server/api/orders/index.ts": 'export { default } from "./orders";\n',
    "server/api/orders/orders.ts": (
        'import { load, save } from "../../orders";\nconst router = new Router();\n'
        'router.post("orders.info", auth(), async (ctx) => {\n  ctx.body = load(ctx.id);\n});\n'
        'router.post("orders.save", auth(), async (ctx) => {\n  await save(ctx.id);\n  await load(ctx.id);\n});\n'
        "save(1);\nexport default router;\n"
    ),
    "server/orders.ts": (
        "export function load(id: number) {}\n"
        'export function save(id: number) { db.query("INSERT INTO orders (id) VALUES (1)"); }\n'
    ),
    "server/api/orders/orders.test.ts": (
        'it("saves an order", async () => {\n  const user = await buildUser();\n'
        '  await server.post("/api/orders.save", user);\n});\n'
    ),
}


def test_a_router_may_leave_out_the_slash_and_be_passed_on(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, KOA))
    [route] = find_nodes(graph, "POST /api/orders.save")
    assert route.path == "server/api/orders/orders.ts"
    callers = {graph.node(edge.source).name for edge in graph.edges_to(route.number, (EdgeKind.CALLS,))}
    assert callers == {"saves an order"}  # and no route of its own


def test_a_handler_without_a_name_does_what_stands_in_it(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, KOA))
    [info] = find_nodes(graph, "POST /api/orders.info")
    [save] = find_nodes(graph, "POST /api/orders.save")
    done = {
        route.name: {
            (graph.node(edge.target).name, edge.line) for edge in graph.edges_from(route.number, (EdgeKind.CALLS,))
        }
        for route in (info, save)
    }
    assert done == {
        "POST /api/orders.info": {("load", 4)},
        "POST /api/orders.save": {("save", 7), ("load", 8)},
    }
    tables = [node for node in find_nodes(graph, "orders") if node.kind is NodeKind.TABLE]
    assert not paths_between(graph, [info], tables)  # though its file does more
    [path] = paths_between(graph, [save], tables)
    assert [step.spot.name for step in path.steps] == ["save", "orders"]
