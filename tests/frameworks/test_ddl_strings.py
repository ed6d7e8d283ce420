"""DDL in strings of code to operations."""

from __future__ import annotations

import subprocess
import sys

import pytest

from coderag.catalog.fold import fold
from coderag.frameworks.common.code_upgrades import without_upgrades
from coderag.frameworks.registry import read_code
from coderag.sql.ddl.parse_file import parse_file
from coderag.sql.records import CreateTable, Facts, SchemaFile, Series
from coderag.sql.settings import Settings
from tests.frameworks.show import show

GO = """\
package database

import "database/sql"

var migrations = []func(tx *sql.Tx) error{
	func(tx *sql.Tx) error {
		_, err := tx.Exec(`
			CREATE TABLE users (id serial primary key, name text not null);
			CREATE TABLE sessions (id serial primary key, user_id int references users(id));
		`)
		return err
	},
	func(tx *sql.Tx) error {
		sql := `UPDATE users SET name = '';
			ALTER TABLE users ADD COLUMN theme text default 'light'`
		_, err := tx.Exec(sql)
		return err
	},
	func(tx *sql.Tx) error {
		_, err := tx.Exec("DROP TABLE " + "sessions")
		return err
	},
}

func Rollback(tx *sql.Tx) { tx.Exec("ALTER TABLE users DROP COLUMN theme") }
"""
PHP = """\
<?php
$GLOBALS['SQL_CREATE_TABLES'] = <<<'SQL'
CREATE TABLE IF NOT EXISTS `feed` (`id` INTEGER PRIMARY KEY, `url` VARCHAR(100) NOT NULL);
SQL;
$more = <<<SQL
CREATE TABLE entry (id INTEGER, feed_id INTEGER REFERENCES feed(id), kind {$type});
SQL;
$other = <<<SQL
CREATE TABLE {$prefix}cache (id INTEGER);
SQL;
$GLOBALS['SQL_DROP_TABLES'] = <<<'SQL'
DROP TABLE IF EXISTS `feed`;
SQL;
throw new Exception("CREATE TABLE oops (id int)");
"""
SCRIPT = """\
const { Pool } = require('pg');
const NAME = 'orders';
exports.setup = (pool) => pool.query(`create table ${NAME} (id int primary key, total numeric not null)`);
exports.wipe = (pool) => pool.query('drop table orders');
"""


def facts(text: str, *, language: str, path: str) -> Facts:
    return read_code(text.encode(), language=language, path=path) or Facts()


def test_statements_of_go_are_read_in_their_order() -> None:
    found = facts(GO, language="go", path="internal/database/migrations.go")
    assert show(found) == [
        "table users",
        "  id serial not null identity",
        "  name text not null",
        "  primary key id",
        "table sessions",
        "  id serial not null identity",
        "  user_id int",
        "  primary key id",
        "  key user_id to users (id)",
        "add users: theme text default 'light'",
        "drop table sessions",
    ]
    made = [operation.table for operation in found.operations if isinstance(operation, CreateTable)]
    assert [table.sources[0].start_line for table in made] == [8, 9]


def test_heredocs_of_php_tell_and_what_is_computed_is_not_guessed() -> None:
    assert show(facts(PHP, language="php", path="app/install.sql.sqlite.php")) == [
        "table feed",
        "  id INTEGER not null",
        "  url VARCHAR(100) not null",
        "  primary key id",
        "table entry",
        "  id INTEGER",
        "  feed_id INTEGER",
        "  kind",
        "  key feed_id to feed (id)",
        "lost 5: computed at run time",
        "lost 8: computed at run time",
    ]


def test_constants_are_filled_in_and_cleaning_up_is_no_migration() -> None:
    assert show(facts(SCRIPT, language="javascript", path="lib/store.js")) == [
        "table orders",
        "  id int not null",
        "  total numeric not null",
        "  primary key id",
    ]


def test_files_named_by_numbers_are_a_series_and_their_way_back_is_not_applied() -> None:
    text = """package m
func init() { goose.AddMigration(upUsers, downUsers) }
func upUsers(tx *sql.Tx) error { _, err := tx.Exec("CREATE TABLE users (id int)"); return err }
func downUsers(tx *sql.Tx) error { _, err := tx.Exec("DROP TABLE users"); return err }
"""
    found = facts(text, language="go", path="db/migrations/00002_users.go")
    assert found.series == Series("code", version="00002", name="00002_users")
    assert show(found) == ["table users", "  id int"]


def test_files_named_by_a_word_and_a_time_are_a_series() -> None:
    text = """import { Migration } from "@mikro-orm/migrations"
export class Migration20240205173216 extends Migration {
  async up() { this.addSql("CREATE TABLE region (id text)") }
  async down() { this.addSql("DROP TABLE region") }
}
"""
    found = facts(text, language="typescript", path="src/migrations/Migration20240205173216.ts")
    assert found.series == Series("code", version="20240205173216", name="Migration20240205173216")
    assert show(found) == ["table region", "  id text"]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("store_test.go", 'package x\nvar a = "CREATE TABLE users (id int)"'),
        ("parser/testdata/x.go", 'package x\nvar a = "CREATE TABLE users (id int)"'),
        ("dialect.go", 'package x\nfunc f(t string) string { return "CREATE TABLE " + t + " (id int)" }'),
        ("help.go", 'package x\nfunc f() { fmt.Errorf("CREATE TABLE users (id int) failed") }'),
        ("words.go", 'package x\nvar a = "To create table users, run ALTER TABLE first"'),
        ("admin.go", 'package x\nfunc f() { db.Exec("ALTER TABLE users ADD COLUMN x int") }'),
    ],
)
def test_what_is_no_schema_is_left_out(path: str, text: str) -> None:
    assert read_code(text.encode(), language="go", path=path) is None


def test_editions_in_one_file_are_one_table() -> None:
    text = """package x
var sqlite = `CREATE TABLE users (id integer primary key autoincrement)`
var postgres = `CREATE TABLE users (id serial primary key)`
"""
    assert show(facts(text, language="go", path="schema.go"))[0] == "table users"
    assert len(facts(text, language="go", path="schema.go").operations) == 1


UPGRADE = """package m
func V2(db *sqlx.DB) error {
	_, err := db.Exec("ALTER TABLE users ADD COLUMN theme text; CREATE TABLE tags (id int)")
	return err
}
"""


def test_code_that_upgrades_what_other_files_state_is_no_account_of_the_schema() -> None:
    upgrade = SchemaFile("internal/migrations/v2.go", facts(UPGRADE, language="go", path="internal/migrations/v2.go"))
    whole = SchemaFile("schema.sql", parse_file(b"CREATE TABLE users (id int, theme text);", path="schema.sql"))
    assert show(without_upgrades([upgrade, whole])[0][0].facts) == []
    assert show(without_upgrades([upgrade])[0][0].facts) == ["add users: theme text", "table tags", "  id int"]
    own = SchemaFile("database/migrations.go", facts(GO, language="go", path="database/migrations.go"))
    assert without_upgrades([own, whole]) == ([own, whole], [])


def test_few_tables_made_in_code_beside_a_stated_schema_are_reported_and_left_out() -> None:
    code = 'db.execute("CREATE TABLE _temp_rooms (id int)")\n'
    aside = SchemaFile("app/search.py", facts(code, language="python", path="app/search.py"))
    tables = "".join(f"CREATE TABLE t{number} (id int);" for number in range(10))
    whole = SchemaFile("schema.sql", parse_file(tables.encode(), path="schema.sql"))
    (first, _), problems = without_upgrades([aside, whole])
    assert first.facts.operations == ()
    assert [(problem.path, problem.line, problem.text.split(":")[0]) for problem in problems] == [
        ("app/search.py", 1, "_temp_rooms")
    ]
    assert without_upgrades([aside]) == ([aside], [])


def test_a_ledger_of_migrations_is_left_out_without_a_word() -> None:
    code = 'db.execute("CREATE TABLE schema_migrations (version int)")\n'
    ledger = SchemaFile("app/migrate.py", facts(code, language="python", path="app/migrate.py"))
    tables = "".join(f"CREATE TABLE t{number} (id int);" for number in range(10))
    whole = SchemaFile("schema.sql", parse_file(tables.encode(), path="schema.sql"))
    (first, _), problems = without_upgrades([ledger, whole])
    assert (first.facts.operations, problems) == ((), [])


def test_tables_that_only_code_makes_stay() -> None:
    code = 'db.execute("CREATE TABLE recent AS SELECT 1 AS id")\n'
    only = SchemaFile("app/search.py", facts(code, language="python", path="app/search.py"))
    assert without_upgrades([only]) == ([only], [])


def test_braces_of_a_default_are_no_hole() -> None:
    found = facts(
        "var x = `CREATE TABLE t (id int, data jsonb DEFAULT '{}' NOT NULL)`", language="go", path="schema.go"
    )
    assert found.unparsed == ()
    (created,) = (operation for operation in found.operations if isinstance(operation, CreateTable))
    assert [(column.name, column.default) for column in created.table.columns] == [("id", ""), ("data", "'{}'")]


def test_hostile_strings_end() -> None:
    deep = "(" * 5_000 + "'CREATE TABLE a (id int)'" + ")" * 5_000
    joined = " . ".join(["'CREATE TABLE a (id int'"] + ["' , b int'"] * 3_000)
    comments = "/*" * 20_000 + "-- \n" * 20_000
    circle = "ALTER TABLE a RENAME TO b; ALTER TABLE b RENAME TO a; " * 200
    for body in (
        f"$x = {deep};",
        f"$x = {joined};",
        f"$x = '{comments} CREATE TABLE a (id int)';",
        f"$x = '{circle}';",
    ):
        read_code(f"<?php\n{body}\n$y = 'CREATE TABLE z (id int)';".encode(), language="php", path="migrations/1_x.php")


NEWEST_FIRST = """\
<?php
namespace Schema;

function version_11(PDO $pdo)
{
    $pdo->exec('ALTER TABLE "users" ADD COLUMN "role" VARCHAR(25) NOT NULL DEFAULT \\''.Role::APP_USER."'");
    $pdo->exec('DROP TABLE config');
}

function version_2(PDO $pdo)
{
    $pdo->exec('ALTER TABLE users RENAME COLUMN login TO username');
}

function version_1(PDO $pdo)
{
    $pdo->exec('CREATE TABLE users (id INTEGER PRIMARY KEY, login TEXT)');
    $pdo->exec('CREATE TABLE config (name TEXT)');
}
"""


def test_numbered_functions_are_applied_in_the_order_of_their_numbers() -> None:
    found = read_code(NEWEST_FIRST.encode(), language="php", path="app/Schema/Postgres.php")
    assert found is not None
    schema = fold([SchemaFile("app/Schema/Postgres.php", found)], Settings())
    assert [(table.name.name, [column.name for column in table.columns]) for table in schema.tables] == [
        ("users", ["id", "username", "role"])
    ]
    assert schema.problems == ()


IN_LANGUAGES = {
    "python": """\
SQL = textwrap.dedent('''
    CREATE TABLE notes (id int, kind text);
''').strip()
db.execute("create table tags "
           "(id int, " + extra + ")")
TEMPLATE = "\\n".join(("create table unfinished (", ")"))

def probe():
    sqlite3.connect(":memory:").execute("create table t (id int)")
""",
    "java": """\
class Store {
    static final String NAME = "notes";
    void make(SQLiteDatabase db) {
        db.execSQL("CREATE TABLE " + NAME + " (id INTEGER PRIMARY KEY, kind TEXT)");
        db.execSQL(\"\"\"
            create table tags (id int)\"\"\");
    }
}
""",
    "kotlin": """\
fun make() {
    db.execSQL(\"\"\"create table notes (id int, kind text)\"\"\")
    db.execSQL("create table tags (" + "id int)")
}
""",
    "csharp": """\
class Store {
    void Make() {
        c.Execute(@"create table notes (id int, kind text)");
        c.Execute($"create table tags (id int, {extra} int)");
    }
}
""",
    "rust": """\
fn make() {
    c.execute("create table notes (id int, kind text)");
    c.execute(r#"create table tags (id int)"#);
}
""",
    "ruby": """\
db.execute(<<~SQL)
  create table notes (id int, kind text)
SQL
db.execute 'create table tags (id int)'
""",
    "swift": """\
try db.execute(sql: "create table notes (id int, kind text)")
try db.execute(sql: \"\"\"
  create table tags (id int)
  \"\"\")
""",
    "dart": """\
void make() {
  db.execute('create table notes ' '(id int, kind text)');
  db.execute('''create table tags (id int)''');
}
""",
}


@pytest.mark.parametrize("language", sorted(IN_LANGUAGES))
def test_strings_of_any_language_declare_tables(language: str) -> None:
    found = read_code(IN_LANGUAGES[language].encode(), language=language, path="src/store")
    assert found is not None
    assert [
        (operation.table.name.name, [column.name for column in operation.table.columns])
        for operation in found.operations
        if isinstance(operation, CreateTable)
    ] == [("notes", ["id", "kind"]), ("tags", ["id"])]


LOADED = """
import sys
from coderag.frameworks.registry import load_frameworks, read_code

load_frameworks()
before = set(sys.modules)
facts = read_code(b'var schema = []string{"CREATE TABLE t (id int)"}', language="go", path="storage.go")
print(len(facts.operations), sorted(set(sys.modules) - before))
"""


@pytest.mark.slow
def test_nothing_is_left_to_load_for_the_first_file() -> None:
    ended = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert ended.stdout.split(maxsplit=1)[0] == "1"
    assert "coderag." not in ended.stdout
