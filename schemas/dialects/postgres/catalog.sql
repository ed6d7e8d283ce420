-- What a PostgreSQL server, 12 or newer, tells of its database. coderag/sql/live/catalog.py says how this file is read.

-- name: database
SELECT current_database() AS name,
       shobj_description((SELECT oid FROM pg_database WHERE datname = current_database()), 'pg_database') AS comment,
       coalesce(current_schema(), '') AS schema_name,
       'PostgreSQL ' || current_setting('server_version') AS version;

-- name: schemas
SELECT n.nspname AS name,
       obj_description(n.oid, 'pg_namespace') AS comment
  FROM pg_namespace AS n
 WHERE n.nspname <> 'information_schema'
   AND left(n.nspname, 3) <> 'pg_'
 ORDER BY n.nspname;

-- name: tables
-- What belongs to an extension is left out. No estimate: -1, or 0 before PostgreSQL 14.
SELECT c.oid::text AS id,
       n.nspname AS schema_name,
       c.relname AS name,
       CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'external table'
            ELSE 'table' END AS kind,
       obj_description(c.oid, 'pg_class') AS comment,
       CASE WHEN c.relkind = 'v' THEN -1
            WHEN c.relkind = 'p' THEN (SELECT coalesce(sum(k.reltuples) FILTER (WHERE k.reltuples >= 0), -1)
                                         FROM pg_partition_tree(c.oid) AS t JOIN pg_class AS k ON k.oid = t.relid
                                        WHERE t.isleaf AND k.relkind <> 'p')
            WHEN c.reltuples > 0 OR c.relpages > 0 THEN c.reltuples
            WHEN pg_stat_get_live_tuples(c.oid) > 0 THEN pg_stat_get_live_tuples(c.oid)
            ELSE -1 END::bigint AS row_count,
       c.relispartition AS partition,
       parent_schema.nspname AS parent_schema,
       parent.relname AS parent_name,
       has_schema_privilege(n.oid, 'USAGE')
       AND (has_table_privilege(c.oid, 'SELECT') OR has_any_column_privilege(c.oid, 'SELECT')) AS readable
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid AND i.inhseqno = 1
  LEFT JOIN pg_class AS parent ON parent.oid = i.inhparent
  LEFT JOIN pg_namespace AS parent_schema ON parent_schema.oid = parent.relnamespace
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
   AND n.nspname = ANY (:schemas::text[])
   AND NOT EXISTS (SELECT FROM pg_depend AS d
                    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
 ORDER BY n.nspname, c.relname;

-- name: columns
SELECT n.nspname AS schema_name,
       c.relname AS table_name,
       a.attname AS name,
       format_type(a.atttypid, a.atttypmod) AS type,
       NOT a.attnotnull AS nullable,
       a.attidentity <> '' AS identity,
       col_description(c.oid, a.attnum) AS comment,
       CASE WHEN t.typtype = 'e' THEN t.oid WHEN e.typtype = 'e' THEN e.oid END::text AS type_id,
       has_table_privilege(c.oid, 'SELECT') OR has_column_privilege(c.oid, a.attnum, 'SELECT') AS readable
  FROM pg_attribute AS a
  JOIN pg_class AS c ON c.oid = a.attrelid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  JOIN pg_type AS t ON t.oid = a.atttypid
  LEFT JOIN pg_type AS e ON e.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.typelem END AND e.typtype = 'e'
 WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f')
   AND n.nspname = ANY (:schemas::text[])
   AND a.attnum > 0
   AND NOT a.attisdropped
 ORDER BY n.nspname, c.relname, a.attnum;

-- name: defaults
-- Waits for whoever changes the table; so do views.
SELECT n.nspname AS schema_name,
       c.relname AS table_name,
       a.attname AS name,
       pg_get_expr(d.adbin, d.adrelid, true) AS expression,
       a.attgenerated <> '' AS computed
  FROM pg_attrdef AS d
  JOIN pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
  JOIN pg_class AS c ON c.oid = d.adrelid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE c.oid IN (SELECT id::oid FROM unnest(:objects::text[]) AS one (id))
   AND NOT a.attisdropped;

-- name: keys
-- A unique index counts as a constraint where it holds for all rows and has plain columns.
SELECT n.nspname AS schema_name,
       c.relname AS table_name,
       k.relname AS key_name,
       i.indisprimary AS main,
       a.attname AS name
  FROM pg_index AS i
  JOIN pg_class AS c ON c.oid = i.indrelid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  JOIN pg_class AS k ON k.oid = i.indexrelid
 CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS part (attnum, place)
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = part.attnum
 WHERE i.indisunique
   AND i.indpred IS NULL
   AND i.indexprs IS NULL
   AND part.place <= i.indnkeyatts
   AND n.nspname = ANY (:schemas::text[])
 ORDER BY n.nspname, c.relname, k.relname, part.place;

-- name: foreign_keys
-- A key onto a partitioned table is kept once for each partition as well; those are left out.
SELECT n.nspname AS schema_name,
       c.relname AS table_name,
       f.conname AS key_name,
       a.attname AS name,
       other_schema.nspname AS other_schema,
       other.relname AS other_table,
       b.attname AS other_name
  FROM pg_constraint AS f
  JOIN pg_class AS c ON c.oid = f.conrelid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  JOIN pg_class AS other ON other.oid = f.confrelid
  JOIN pg_namespace AS other_schema ON other_schema.oid = other.relnamespace
 CROSS JOIN LATERAL unnest(f.conkey, f.confkey) WITH ORDINALITY AS part (own, theirs, place)
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = part.own
  JOIN pg_attribute AS b ON b.attrelid = other.oid AND b.attnum = part.theirs
 WHERE f.contype = 'f'
   AND n.nspname = ANY (:schemas::text[])
   AND NOT EXISTS (SELECT FROM pg_constraint AS p WHERE p.oid = f.conparentid AND p.conrelid = f.conrelid)
 ORDER BY n.nspname, c.relname, f.conname, part.place;

-- name: checks
SELECT n.nspname AS schema_name,
       c.relname AS table_name,
       pg_get_constraintdef(f.oid, true) AS expression
  FROM pg_constraint AS f
  JOIN pg_class AS c ON c.oid = f.conrelid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE f.contype = 'c'
   AND n.nspname = ANY (:schemas::text[])
 ORDER BY n.nspname, c.relname, f.conname;

-- name: views
SELECT n.nspname AS schema_name,
       c.relname AS name,
       pg_get_viewdef(c.oid, true) AS text
  FROM pg_class AS c
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
 WHERE c.relkind IN ('v', 'm')
   AND c.oid IN (SELECT id::oid FROM unnest(:objects::text[]) AS one (id));

-- name: types
-- Enums, domains, and the composite types that are no table's row type.
SELECT t.oid::text AS id,
       n.nspname AS schema_name,
       t.typname AS name,
       CASE t.typtype WHEN 'e' THEN 'enum' WHEN 'd' THEN 'domain' ELSE 'type' END AS kind,
       CASE WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod) END AS base,
       obj_description(t.oid, 'pg_type') AS comment
  FROM pg_type AS t
  JOIN pg_namespace AS n ON n.oid = t.typnamespace
  LEFT JOIN pg_class AS c ON c.oid = t.typrelid
 WHERE (t.typtype IN ('e', 'd') OR (t.typtype = 'c' AND c.relkind = 'c'))
   AND n.nspname = ANY (:schemas::text[])
   AND NOT EXISTS (SELECT FROM pg_depend AS d
                    WHERE d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e')
 ORDER BY n.nspname, t.typname;

-- name: type_values
SELECT e.enumtypid::text AS id,
       e.enumlabel AS value
  FROM pg_enum AS e
 ORDER BY e.enumtypid, e.enumsortorder;

-- name: type_columns
SELECT t.oid::text AS id,
       a.attname AS name,
       format_type(a.atttypid, a.atttypmod) AS type
  FROM pg_type AS t
  JOIN pg_class AS c ON c.oid = t.typrelid AND c.relkind = 'c'
  JOIN pg_namespace AS n ON n.oid = t.typnamespace
  JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE n.nspname = ANY (:schemas::text[])
 ORDER BY t.oid, a.attnum;

-- name: type_checks
SELECT f.contypid::text AS id,
       pg_get_constraintdef(f.oid, true) AS expression
  FROM pg_constraint AS f
 WHERE f.contypid <> 0
   AND f.contype = 'c'
 ORDER BY f.contypid, f.conname;

-- name: routines
-- The standard's bodies (BEGIN ATOMIC) are kept parsed; only the whole definition shows them.
SELECT p.oid::text AS id,
       n.nspname AS schema_name,
       p.proname AS name,
       CASE p.prokind WHEN 'p' THEN 'procedure' ELSE 'function' END AS kind,
       CASE WHEN p.prokind <> 'p' THEN pg_get_function_result(p.oid) END AS returns,
       l.lanname AS language,
       CASE WHEN l.lanname IN ('internal', 'c') THEN ''
            WHEN p.prosrc = '' AND p.prokind IN ('f', 'p') THEN pg_get_functiondef(p.oid)
            ELSE p.prosrc END AS body,
       obj_description(p.oid, 'pg_proc') AS comment
  FROM pg_proc AS p
  JOIN pg_namespace AS n ON n.oid = p.pronamespace
  JOIN pg_language AS l ON l.oid = p.prolang
 WHERE n.nspname = ANY (:schemas::text[])
   AND NOT EXISTS (SELECT FROM pg_depend AS d
                    WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
 ORDER BY n.nspname, p.proname, p.oid;

-- name: parameters
SELECT p.oid::text AS id,
       p.proargnames[part.place] AS name,
       format_type(part.type, NULL) AS type,
       CASE WHEN coalesce(p.proargmodes[part.place], 'i') IN ('i', 'b', 'v')
            THEN pg_get_function_arg_default(p.oid, part.place::int) END AS expression
  FROM pg_proc AS p
  JOIN pg_namespace AS n ON n.oid = p.pronamespace
 CROSS JOIN LATERAL unnest(coalesce(p.proallargtypes, ARRAY(SELECT unnest(p.proargtypes))))
       WITH ORDINALITY AS part (type, place)
 WHERE n.nspname = ANY (:schemas::text[])
   AND coalesce(p.proargmodes[part.place], 'i') <> 't'
   AND NOT EXISTS (SELECT FROM pg_depend AS d
                    WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
 ORDER BY p.oid, part.place;

-- name: triggers
SELECT n.nspname AS schema_name,
       g.tgname AS name,
       n.nspname AS table_schema,
       c.relname AS table_name,
       p.proname AS calls,
       l.lanname AS language,
       obj_description(g.oid, 'pg_trigger') AS comment
  FROM pg_trigger AS g
  JOIN pg_class AS c ON c.oid = g.tgrelid
  JOIN pg_namespace AS n ON n.oid = c.relnamespace
  JOIN pg_proc AS p ON p.oid = g.tgfoid
  JOIN pg_language AS l ON l.oid = p.prolang
 WHERE NOT g.tgisinternal
   AND NOT c.relispartition
   AND n.nspname = ANY (:schemas::text[])
 ORDER BY n.nspname, c.relname, g.tgname;

-- name: cell
left({column}::text, {characters})

-- name: sample
SELECT {cells} FROM {table} LIMIT {rows};

-- name: sample_large
SELECT {cells} FROM {table} TABLESAMPLE SYSTEM ({percent}) LIMIT {rows};
