"""Classes of Django and of libraries that projects derive models from: what of them has columns."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from coderag.syntax.languages.python import Class, Code, read_python

__all__ = ["known_base"]

# https://docs.djangoproject.com/en/stable/ref/contrib/auth/#fields and the sources of the libraries
SOURCE = b"""
from django.db import models

class AbstractBaseUser(models.Model):
    password = models.CharField("password", max_length=128)
    last_login = models.DateTimeField("last login", null=True)
    class Meta:
        abstract = True

class PermissionsMixin(models.Model):
    is_superuser = models.BooleanField("superuser status", default=False)
    groups = models.ManyToManyField("auth.Group")
    user_permissions = models.ManyToManyField("auth.Permission")
    class Meta:
        abstract = True

class AbstractUser(AbstractBaseUser, PermissionsMixin):
    username = models.CharField("username", max_length=150, unique=True)
    first_name = models.CharField("first name", max_length=150)
    last_name = models.CharField("last name", max_length=150)
    email = models.EmailField("email address")
    is_staff = models.BooleanField("staff status", default=False)
    is_active = models.BooleanField("active", default=True)
    date_joined = models.DateTimeField("date joined")
    class Meta:
        abstract = True

class AbstractBaseSession(models.Model):
    session_key = models.CharField("session key", max_length=40, primary_key=True)
    session_data = models.TextField("session data")
    expire_date = models.DateTimeField("expire date")
    class Meta:
        abstract = True

class TimeStampedModel(models.Model):
    created = models.DateTimeField("created")
    modified = models.DateTimeField("modified")
    class Meta:
        abstract = True

class MPTTModel(models.Model):
    lft = models.PositiveIntegerField()
    rght = models.PositiveIntegerField()
    tree_id = models.PositiveIntegerField()
    level = models.PositiveIntegerField()
    class Meta:
        abstract = True

class MP_Node(models.Model):
    path = models.CharField(max_length=255, unique=True)
    depth = models.PositiveIntegerField()
    numchild = models.PositiveIntegerField(default=0)
    class Meta:
        abstract = True

class PolymorphicModel(models.Model):
    polymorphic_ctype = models.ForeignKey("contenttypes.ContentType", null=True)
    class Meta:
        abstract = True
"""
MODULES: Mapping[str, tuple[str, ...]] = {
    "AbstractBaseSession": ("django.contrib.sessions",),
    "AbstractBaseUser": ("django.contrib.auth",),
    "AbstractUser": ("django.contrib.auth",),
    "MPTTModel": ("mptt",),
    "MP_Node": ("treebeard",),
    "PermissionsMixin": ("django.contrib.auth",),
    "PolymorphicModel": ("polymorphic",),
    "TimeStampedModel": ("model_utils", "django_extensions"),
}


def known_base(name: str) -> tuple[Class, Code] | None:
    """Return a class of a library by its dotted name, None for one that is not known."""
    module, _, last = name.rpartition(".")
    if not any(module == package or module.startswith(f"{package}.") for package in MODULES.get(last, ())):
        return None
    code = _code()
    return code.classes[last], code


@cache
def _code() -> Code:
    return read_python(SOURCE)
