"""What code does to tables, as one file tells it; `coderag.graph` ties it to the schema.

`owner` is the position of the innermost definition around the place among the outline's, -1 outside of all; rows are
0-based and inclusive.
"""

from __future__ import annotations

from enum import StrEnum

from coderag.sql.records import ColumnUse, Name, Record

__all__ = [
    "NO_USES",
    "Access",
    "ColumnParameter",
    "ConstantText",
    "DataUses",
    "GivenTo",
    "Handed",
    "ModelUse",
    "Referred",
    "Statement",
    "StatementParameter",
    "TableParameter",
    "TableUse",
]


class Access(StrEnum):
    """What is done to a table."""

    READ = "read"
    WRITE = "write"  # INSERT, UPDATE, MERGE
    DELETE = "delete"  # DELETE, TRUNCATE
    DEFINE = "ddl"  # CREATE, ALTER, DROP


class TableUse(Record, frozen=True):
    """A table that a statement touches, as written."""

    table: Name
    access: Access
    whole: bool = False  # all of its columns: SELECT *, INSERT without a list of columns, DELETE, an entity


class GivenTo(Record, frozen=True):
    """The call that a text is given to; `position` is that among the arguments without a name, -1 for one with."""

    callee: str  # as written: "self.db.rows"
    position: int
    name: str = ""  # of the argument
    decides: bool = False  # the text is SQL only if what is called runs it


class Statement(Record, frozen=True):
    """A statement of SQL in code, or a call of a query builder that names tables as the database does."""

    row: int
    last_row: int
    owner: int
    tables: tuple[TableUse, ...] = ()
    columns: tuple[ColumnUse, ...] = ()  # `tables` of each: the one it belongs to, or the candidates of its scope
    calls: tuple[str, ...] = ()  # routines of the database
    sure: bool = (
        True  # it is handed to a database; False: it looks like SQL, and counts where the schema knows its table
    )
    holes: bool = False  # the name of a table is put in at run time, so some table is not known
    lost: str = ""  # why it could not be read, though it is SQL; the tables are then what a look at the words gave
    how: str = ""  # "sql", or the builder: "knex", "sqlalchemy", ...
    name: str = ""  # of the constant, field or key of an object that holds it, where no call in the file runs it
    function: str = ""  # of another file that runs it when it is called, as the file's imports know it: Mapper.find
    given: GivenTo | None = None  # where it is not `sure`
    constants: tuple[str, ...] = ()  # those of its tables that are constants, which another file may hold: Task.TABLE


class Referred(Record, frozen=True):
    """A place that runs SQL which stands elsewhere: a constant of another file, a file of queries."""

    row: int
    owner: int
    name: str = ""  # as written: "queries.FIND_USER", "self.QUERY", "load_sql()"
    file: str = ""  # as written: "sql/find_user.sql"
    query: str = ""  # a query of that file by its name (aiosql, HugSQL, sqlc), or of any such file where `file` is ""


class ModelUse(Record, frozen=True):
    """A use of a class or model that a mapper ties to a table."""

    row: int
    owner: int
    model: str  # as written: "User", "models.User", "user" of prisma.user; a relation in its turn: "User.posts"
    framework: str  # sqlalchemy, django, activerecord, prisma, typeorm, jpa, drizzle, gorm, ecto, linq, ...
    access: Access
    fields: tuple[tuple[str, bool], ...] = ()  # names as in code, and whether it is written; "a.b" goes over relations
    whole: bool = False  # rows come back as objects, or go in as such, so every mapped column takes part


class TableParameter(Record, frozen=True):
    """A parameter of a function that becomes the name of a table in SQL of the function."""

    owner: int  # the function
    name: str
    position: int  # among the parameters that a caller gives: without self
    access: Access


class ColumnParameter(Record, frozen=True):
    """A parameter of a function that becomes columns in SQL of the function: a name, a list, or the keys of a row."""

    owner: int  # the function
    name: str
    position: int  # as of a TableParameter
    write: bool
    table: str = ""  # the table that has them, as written
    table_parameter: str = ""  # or the parameter that names it


class StatementParameter(Record, frozen=True):
    """A parameter of a function that the function runs as SQL."""

    owner: int  # the function
    name: str
    position: int  # as of a TableParameter


class Handed(Record, frozen=True):
    """What a call is given that may name tables or columns: literals, or a parameter of the function around."""

    row: int
    owner: int
    callee: str  # as written: "self.pool.insert"; behind a function that is an argument too: that function
    position: int  # among the arguments without a name; -1 for one with a name
    name: str = ""  # of the argument
    text: str = ""  # what the literal says
    words: tuple[str, ...] = ()  # those of a list of literals, or the keys of a row
    parameter: str = ""  # the name of one of the owner, and its position
    parameter_position: int = -1
    is_behind: bool = False  # the callee is an argument of the call, and this one stands behind it: submit(f, "users")


class ConstantText(Record, frozen=True):
    """A constant or field whose value is a word, which may be the name of a table."""

    owner: int  # the constant
    text: str


class DataUses(Record, frozen=True):
    """All that a file does to tables."""

    statements: tuple[Statement, ...] = ()
    referred: tuple[Referred, ...] = ()
    models: tuple[ModelUse, ...] = ()
    parameters: tuple[TableParameter, ...] = ()
    handed: tuple[Handed, ...] = ()
    column_parameters: tuple[ColumnParameter, ...] = ()
    statement_parameters: tuple[StatementParameter, ...] = ()
    texts: tuple[ConstantText, ...] = ()


NO_USES = DataUses()
