-- What a SQLite file tells of its tables. coderag/sql/live/catalog.py says how this file is read.
-- SQLite keeps the text of every definition, comments included; what stands only there is read from it.

-- name: database
SELECT '' AS name,
       'main' AS schema_name,
       'SQLite ' || sqlite_version() AS version;

-- name: schemas
SELECT 'main' AS name;

-- name: tables
SELECT t.name AS id,
       'main' AS schema_name,
       t.name AS name,
       CASE t.type WHEN 'view' THEN 'view' WHEN 'virtual' THEN 'external table' ELSE 'table' END AS kind
  FROM pragma_table_list AS t
 WHERE t.schema = 'main'
   AND t.type IN ('table', 'view', 'virtual')
   AND t.name NOT LIKE 'sqlite\_%' ESCAPE '\'
 ORDER BY t.name;

-- name: columns
SELECT 'main' AS schema_name,
       t.value AS table_name,
       c.name AS name,
       c.type AS type,
       NOT (c."notnull" OR c.pk) AS nullable,
       c.dflt_value AS expression
  FROM json_each(:objects) AS t
  JOIN pragma_table_xinfo(t.value) AS c
 WHERE c.hidden <> 1
 ORDER BY t.value, c.cid;

-- name: primary_keys
SELECT 'main' AS schema_name,
       t.value AS table_name,
       'PRIMARY' AS key_name,
       1 AS main,
       c.name AS name
  FROM json_each(:objects) AS t
  JOIN pragma_table_xinfo(t.value) AS c
 WHERE c.pk
 ORDER BY t.value, c.pk;

-- name: keys
-- A unique index counts as a constraint where it holds for all rows and has plain columns.
SELECT 'main' AS schema_name,
       t.value AS table_name,
       i.name AS key_name,
       c.name IS NULL AS partial,
       c.name AS name
  FROM json_each(:objects) AS t
  JOIN pragma_index_list(t.value) AS i
  JOIN pragma_index_info(i.name) AS c
 WHERE i."unique"
   AND i.origin <> 'pk'
   AND NOT i.partial
 ORDER BY t.value, i.seq DESC, c.seqno;

-- name: foreign_keys
-- A key that names no columns of the other table means its primary key.
SELECT 'main' AS schema_name,
       t.value AS table_name,
       CAST(f.id AS TEXT) AS key_name,
       f."from" AS name,
       'main' AS other_schema,
       f."table" AS other_table,
       f."to" AS other_name
  FROM json_each(:objects) AS t
  JOIN pragma_foreign_key_list(t.value) AS f
 ORDER BY t.value, f.id DESC, f.seq;

-- name: row_counts
-- when: SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_stat1'
SELECT 'main' AS schema_name,
       tbl AS name,
       max(CAST(stat AS INTEGER)) AS row_count
  FROM sqlite_stat1
 GROUP BY tbl;

-- name: definitions
SELECT type AS kind,
       'main' AS schema_name,
       name,
       sql AS text
  FROM sqlite_schema
 WHERE type IN ('table', 'view', 'trigger')
   AND sql IS NOT NULL
 ORDER BY rowid;

-- name: cell
substr(CAST({column} AS TEXT), 1, {characters})

-- name: sample
SELECT {cells} FROM {table} LIMIT {rows};
