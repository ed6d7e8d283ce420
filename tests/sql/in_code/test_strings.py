"""SQL in the strings of code: which tables and columns a function is told to read and write."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coderag.sql.in_code.records import DataUses, Statement
from coderag.sql.in_code.strings import read_strings
from coderag.syntax.language import detect
from coderag.syntax.lines import Lines
from coderag.syntax.outline import Outline, outline_tree
from coderag.syntax.parsed import parse_code

NAMES = ("a.py", "a.js", "a.ts", "a.tsx", "a.go", "a.java", "a.kt", "a.cs", "a.rb", "a.php", "a.rs", "a.scala", "a.ex")
OTHERS = ("a.c", "a.cpp", "a.swift", "a.dart")


def read(path: str, text: str) -> tuple[Outline, DataUses]:
    language = detect(path)
    assert language is not None
    parsed = parse_code(Lines(textwrap.dedent(text).encode()), language)
    outline = outline_tree(parsed, split_above=12_000)
    return outline, read_strings(parsed, outline, path=path)


def told(path: str, text: str, *, sure: bool | None = True) -> list[str]:
    """Return the tables of a file with what is done to them, a "*" behind one of which all columns are meant."""
    _, uses = read(path, text)
    return list(dict.fromkeys(table for each in statements(uses.statements, sure) for table in tables(each)))


def statements(found: Iterable[Statement], sure: bool | None) -> list[Statement]:
    plain = (one for one in found if one.given is None or not one.given.decides)  # the graph decides of the others
    return [one for one in plain if sure is None or one.sure == sure]


def tables(statement: Statement) -> list[str]:
    return [f"{use.access} {use.table}{'*' if use.whole else ''}" for use in statement.tables]


def columns(path: str, text: str) -> list[str]:
    """Return the columns of a file's statements, a "!" before one that is written."""
    _, uses = read(path, text)
    return sorted(
        {
            f"{'!' if use.write else ''}{'|'.join(map(str, use.tables))}.{use.column}"
            for statement in uses.statements
            for use in statement.columns
        }
    )


def python(body: str) -> str:
    return "def f(cur, x, cols):\n" + textwrap.indent(textwrap.dedent(body), "    ")


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM t", ["read t"]),
        ("SELECT * FROM t JOIN u ON t.i = u.i", ["read t*", "read u*"]),
        ("SELECT t.* FROM t, u", ["read t*", "read u"]),
        ("SELECT COUNT(*) FROM t WHERE EXISTS (SELECT * FROM u)", ["read t", "read u"]),
        ("INSERT INTO t (a) VALUES (%s)", ["write t"]),
        ("INSERT INTO t SELECT a FROM u", ["read u", "write t*"]),
        ("INSERT INTO t (a) VALUES (1) ON CONFLICT (a) DO UPDATE SET b = excluded.b RETURNING id", ["write t"]),
        ("UPDATE t SET a = u.a FROM u WHERE u.i = t.i", ["read u", "write t"]),
        ("UPDATE t SET a = 1 RETURNING *", ["write t", "read t*"]),
        ("DELETE FROM t USING u WHERE u.i = t.i", ["read u", "delete t*"]),
        ("TRUNCATE TABLE t", ["delete t*"]),
        ("MERGE INTO t USING u ON t.i = u.i WHEN MATCHED THEN UPDATE SET a = u.a", ["read u", "write t"]),
        ("WITH t AS (SELECT a FROM u) SELECT a FROM t", ["read u"]),
        ("SELECT a FROM t UNION ALL SELECT b FROM u", ["read t", "read u"]),
        ("SELECT a FROM public.users", ["read public.users"]),
        ('SELECT a FROM "Order Items"', ["read Order Items"]),
        ("CREATE TABLE t (a int)", ["ddl t"]),
        ("ALTER TABLE t ADD COLUMN a int", ["ddl t"]),
        ("DROP TABLE IF EXISTS t", ["ddl t"]),
        ("CREATE INDEX i ON t (a)", ["ddl t"]),
        ("EXPLAIN ANALYZE SELECT a FROM t", ["read t"]),
        ("REPLACE INTO t (a) VALUES (1)", ["write t"]),
        ("INSERT OR REPLACE INTO t (a) VALUES (1)", ["write t"]),
        ("SELECT a FROM t; DELETE FROM u;", ["read t", "delete u*"]),
    ],
)
def test_what_statements_do_to_tables(sql: str, expected: list[str]) -> None:
    assert told("a.py", python(f"cur.execute({sql!r})")) == expected


def test_columns_belong_to_their_tables() -> None:
    text = python('cur.execute("UPDATE t SET a = %s, b = b + 1 WHERE id IN (SELECT u.t_id FROM users u)", x)')
    assert columns("a.py", text) == ["!t.a", "!t.b", "t.b", "t.id", "users.t_id"]


def test_a_temporary_table_is_no_table_of_the_schema() -> None:
    text = """
        cur.execute("CREATE TEMP TABLE mine AS SELECT id FROM t")
        cur.execute("SELECT id FROM mine")
    """
    assert told("a.py", python(text)) == ["read t"]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT a FROM t WHERE b = ?",
        "SELECT a FROM t WHERE b = $1 AND c = $2::uuid",
        "SELECT a FROM t WHERE b = :b LIMIT :n",
        "SELECT a FROM t WHERE b = %s AND c LIKE '%%x'",
        "SELECT a FROM t WHERE b = %(b)s",
        "SELECT a FROM t WHERE b = @p1",
        "SELECT a FROM t WHERE b IN ?",
        "SELECT a FROM t WHERE b = #{b}",
        "SELECT a FROM t WHERE b = {0}",
        "SELECT a FROM t WHERE ?? = ?",
    ],
)
def test_placeholders_of_drivers(sql: str) -> None:
    _, uses = read("a.py", python(f"cur.execute({sql!r})"))
    assert [tables(statement) for statement in uses.statements] == [["read t"]]
    assert not uses.statements[0].lost
    assert not uses.statements[0].holes


@pytest.mark.parametrize(
    "body",
    [
        'cur.execute("SELECT a " "FROM t")',
        'cur.execute("SELECT a " + "FROM t")',
        'cur.execute("SELECT {} FROM t".format("a"))',
        'cur.execute("SELECT %s FROM t" % "a")',
        "name = 't'\ncur.execute(f'SELECT a FROM {name}')",
        'cur.execute(f"SELECT a FROM t {x}")',
        'cur.execute(f"SELECT a FROM t WHERE {x} ORDER BY {x} {x} LIMIT {x}")',
        'cur.execute(f"SELECT a FROM t WHERE a {x} 3")',
        "cur.execute(f\"SELECT DISTINCT {x} a FROM {x}.t AS b WHERE b.a = '{x}'\")",
        'sql = "SELECT a"\nsql += " FROM t"\ncur.execute(sql)',
        'sql = "SELECT a FROM t"\nif x:\n    sql += " WHERE a = 1"\nelse:\n    sql += " ORDER BY a"\ncur.execute(sql)',
        'parts = ["SELECT a"]\nparts.append("FROM t")\nif x:\n    parts.append("WHERE a = 1")\n'
        'cur.execute("\\n".join(parts))',
        'cur.execute("SELECT a FROM t WHERE a IN (%s)" % ",".join(["%s"] * len(x)))',
        'cur.execute("SELECT a FROM t" + (" WHERE a = 1" if x else ""))',
        'cur.execute(textwrap.dedent("""\n    SELECT a\n    FROM t\n"""))',
        'cur.execute(sql.SQL("SELECT {} FROM {}").format(sql.Identifier("a"), sql.Identifier("t")))',
    ],
)
def test_text_that_is_put_together(body: str) -> None:
    assert columns("a.py", python(body)) == ["t.a"]
    assert told("a.py", python(body)) == ["read t"]


def test_both_ways_of_a_condition_count() -> None:
    body = """
        if x:
            sql = "SELECT a FROM one_t"
        elif cols:
            sql = "SELECT a FROM two_t"
        else:
            sql = "SELECT a FROM three_t"
        cur.execute(sql)
    """
    assert told("a.py", python(body)) == ["read one_t", "read two_t", "read three_t"]
    body = 'for name in ("one_t", "two_t"):\n    cur.execute(f"DELETE FROM {name}")'
    assert told("a.py", python(body)) == ["delete one_t*", "delete two_t*"]


def test_a_table_that_is_known_at_run_time_only_is_a_hole() -> None:
    for body in ('cur.execute(f"SELECT a FROM {x}")', 'cur.execute("DELETE FROM logs_%s" % x)'):
        _, uses = read("a.py", python(body))
        assert [(statement.tables, statement.columns, statement.holes) for statement in uses.statements] == [
            ((), (), True)
        ]


def test_names_are_followed_to_what_runs_them() -> None:
    text = """
        FIND = "SELECT a FROM t WHERE b = %s"
        QUERIES = {"all": "SELECT a FROM u"}

        class Store:
            DROP = "DELETE FROM v"

            def find(self, cur):
                cur.execute(FIND, [1])
                cur.execute(QUERIES["all"])

            def drop(self, cur):
                self.run(cur, self.DROP)

            def run(self, cur, sql):
                cur.execute(sql)

        def build(x):
            sql = "SELECT a FROM w"
            if x:
                sql += " WHERE a = 1"
            return sql, []

        def use(cur):
            sql, values = build(1)
            cur.execute(sql, values)
    """
    outline, uses = read("a.py", text)
    found = {(outline.definitions[statement.owner].qualified_name, *tables(statement)) for statement in uses.statements}
    assert found == {
        ("Store.find", "read t"),
        ("Store.find", "read u"),
        ("Store.drop", "delete v*"),
        ("use", "read w"),
    }


MAPPERS = """
    class Reads {
      private final JdbcTemplate jdbc;
      private final Cats cats = new Cats();
      private final Dogs dogs;
      Reads(JdbcTemplate jdbc) { this.jdbc = jdbc; this.dogs = new Dogs(); }
      void local() {
        final Birds mapper = new Birds();
        final String sql = "select " + mapper.schema() + " where b.id = ?";
        jdbc.query(sql, mapper);
      }
      void field() { jdbc.query("select " + this.cats.schema(), this.cats); }
      void assigned() { jdbc.query("select " + dogs.schema(), dogs); }
      void other(Unknown mapper) { jdbc.query("select " + mapper.schema(), mapper); }
      static class Birds { public String schema() { return " b.id as id from birds b "; } }
      static class Cats { public String schema() { return " c.id as id from cats c "; } }
      static class Dogs {
        private final String schema;
        Dogs() {
          final StringBuilder builder = new StringBuilder(400);
          builder.append("d.id as id ").append("from dogs d ");
          builder.append("join owners o on o.id = d.owner_id");
          this.schema = builder.toString();
        }
        public String schema() { return this.schema; }
      }
    }
"""


def test_a_long_chain_of_appended_texts() -> None:
    chain = "".join(f'.append("u.c{number}, ")' for number in range(60))
    text = f'StringBuilder sql = new StringBuilder().append("select "){chain}.append("1 from users u");'
    assert told("A.java", f"class A {{ void f() {{ {text} jdbc.query(sql.toString(), mapper); }} }}") == ["read users"]


def test_methods_of_objects_whose_class_the_file_has() -> None:
    outline, uses = read("Reads.java", MAPPERS)
    names = {
        outline.definitions[each.owner].name: [str(use.table) for use in each.tables]
        for each in statements(uses.statements, True)
    }
    assert names == {"local": ["birds"], "field": ["cats"], "assigned": ["dogs", "owners"]}


def test_procedures_are_called_by_their_names() -> None:
    _, uses = read(
        "a.cs",
        """
        class Store {
            void Run(IDbConnection db, string name) {
                db.Execute("[dbo].[Order_Close]", new { id }, commandType: CommandType.StoredProcedure);
                db.Query<Order>($"[{Schema}].[Order_Read]", commandType: CommandType.StoredProcedure);
                db.Query<Order>($"{Schema}.[{Table}_Read]", commandType: CommandType.StoredProcedure);
                db.Query<Order>(name, commandType: CommandType.StoredProcedure);
            }
        }
        """,
    )
    assert [statement.calls for statement in uses.statements] == [("dbo.Order_Close",), ("Order_Read",)]


def test_rows_are_those_of_the_literal() -> None:
    text = 'SQL = """\nSELECT a\nFROM t\n"""\n\ndef f(cur):\n    cur.execute(SQL)\n'
    outline, uses = read("a.py", text)
    assert [(statement.row, statement.last_row) for statement in uses.statements] == [(0, 3)]
    assert outline.definitions[uses.statements[0].owner].name == "f"


def test_what_nothing_runs_is_not_sure() -> None:
    text = 'FIND = "SELECT a FROM t"\n\ndef build():\n    return "SELECT a FROM u"\n'
    outline, uses = read("a.py", text)
    assert [
        (outline.definitions[statement.owner].name, *tables(statement), statement.sure) for statement in uses.statements
    ] == [
        ("FIND", "read t", False),
        ("build", "read u", False),
    ]
    _, uses = read("a.js", "export const queries = { find: 'SELECT a FROM t' };")
    assert [(statement.name, *tables(statement)) for statement in uses.statements] == [("find", "read t")]


def test_what_stands_in_other_files_is_referred_to() -> None:
    text = """
        def f(conn):
            conn.execute(queries.FIND_USER)
            conn.execute(Path("sql/find.sql").read_text())
            queries.drop_user(conn, 1)
    """
    _, uses = read("a.py", text)
    assert not uses.statements
    assert [(one.name, one.file, one.query) for one in uses.referred] == [
        ("queries.FIND_USER", "", ""),
        ("queries.drop_user", "", "drop_user"),
        ("", "sql/find.sql", ""),
    ]
    text = "package a\n//go:embed sql/find.sql\nvar find string\nfunc F() { db.QueryContext(ctx, find) }\n"
    assert "sql/find.sql" in {one.file for one in read("a.go", text)[1].referred}


def test_sql_that_does_not_parse_is_lost_with_the_tables_of_its_words() -> None:
    _, uses = read("a.py", python('cur.execute("SELECT a FROM t WHERE ((( ORDER BY FROM u")'))
    assert [statement.lost for statement in uses.statements] == ["no dialect that was tried reads it"]
    assert "read t" in tables(uses.statements[0])


LANGUAGES = {
    "a.js": """
        const FIND = `SELECT a FROM t`;
        class S {
          async one() { return this.pool.query(FIND); }
          async two(x) { const parts = ["SELECT b"]; if (x) parts.push("FROM u"); return db.all(parts.join(" ")); }
          async three(x) { return prisma.$queryRaw`DELETE FROM v WHERE id = ${x}`; }
          async four() { return pool.query({ text: "UPDATE w SET a = $1", values: [1] }); }
        }
    """,
    "a.ts": """
        export class S {
          private static readonly FIND = "SELECT a FROM t";
          constructor(private pool: Pool) {}
          async one() { return await this.pool.query<Row>(S.FIND); }
          async two() { let s: string = "SELECT b FROM u"; s += ` WHERE c = 1`; return this.pool.query(s); }
          async three(x: number) { return sql<Row[]>`DELETE FROM v WHERE id = ${x}`; }
          async four() { return this.repo.query("UPDATE w SET a = 1"); }
        }
    """,
    "a.go": """
        package a
        const find = `SELECT a ` + "FROM t"
        func (s *S) One(ctx context.Context) { s.db.QueryRowContext(ctx, find) }
        func (s *S) Two() {
            var sb strings.Builder
            sb.WriteString("SELECT b")
            fmt.Fprintf(&sb, " FROM %s", "u")
            s.db.Query(sb.String())
        }
        func (s *S) Three() { tx.Exec(fmt.Sprintf("DELETE FROM %s WHERE a = %d", "v", 1)) }
        func (s *S) Four() { s.dbx.MustExec("UPDATE w SET a = $1", 1) }
    """,
    "a.java": """
        class S {
          private static final String FIND = "SELECT a " + "FROM t";
          void one() { jdbc.query(FIND, mapper); }
          void two(String x) {
            StringBuilder sb = new StringBuilder("SELECT b FROM u");
            if (x != null) { sb.append(" WHERE c = ").append("?"); }
            conn.prepareStatement(sb.toString());
          }
          @Query(value = "DELETE FROM v WHERE id = ?1", nativeQuery = true) void three();
          @Update({"UPDATE w", "SET a = #{a}"}) void four();
        }
    """,
    "a.kt": """
        const val T = "t"
        class S(val jdbc: JdbcTemplate) {
          companion object { const val FIND = "SELECT a FROM $T" }
          fun one() = jdbc.queryForList(FIND)
          fun two(x: String?) { val s = buildString { append("SELECT b FROM u"); if (x != null) append(" WHERE c = 1") }
            jdbc.query(s, mapper) }
          fun three() { db.execSQL("DELETE FROM v") }
          fun four() { jdbc.update("UPDATE w SET a = ${1}".trimIndent()) }
        }
    """,
    "a.cs": """
        class S {
          const string Find = "SELECT a " + "FROM t";
          void One() { conn.Query<User>(Find); }
          void Two(int? x) { var s = $"SELECT b FROM u"; if (x != null) s += " WHERE c = @c"; ctx.Users.FromSqlRaw(s); }
          void Three() { using var cmd = new SqlCommand(@"DELETE FROM v WHERE n = ""x"" OR 1 = 1", conn); }
          void Four() { cmd.CommandText = string.Format("UPDATE {0} SET a = 1", "w"); }
        }
    """,
    "a.rb": """
        class S
          FIND = <<~SQL.freeze
            SELECT a
            FROM t
          SQL
          def one = @conn.exec_params(FIND, [])
          def two(x)
            sql = +"SELECT b FROM u"
            sql << " WHERE c = 1" if x
            ActiveRecord::Base.connection.execute(sql)
          end
          def three = User.find_by_sql(["DELETE FROM v WHERE id = ?", 1])
          def four
            %w[w].each { |name| @conn.exec("UPDATE #{name} SET a = 1") }
          end
        end
    """,
    "a.php": """
        <?php
        class S {
          const FIND = 'SELECT a FROM t';
          private $table = 'v';
          function one() { $this->pdo->prepare(self::FIND); }
          function two($x) { $sql = "SELECT b FROM u"; if ($x) { $sql .= " WHERE c = '$x'"; } $this->db->query($sql); }
          function three() { DB::delete("DELETE FROM {$this->table}"); }
          function four() { mysqli_query($c, sprintf('UPDATE %s SET a = 1', 'w')); }
        }
    """,
    "a.rs": """
        const FIND: &str = "SELECT a FROM t";
        impl S {
          async fn one(&self) { sqlx::query_as::<_, U>(FIND).fetch_one(&self.pool).await?; }
          fn two(&self, x: bool) {
            let mut s = String::from("SELECT b FROM u");
            if x { s.push_str(" WHERE c = 1"); }
            self.conn.prepare(&s)?;
          }
          fn three(&self) { let t = "v"; conn.execute(&format!("DELETE FROM {t}"), [])?; }
          async fn four(&self) { sqlx::query!("UPDATE w SET a = $1", 1).execute(&p).await?; }
        }
    """,
    "a.scala": """
        object Q { val find = "SELECT a " + "FROM t" }
        class S {
          def one = stmt.executeQuery(Q.find)
          def two(x: Int) = (fr"SELECT b FROM u" ++ fr"WHERE c = $x").query[Int]
          def three(x: Int) = sql\"\"\"DELETE FROM v WHERE id = ${x}\"\"\".update.run
          def four = SQL("UPDATE w SET a = 1").executeUpdate()
        }
    """,
    "a.ex": """
        defmodule S do
          @find "SELECT a FROM t"
          def one, do: Repo.query!(@find)
          def two(x) do
            sql = "SELECT b" <> " FROM u"
            Ecto.Adapters.SQL.query(Repo, sql, [x])
          end
          def three, do: "DELETE FROM v" |> Repo.query!()
          def four(conn) do
            Postgrex.query!(conn, ~s(UPDATE w SET a = 1), [])
          end
        end
    """,
    "a.swift": """
        class S {
          static let find = "SELECT a FROM t"
          func one() throws { try Row.fetchAll(db, sql: S.find) }
          func two() throws { try db.execute(sql: "SELECT b " + "FROM u") }
          func three() throws { var s = "DELETE FROM v"; s += " WHERE c = 1"; try db.execute(sql: s) }
          func four() { sqlite3_prepare_v2(db, "UPDATE w SET a = 1", -1, &st, nil) }
        }
    """,
    "a.dart": """
        const find = 'SELECT a FROM t';
        class S {
          Future one() async { await db.rawQuery(find); }
          Future two() async { await db.rawQuery('SELECT b ' 'FROM u'); }
          Future three() async { await db.execute('DELETE FROM v'); }
          Future four() async { var s = 'UPDATE w'; s += ' SET a = 1'; await db.rawUpdate(s); }
        }
    """,
    "a.cpp": """
        #define FIND "SELECT a FROM t"
        static const char* BOTH = "SELECT b " "FROM u";
        void one() { sqlite3_prepare_v2(db, FIND, -1, &st, 0); }
        void two() { sqlite3_exec(db, BOTH, 0, 0, 0); }
        void three() { std::ostringstream o; o << "DELETE " << "FROM v"; conn.exec(o.str()); }
        void four() { PQexec(c, R"(UPDATE w SET a = 1)"); }
    """,
}


@pytest.mark.slow
@pytest.mark.parametrize("path", LANGUAGES)
def test_sql_of_a_language(path: str) -> None:
    found = {one.rstrip("*") for one in told(path, LANGUAGES[path].strip("\n"))}
    assert found == {"read t", "read u", "delete v", "write w"}


DECOYS = {
    "a.py": '''
        """SELECT a FROM t WHERE b = 1"""
        # cur.execute("SELECT a FROM t")
        def f(log, client, shell, parser, x):
            """DELETE FROM t"""
            log.info("SELECT a FROM t WHERE b = %s", x)
            print("INSERT INTO t VALUES (1)")
            title = "Select a user from the list"
            text = "select a user from the list"
            what = "update the record set by admin"
            how = "delete from disk"
            why = "create table of contents"
            where = "with great power", "show tables", "insert into the slot", "drop table by the window"
            client.query("{ users { id } }")
            shell.run("delete from t")
            re.compile(r"SELECT a FROM t")
            assert x == "SELECT a FROM t"
            if x.startswith("SELECT a FROM t"):
                raise ValueError("DELETE FROM t failed")
            parser.add_argument("--x", help="SELECT a FROM t")
            if x:
                return None, "SELECT a FROM t"
            return {"SELECT a FROM t": 1}
    ''',
    "a.js": """
        console.log("SELECT a FROM t");
        it("select a from t", () => {});
        document.querySelector("select option from t");
        throw new Error(`SELECT a FROM t`);
        const message = "SELECT a FROM t";
        expect(sql).toBe("SELECT a FROM t");
        const q = gql`query { select(from: "t") { a } }`;
        db.users.find({ select: "a", from: "t" });
    """,
    "a.go": """
        package a
        // SELECT a FROM t
        func TestX(t *testing.T) {
            t.Run("SELECT a FROM t", func(t *testing.T) {})
            t.Errorf("SELECT a FROM t: %v", err)
            log.Printf("DELETE FROM t")
            if err != nil { return errors.New("SELECT a FROM t WHERE b = 1") }
            return fmt.Errorf("update t set a: %w", err)
        }
    """,
    "a.java": """
        /** SELECT a FROM t */
        class S {
          @DisplayName("SELECT a FROM t") void f() {
            log.info("SELECT a FROM t");
            em.createQuery("DELETE FROM T x");
            throw new IllegalStateException("UPDATE t SET a = 1");
          }
          @Query("SELECT u FROM User u") void g();
        }
    """,
    "a.rb": """
        # SELECT a FROM t
        describe "SELECT a FROM t" do
          it("DELETE FROM t") { logger.debug { "INSERT INTO t VALUES (1)" } }
          raise ArgumentError, "UPDATE t SET a = 1"
        end
    """,
}


@pytest.mark.parametrize("path", DECOYS)
def test_what_is_no_sql(path: str) -> None:
    assert told(path, DECOYS[path].strip("\n"), sure=None) == []


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.sampled_from((*NAMES, *OTHERS)), st.lists(st.sampled_from(list(LANGUAGES.values())), max_size=2), st.data())
def test_any_text_is_read(path: str, texts: list[str], data: st.DataObject) -> None:
    text = "\n".join(texts)
    start = data.draw(st.integers(0, len(text)))
    broken = (
        text[:start]
        + data.draw(st.text(alphabet="\"'`{}()$#%\\\n \x00é<>=+.;,SELECTFROMa", max_size=30))
        + text[start:]
    )
    outline, uses = read(path, broken)
    rows = broken.count("\n") + 1
    for statement in uses.statements:
        assert 0 <= statement.row <= statement.last_row <= rows
        assert -1 <= statement.owner < len(outline.definitions)


@pytest.mark.slow
def test_deep_and_large_texts_end() -> None:
    deep = "(" * 3_000 + "SELECT a FROM t" + ")" * 3_000
    assert told("a.py", f"cur.execute({deep!r})") == ["read t"]
    long = "SELECT " + ", ".join(f"c{number}" for number in range(6_000)) + " FROM t"
    assert told("a.py", f"cur.execute({long!r})") == ["read t"]
    chain = " + ".join(['"SELECT a FROM t "'] * 3_000)
    read("a.py", f"cur.execute({chain})")
    circle = "\n".join(f"a{number} = a{number + 1}" for number in range(300)) + "\na300 = a0 + 'SELECT a FROM t'\n"
    read("a.py", circle + "cur.execute(a0)\n")
