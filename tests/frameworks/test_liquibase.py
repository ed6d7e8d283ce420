"""Changelogs of Liquibase to operations, the same in XML, YAML and JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import coderag
from coderag.frameworks.registry import read_code
from coderag.sql.records import CreateTable, Facts
from tests.frameworks.show import show
from tests.workspace import write

PATH = "db/changelog/20240102-shop.xml"
SHOP = """<?xml version="1.0" encoding="UTF-8"?>
<lb:databaseChangeLog xmlns:lb="http://www.liquibase.org/xml/ns/dbchangelog">
  <lb:property name="text" value="varchar(40)" dbms="postgresql"/>
  <lb:property name="text" value="clob" dbms="h2"/>
  <lb:changeSet id="1" author="a">
    <lb:createTable tableName="orders" schemaName="${schema}" remarks="what was bought">
      <lb:column name="id" type="java.sql.Types.BIGINT" autoIncrement="true">
        <lb:constraints primaryKey="true" nullable="false"/></lb:column>
      <lb:column name="number" type="${text}" remarks="shown">
        <lb:constraints nullable="false" unique="true"/></lb:column>
      <lb:column name="state" type="varchar(9)" defaultValue="it's open"/>
      <lb:column name="paid" type="boolean" defaultValueBoolean="false"/>
      <lb:column name="at" type="${unknown}" defaultValueComputed="CURRENT_TIMESTAMP"/>
      <lb:column name="shop_id" type="int"><lb:constraints foreignKeyName="fk" references="main.shops(id)"/></lb:column>
    </lb:createTable>
    <lb:rollback><lb:dropTable tableName="orders"/></lb:rollback>
  </lb:changeSet>
  <lb:changeSet id="2" author="a">
    <lb:preConditions onFail="MARK_RAN"><lb:not><lb:tableExists tableName="lines"/></lb:not></lb:preConditions>
    <lb:createTable tableName="lines"><lb:column name="order_id" type="bigint"/></lb:createTable>
    <lb:addColumn tableName="lines"><lb:column name="n" type="int" afterColumn="order_id"/></lb:addColumn>
    <lb:addPrimaryKey tableName="lines" columnNames="order_id, n"/>
    <lb:addForeignKeyConstraint baseTableName="lines" baseColumnNames="order_id" constraintName="lo"
        referencedTableName="orders" referencedColumnNames="id"/>
    <lb:createIndex tableName="lines" indexName="i"><lb:column name="n"/></lb:createIndex>
    <lb:createIndex tableName="lines" indexName="u" unique="true"><lb:column name="n"/></lb:createIndex>
    <lb:addNotNullConstraint tableName="lines" columnName="n"/>
    <lb:modifyDataType tableName="lines" columnName="n" newDataType="bigint"/>
    <lb:renameColumn tableName="lines" oldColumnName="n" newColumnName="position"/>
    <lb:dropColumn tableName="orders" columnName="paid"/>
    <lb:dropColumn tableName="orders"><lb:column name="at"/></lb:dropColumn>
    <lb:renameTable oldTableName="lines" newTableName="order_lines"/>
    <lb:insert tableName="orders"><lb:column name="number" value="1"/></lb:insert>
    <lb:sql>CREATE TABLE notes (id int); INSERT INTO notes VALUES (1)</lb:sql>
    <lb:dropTable tableName="${which}"/>
    <lb:tagDatabase tag="x"/>
  </lb:changeSet>
</lb:databaseChangeLog>
"""
SHOWN = """table orders: what was bought
  id bigint not null identity
  number varchar(40) not null -- shown
  state varchar(9) default 'it''s open'
  paid boolean default false
  at default CURRENT_TIMESTAMP
  shop_id int
  primary key id
  unique number
  key shop_id to main.shops (id)
table lines
  order_id bigint
add lines: n int
constrain lines primary key order_id, n
constrain lines lo key order_id to orders (id)
constrain lines u unique n
alter lines.n nullable=False
alter lines.n type='bigint'
rename lines.n to position
drop orders.paid
drop orders.at
rename lines to order_lines
table notes
  id int
lost 35: a property that the file does not set"""
YAML = """databaseChangeLog:
  - property: {name: key, value: bigint}
  - changeSet:
      id: 1
      author: a
      changes:
        - createTable:
            tableName: users
            columns:
              - column:
                  name: id
                  type: ${key}
                  autoIncrement: true
                  constraints:
                    primaryKey: true
                    nullable: false
              - column: {name: mail, type: varchar(90), defaultValueComputed: null}
        - sql:
            sql: ALTER TABLE users ADD COLUMN age int
      rollback:
        - dropTable: {tableName: users}
"""
YAML_SHOWN = """table users
  id bigint not null identity
  mail varchar(90)
  primary key id
add users: age int"""
AS_JSON = {
    "databaseChangeLog": [
        {
            "changeSet": {
                "id": "1",
                "changes": [
                    {"createTable": {"tableName": "tags", "columns": [{"column": {"name": "id", "type": "int"}}]}},
                    {"addUniqueConstraint": {"tableName": "tags", "columnNames": "id", "constraintName": "u"}},
                ],
            }
        }
    ]
}


def read(text: str, language: str = "xml", path: str = PATH) -> Facts | None:
    return read_code(text.encode(), language=language, path=path)


def shown(facts: Facts | None) -> str:
    assert facts is not None
    return "\n".join(show(facts))


def test_xml() -> None:
    assert shown(read(SHOP)) == SHOWN


def test_yaml_and_json() -> None:
    assert shown(read(YAML, "yaml")) == YAML_SHOWN
    assert shown(read(json.dumps(AS_JSON), "json")) == "table tags\n  id int\nconstrain tags u unique id"


def test_the_place_of_a_changelog_is_the_number_in_its_name() -> None:
    facts = read(SHOP)
    assert facts is not None
    assert facts.series is not None
    assert (facts.series.tool, facts.series.version) == ("liquibase", "20240102")
    [orders, *_] = facts.operations
    assert (orders.table.sources[0].start_line, orders.table.sources[0].end_line) == (6, 15)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "text",
    [
        "<databaseChangeLog><changeSet>",
        "<other><databaseChangeLog/><changeSet/></other>",
        '<!DOCTYPE x [<!ENTITY a "aaaa">]><databaseChangeLog><changeSet><sql>&a;</sql></changeSet></databaseChangeLog>',
        "<databaseChangeLog>" + "<changeSet>" * 5_000,
    ],
)
def test_what_is_no_changelog_says_nothing(text: str) -> None:
    facts = read(text)
    assert facts is None or not facts.operations


def test_changelogs_are_indexed_though_other_configuration_is_not(tmp_path: Path) -> None:
    files = {
        "src/main/resources/db/changelog/1-shop.yaml": YAML,
        "src/main/resources/db/changelog/notes.yaml": "a: 1\n",
        "src/main/resources/application.yaml": "spring: {}\n",
    }
    with coderag.Index.build(write(tmp_path, files), encoder="none", workers=0) as index:
        assert [(table.name.name, len(table.columns)) for table in index.tables()] == [("users", 3)]
        assert [hit.chunk.path for hit in index.search("users", k=5)] == ["src/main/resources/db/changelog/1-shop.yaml"]


def test_what_is_done_on_one_database_only_may_be_there_before(tmp_path: Path) -> None:
    changes = """<databaseChangeLog>
      <property name="kind" value="int"/>
      <changeSet id="1"><createTable tableName="t"><column name="id" type="int"/></createTable></changeSet>
      <changeSet id="2" dbms="mysql"><sql>CREATE TABLE t (other ${kind}); DROP TABLE gone</sql></changeSet>
      <changeSet id="3"><sql dbms="h2">ALTER TABLE t ADD COLUMN id int</sql></changeSet>
    </databaseChangeLog>"""
    root = write(tmp_path, {"db/changelog/1.xml": changes})
    with coderag.Index.build(root, encoder="none", workers=0) as index:
        [table] = index.tables()
        assert [column.name for column in table.columns] == ["id"]
        [status] = index.status(compare=False)
    assert status.schema is not None
    assert len(status.schema.conflicts) == 1  # neither that "gone" is dropped nor that "id" is there
    assert "the first counts" in status.schema.conflicts[0].text


VIEWS = """<databaseChangeLog>
  <property name="state" value="'open'"/>
  <changeSet id="1">
    <createView viewName="a">SELECT id FROM ${schema}.t WHERE s = ${state}</createView>
    <createView viewName="a" replaceIfExists="true" selectQuery="SELECT id, n FROM t"/>
    <createView viewName="b" fullDefinition="true">CREATE VIEW b AS SELECT n FROM t</createView>
    <createView viewName="c">SELECT ${what} FROM t</createView>
    <createView viewName="d" path="views/d.sql"/>
  </changeSet>
</databaseChangeLog>"""


def test_views() -> None:
    facts = read(VIEWS)
    assert facts is not None
    views = [operation for operation in facts.operations if isinstance(operation, CreateTable)]
    assert [(view.table.name.name, view.replace) for view in views] == [("a", False), ("a", True), ("b", False)]
    assert "FROM t WHERE s = 'open'" in views[0].table.query
    assert [one.reason for one in facts.unparsed] == [
        "a property that the file does not set",
        "its query is in another file",
    ]


def test_a_unique_index_that_is_dropped_is_known_by_its_name(tmp_path: Path) -> None:
    changes = """<databaseChangeLog><changeSet id="1">
      <createTable tableName="t">
        <column name="a" type="int"><constraints unique="true"/></column><column name="b" type="int"/>
      </createTable>
      <createIndex tableName="t" indexName="u" unique="true"><column name="b"/></createIndex>
      <dropIndex tableName="t" indexName="u"/>
      <dropIndex tableName="t" indexName="i_a"/>
      <dropIndex indexName="elsewhere"/>
    </changeSet></databaseChangeLog>"""
    with coderag.Index.build(write(tmp_path, {"db/changelog/1.xml": changes}), encoder="none", workers=0) as index:
        [table] = index.tables()
    assert table.unique == (("a",),)
