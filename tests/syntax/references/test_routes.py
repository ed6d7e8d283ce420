"""The addresses that programs of many frameworks answer, as their files say it."""

from __future__ import annotations

import pytest

from coderag.syntax.language import languages
from coderag.syntax.lines import Lines
from coderag.syntax.outline import outline_tree
from coderag.syntax.parsed import parse_code
from coderag.syntax.references.reader import read_references

CASES = {
    "kotlin": (
        """class Users {
  @GetMapping("/users/{id}")
  fun show(id: Int) = 1
}
fun Application.module() { routing { post("/login") { login() } } }
""",
        ["GET /users/{id} -> Users.show", "POST /login -> Application.module"],
    ),
    "csharp": (
        """[Route("api/[controller]")]
class Users {
  [HttpGet("{id}")] public int Show(int id) => 1;
  [HttpPost]
  public int Make() => 2;
}
class Program { void Main() {
  var api = app.MapGroup("/api");
  api.MapGet("/x", Other.Get);
} }
""",
        [
            "GET api/Users/{id} -> Users.Show",
            "POST api/Users -> Users.Make",
            "GET /api/x -> Other.Get",
        ],
    ),
    "rust": (
        """fn app() { Router::new().route("/users", get(list).post(users::create)); }
#[get("/x/{id}")]
async fn show() {}
fn config(c: &mut C) { c.route("/y", web::put().to(show)); }
""",
        ["GET /users -> list", "POST /users -> users::create", "GET /x/{id} -> show", "PUT /y -> show"],
    ),
    "php": (
        """<?php
#[Route('/users')]
class Users { #[Route('/{id}', methods: ['GET', 'HEAD'])] public function show() {} }
Route::get('/x', [Pages::class, 'index']);
Route::post('/y', 'Pages@store');
Route::middleware('auth')->prefix('admin')->group(function () {
  Route::apiResource('songs', SongController::class)->only(['index', 'destroy']);
  Route::resource('photos.comments', CommentController::class)->only('show');
  Route::controller(Orders::class)->group(function () { Route::post('orders', 'store'); });
  Route::group(['prefix' => 'radio'], function () { Route::match(['put', 'patch'], 'z', [Radio::class, 'tune']); });
});
Route::prefix('api')->group(base_path('routes/api.php'));
Route::group(['namespace' => 'App\\Http', 'prefix' => 'v1'], static function (): void {
  Route::get('', ['as' => 'index', 'uses' => 'Shop\\CartController@index']);
  Route::post('cart', ['uses' => [Cart::class, 'add'], 'as' => 'add'])->name('add');
  Route::namespace('Admin')->group(function () { Route::delete('cart', 'CartController@clear'); });
});
""",
        [
            "GET /users/{id} -> Users::show",
            "HEAD /users/{id} -> Users::show",
            "GET /x -> Pages.index",
            "POST /y -> Pages@store",
            "GET admin/songs -> SongController@index",
            "DELETE admin/songs/{song} -> SongController@destroy",
            "GET admin/photos/{photo}/comments/{comment} -> CommentController@show",
            "POST admin/orders -> Orders@store",
            "PUT admin/radio/z -> Radio.tune",
            "PATCH admin/radio/z -> Radio.tune",
            " api -> include(routes/api.php)",
            "GET v1 -> App\\Http\\Shop\\CartController@index",
            "POST v1/cart -> Cart.add",
            "DELETE v1/cart -> App\\Http\\Admin\\CartController@clear",
        ],
    ),
    "ruby": (
        """Rails.application.routes.draw do
  get "/users/:id", to: "users#show"
  post "login" => "sessions#create"
  root "home#index"
  concern :commentable do
    resources :comments, only: [:index]
  end
  namespace :admin do
    resources :people, only: %i[index update] do
      member { post :ban }
      get :stats, on: :collection
      collection do
        delete :old, action: :clear
      end
      resources :posts, only: :show, concerns: :commentable
    end
    resource :profile, except: [:create, :new, :edit, :update, :destroy]
  end
  scope "/v1", module: "v1" do
    match "/ping", to: "health#ping", via: [:get, :post]
  end
end
""",
        [
            "DELETE /admin/people/old -> admin/people#clear",
            "GET / -> home#index",
            "GET /admin/people -> admin/people#index",
            "GET /admin/people/:person_id/posts/:id -> admin/posts#show",
            "GET /admin/people/:person_id/posts/:post_id/comments -> admin/comments#index",
            "GET /admin/people/stats -> admin/people#stats",
            "GET /admin/profile -> admin/profiles#show",
            "GET /users/:id -> users#show",
            "GET /v1/ping -> v1/health#ping",
            "PATCH /admin/people/:id -> admin/people#update",
            "POST /admin/people/:id/ban -> admin/people#ban",
            "POST /login -> sessions#create",
            "POST /v1/ping -> v1/health#ping",
            "PUT /admin/people/:id -> admin/people#update",
        ],
    ),
    "go": (
        """package a
func routes(r chi.Router, h *Handler) {
	r.Route("/api", func(r chi.Router) {
		r.Route("/users", func(r chi.Router) { r.With(auth).Get("/{id}", h.Show) })
		r.Group(func(r chi.Router) { r.Delete("/z", h.Drop) })
		r.Mount("/sub", h.Sub())
	})
	v1 := g.Group("/v1")
	users.Register(v1.Group("/users"))
	v1.POST("/ping", auth(h.Ping))
	s := m.PathPrefix("/s").Subrouter()
	s.HandleFunc("/q", h.Query).Methods("GET", http.MethodPost)
	m.Combo("/fork/:id").Get(repo.Fork).
		Post(bind(form.Fork{}), repo.ForkPost)
	log.Trace("Deleted: %d/%d", id, other.ID)
}
""",
        [
            "GET /api/users/{id} -> h.Show",
            "DELETE /api/z -> h.Drop",
            " /api/sub -> include(h.Sub())",
            " /v1/users -> include(users.Register)",
            "POST /v1/ping -> h.Ping",
            "GET /s/q -> h.Query",
            "POST /s/q -> h.Query",
            "GET /fork/:id -> repo.Fork",
            "POST /fork/:id -> repo.ForkPost",
        ],
    ),
    "javascript": (
        """const router = express.Router();
router.route('/').post(auth('x'), users.make).get(users.list);
router.route('/:id').get(users.show).patch(auth('x'), wrap(users.change));
const koa = new Router({ prefix: '/koa' });
koa.get('/k', pages.k);
app.use('/users', require('./users'));
app.use('/v1', auth, routes);
fastify.register(items, { prefix: '/items' });
const all = [{ path: '/auth', route: authRoute }];
app.setGlobalPrefix('api');
await axios.get('/elsewhere', handle);
$.get('/jquery', show);
jQuery.post('/jquery', values, show);
""",
        [
            "POST / -> users.make",
            "GET / -> users.list",
            "GET /:id -> users.show",
            "PATCH /:id -> users.change",
            "GET /koa/k -> pages.k",
            " /users -> include(./users)",
            " /v1 -> include(routes)",
            " /items -> include(items)",
            " /auth -> include(authRoute)",
            " api -> include(*)",
        ],
    ),
    "python": (
        """BASE = "/api/v1"
router = APIRouter(prefix="/users")
@router.get("/{id}")
def show(id): ...
app.include_router(users.router, prefix=BASE)
pages = Blueprint("pages", __name__, url_prefix="/pages")
@pages.route(scoped("/a"), methods=["GET", "POST"])
def a(): ...
app.register_blueprint(pages)
api.add_org_resource(Alerts, "/alerts", "/alerts/<id>", endpoint="alerts")
app.add_url_rule("/u", "u", u_view)
app.add_url_rule("/w", view_func=W.as_view("w"))
urlpatterns = [
    path("api/", include([path("one", views.one), path("two/", include("two.urls"))])),
    path("x/", include(docs.urls)),
]
docs.router.register("docs", Docs)
class Docs(ReadOnlyModelViewSet):
    @action(detail=True, methods=["post"])
    def star(self, request, pk): ...
class Password(Servlet):
    PATTERNS = client_patterns("/password$")
    async def on_POST(self): ...
""",
        [
            "= /api/v1 -> BASE",
            "GET /users/{id} -> show",
            " {=BASE} -> include(users.router)",
            "GET /pages/a -> a",
            "POST /pages/a -> a",
            " -> include(pages)",
            " /alerts -> Alerts",
            " /alerts/<id> -> Alerts",
            " /u -> u_view",
            " /w -> W.as_view()",
            " api/one -> views.one",
            " api/two/ -> include(two.urls)",
            " x/ -> include(docs.urls)",
            "GET /docs/ -> Docs@list",
            "POST /docs/ -> Docs@create",
            "GET /docs/{pk}/ -> Docs@retrieve",
            "PUT /docs/{pk}/ -> Docs@update",
            "PATCH /docs/{pk}/ -> Docs@partial_update",
            "DELETE /docs/{pk}/ -> Docs@destroy",
            " docs/ -> include(Docs)",
            "POST {pk}/star/ -> Docs.star",
            " /password$ -> Password",
        ],
    ),
    "java": (
        """@RequestMapping(Paths.API)
class Users {
  static final String ROOT = "/root";
  @GetMapping(ROOT + "/x") void x() {}
  @RequestMapping(value = "/y", method = {RequestMethod.PUT, RequestMethod.PATCH}, produces = "text/plain") void y() {}
  @RequestMapping(method = RequestMethod.POST) void z() {}
}
""",
        [
            "= /root -> ROOT",
            "GET {=Paths.API}/{=ROOT}/x -> Users.x",
            "PUT {=Paths.API}/y -> Users.y",
            "PATCH {=Paths.API}/y -> Users.y",
            "POST {=Paths.API} -> Users.z",
        ],
    ),
    "elixir": (
        """scope "/", ShopWeb do
  get "/users/:id", UserController, :show
  resources "/posts", PostController, only: [:index, :show]
  live "/cart", CartLive
end
""",
        [
            "GET /users/:id -> UserController.show",
            "GET /posts -> PostController@index",
            "GET /posts/:id -> PostController@show",
            " /cart -> CartLive",
        ],
    ),
}


@pytest.mark.parametrize("language", CASES)
def test_routes(language: str) -> None:
    text, expected = CASES[language]
    parsed = parse_code(Lines(text.encode()), languages()[language], links=True)
    outline = outline_tree(parsed, split_above=8000)
    found = [
        f"{route.method} {route.address}".rstrip()
        + " -> "
        + (route.handler or (outline.definitions[route.handles].qualified_name if route.handles >= 0 else ""))
        for route in read_references(parsed, outline).routes
        if not route.handler.startswith("@")  # the prefix of a router that others may add to
    ]
    assert sorted(found) == sorted(expected)
