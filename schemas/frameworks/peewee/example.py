import datetime

import peewee as pw
from peewee import CharField, CompositeKey, ForeignKeyField, TextField
from playhouse.postgres_ext import BinaryJSONField
from playhouse.sqlite_ext import FTS5Model, SearchField

from app.columns import EncryptedField
from app.mixins import Stamped

db = pw.SqliteDatabase(None)


class BaseModel(pw.Model):
    created = pw.DateTimeField(default=datetime.datetime.now)

    class Meta:
        database = db


class LongTextField(TextField):
    field_type = "LONGTEXT"


class User(BaseModel):
    """Somebody who signs in."""

    email = CharField(max_length=120, unique=True)
    name = CharField(80, null=True, help_text="as shown")
    bio = LongTextField(null=True)
    secret = EncryptedField()
    balance = pw.DecimalField(max_digits=12, decimal_places=2, default=0)
    manager = ForeignKeyField("self", null=True, backref="team")
    posts_count = property(lambda self: self.posts.count())

    class Meta:
        table_name = "users"
        schema = "app"


class Post(BaseModel):
    slug = CharField(primary_key=True)
    author = ForeignKeyField(User, backref="posts", column_name="writer")
    reviewer_id = ForeignKeyField(User, field=User.email, null=True)
    data = BinaryJSONField(default=dict)

    class Meta:
        indexes = ((("author", "created"), True), (("created",), False))


class PostTag(pw.Model):
    post = ForeignKeyField(Post, on_delete="CASCADE")
    tag = ForeignKeyField(model=Post)

    class Meta:
        primary_key = CompositeKey("post", "tag")


class Audit(Stamped):
    text = TextField()


class Search(FTS5Model):
    body = SearchField()


class Settings:
    email = "nobody"


def active(email):
    return User.select(User.id, User.name).where(User.email == email).order_by(User.created.desc())


def load(email):
    user = User.get(User.email == email)
    user.name = "x"
    user.save()
    return user.manager


def report():
    query = Post.select(Post, User).join(User, on=(Post.author == User.id))
    query = query.where(Post.slug.contains("a"))
    return query.count()


def change(values):
    User.update(name="y", balance=User.balance + 1).where(User.id == 1).execute()
    User.update({User.bio: ""}).execute()
    Post.create(slug="a", author=1)
    Post.insert_many([{"slug": "b", "author": 2}]).execute()
    Post.insert(**values).execute()
    Post.delete().where(Post.slug << ["a"]).execute()
    Post.get_by_id("a").delete_instance()


class Posts:
    model = Post

    @classmethod
    def of(cls, author):
        return cls.model.select().where(cls.model.author == author)
