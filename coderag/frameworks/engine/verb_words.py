"""`verbs.toml` of a framework as a record: what calls on its models do to these."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, cached_property

import msgspec

from coderag.frameworks.engine.vocabulary import framework_data

__all__ = ["VerbWords", "verb_words"]


# A text, or a constant: Task::TABLE, self.table, TASKS.
GIVEN = rb"(?=\(\s{0,40}(?:[\"'`]|[\\\w$>:.-]{0,80}(?:[A-Z][A-Z0-9_]+|[tT]able\w{0,9})\s{0,9}[,)]))"


class VerbWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """The calls on models, on queries for them and on objects of them, each with the words that say what it does.

    `reads`, `writes`, `deletes`: the access; `row`: whole rows; `narrow`: no whole rows.
    What its arguments are: `lists`: what is read, instead of whole rows; `names`: fields as texts; `relations`:
    relations as texts; `joins`: models; `asks`: conditions by name; `condition`: SQL whose columns are read;
    `sets`: what is written, by name (of `by_use`: in an insert); `orders`: what rows are sorted or grouped by;
    `first`: the first is a field that is written; `assigns`: so is what a closure
    assigns to; `rows`: dicts or objects that are written; `cte`: no table. `more`: another call has to follow.
    """

    calls: Mapping[str, str]
    objects: Mapping[str, str] = {}  # calls on an object of a model
    evident: tuple[str, ...] = ()  # a file that holds one of these may make any of the calls
    sure: frozenset[str] = frozenset()  # calls that tell a model in any file
    built: Mapping[str, str] = {}  # calls that begin a statement whose model a later call is given: db.NewSelect()
    models: frozenset[str] = frozenset()  # calls that are given that model
    tables: frozenset[str] = frozenset()  # calls that are given the names of tables
    constants: bool = False  # tables and columns are constants: USERS, USERS.ID
    by_use: bool = False  # the names of tables, as texts or constants, tell the statements of any builder
    idents: frozenset[str] = frozenset()  # calls among arguments that are put in as names: bun.Ident("id")
    awaited: bool = False  # so does a call on a class that is awaited
    lookup: str = ""  # between the parts of a condition's name: author__name
    operators: frozenset[str] = frozenset()  # last parts of such a name that are no fields
    brackets: bool = False  # a field in brackets, `row[Users.name]`, is read
    parts: frozenset[str] = frozenset()  # what stands for its model behind a module: user::Entity
    columns: str = ""  # what has the fields of a model behind its module: user::Column::Name
    relations: str = ""  # what has the relations of a model behind its module: user::Relation::Owner
    not_fields: frozenset[str] = frozenset()  # attributes of a model that are no fields

    @cached_property
    def anchor(self) -> re.Pattern[bytes]:
        """The calls, where a text may make them."""
        names = sorted({*self.calls, *self.objects}, key=lambda name: (-len(name), name))
        return re.compile(rb"\b(" + b"|".join(re.escape(name.encode()) for name in names) + rb")(?=[ \t]*[({])")

    @cached_property
    def naming(self) -> re.Pattern[bytes]:
        """The calls that are given a text or constant where the names of tables are given; of a longer name the end."""
        names = b"|".join(re.escape(name.encode()) for name in sorted(self.tables, key=lambda name: (-len(name), name)))
        return re.compile(rb"(" + names + rb")" + GIVEN)

    @cached_property
    def hints(self) -> tuple[re.Pattern[bytes], ...]:
        """What a file holds, any of it, that makes such calls without naming the framework."""
        sure = b"|".join(re.escape(name.encode()) for name in sorted(self.sure))
        calls = b"|".join(re.escape(name.encode()) for name in sorted(self.calls))
        awaited = rb"await[ \t(]++(?:\w++\.)?+[A-Z]\w*+\s*+\.(?:" + calls + rb")\("
        found = [rb"\.(?:" + sure + rb")\("] if sure else []
        return tuple(re.compile(pattern) for pattern in [*found, *([awaited] if self.awaited else [])])

    @cached_property
    def column_names(self) -> re.Pattern[bytes]:
        """The fields of models behind `columns`."""
        return re.compile(rb"\b" + re.escape(self.columns.encode()) + rb"::(\w+)")

    @cached_property
    def passing(self) -> frozenset[str]:
        """The calls that go on with objects of the same model, or with queries for them."""
        return frozenset(self.calls)


@cache
def verb_words(framework: str) -> VerbWords:
    """Return what the calls of a framework do; raises LanguageDataError where its data are wrong."""
    return framework_data(framework, "verbs.toml", VerbWords)
