"""What files mention of things that are defined elsewhere: calls, types, values, imports, bindings and routes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.syntax.language import detect, languages
from coderag.syntax.lines import Lines
from coderag.syntax.outline import Outline, outline_tree
from coderag.syntax.parsed import parse_code
from coderag.syntax.references.reader import read_references
from coderag.syntax.references.records import FileReferences, Imported, Role

LINKED = sorted(name for name, language in languages().items() if language.reader == "outline" and language.links())
MAX_RECEIVER = 400


def read(text: str, path: str = "a.py") -> tuple[FileReferences, Outline]:
    language = detect(path)
    assert language is not None
    parsed = parse_code(Lines(text.encode()), language, links=True)
    outline = outline_tree(parsed, split_above=8000)
    return read_references(parsed, outline), outline


def named(text: str, role: Role, path: str = "a.py") -> list[str]:
    found, _ = read(text, path)
    return [
        f"{mention.receiver}|{mention.name}" if mention.receiver else mention.name
        for mention in found.mentions
        if mention.role is role
    ]


def bound(text: str, path: str = "a.py") -> list[tuple[str, str, str, str]]:
    """Return the bindings as (owner, name, how, value)."""
    found, outline = read(text, path)
    return [
        (
            outline.definitions[binding.owner].name if binding.owner >= 0 else "",
            binding.name,
            binding.how.name,
            binding.value,
        )
        for binding in found.bindings
    ]


def routes(text: str, path: str = "a.py") -> list[tuple[str, str, str]]:
    """Return the routes as (method, address, handler)."""
    found, outline = read(text, path)
    return [
        (
            route.method,
            route.address,
            route.handler or (outline.definitions[route.handles].name if route.handles >= 0 else ""),
        )
        for route in found.routes
        if route.method != "="  # a prefix that others may begin with
    ]


def test_calls_have_the_receiver_before_them() -> None:
    text = """
f()
a.b.c()
a.b().c()
self.x[1].d()
super().e()
"-".join(x)
Foo(a=")").g(1, [2]).h()
(
    query
    .filter(a=b)
    .order_by(c)
)
# as it is said in cookie.
patch(response)
(a or b).i()
"""
    assert named(text, Role.CALL) == [
        "f", "a.b|c", "a|b", "a.b()|c", "self.x[]|d", "super", "super()|e", '""|join', "Foo", "Foo()|g", "Foo().g()|h",
        "query|filter", "query.filter()|order_by", "patch", "()|i",
    ]  # fmt: skip


@pytest.mark.slow
def test_signs_of_members_are_given_alike() -> None:
    assert named("class A { void f() { a->b()->c(); N::M::d(); x.y(); } };", Role.CALL, "a.cpp") == [
        "a|b", "a.b()|c", "N::M|d", "x|y",
    ]  # fmt: skip
    assert named("a?.b!.c(); this.#d.e(); f(...g())", Role.CALL, "a.ts") == ["a.b|c", "this.#d|e", "f", "g"]


def test_a_mention_belongs_to_the_innermost_definition_and_comes_once() -> None:
    found, outline = read(
        "class A:\n    def f(self):\n        def g():\n            h()\n            h()\n        h()\nh()\n"
    )
    owners = [outline.definitions[mention.owner].name if mention.owner >= 0 else "" for mention in found.mentions]
    assert owners == ["g", "f", ""]
    assert [mention.row for mention in found.mentions] == [3, 5, 6]


def test_a_decorator_belongs_to_what_it_decorates_and_is_no_call() -> None:
    text = """
@app.route('/x')
@cached
def f(): pass

@dataclass(frozen=True)
class A:
    @property
    def x(self): pass
"""
    found, outline = read(text)
    decorated = [
        (outline.definitions[mention.owner].name, mention.name)
        for mention in found.mentions
        if mention.role is Role.DECORATE
    ]
    assert decorated == [("f", "route"), ("f", "cached"), ("A", "dataclass"), ("x", "property")]
    assert named(text, Role.CALL) == []


def test_values_are_mentioned_where_they_may_be_defined_elsewhere() -> None:
    text = '''
from a import b, c
LIMIT = 1
def f(c, d):
    """b LIMIT self.e"""  # b
    x = LIMIT
    d(b, c, x, other)
    return "b", d.e, b.e, [f for y in b.g]
class A:
    def m(self):
        self.n = self.db.o()
        return self.p
'''
    assert named(text, Role.REFERENCE) == ["LIMIT", "b", "b|e", "f", "b|g", "self|n", "self|db", "self|p"]


def test_bases_are_inherited_or_implemented() -> None:
    assert named("class A(Base, mod.Mixin[T], metaclass=M): pass", Role.INHERIT) == ["Base", "mod|Mixin"]
    assert named("class A extends B<C> implements D, e.F<G> {}", Role.INHERIT, "a.ts") == ["B"]
    assert named("class A extends B<C> implements D, e.F<G> {}", Role.IMPLEMENT, "a.ts") == ["D", "e|F"]
    assert named("class A extends B implements C<D>, E {}", Role.IMPLEMENT, "A.java") == ["C", "E"]
    assert named("package a\ntype A struct { *B; c.D; e int }", Role.INHERIT, "a.go") == ["B", "c|D"]


def test_types_are_mentioned_with_their_arguments() -> None:
    assert sorted(named("def f(a: 'list[m.Foo]', *b: Bar) -> Baz | None: pass", Role.TYPE)) == ["Bar", "Baz", "m|Foo"]
    assert named("package a\nfunc f(x map[string]*b.Key) []Row", Role.TYPE, "a.go") == ["b|Key", "Row"]


def test_imports_of_python() -> None:
    text = """
import a.b, c as d
from . import e
from ..f import g as h, i
from j import *
def f():
    from k import l
"""
    found, _ = read(text)
    assert found.imports == (
        Imported(1, -1, "a.b", "", "a.b"),
        Imported(1, -1, "c", "", "d"),
        Imported(2, -1, ".", "e", "e"),
        Imported(3, -1, "..f", "g", "h"),
        Imported(3, -1, "..f", "i", "i"),
        Imported(4, -1, "j", "*", ""),
        Imported(6, 0, "k", "l", "l"),
    )


def test_imports_of_javascript() -> None:
    text = """import a, { b as c, d } from './x';
import * as ns from "../y";
import './z';
export { e, f as g } from './w';
export * from './v';
const h = require('h'), { i, j: k } = require('./u');
import('./lazy');
"""
    found, _ = read(text, "a.js")
    assert sorted(found.imports) == sorted(
        (
            Imported(0, -1, "./x", "default", "a"),
            Imported(0, -1, "./x", "b", "c"),
            Imported(0, -1, "./x", "d", "d"),
            Imported(1, -1, "../y", "", "ns"),
            Imported(2, -1, "./z", "", ""),
            Imported(3, -1, "./w", "e", "e", exported=True),
            Imported(3, -1, "./w", "f", "g", exported=True),
            Imported(4, -1, "./v", "*", "", exported=True),
            Imported(5, -1, "h", "", "h"),
            Imported(5, -1, "./u", "i", "i"),
            Imported(5, -1, "./u", "j", "k"),
            Imported(6, -1, "./lazy", "", ""),
        )
    )


def test_imports_of_go_and_java() -> None:
    found, _ = read('package a\nimport (\n"x/y-z/v2"\nb "c/d.v3"\n. "e"\n_ "f"\n)\n', "a.go")
    assert [one[2:5] for one in found.imports] == [
        ("x/y-z/v2", "", "y-z"), ("c/d.v3", "", "b"), ("e", "*", ""), ("f", "", ""),
    ]  # fmt: skip
    assert found.module == "a"
    found, _ = read("package a.b; import c.D; import e.*; import static f.G.h; import static f.G.*;", "A.java")
    assert [one[2:5] for one in found.imports] == [
        ("c.D", "", "D"), ("e", "*", ""), ("f.G", "h", "h"), ("f.G", "*", ""),
    ]  # fmt: skip
    assert found.module == "a.b"


def test_what_a_file_exports() -> None:
    assert read("__all__ = ['a', \"b\"]\n__all__ += ['c']\n")[0].exports == ("a", "b", "c")
    assert read("export const a = 1; export default b; export { c, d as e };", "a.js")[0].exports == (
        "a", "default", "c", "e",
    )  # fmt: skip
    assert ("", "default", "VALUE", "b") in bound("export default b;", "a.js")


def test_bindings_of_parameters_locals_and_fields() -> None:
    text = """
class A:
    rows: list[Row] = field()
    def __init__(self, db: Database, repo: "Optional[m.Repo]" = None, x=1):
        self.db = db
        self.inner = repo.inner
        self.x = x
        self.c = Cache()
    async def f(self) -> Foo | None:
        a = Foo(1)
        b = await self.c.get()
        c = a
        d = self.rows[0]
        for e in self.rows: pass
        with open(c) as f: pass
"""
    assert bound(text) == [
        ("A", "rows", "TYPE", "list[Row]"),
        ("A", "rows", "CALL", "field"),
        ("__init__", "db", "TYPE", "Database"),
        ("__init__", "repo", "TYPE", "m.Repo"),
        ("f", "", "TYPE", "Foo"),
        ("f", "a", "CALL", "Foo"),
        ("f", "b", "CALL", "self.c.get"),
        ("f", "c", "VALUE", "a"),
        ("f", "d", "ELEMENT", "self.rows"),
        ("f", "e", "ELEMENT", "self.rows"),
        ("f", "f", "CALL", "open"),
        ("A", "db", "TYPE", "Database"),
        ("A", "inner", "VALUE", "m.Repo().inner"),
        ("A", "c", "CALL", "Cache"),
        ("__init__", "x", "VALUE", ""),
    ]


def test_bindings_of_other_languages() -> None:
    text = """class A {
  private b: B;
  constructor(private readonly c: C<D>) { this.e = new E(); }
  f(): G[] { const h = this.c.i(); }
}"""
    assert bound(text, "a.ts") == [
        ("A", "b", "TYPE", "B"),
        ("constructor", "c", "TYPE", "C[D]"),
        ("A", "c", "TYPE", "C[D]"),
        ("f", "", "TYPE", "[G]"),
        ("f", "h", "CALL", "this.c.i"),
        ("A", "e", "CALL", "E"),
    ]
    text = """package a
type S struct { db *sql.DB; m map[string][]T }
func (s *S) f(n ...N) (*R, error) { x, err := s.g(); y := &S{}; for _, z := range s.m {} }
"""
    assert bound(text, "a.go") == [
        ("S", "db", "TYPE", "sql.DB"),
        ("S", "m", "TYPE", "map[string,[T]]"),
        ("f", "s", "TYPE", "S"),
        ("f", "", "TYPE", "R"),
        ("f", "x", "CALL", "s.g"),
        ("f", "y", "TYPE", "S"),
        ("f", "z", "ELEMENT", "s.m"),
        ("f", "n", "VALUE", ""),
        ("f", "err", "VALUE", ""),
    ]
    text = "class A { List<B> b; C f(D d) { var e = new E(); for (var g : b) {} return null; } }"
    assert bound(text, "A.java") == [
        ("A", "b", "TYPE", "List[B]"),
        ("f", "", "TYPE", "C"),
        ("f", "d", "TYPE", "D"),
        ("f", "e", "TYPE", "E"),
        ("f", "g", "ELEMENT", "b"),
    ]


def test_routes_of_python() -> None:
    text = """
bp = Blueprint("a", __name__, url_prefix="/api")
@bp.route("/x/<int:id>", methods=["GET", "POST"])
def show(id): ...
@app.get("/y")
def read(): ...
@mock.patch("a.b")
def test_it(): ...
urlpatterns = [
    path("", views.index), path("p/", Page.as_view()), path("blog/", include("blog.urls")),
    re_path(r"^z$", login_required(views.z)),
]
app.router.add_get("/g", handler)
web.post("/h", handler)
client.get("/i", headers)
"""
    assert routes(text) == [
        ("GET", "/api/x/<int:id>", "show"),
        ("POST", "/api/x/<int:id>", "show"),
        ("GET", "/y", "read"),
        ("", "", "views.index"),
        ("", "blog/", "include(blog.urls)"),
        ("", "p/", "Page.as_view()"),
        ("", "^z$", "views.z"),
        ("GET", "/g", "handler"),
        ("POST", "/h", "handler"),
    ]


def test_routes_of_other_languages() -> None:
    text = """app.get('/x/:id', auth, users.show); r.post('/y', (req, res) => {}); app.use('/api', r);
axios.get('/z', f); m.get('k', f)"""
    assert routes(text, "a.js") == [("", "/api", "include(r)"), ("GET", "/x/:id", "users.show"), ("POST", "/y", "")]
    text = "@Controller('cats')\nexport class C {\n  @Get(':id')\n  one() {}\n  @Post()\n  make() {}\n}"
    assert routes(text, "a.ts") == [("GET", "cats/:id", "one"), ("POST", "cats", "make")]
    text = (
        'package a\nfunc main() {\n api := r.Group("/api")\n api.GET("/x", s.list)\n http.HandleFunc("POST /y", add)\n}'
    )
    assert routes(text, "a.go") == [("GET", "/api/x", "s.list"), ("POST", "/y", "add")]
    text = """@RequestMapping("/u")
class A {
    @GetMapping("/{id}")
    U one() {}
    @PostMapping
    void add() {}
}
@Path("/b")
class B {
    @GET
    @Path("/{n}")
    String n() {}
}
"""
    assert routes(text, "A.java") == [("GET", "/u/{id}", "one"), ("POST", "/u", "add"), ("GET", "/b/{n}", "n")]


def test_requests_have_their_method_and_address() -> None:
    text = """
client.get("/x?y=1")
requests.delete(f"/users/{user.id}/")
self.client.post(
    "/y", {"a": 1})
open("/etc/passwd")
x = "/no"  # get("/no")
@app.get("/route")
def f(): pass
"""
    assert named(text, Role.REQUEST) == ["GET|/x", "DELETE|/users/{}/", "POST|/y", "/etc/passwd"]
    text = "fetch(`/a/${b}`, { method: 'PUT' }); call(db, '/c', { x: 1 }); request(app).get('/d')"
    assert named(text, Role.REQUEST, "a.js") == ["PUT|/a/{}", "/c", "GET|/d"]
    text = 'package a\nfunc f() { httptest.NewRequest("POST", "/x", nil); http.NewRequest(http.MethodGet, "/y", nil) }'
    assert named(text, Role.REQUEST, "a.go") == ["POST|/x", "GET|/y"]
    text = (
        'package a\nfunc f() { c.request.Put(ctx, fmt.Sprintf("/v1/users/%d", id), x); log.Print(fmt.Sprintf("/a")) }'
    )
    assert named(text, Role.REQUEST, "a.go") == ["PUT|/v1/users/{}", "/a"]


def test_redirects_and_what_looks_at_an_address_ask_for_nothing() -> None:
    text = """
if (path.startsWith('/api') || url.indexOf('/admin') > 0 || url.includes('/x')) navigate('/login');
router.push('/home'); res.redirectTo('/a'); get('/real');
"""
    assert named(text, Role.REQUEST, "a.js") == ["GET|/real"]
    text = 'package a\nfunc f() { text.HasPrefix(p, "/x"); text.TrimSuffix(p, "/v"); http.Redirect(w, r, "/y", 302) }'
    assert named(text, Role.REQUEST, "a.go") == []
    assert named('path.start_with?("/login")\nredirect_to "/x"\n', Role.REQUEST, "a.rb") == []


def test_a_language_without_a_query_still_has_its_calls(tmp_path: Path) -> None:
    python = languages()["python"]
    (tmp_path / "tags.scm").write_text((python.folder / "tags.scm").read_text())
    parsed = parse_code(Lines(b"from a import b\nb(c.d(x))\n"), replace(python, folder=tmp_path), links=True)
    found = read_references(parsed, outline_tree(parsed, split_above=8000))
    assert [(mention.receiver, mention.name) for mention in found.mentions] == [("", "b"), ("c", "d")]
    assert found.imports == ()


def test_links_are_the_same_with_and_without_a_shared_walk() -> None:
    language = languages()["python"]
    lines = Lines((language.folder / "example.py").read_bytes())
    together, alone = parse_code(lines, language, links=True), parse_code(lines, language)
    outline = outline_tree(alone, split_above=8000)
    assert outline_tree(together, split_above=8000) == outline
    assert read_references(together, outline) == read_references(alone, outline)


@pytest.mark.slow
def test_long_and_unbalanced_receivers_are_cut() -> None:
    chain = "a" + ".b(x)" * 3000
    texts = [
        chain,
        "a" + ".bcd" * 5000 + "()",
        ")" * 20000 + ".f()",
        "x = '" + "(" * 9000 + "'.f()",
        "[" * 9000 + "].f()",
    ]
    for text in texts:
        found, _ = read(text)
        assert all(len(mention.receiver) <= MAX_RECEIVER for mention in found.mentions)
    assert len(named(chain, Role.CALL)) < 3000  # what is cut is the same


words = st.sampled_from(
    """def class import from self . ( ) [ ] { } , : = -> :: ? ! " ' ` # // /* */ < > @ \n a b C 1 + | & * ... $ new func
    type struct interface return for in of if route path get "/x" é \\ ; const let var use extends implements""".split(
        " "
    )
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.sampled_from(LINKED), st.lists(words, max_size=60).map(" ".join) | st.text(max_size=200))
def test_any_text_gives_mentions_of_bounded_size(name: str, text: str) -> None:
    language = languages()[name]
    parsed = parse_code(Lines(text.encode("utf-8", "replace")), language, links=True)
    outline = outline_tree(parsed, split_above=8000)
    found = read_references(parsed, outline)
    size = len(parsed.lines.data)
    assert all(-1 <= mention.owner < len(outline.definitions) for mention in found.mentions)
    assert all(0 <= mention.row < max(len(parsed.lines), 1) for mention in found.mentions)
    assert sum(len(mention.name) for mention in found.mentions) <= 4 * size + 100
    assert len(found.imports) + len(found.bindings) + len(found.routes) <= size + 10
    assert len(set(found.mentions)) == len(found.mentions)  # a handler without a name repeats calls of others
