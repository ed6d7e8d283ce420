"""Django's migrations: what each does, and what all files of a project say together."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.frameworks.django.project import settled
from coderag.sql.records import AddColumn, CreateTable, Evidence, Origin, SchemaFile, Series, Source
from tests.frameworks.show import read, show, shown

PATH = "shop/migrations/0002_more.py"

INITIAL = """\
from django.conf import settings
from django.db import migrations, models
import django.db.models.deletion


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("contenttypes", "__first__"),
        ("core", "0003_base"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Tag",
            fields=[("slug", models.SlugField(primary_key=True, serialize=False))],
            options={"db_table": "labels", "verbose_name": "a word for things"},
        ),
        migrations.CreateModel(
            name="Order",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, verbose_name="ID")),
                ("state", models.CharField(choices=[("o", "Open"), ("p", "Paid")], default="o", max_length=1)),
                ("buyer", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, to=settings.AUTH_USER_MODEL)),
                ("tags", models.ManyToManyField(to="shop.tag")),
            ],
            options={"unique_together": {("buyer", "state")}},
        ),
        migrations.CreateModel(name="Late", fields=[], options={"proxy": True}, bases=("shop.order",)),
        migrations.AddField("order", "main", models.ForeignKey("shop.Tag", null=True, on_delete=models.CASCADE)),
        migrations.AddIndex("order", models.Index(fields=["state"], name="ix")),
        migrations.RunPython(migrations.RunPython.noop),
    ]
"""


def test_an_initial_migration() -> None:
    assert (
        shown(INITIAL, path="shop/migrations/0001_initial.py")
        == """\
table labels (shop.Tag): a word for things
  slug VARCHAR(50) not null
  primary key slug
table shop_order (shop.Order)
  id BIGINT not null identity
  state VARCHAR(1) not null default 'o' in (o, p)
  buyer_id not null
  primary key id
  unique buyer_id, state
  key buyer_id to settings.AUTH_USER_MODEL
table shop_order_tags (shop.Order.tags)
  id BIGINT not null identity
  order_id BIGINT not null
  tag_id VARCHAR(50) not null
  primary key id
  unique order_id, tag_id
  key order_id to shop_order = shop.Order
  key tag_id to labels = shop.tag
describe shop_order (shop.Late)
add shop_order: main_id VARCHAR(50)
constrain shop_order key main_id to labels = shop.Tag
""".splitlines()
    )


def test_a_migration_has_its_place_and_declares_keys() -> None:
    found = read(INITIAL, path="src/shop/migrations/0001_initial.py")
    assert found.series == Series("django", version="0001", name="shop.0001_initial", after=("core.0003_base",))
    created = found.operations[1]
    assert isinstance(created, CreateTable)
    assert created.table.origins == (Origin.MIGRATION,)
    assert created.table.foreign_keys[0].evidence is Evidence.DECLARED


def test_a_squashed_migration_says_what_it_replaces() -> None:
    text = migration("", "    replaces = [('shop', '0001_initial'), ('shop', '0002_more')]\n")
    series = read(text, path="shop/migrations/0001_squashed.py").series
    assert series is not None
    assert series.replaces == ("shop.0001_initial", "shop.0002_more")


def migration(operations: str, body: str = "") -> str:
    """Return a migration with these operations."""
    return (
        "from django.db import migrations, models\n"
        "from django.db.migrations import RunSQL\n"
        "class Migration(migrations.Migration):\n"
        f"{body}    dependencies = []\n    operations = [{operations}]\n"
    )


@pytest.mark.parametrize(
    ("operation", "expected"),
    [
        ("DeleteModel('Order')", ["drop table shop_order"]),
        ("RenameModel('Order', 'Sale')", ["rename shop_order to shop_sale", "describe shop_sale (shop.Sale)"]),
        ("AlterModelTable('order', 'sales')", ["rename shop_order to sales"]),
        ("AlterModelTableComment('order', 'what was sold')", ["comment shop_order: what was sold"]),
        ("RemoveField('order', 'x')", ["drop shop_order.x"]),
        ("RenameField('order', 'x', 'y')", ["rename shop_order.x to y"]),
        (
            "AddField('order', 'x', models.IntegerField(unique=True))",
            ["add shop_order: x INTEGER not null", "constrain shop_order unique x"],
        ),
        (
            "AddField('order', 'x', models.IntegerField(default=1), preserve_default=False)",
            ["add shop_order: x INTEGER not null"],
        ),
        ("AddField('order', 'x', app.fields.Money())", ["add shop_order: x not null"]),
        (
            "AlterField('order', 'x', models.CharField(max_length=9, null=True, help_text='why'))",
            ["alter shop_order.x type='VARCHAR(9)' nullable=True default='' comment='why' values=()"],
        ),
        (
            "AlterField('order', 'x', models.ForeignKey('b.C', null=True))",
            ["alter shop_order.x_id nullable=True default='' values=()", "constrain shop_order key x_id to b_c = b.C"],
        ),
        (
            "AlterUniqueTogether('order', {('a', 'b')})",
            ["drop constraint shop_order unique sets", "constrain shop_order unique a, b"],
        ),
        ("AlterUniqueTogether('order', set())", ["drop constraint shop_order unique sets"]),
        ("AlterUniqueTogether('order', None)", ["drop constraint shop_order unique sets"]),
        ("AlterUniqueTogether('order', sets())", ["lost 5: not read: computed at run time"]),
        ("AlterOrderWithRespectTo('order', 'x')", ["add shop_order: _order INTEGER not null"]),
        (
            "AddConstraint('order', models.UniqueConstraint(fields=['a'], name='u'))",
            ["constrain shop_order u unique a"],
        ),
        (
            "AddConstraint('order', models.CheckConstraint(check=models.Q(a=1), name='c'))",
            ["constrain shop_order c check a = 1"],
        ),
        ("AlterConstraint('order', 'u', models.UniqueConstraint(fields=['a'], name='u'))", []),
        ("RemoveConstraint('order', 'u')", ["drop constraint shop_order u"]),
        ("AlterModelOptions('order', {})", []),
        ("RunSQL('DROP TABLE a', 'CREATE TABLE a (x int)')", ["drop table a"]),
        ("RunSQL(['DROP TABLE a', ('DROP TABLE b', None)])", ["drop table a", "drop table b"]),
        ("RunSQL(RunSQL.noop, 'DROP TABLE a')", []),
        ("RunSQL(open('x.sql').read())", ["lost 5: not read: computed at run time"]),
        (
            "SeparateDatabaseAndState([migrations.DeleteModel('a')], [migrations.DeleteModel('b')])",
            ["drop table shop_a"],
        ),
        (
            "SeparateDatabaseAndState(state_operations=[migrations.CreateModel('B', [], {'db_table': 'old'})])",
            ["describe old (shop.B)"],
        ),
        ("AddView('x')", ["lost 5: not read: the operation AddView is not Django's"]),
        ("AddField('order', name, models.IntegerField())", ["lost 5: not read: computed at run time"]),
        ("CreateModel('Order', fields())", ["lost 5: not read: computed at run time"]),
    ],
)
def test_operations(operation: str, expected: list[str]) -> None:
    assert shown(migration(f"migrations.{operation}"), path=PATH) == expected


def test_what_one_file_knows_of_its_own_models() -> None:
    text = migration("""
        migrations.CreateModel("A", [("id", models.AutoField(primary_key=True))], options={"db_table": "alphas"}),
        migrations.AddField("A", "b", models.ForeignKey("B", models.CASCADE)),
        migrations.AddField("a", "cs", models.ManyToManyField("C")),
        migrations.RenameField("a", "b", "beta"),
        migrations.RenameField("a", "cs", "gammas"),
        migrations.RemoveField("a", "gammas"),
        migrations.RenameModel("A", "Alpha"),
        migrations.RemoveField("alpha", "beta"),
    """)
    assert (
        shown(text, path=PATH)
        == """\
table alphas (shop.A)
  id INTEGER not null identity
  primary key id
add alphas: b_id not null
constrain alphas key b_id to shop_b = shop.B
table alphas_cs (shop.a.cs)
  id BIGINT not null identity
  a_id INTEGER not null
  c_id not null
  primary key id
  unique a_id, c_id
  key a_id to alphas = shop.a
  key c_id to shop_c = shop.C
rename alphas.b_id to beta_id
rename alphas_cs to alphas_gammas
drop table alphas_gammas
describe alphas (shop.Alpha)
drop alphas.beta_id
""".splitlines()
    )


def test_sql_keeps_its_lines() -> None:
    text = migration('''
        migrations.RunSQL(
            """
            ALTER TABLE a ADD COLUMN x int;
            ALTER TABLE a ADD COLUMN y int;
            """
        )
    ''')
    found = [operation for operation in read(text, path=PATH).operations if isinstance(operation, AddColumn)]
    assert [one.source for one in found] == [Source("", 8, 8), Source("", 9, 9)]


@pytest.mark.parametrize(
    ("operations", "lost"),
    [
        ("*more", 5),
        ("make() for make in all_of_them", 5),
    ],
)
def test_a_computed_list_is_named(operations: str, lost: int) -> None:
    assert shown(migration(operations), path=PATH) == [f"lost {lost}: not read: computed at run time"]


@pytest.mark.parametrize(
    "text",
    [
        "from django.db import migrations\nclass Other(migrations.Migration):\n    operations = []\n",
        "class Migration(Base):\n    operations = []\n# (migrations.Migration)\n",
        "",
    ],
)
def test_what_is_no_migration(text: str) -> None:
    assert read(text, path=PATH).series is None


def project(**files: str) -> list[str]:
    """Return what the migrations of a project come to, in order; "shop__0001_x" is shop/migrations/0001_x.py."""
    found = []
    for name, text in files.items():
        app, _, stem = name.partition("__")
        path = f"{app}/{stem}.py" if stem in {"models", "settings"} else f"{app}/migrations/{stem}.py"
        found.append(SchemaFile(path, read(text, path=path)))
    return [line for file in settled(found) for line in show(file.facts)]


def test_names_are_settled_by_all_files() -> None:
    more = """\
from django.db import migrations, models
class Migration(migrations.Migration):
    dependencies = [("shop", "0001_initial")]
    operations = [
        migrations.AddField("tag", "up", models.ForeignKey("self", models.CASCADE, null=True)),
        migrations.RenameField("order", "buyer", "payer"),
        migrations.RenameField("order", "tags", "words"),
        migrations.AlterUniqueTogether("order", {("payer", "main")}),
        migrations.RemoveField("order", "main"),
        migrations.RenameModel("Tag", "Word"),
        migrations.RenameModel("Order", "Sale"),
        migrations.AddField("word", "size", models.IntegerField()),
        migrations.DeleteModel("Sale"),
    ]
"""
    settings_file = "AUTH_USER_MODEL = 'core.Person'\n"
    lines = project(shop__0001_initial=INITIAL, shop__0002_more=more, core__settings=settings_file)
    assert "  key buyer_id to core_person" in lines
    assert (
        lines[lines.index("constrain shop_order key main_id to labels = shop.Tag") + 1 :]
        == """\
add labels: up_id VARCHAR(50)
constrain labels key up_id to labels = shop.tag
rename shop_order.buyer_id to payer_id
rename shop_order_tags to shop_order_words
describe shop_order_words (shop.order.words)
drop constraint shop_order of payer_id, state
constrain shop_order unique payer_id, main_id
drop shop_order.main_id
rename shop_order_words.tag_id to word_id
describe labels (shop.Word)
rename shop_order to shop_sale
rename shop_order_words to shop_sale_words
rename shop_sale_words.order_id to sale_id
describe shop_sale (shop.Sale)
add labels: size INTEGER not null
drop table shop_sale_words
drop table shop_sale
""".splitlines()
    )


def test_the_sets_that_are_not_stated_again_are_no_keys_any_more() -> None:
    made = migration("""
        migrations.CreateModel("Part", [
            ("id", models.BigAutoField(primary_key=True)),
            ("name", models.TextField()),
            ("place", models.ForeignKey("shop.Place", models.CASCADE)),
            ("size", models.IntegerField()),
        ], options={
            "unique_together": {("name", "place"), ("size", "name")},
            "constraints": [models.UniqueConstraint(fields=["place", "size"], name="part_place")],
        }),
    """)
    changed = migration("""
        migrations.AlterUniqueTogether("part", {("name", "place"), ("size", "place")}),
        migrations.RenameField("part", "size", "length"),
        migrations.AlterUniqueTogether("part", {("name", "place")}),
        migrations.RenameModel("part", "piece"),
        migrations.AlterUniqueTogether(name="piece", unique_together=set()),
        migrations.AddConstraint("piece", models.CheckConstraint(
            condition=models.Q(("place__isnull", False), ("name__in", ["place", "x"]), _connector="OR"), name="placed",
        )),
        migrations.RemoveConstraint("piece", "part_place"),
    """).replace("dependencies = []", 'dependencies = [("shop", "0001_made")]')
    lines = project(shop__0001_made=made, shop__0002_changed=changed)
    assert (
        lines[lines.index("constrain shop_part part_place unique place_id, size") + 1 :]
        == """\
drop constraint shop_part of size, name
constrain shop_part unique size, place_id
rename shop_part.size to length
drop constraint shop_part of length, place_id
rename shop_part to shop_piece
describe shop_piece (shop.piece)
drop constraint shop_piece of name, place_id
constrain shop_piece placed check place_id IS NOT NULL OR name IN ('place', 'x')
drop constraint shop_piece part_place
""".splitlines()
    )


@pytest.mark.parametrize(
    ("condition", "check"),
    [
        ('models.Q(("a__gte", 0), ("b__lt", 1.5))', "a >= 0 AND b < 1.5"),
        ("models.Q(a__gt=1) | ~models.Q(b__isnull=True)", "a > 1 OR NOT (b IS NULL)"),
        ("models.Q(a__lte=models.F('b'))", "a <= b"),
        ('models.Q(models.Q(("a", 1), ("b", 2)), models.Q(("a", 3)), _connector="OR")', "(a = 1 AND b = 2) OR a = 3"),
        ('models.Q(("a__range", (1, 2)), _negated=True)', "NOT (a BETWEEN 1 AND 2)"),
        ('models.Q(("a__regex", "x"))', ""),
        ('models.Q(("owner__name", "x"))', ""),
        ("models.Q(a=Lower('b'))", ""),
        ("models.Q()", ""),
    ],
)
def test_conditions(condition: str, check: str) -> None:
    added = f"migrations.AddConstraint('order', models.CheckConstraint(check={condition}, name='c'))"
    assert shown(migration(added), path=PATH) == ([f"constrain shop_order c check {check}"] if check else [])


def test_a_many_to_many_table_has_a_column_for_the_users_model() -> None:
    users = migration("""
        migrations.CreateModel("Member", [("id", models.UUIDField(primary_key=True))], options={"db_table": "members"}),
    """)
    groups = """\
from django.conf import settings
from django.db import migrations, models
class Migration(migrations.Migration):
    dependencies = [("people", "0001_initial")]
    operations = [
        migrations.CreateModel("Group", [("members", models.ManyToManyField(settings.AUTH_USER_MODEL))]),
    ]
"""
    lines = project(
        groups__0001_initial=groups, people__0001_initial=users, people__settings="AUTH_USER_MODEL = 'people.Member'\n"
    )
    assert lines[1:8] == [
        "table groups_group_members (groups.Group.members)",
        "  id BIGINT not null identity",
        "  group_id not null",
        "  member_id UUID not null",
        "  primary key id",
        "  unique group_id, member_id",
        "  key group_id to groups_group = groups.Group",
    ]
    assert lines[8] == "  key member_id to members"


def test_a_squashed_migration_stands_for_others() -> None:
    files = [
        SchemaFile(f"a/migrations/{stem}.py", read(text, path=f"a/migrations/{stem}.py"))
        for stem, text in [
            ("0001_one", migration("migrations.DeleteModel('x')")),
            ("0001_squashed", migration("migrations.DeleteModel('x')", "    replaces = [('a', '0001_one')]\n")),
            ("0002_two", migration("").replace("dependencies = []", "dependencies = [('a', '0001_one')]")),
        ]
    ]
    series = [one.facts.series for one in settled(files)]
    assert [one.direction for one in series if one is not None] == ["replaced", "up", "up"]
    assert series[2] is not None
    assert series[2].after == ("a.0001_squashed",)


def test_models_refer_to_tables_that_other_files_name() -> None:
    goods = """\
from django.db import models
class Product(models.Model):
    code = models.CharField(max_length=9, primary_key=True)
    class Meta:
        db_table = "goods"
"""
    likes = """\
from django.conf import settings
from django.db import models
from goods.models import Product
class Like(models.Model):
    product = models.ForeignKey(Product, models.CASCADE)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
"""
    lines = project(goods__models=goods, likes__models=likes)
    assert lines[3:] == [
        "table likes_like (likes.Like)",
        "  id BIGINT not null identity",
        "  product_id VARCHAR(9) not null",
        "  by_id not null",
        "  primary key id",
        "  key product_id to goods = goods.Product",
        "  key by_id to auth_user",
    ]


def test_files_of_other_tools_stay() -> None:
    files = [SchemaFile("x.sql", read("")), SchemaFile("y.py", read("x = 1"))]
    assert settled(files) == files


@pytest.mark.parametrize(
    "text",
    [
        migration("migrations.SeparateDatabaseAndState(database_operations=operations)"),
        migration("migrations.AddField('a', 'b', models.CharField(max_length=(("),
        migration("migrations.RunSQL('" + "(" * 3000 + "')"),
        migration("migrations.CreateModel('A', [('x',), 'y', ('z', models.F), (1, 2)])"),
        migration("migrations.CreateModel(), migrations.AddField(), migrations.RenameModel(), migrations.RunSQL()"),
        migration("migrations.DeleteModel(), migrations.AlterUniqueTogether(), migrations.SeparateDatabaseAndState()"),
    ],
)
def test_bad_input_comes_to_an_end(text: str) -> None:
    read(text, path=PATH)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, len(INITIAL)), st.integers(0, 60))
def test_any_part_of_a_file_is_read_without_an_error(start: int, length: int) -> None:
    file = SchemaFile(PATH, read(INITIAL[:start] + INITIAL[start + length :], path=PATH))
    assert len(settled([file])) == 1
