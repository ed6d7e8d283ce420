"""Models of Eloquent to what they tell of tables."""

from __future__ import annotations

import pytest

from coderag.frameworks.registry import read_code
from coderag.sql.records import Describe, Name, Origin, Relation, Source, Table

POST = """<?php
use Illuminate\\Database\\Eloquent\\Model;
class BlogPost extends Model
{
    public function author() { return $this->belongsTo(User::class, 'user_id'); }
    public function comments(): HasMany { return $this->hasMany(Comment::class); }
}
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
