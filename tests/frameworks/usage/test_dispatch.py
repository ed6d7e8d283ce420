"""Calls of query builders and mappers: which models and tables they use, and which fields."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.frameworks.usage.dispatch import MAPPERS, read_mapped
from coderag.sql.in_code.records import DataUses
from coderag.syntax.language import languages
from coderag.syntax.lines import Lines
from coderag.syntax.outline import outline_tree
from coderag.syntax.parsed import parse_code


def uses(language: str, text: str) -> DataUses:
    """Return what a file of code does to tables through mappers."""
    parsed = parse_code(Lines(text.encode()), languages()[language])
    return read_mapped(parsed, outline_tree(parsed, split_above=100_000), path="x")


def shown(language: str, text: str) -> list[str]:
    """Return the uses as lines: "read User * email !name", where * is all of it and ! is written."""
    found = uses(language, text)
    lines = []
    for model in found.models:
        fields = [("!" if write else "") + name for name, write in model.fields]
        lines.append(" ".join([model.access, model.model, *(["*"] if model.whole else []), *fields]))
    for statement in found.statements:
        for table in statement.tables:
            columns = [
                ("!" if column.write else "") + column.column
                for column in statement.columns
                if table.table in column.tables
            ]
            lines.append(" ".join([table.access, f"table:{table.table}", *(["*"] if table.whole else []), *columns]))
    return lines


SQLALCHEMY = """
from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.orm import aliased, joinedload

{0}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("session.scalars(select(User).where(User.email == x))", ["read User * email"]),
        ("session.query(User.id).filter_by(active=True).order_by(User.name)", ["read User id active name"]),
        ("session.get(User, 1)", ["read User *"]),
        ("session.execute(insert(User).values(name=x))", ["write User !name"]),
        ("session.execute(update(User).where(User.id == 1).values(n=User.n + 1))", ["write User id !n n"]),
        ("session.execute(delete(User).where(User.id == 1))", ["delete User id"]),
        ("session.query(User).filter(User.id == 1).delete()", ["delete User id"]),
        ("session.add(User(name=x, email=y))", ["write User * !name !email"]),
        (
            "select(Post).options(joinedload(Post.author)).join(Post.tags)",
            ["read Post * tags author", "read Post.author *", "read Post.tags"],
        ),
        ("U = aliased(User)\nselect(U.id).where(U.name == x)", ["read User id name"]),
        ("conn.execute(select(users.c.id).where(users.c.name == x))", ["read users id name"]),
        ("User.query.filter_by(email=x).first()", ["read User * email"]),
    ],
)
def test_sqlalchemy(text: str, expected: list[str]) -> None:
    found = shown("python", SQLALCHEMY.format(text))
    assert [sorted(line.split()) for line in found] == [sorted(line.split()) for line in expected]


@pytest.mark.parametrize(
    "text",
    [
        "user = User.objects.get()\nuser.delete()",
        "first = user = User.objects.get()\nuser.delete()",
        "x = 1; user = User.objects.get()\nuser.delete()",
        "if user := User.objects.get():\n    user.delete()",
        "if ready and (user := User.objects.get()):\n    user.delete()",
        "for user in User.objects.all():\n    user.delete()",
        "[user for user in User.objects.all() if user.delete()]",
        "with User.objects.get() as user:\n    user.delete()",
        "user, made = User.objects.get_or_create()\nuser.delete()",
        "def f(now, user: User, *, soft=False):\n    user.delete()",
        "def f(\n    user: User = None,\n):\n    user.delete()",
        "class A:\n  def f(self):\n    self.user = User.objects.get()\n  def g(self):\n    self.user.delete()",
    ],
)
def test_a_name_in_python_is_followed_however_it_is_bound(text: str) -> None:
    assert "delete User" in shown("python", f"{text}\nimport django; User.objects")


def test_a_query_is_followed_through_a_function() -> None:
    text = SQLALCHEMY.format("""
def f(session):
    q = session.query(User)
    q = q.filter(User.age > 3)
    for user in q.all():
        user.name = "x"
""")
    assert shown("python", text) == ["read User *", "read User age", "write User !name"]


def test_what_only_its_type_says_is_no_reading() -> None:
    text = "from sqlalchemy.orm import Session\ndef f(users: list[User]):\n    return [u.id for u in users if u.name]\n"
    assert shown("python", text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'User.objects.filter(email__icontains=x, profile__city="a").values("id").order_by("-created")',
            ["read User email profile.city id created"],
        ),
        ("User.objects.create(name=x)", ["write User * !name"]),
        ("User.objects.filter(Q(a=1) | Q(b=2)).delete()", ["delete User a b"]),
        ('User.objects.update(n=F("n") + 1)', ["write User !n n"]),
        ('User.objects.aggregate(Sum("score"))', ["read User score"]),
        ('User.objects.select_related("team__boss")', ["read User *", "read User.team.boss *"]),
        ("get_object_or_404(User, pk=1)", ["read User * pk"]),
        ("u = User.objects.get(id=1)\nu.posts.filter(title=x).count()", ["read User * id", "read User.posts title"]),
        ("u = User(name=x)\nu.save()", ["write User * !name"]),
        ("User.objects.get_or_create(email=x)", ["read User *", "write User * !email"]),
    ],
)
def test_django(text: str, expected: list[str]) -> None:
    assert shown("python", f"from django.db.models import F, Q, Sum\n{text}\n") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("User.where(email: x).order(:name).to_a", ["read User * email name"]),
        ("User.find_by(email: x)", ["read User * email"]),
        ("User.joins(:posts).where(posts: { title: x }).pluck(:id)", ["read User posts.title id", "read User.posts"]),
        ("User.includes(posts: :tags).all", ["read User *", "read User.posts *", "read User.posts.tags *"]),
        ("User.where('age > ?', 3).update_all(name: 'x')", ["write User age !name"]),
        ("User.where(id: 1).delete_all", ["delete User id"]),
        ("User.create!(name: x)", ["write User * !name"]),
        ("user = User.find(1)\nuser.update!(name: x)", ["read User *", "write User !name"]),
        ("class Post < ApplicationRecord\n  scope :old, -> { where(age: 1) }\nend", ["read Post * age"]),
    ],
)
def test_activerecord(text: str, expected: list[str]) -> None:
    assert shown("ruby", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "prisma.user.findMany({ where: { email: x, posts: { some: { title: y } } }, select: { id: true } })",
            ["read user id email posts.title"],
        ),
        (
            "prisma.user.findFirst({ include: { posts: { where: { state: 1 } } } })",
            ["read user *", "read user.posts * state"],
        ),
        ("prisma.user.update({ where: { id }, data: { name, n: { increment: 1 } } })", ["write user id !name !n n"]),
        (
            "prisma.user.create({ data: { name, posts: { create: [{ title: 'x' }] } } })",
            ["write user * !name", "write user.posts * !title"],
        ),
        ("prisma.user.deleteMany({ where: { OR: [{ a: 1 }, { b: 2 }] } })", ["delete user a b"]),
    ],
)
def test_prisma(text: str, expected: list[str]) -> None:
    assert shown("typescript", f'import {{ prisma }} from "./prisma";\nawait {text};\n') == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('knex("users").where("email", x).select("id", "name as n")', ["read table:users email id name"]),
        (
            'knex("users as u").join("posts as p", "p.user_id", "u.id").select("p.title")',
            ["read table:users id", "read table:posts user_id title"],
        ),
        ('knex("users").insert({ name, email })', ["write table:users !name !email"]),
        ('knex("users").where({ id }).update({ name })', ["write table:users id !name"]),
        ('knex("users").whereIn("id", ids).del()', ["delete table:users id"]),
        ('const q = knex("users");\nq.andWhere("age", 3).first()', ["read table:users *", "read table:users * age"]),
        ('await this.db<User>("users").where({ id }).first()', ["read table:users * id"]),
    ],
)
def test_knex(text: str, expected: list[str]) -> None:
    assert shown("typescript", f'import knex from "knex";\nasync function f() {{ {text}; }}\n') == expected


def test_knex_is_known_by_its_use() -> None:
    text = "import { Db } from './db';\nclass A {\n  f() { return this.db.select('name').from('roles'); }\n"
    use = "  g() { return this.db('users').where({ id }).del(); }\n}\n"
    assert shown("typescript", text + use) == ["read table:roles name", "delete table:users id"]
    assert not any(statement.sure for statement in uses("typescript", text + "}\n").statements)


def test_the_name_of_a_table_that_is_put_in_is_a_hole() -> None:
    (statement,) = uses("javascript", 'const knex = require("knex");\nknex(table).where("id", 1);\n').statements
    assert statement.holes
    assert statement.tables == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("db.select().from(users).where(eq(users.email, x))", ["read users * email"]),
        (
            "db.select({ id: users.id }).from(users).leftJoin(posts, eq(posts.userId, users.id))",
            ["read users id", "read posts userId"],
        ),
        ("db.update(users).set({ name }).where(eq(users.id, 1))", ["write users !name id"]),
        ("db.delete(users).where(eq(users.id, 1))", ["delete users id"]),
        (
            "db.query.users.findMany({ columns: { id: true }, with: { posts: true } })",
            ["read users id", "read users.posts *"],
        ),
    ],
)
def test_drizzle(text: str, expected: list[str]) -> None:
    assert sorted(shown("typescript", f'import {{ eq }} from "drizzle-orm";\n{text};\n')) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("this.users.find({ where: { email: x }, relations: ['posts'] })", ["read User * email", "read User.posts *"]),
        ("this.users.update({ id }, { name: x })", ["write User id !name"]),
        ("this.users.delete({ id })", ["delete User id"]),
        (
            "this.users.createQueryBuilder('u').leftJoinAndSelect('u.posts', 'p').where('p.title = :t', x).getMany()",
            ["read User *", "read User.posts * title"],
        ),
        ("manager.findOneBy(Post, { id })", ["read Post * id"]),
    ],
)
def test_typeorm(text: str, expected: list[str]) -> None:
    head = 'import { Repository } from "typeorm";\nclass A { constructor(private users: Repository<User>) {}\n'
    assert shown("typescript", f"{head} async f() {{ return {text}; }} }}\n") == expected


JPA = """
import jakarta.persistence.EntityManager;
interface UserRepository extends JpaRepository<User, Long> {
    List<User> findByEmailAndStatusOrderByCreatedAtDesc(String email, String status);
    long countByTeam_Name(String name);
    @Query("update User u set u.name = :name where u.id = :id")
    int rename(long id, String name);
}
class Staff {
    private EntityManager em;
    private UserRepository users;
    void find() { em.createQuery("select u from User u join fetch u.posts p where u.email = :e and p.state = 1"); }
    void load() { User user = em.find(User.class, 1L); user.setName("x"); }
    void drop() { users.deleteById(1L); }
    void add(User user) { users.save(user); }
}
"""


def test_jpa() -> None:
    assert shown("java", JPA) == [
        "read User * email status createdAt",
        "read User team.name",
        "write User !name id",
        "read User * email",
        "read User.posts * state",
        "read User *",
        "write User !name",
        "delete User",
        "write User *",
    ]


def test_a_method_of_a_repository_owns_what_it_asks() -> None:
    found = uses("java", JPA)
    parsed = parse_code(Lines(JPA.encode()), languages()["java"])
    definitions = outline_tree(parsed, split_above=100_000).definitions
    assert [definitions[model.owner].name for model in found.models[:3]] == [
        "findByEmailAndStatusOrderByCreatedAtDesc",
        "countByTeam_Name",
        "rename",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('db.Where("email = ? AND age > ?", x, 3).First(&user)', ["read model.User * email age"]),
        ('db.Model(&model.User{}).Where("id = ?", 1).Update("name", x)', ["write model.User id !name"]),
        ("db.Create(&model.User{Name: x})", ["write model.User * !Name"]),
        ('db.Preload("Posts").Find(&users)', ["read model.User *", "read model.User.Posts *"]),
        ('db.Where("id = ?", 1).Delete(&model.User{})', ["delete model.User id"]),
        ('db.Table("users").Where("id = ?", 1).Select("name").Scan(&x)', ["read table:users id name"]),
    ],
)
def test_gorm(text: str, expected: list[str]) -> None:
    body = f"func f(db *gorm.DB) {{\n var user model.User\n var users []model.User\n {text}\n}}\n"
    assert shown("go", f'package a\nimport "gorm.io/gorm"\n{body}') == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "from u in User, join: p in assoc(u, :posts), where: u.email == ^x, select: {u.id, p.title}",
            ["read User email id", "read User.posts title"],
        ),
        ("User |> where([u], u.age > 3) |> Repo.all()", ["read User * age"]),
        ("Repo.get_by(User, email: x)", ["read User * email"]),
        ("Repo.insert(%User{name: x})", ["write User * !name"]),
        ('from(u in User, where: u.id == ^x) |> Repo.update_all(set: [name: "x"])', ["write User id !name"]),
        ("q = from u in User, where: u.id == 1\nRepo.delete_all(q)", ["delete User id"]),
        ('from(u in "users", select: u.id) |> Repo.all()', ["read table:users id"]),
    ],
)
def test_ecto(text: str, expected: list[str]) -> None:
    assert shown("elixir", f"import Ecto.Query\ndef f(x) do\n{text}\nend\n") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("_db.Users.Where(u => u.Email == x).ToListAsync()", ["read User * Email"]),
        ("_db.Users.Include(u => u.Posts).Select(u => new { u.Id })", ["read User Id", "read User.Posts *"]),
        ("_db.Users.Add(new User { Name = x })", ["write User * !Name"]),
        ("_db.Users.Where(u => u.Id == 1).ExecuteDeleteAsync()", ["delete User Id"]),
        (
            "var q = from u in _db.Users join o in _db.Orders on u.Id equals o.UserId select new { u.Name, o.Total }",
            ["read Order UserId Total", "read User Id Name"],
        ),
    ],
)
def test_linq(text: str, expected: list[str]) -> None:
    body = f"class A {{ private AppDb _db; void F(string x) {{ {text}; }} }}"
    assert [sorted(one.split()) for one in shown("csharp", f"using Microsoft.EntityFrameworkCore;\n{body}\n")] == [
        sorted(one.split()) for one in expected
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("User::where('email', $x)->first()", ["read User * email"]),
        ("User::with('posts')->get()", ["read User *", "read User.posts *"]),
        ("User::create(['name' => $x])", ["write User * !name"]),
        ("User::where('id', 1)->update(['name' => $x])", ["write User id !name"]),
        ("User::where('id', 1)->delete()", ["delete User id"]),
        ("DB::table('users')->where('id', 1)->pluck('name')", ["read table:users id name"]),
    ],
)
def test_eloquent(text: str, expected: list[str]) -> None:
    assert shown("php", f"<?php\n{text};\n") == expected


ENTRIES = """<?php
namespace App\\Repository;
use Doctrine\\ORM\\QueryBuilder;
class EntryRepository extends ServiceEntityRepository
{{
    public function __construct(ManagerRegistry $registry) {{ parent::__construct($registry, Entry::class); }}
    public function f($em, Entry $given) {{ {0}; }}
    private function all() {{ return $this->createQueryBuilder('e'); }}
}}
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$this->all()->andWhere('e.isArchived = false')", ["read Entry isArchived"]),
        ("$this->createQueryBuilder('x')->select('x.id')->orderBy('x.made')", ["read Entry id made"]),
        ("$q = $this->createQueryBuilder('e'); $q->select('e.id')", ["read Entry", "read Entry id"]),
        (
            "$this->createQueryBuilder('e')->join('e.tags', 't')->where('t.label = :x')",
            ["read Entry *", "read Entry.tags label"],
        ),
        ("$q->leftJoin(Tag::class, 't', 'WITH', 't.entry = e.id')", ["read Entry id", "read Tag entry"]),
        ("$q->andWhere($q->expr()->eq('e.user', ':u'))", ["read Entry user"]),
        ("$em->createQueryBuilder()->select('u, e')->from(User::class, 'u')", ["read Entry *", "read User *"]),
        ("$em->createQueryBuilder()->delete(User::class, 'u')->where('u.id = 1')", ["delete User id"]),
        ("$q->update(User::class, 'u')->set('u.name', ':x')->where('u.id = 1')", ["write User !name id"]),
        ("$em->createQuery('DELETE FROM App\\Entity\\Tag t WHERE t.label = :x')", ["delete Tag label"]),
        ("$em->createQuery('SELECT t FROM ' . Tag::class . ' t WHERE t.label = :x')", ["read Tag * label"]),
        ("$em->getRepository(Tag::class)->findOneBy(['label' => $x])", ["read Tag * label"]),
        ("$em->getRepository('App:Tag')->count(['label' => $x])", ["read Tag label"]),
        ("$em->getRepository(Tag::class)->findByLabel($x)", ["read Tag * label"]),
        ("$this->findBy(['user' => $x], ['made' => 'DESC'])", ["read Entry * user made"]),
        ("$em->persist($given); $list->persist($given)", ["write Entry *"]),
        ("$x = $this->find(1); $em->remove($x); $list->remove($x)", ["read Entry *", "delete Entry"]),
        ("$x = $this->find(1); $x->setTitle(2); $em->flush()", ["read Entry *", "write Entry !title"]),
    ],
)
def test_doctrine(text: str, expected: list[str]) -> None:
    found = [line for line in shown("php", ENTRIES.format(text)) if not line.startswith("table")]
    rest = list(found)
    rest.remove("read Entry *")  # of the function `all`
    assert sorted(rest) == sorted(expected)


def test_a_repository_of_doctrine_is_known_by_its_type() -> None:
    text = """<?php
use App\\Repository\\UserRepository;
class A { public function __construct(private readonly ?UserRepository $users) {}
  function f(SplObjectStorage $em, $x) { $this->users->findAll(); $em->persist(new User()); $this->x->findAll(); } }
"""
    assert shown("php", text) == ["read User *"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("users::table.filter(users::email.eq(x)).load::<User>(c)", ["read table:users * email"]),
        ("users::table.select(users::id).first(c)", ["read table:users id"]),
        ("diesel::insert_into(users::table).values(users::name.eq(x)).execute(c)", ["write table:users !name"]),
        ("diesel::delete(users::table.filter(users::id.eq(1))).execute(c)", ["delete table:users id"]),
    ],
)
def test_diesel(text: str, expected: list[str]) -> None:
    assert shown("rust", f"use diesel::prelude::*;\nfn f() {{ {text}; }}\n") == expected


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "import django\nx.filter(a=1)\nframe.query('a > 1')\nrequest.session.save()\nform.save()\n"),
        (
            "python",
            "from sqlalchemy import text\nx.filter(a=1)\ndb.users.find({})\ncache.get(key, 1)\nitems.append(y)\n",
        ),
        (
            "typescript",
            "// prisma, knex, drizzle, typeorm\nusers.find((u) => u.id === 1); map.get('a'); Array.from(users);",
        ),
        ("typescript", "db.users.find({ email: x }); db.collection('users').deleteMany({}); items.delete(x);"),
        (
            "java",
            "import jakarta.persistence.Entity;\nclass A { void f() { xs.stream().filter(x -> x.isA()).count(); } }",
        ),
        ("ruby", "list.where(a: 1)\nhash.delete(:a)\nnames.map(&:to_s).first\n"),
        ("go", 'package a\n// gorm\nfunc f() { cache.Find(&user); m.Delete("x") }'),
        ("csharp", "class A { void F() { list.Where(x => x.A == 1).First(); dict.Add(1, 2); } } // DbContext"),
        ("php", "<?php Cache::get('x'); $list->where('a', 1)->first(); Log::info('users');"),
        ("elixir", "# Repo\nEnum.map(list, & &1.id)\nMap.get(map, :a)\nEnum.join(list)\n"),
        ("rust", "use diesel::x;\nfn f() { users.iter().filter(|u| u.a).count(); map.insert(1, 2); }"),
    ],
)
def test_what_only_looks_alike_gives_nothing(language: str, text: str) -> None:
    assert shown(language, text) == []


@pytest.mark.slow
@given(st.sampled_from(sorted(MAPPERS)), st.text(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_text_can_be_read(language: str, text: str) -> None:
    uses(language, text)


PIECES = st.sampled_from(
    "User users . ( ) { } [ ] , : = => -> |> where filter select from in objects query session prisma knex db Repo "
    "gorm sqlalchemy django drizzle diesel ApplicationRecord @Query( 'a = ?' x :: & < > \n def class new ... ".split(
        " "
    )
)


@pytest.mark.slow
@given(st.sampled_from(sorted(MAPPERS)), st.lists(PIECES, max_size=40))
@settings(max_examples=300, deadline=None)
def test_broken_code_can_be_read(language: str, pieces: list[str]) -> None:
    uses(
        language,
        "django sqlalchemy gorm drizzle typeorm knex prisma diesel Ecto DbContext persistence " + " ".join(pieces),
    )


def test_names_that_stand_for_each_other_come_to_an_end() -> None:
    body = "    x = x.filter(y)\n    y = y.first(x)\n" * 60
    uses("python", f"from django.db import models\ndef f(x, y):\n{body}    x.objects.get(y)\n    x.save()\n")
    spread = "const a = { ...b }; const b = { ...a }; prisma.user.findMany({ where: { ...a } });"
    uses("typescript", spread)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("java", "import jakarta.persistence.X; class A { EntityManager em; void f() { em.createQuery(%s); } }"),
        ("typescript", "prisma.user.findMany({ where: { %s } });"),
        ("php", "<?php User::where(%s)->get();"),
        ("csharp", "class A { AppDb db; void F() { db.Users.Where(u => %s).ToList(); } }"),
        ("python", "from django.db import models\nUser.objects%s\n"),
    ],
)
def test_what_is_nested_without_end_can_be_read(language: str, text: str) -> None:
    nested = {
        "java": "+".join(['"select u from User u "'] * 2000),
        "typescript": "...{" * 400 + "a: 1" + "}" * 400,
        "php": "fn($q) => $q->where(" * 100 + "'a', 1" + ")" * 100,
        "csharp": "u.Sum(u => " * 100 + "u.A" + ")" * 100,
        "python": ".filter(a=User.objects" * 200 + ".all()" + ")" * 200,
    }
    uses(language, text.replace("%s", nested[language]))


@pytest.mark.slow
@pytest.mark.parametrize("links", [150, 1_500])
def test_a_chain_without_end_is_climbed_once(links: int) -> None:
    text = "from peewee import *\nclass U(Model):\n  x = CharField()\n\ndef f():\n  return U.select()"
    assert shown("python", text + ".where(U.x == 1)" * links) == ["read U * x"]
