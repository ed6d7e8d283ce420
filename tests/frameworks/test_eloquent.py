"""Models of Eloquent to what they tell of tables."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from coderag.frameworks.registry import read_code
from coderag.sql.records import Describe, Name, Origin, Relation, Source, Table
from tests.workspace import write

POST = """<?php
use Illuminate\\Database\\Eloquent\\Model;
class BlogPost extends Model
{
    public function author() { return $this->belongsTo(User::class, 'user_id'); }
    public function comments(): HasMany { return $this->hasMany(Comment::class); }
}
"""
MIGRATION = """<?php
use Illuminate\\Database\\Migrations\\Migration;
use Illuminate\\Database\\Schema\\Blueprint;
use Illuminate\\Support\\Facades\\Schema;
return new class extends Migration { public function up(): void { BODY } };
"""


def described(text: str) -> list[Table]:
    """Return the tables that the models of a file describe."""
    found = read_code(text.encode(), language="php", path="x.php")
    return [one.table for one in (found.operations if found else ()) if isinstance(one, Describe)]


def test_a_model_describes_its_table() -> None:
    assert described(POST) == [
        Table(
            Name("blog_posts"),
            alias="BlogPost",
            relations=(Relation("author", "User", columns=("user_id",)), Relation("comments", "Comment")),
            origins=(Origin.ORM,),
            sources=(Source("", 3, 7),),
        )
    ]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("protected $table = 'shop.posts';", ["shop.posts"]),
        ("protected $table = self::TABLE;", []),
        ("", ["models"]),
    ],
)
def test_the_name_is_as_it_is_stated(body: str, names: list[str]) -> None:
    text = f"<?php\nuse Illuminate\\Eloquent;\nclass Model extends Authenticatable {{ {body} }}\n"
    assert [str(table.name) for table in described(text)] == names


def test_a_class_of_another_base_is_a_model_only_by_a_sign_of_eloquent() -> None:
    plain = "<?php\nnamespace App;\nclass ConfigModel extends SettingModel { public function get() {} }\n"
    stated = "<?php\nnamespace App;\nclass Tag extends BaseModel { protected $table = 'labels'; }\n"
    assert described(plain) == []
    assert [table.name.name for table in described(stated)] == ["labels"]


@pytest.mark.slow
def test_a_base_of_models_is_no_table_unless_one_is_created(tmp_path: Path) -> None:
    base = "use Illuminate\\Database\\Eloquent\\Model as EloquentModel;\nclass Model extends EloquentModel {}\n"
    books = "Schema::create('books', function (Blueprint $table) { $table->id(); });"
    files = {
        "app/Model.php": f"<?php\nnamespace App;\n{base}",
        "app/Book.php": "<?php\nnamespace App\\Entities;\nuse App\\Model;\nclass Book extends Model {}\n",
        "database/migrations/2024_01_01_000000_books.php": MIGRATION.replace("BODY", books),
    }
    plain = Index.build(write(tmp_path / "plain", files), workers=0)
    assert [table.name.name for table in plain.tables()] == ["books"]
    assert not plain.catalog.problems
    made = books + "Schema::create('models', function (Blueprint $table) { $table->id(); });"
    files["database/migrations/2024_01_01_000000_books.php"] = MIGRATION.replace("BODY", made)
    created = Index.build(write(tmp_path / "created", files), workers=0)
    assert [(table.name.name, table.alias) for table in created.tables()] == [("books", "Book"), ("models", "Model")]


def test_numbers_and_joins_read_a_table(tmp_path: Path) -> None:
    posts = "Schema::create('posts', function (Blueprint $table) { $table->id(); $table->foreignId('user_id'); });"
    users = "Schema::create('users', function (Blueprint $table) { $table->id(); });"
    used = "<?php\nnamespace App;\nuse Illuminate\\Database\\Eloquent\\Model;\n"
    relation = "public function posts() { return $this->hasMany(Post::class); }"
    calls = (
        "class Report {\n"
        "    public function all() { return User::count(); }\n"
        "    public function join() { return User::leftJoin('posts', 'posts.user_id', '=', 'users.id'); }\n"
        "    public function own(User $user) { return $user->posts()->count(); }\n"
        "    public function memory(User $user) { return $user->count(); }\n}\n"
    )
    files = {
        "app/User.php": f"{used}class User extends Model {{ {relation} }}\n",
        "app/Post.php": f"{used}class Post extends Model {{}}\n",
        "app/Report.php": f"<?php\nnamespace App;\n{calls}",
        "database/migrations/2024_01_01_000000_a.php": MIGRATION.replace("BODY", users + posts),
    }
    index = Index.build(write(tmp_path, files))
    readers = {
        table: sorted(
            entry.line
            for target in index.refs(table)
            for group in target.groups
            if group.role == "read by"
            for entry in group.references
            if entry.path == "app/Report.php"
        )
        for table in ("users", "posts")
    }
    assert readers == {"users": [4, 5], "posts": [6]}


def test_a_class_below_a_model_of_another_file_is_a_model(tmp_path: Path) -> None:
    tables = "".join(f"Schema::create('{name}', fn (Blueprint $table) => $table->id());" for name in ("books", "notes"))
    used = "use Illuminate\\Database\\Eloquent\\Builder;\n"
    files = {
        "app/Base/Entity.php": "<?php\nnamespace App\\Base;\nuse App\\Model;\nabstract class Entity extends Model {}\n",
        "app/Model.php": "<?php\nnamespace App;\nuse Illuminate\\Database\\Eloquent\\Model as Base;\n"
        "abstract class Model extends Base {}\n",
        "app/Book.php": f"<?php\nnamespace App;\nuse App\\Base\\Entity;\n{used}"
        "class Book extends Entity\n{\n"
        "    public static function named($name) { return self::where('name', $name)->first(); }\n}\n",
        # A base of the same name in another namespace is no model.
        "lib/Entity.php": "<?php\nnamespace Lib;\nclass Entity {}\n",
        "lib/Note.php": f"<?php\nnamespace Lib;\n{used}class Note extends Entity {{}}\n",
        "app/Shelf.php": "<?php\nnamespace App;\n"
        "class Shelf { public function all() { return Book::query()->get(); } }\n",
        "database/migrations/2024_01_01_000000_books.php": MIGRATION.replace("BODY", tables),
    }
    index = Index.build(write(tmp_path, files), workers=0)
    assert {table.name.name: table.alias for table in index.tables()} == {"books": "Book", "notes": ""}
    assert not index.catalog.problems
    readers = {entry.path for group in index.refs("books")[0].groups for entry in group.references}
    assert readers >= {"app/Shelf.php", "app/Book.php"}
