"""Django's models: tables by the names that Django derives."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.sql.records import CreateTable, Describe, Evidence, Name, Origin, Source, Table
from tests.frameworks.show import read, shown

MODELS = """\
from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from accounts.models import Address

KINDS = [("a", "Aa"), ("Group", [("b", "Bb"), ("c", "Cc")])]


class Stamped(models.Model):
    made = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True


class Category(models.Model):
    name = models.CharField(_("shown name"), max_length=50, unique=True)
    parent = models.ForeignKey("self", null=True, on_delete=models.CASCADE)


class Product(Stamped):
    '''A thing to sell. It has a price.'''

    class Status(models.TextChoices):
        DRAFT = "draft", _("Draft")
        LIVE = "live"

    sku = models.CharField(primary_key=True, max_length=20, help_text="stock keeping unit")
    price = models.DecimalField(max_digits=10, decimal_places=2, default=0)  # in euros
    kind = models.CharField(max_length=1, choices=KINDS, default="a")
    status = models.CharField(max_length=10, choices=Status.choices, default=Status.DRAFT)
    categories = models.ManyToManyField(Category, related_name="products")
    similar = models.ManyToManyField("self")
    fans = models.ManyToManyField(settings.AUTH_USER_MODEL, through="Like")
    tags = ArrayField(models.CharField(max_length=10))
    site = models.URLField(null=True)

    class Meta:
        db_table = "goods"
        unique_together = [("kind", "status")]
        constraints = [
            models.UniqueConstraint(fields=["price", "kind"], name="u1"),
            models.UniqueConstraint(fields=["price"], condition=models.Q(kind="a"), name="u2"),
        ]


class Book(Product):
    isbn = models.CharField(max_length=13, db_column="ISBN")


class Like(models.Model):
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE)
    product = models.ForeignKey(Product, on_delete=models.CASCADE)
    address = models.OneToOneField(Address, on_delete=models.PROTECT, null=True)
    category = models.ForeignKey("Category", to_field="name", on_delete=models.CASCADE, db_column="cat_name")
    subject = models.ForeignKey("contenttypes.ContentType", on_delete=models.CASCADE)

    class Meta:
        verbose_name = _("what somebody likes")
        unique_together = ("user", "product")


class TopLike(Like):
    class Meta:
        proxy = True
"""


def test_models_are_tables() -> None:
    assert (
        shown(MODELS)
        == """\
table shop_category (shop.Category)
  id BIGINT not null identity
  name VARCHAR(50) not null -- shown name
  parent_id BIGINT
  primary key id
  unique name
  key parent_id to shop_category = shop.Category
table goods (shop.Product): A thing to sell.
  made TIMESTAMP WITH TIME ZONE not null
  sku VARCHAR(20) not null -- stock keeping unit
  price NUMERIC(10, 2) not null default 0 -- in euros
  kind VARCHAR(1) not null default 'a' in (a, b, c)
  status VARCHAR(10) not null default 'draft' in (draft, live)
  tags VARCHAR(10)[] not null
  site VARCHAR(200)
  primary key sku
  unique kind, status
  unique price, kind
table goods_categories (shop.Product.categories)
  id BIGINT not null identity
  product_id VARCHAR(20) not null
  category_id BIGINT not null
  primary key id
  unique product_id, category_id
  key product_id to goods = shop.Product
  key category_id to shop_category = shop.Category
table goods_similar (shop.Product.similar)
  id BIGINT not null identity
  from_product_id VARCHAR(20) not null
  to_product_id VARCHAR(20) not null
  primary key id
  unique from_product_id, to_product_id
  key from_product_id to goods = shop.Product
  key to_product_id to goods = shop.Product
table shop_book (shop.Book)
  product_ptr_id VARCHAR(20) not null
  ISBN VARCHAR(13) not null
  primary key product_ptr_id
  key product_ptr_id to goods = shop.Product
table shop_like (shop.Like): what somebody likes
  id BIGINT not null identity
  user_id not null
  product_id VARCHAR(20) not null
  address_id
  cat_name VARCHAR(50) not null
  subject_id not null
  primary key id
  unique address_id
  unique user_id, product_id
  key user_id to settings.AUTH_USER_MODEL
  key product_id to goods = shop.Product
  key address_id to accounts_address = accounts.Address
  key cat_name to shop_category (name) = shop.Category
  key subject_id to django_content_type = contenttypes.ContentType
""".splitlines()
    )


def test_places_and_evidence() -> None:
    found = [operation.table for operation in read(MODELS).operations if isinstance(operation, CreateTable)]
    lines = MODELS.splitlines()
    product = found[1]
    assert product.origins == (Origin.ORM,)
    assert lines[product.sources[0].start_line - 1] == "class Product(Stamped):"
    assert lines[product.columns[1].source.start_line - 1].startswith("    sku = ")
    assert found[0].foreign_keys[0].evidence is Evidence.MODEL


@pytest.mark.parametrize(
    ("path", "table"),
    [
        ("shop/models.py", "shop_item"),
        ("src/apps/shop/models.py", "shop_item"),
        ("shop/models/item.py", "shop_item"),
        ("shop/models/parts/item.py", "shop_item"),
    ],
)
def test_the_app_is_the_folder(path: str, table: str) -> None:
    text = "from django.db import models\nclass Item(models.Model):\n    x = models.TextField()\n"
    assert shown(text, path=path)[0] == f"table {table} (shop.Item)"


def test_an_app_that_the_path_does_not_tell() -> None:
    text = "from django.db import models\nclass Item(models.Model):\n    x = models.TextField()\n"
    lost = "lost 2: the table's name is not known: the file is in no app's models"
    assert shown(text, path="shop/things.py") == [lost]
    assert shown(text, path="models.py") == [lost]
    labelled = f"{text}    class Meta:\n        app_label = 'store'\n"
    assert shown(labelled, path="shop/things.py")[0] == "table store_item (store.Item)"


def test_users_have_the_columns_of_djangos_own() -> None:
    text = """\
from django.contrib.auth.models import AbstractUser
from django.db import models

class Account(AbstractUser):
    username = None
    phone = models.CharField(max_length=20)
"""
    found = shown(text, path="accounts/models.py")
    assert found[0] == "table accounts_account (accounts.Account)"
    assert "  email VARCHAR(254) not null" in found
    assert "  phone VARCHAR(20) not null" in found
    assert not any("username" in line for line in found)
    assert "table accounts_account_groups (accounts.Account.groups)" in found


def test_bases_in_other_files_are_named() -> None:
    text = """\
from django.db import models
from core.models import Stamped, AuditMixin

class Item(Stamped):
    x = models.TextField()

class Note(AuditMixin, models.Model):
    item = models.ForeignKey(Item, on_delete=models.CASCADE)
    other = models.ForeignKey(pick(), on_delete=models.CASCADE)
"""
    assert shown(text) == [
        "table shop_item (shop.Item)",
        "  x TEXT not null",
        "table shop_note (shop.Note)",
        "  id BIGINT not null identity",
        "  item_id not null",
        "  other_id not null",
        "  primary key id",
        "  key item_id to shop_item = shop.Item",
        "lost 4: the columns of Stamped are in another file",
        "lost 7: the columns of AuditMixin are in another file",
        "lost 9: the model that it refers to is not written",
    ]


def test_inheritance_of_several_tables_and_of_links() -> None:
    text = """\
from django.db import models
class A(models.Model):
    class Meta:
        app_label = "other"
class B(models.Model):
    pass
class C(A, B):
    pass
class D(A):
    up = models.OneToOneField(A, on_delete=models.CASCADE, parent_link=True)
class E(models.Model):
    pk = models.CompositePrimaryKey("x", "b")
    x = models.IntegerField()
    b = models.ForeignKey(B, on_delete=models.CASCADE)
"""
    assert (
        shown(text)[6:]
        == """\
table shop_c (shop.C)
  a_ptr_id BIGINT not null
  b_ptr_id BIGINT not null
  primary key a_ptr_id
  unique b_ptr_id
  key a_ptr_id to other_a = other.A
  key b_ptr_id to shop_b = shop.B
table shop_d (shop.D)
  up_id BIGINT not null
  primary key up_id
  key up_id to other_a = other.A
table shop_e (shop.E)
  x INTEGER not null
  b_id BIGINT not null
  primary key x, b_id
  key b_id to shop_b = shop.B
""".splitlines()
    )


@pytest.mark.parametrize(
    "text",
    [
        "from odoo import fields, models\nclass A(models.Model):\n    _name = 'a'\n    x = fields.Char()\n",
        "from some_orm import *\n# from django\nclass A(Model):\n    x = CharField()\n    models = 1\n",
        "from django.db import models\nfrom pydantic import B, Field\nclass A(B):\n    x: int = Field()\n",
        "from django.db import models\nfrom .x import B, C\nclass A(B):\n    objects = C.CustomManager()\n",
        "from django import forms\nfrom .models import B\nclass A(forms.ModelForm):\n    x = forms.CharField()\n",
        "from rest_framework import serializers\n# from django\nclass A(serializers.ModelSerializer):\n"
        "    models = serializers.CharField()\n",
        "from django.db import models\nclass A(models.Manager):\n    x = models.F(1)\nclass B(models.TextField): ...\n",
        "from django.db import models\ndef f():\n    class A(models.Model):\n        x = models.TextField()\n",
        "from django.db import models\nclass A(models.Model):\n    x = models.TextField()\n"
        "    class Meta:\n        abstract = True\n",
    ],
)
def test_what_is_no_model(text: str) -> None:
    assert shown(text) == []


def test_the_settings_tell_who_the_users_are() -> None:
    text = "DEBUG = True\nAUTH_USER_MODEL = 'accounts.User'\n"
    table = Table(Name("accounts_user"), alias="settings.AUTH_USER_MODEL", sources=(Source("", 2, 2),))
    assert read(text, path="project/settings.py").operations == (Describe(table),)


@pytest.mark.parametrize(
    "text",
    [
        "class A(B):\n    x = models.F()\nclass B(A):\n    y = models.ForeignKey(A)\n    class Meta(A.Meta): ...\n",
        "X = ArrayField(X)\nclass A(models.Model):\n    a = ArrayField(X)\n",
        f"class A(models.Model):\n    a = {'ArrayField(' * 1000}\n",
        "class A(models.Model):\n    x = models.TextField(\n",
        "class A(models.Model):\n    x = models.CharField(max_length=9**9, choices=CHOICES, default=y.z(1))\n",
    ],
)
def test_bad_input_comes_to_an_end(text: str) -> None:
    read(f"from django.db import models\n{text}")


@settings(max_examples=40, deadline=None)
@given(st.integers(0, len(MODELS)), st.integers(0, 60))
def test_any_part_of_a_file_is_read_without_an_error(start: int, length: int) -> None:
    read(MODELS[:start] + MODELS[start + length :])
