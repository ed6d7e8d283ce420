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
            "GET api/[controller]/{id} -> Users.Show",
            "POST api/[controller] -> Users.Make",
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
""",
        [
            "GET /users/{id} -> Users::show",
            "HEAD /users/{id} -> Users::show",
            "GET /x -> Pages.index",
            "POST /y -> Pages@store",
        ],
    ),
    "ruby": (
        """Rails.application.routes.draw do
  get "/users/:id", to: "users#show"
  post "login" => "sessions#create"
  root "home#index"
end
get "/health" do
  "ok"
end
""",
        ["GET /users/:id -> users#show", "POST login -> sessions#create", " -> home#index", "GET /health -> "],
    ),
    "elixir": (
        """scope "/", ShopWeb do
  get "/users/:id", UserController, :show
  resources "/posts", PostController
  live "/cart", CartLive
end
""",
        [
            "GET /users/:id -> UserController.show",
            " /posts -> include(PostController)",
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
        f"{one.method} {one.address}".rstrip()
        + " -> "
        + (one.handler or (outline.definitions[one.handles].qualified_name if one.handles >= 0 else ""))
        for one in read_references(parsed, outline).routes
    ]
    assert sorted(found) == sorted(expected)
