"""Mappers of MyBatis in XML: their statements are what methods of an interface run."""

from __future__ import annotations

from pathlib import Path

import pytest

from coderag import Index
from coderag.frameworks.usage.query_files import read_query_file
from coderag.graph.records import EdgeKind, NodeKind
from coderag.sql.in_code.records import Statement
from coderag.syntax.lines import Lines
from tests.graph.whole import graph_of
from tests.workspace import write

HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE mapper PUBLIC "-//mybatis.org//DTD Mapper 3.0//EN" "http://mybatis.org/dtd/mybatis-3-mapper.dtd">
"""
MAPPER = """<mapper namespace="shop.OrderMapper">
  <resultMap id="order" type="shop.Order"><id column="id" property="id"/></resultMap>
  <sql id="columns">${alias}.id, ${alias}.status</sql>
  <sql id="from">FROM orders o <if test="withUser">JOIN users u ON u.id = o.user_id</if></sql>
  <select id="find" resultMap="order">
    <bind name="pattern" value="'%' + mail + '%'"/>
    SELECT <include refid="columns"><property name="alias" value="o"/></include>
    <include refid="shop.OrderMapper.from"/>
    <where>
      <if test="mail != null">AND u.email LIKE #{pattern}</if>
      <choose>
        <when test="open">and o.status = 'open'</when>
        <otherwise>and o.closed_at &lt; #{at,jdbcType=TIMESTAMP}</otherwise>
      </choose>
      <if test="ids">AND o.id IN
        <foreach collection="ids" item="id" open="(" separator="," close=")">#{id}</foreach>
      </if>
    </where>
    ORDER BY ${sort}
  </select>
  <update id="close">
    UPDATE orders
    <set><if test="status != null">status = #{status},</if><if test="at != null">closed_at = #{at},</if></set>
    WHERE id = #{id}
  </update>
  <insert id="add">
    <selectKey keyProperty="id" resultType="long" order="BEFORE">SELECT next FROM sequences WHERE name = 'o'</selectKey>
    INSERT INTO orders
    <trim prefix="(" suffix=")" suffixOverrides=","><if test="status">status,</if><if test="a">user_id,</if></trim>
    <trim prefix="VALUES (" suffix=")" suffixOverrides=","><if test="status">#{status},</if>#{user},</trim>
  </insert>
  <delete id="forget"><![CDATA[DELETE FROM orders WHERE id < #{id}]]></delete>
  <select id="count">SELECT count(*) FROM ${table}</select>
  <select id="elsewhere">SELECT <include refid="shop.UserMapper.columns"/> FROM users</select>
  <select id="broken">SELECT id FROM orders WHERE id IN (1 GROUP BY</select>
</mapper>
"""
USES = """\
find: orders read; users read | closed_at, email, id, status, user_id
close: orders write | closed_at=, id, status=
add: orders write; sequences read | name, next, status=, user_id=
forget: orders delete | id
count: holes
elsewhere: users read
broken: orders read lost"""


def statements(text: str) -> list[Statement]:
    queries = read_query_file(Lines(text.encode()), language="xml")
    return list(queries.uses.statements) if queries is not None else []


def shown(one: Statement) -> str:
    tables = "; ".join(f"{use.table} {use.access}" for use in sorted(one.tables, key=lambda use: use.table.name))
    columns = ", ".join(sorted({f"{column.column}{'=' if column.write else ''}" for column in one.columns}))
    name = one.function.removeprefix("OrderMapper.")
    words = [tables, f"| {columns}" if columns else "", "holes" if one.holes else "", "lost" if one.lost else ""]
    return f"{name}: {' '.join(word for word in words if word)}"


def test_statements() -> None:
    assert "\n".join(map(shown, statements(HEAD + MAPPER))) == USES


@pytest.mark.parametrize(
    "text",
    [
        "<mapper namespace='a.B'><select id='x'>SELECT 1",
        "<mapper><select id='x'>SELECT a FROM b</select></mapper>",
        "<mapper namespace='a.'><select id='x'>SELECT a FROM b</select></mapper>",
        "<mapper namespace='a.B'><resultMap id='x'/></mapper>",
        "<configuration namespace='a.B'><mapper resource='x'/></configuration>",
        '<!DOCTYPE x [<!ENTITY a "aaaa">]><mapper namespace="a.B"><select id="x">&a;</select></mapper>',
    ],
)
def test_what_is_no_mapper_says_nothing(text: str) -> None:
    assert not statements(text)


def test_fragments_without_an_end_end() -> None:
    """One that includes itself, and some of which each includes the next one twice."""
    doubled = "".join(
        f"<sql id='s{n}'>a.x{n}, <include refid='s{n + 1}'/> <include refid='s{n + 1}'/></sql>" for n in range(60)
    )
    text = f"""<mapper namespace="a.B">{doubled}<sql id="s60">1</sql><sql id="r">a <include refid="r"/></sql>
      <select id="x">SELECT <include refid="s0"/> FROM t</select><select id="y">SELECT <include refid="r"/></select>
      {"<if test='a'>" * 50}{"</if>" * 50}
    </mapper>"""
    assert [statement.lost for statement in statements(text)] == [
        "it has more dynamic elements than are read",
        "no dialect that was tried reads it",
    ]


FILES = {
    "db/schema.sql": (
        "CREATE TABLE users (id INT PRIMARY KEY, email TEXT);\n"
        "CREATE TABLE orders (id INT PRIMARY KEY, user_id INT, status TEXT, closed_at TIMESTAMP);\n"
    ),
    "src/shop/OrderMapper.java": (
        "package shop;\npublic interface OrderMapper {\n  Order find(String mail);\n  int close(Order order);\n}\n"
    ),
    "src/old/OrderMapper.java": "package old;\npublic interface OrderMapper { Order find(String mail); }\n",
    "src/shop/OrderService.java": (
        "package shop;\nclass OrderService {\n  private OrderMapper mapper;\n"
        "  Order show(String mail) { return mapper.find(mail); }\n}\n"
    ),
    "resources/mapper/OrderMapper.xml": HEAD + MAPPER,
    "resources/application.xml": "<beans/>",
    "resources/mapper/other.xml": "<beans/>",
}


def test_the_method_of_the_interface_uses_the_tables(tmp_path: Path) -> None:
    graph = graph_of(write(tmp_path, FILES))
    used = [
        f"{graph.node(node).path} {edge.kind} {graph.node(edge.target).name} at {edge.line}, {edge.certainty}"
        for node in graph.named("find")
        for edge in graph.edges_from(node, (EdgeKind.READS, EdgeKind.REFERENCES))
        if graph.node(node).path.endswith(".java") and graph.node(edge.target).kind != NodeKind.COLUMN
    ]
    assert sorted(used) == [
        "src/shop/OrderMapper.java reads orders at 7, resolved",
        "src/shop/OrderMapper.java reads users at 7, resolved",
        "src/shop/OrderMapper.java references find at 7, resolved",
    ]


def test_mappers_are_indexed_though_other_configuration_is_not(tmp_path: Path) -> None:
    with Index.build(write(tmp_path, FILES), encoder="none", workers=0) as index:
        hits = index.search("OrderMapper close orders", k=20)
        found = {(hit.chunk.path, hit.chunk.name) for hit in hits if hit.chunk.path.endswith(".xml")}
    assert ("resources/mapper/OrderMapper.xml", "close") in found
    assert {path for path, _ in found} == {"resources/mapper/OrderMapper.xml"}
